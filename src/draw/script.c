/*
 * Composition and properties of characters come from utf8proc, directions (UAX #9) and the joining of Arabic letters
 * from FriBidi; this is the only file that knows either.
 */
#include "draw/script.h"

#include "base/utf8.h"
#include "draw/glyph.h"

#include <fribidi.h>
#include <string.h>
#include <utf8proc.h>

enum {
	ROOM = QKV_SCRIPT_ROOM,
	READ = ROOM / 4 - 1, /* a code becomes 4 at most where its composition is undone, or an escape of 4 */
	FIRST_RTL = 0x590,   /* no code below runs from right to left */
	FIRST_TAG = 0xE0000,
	LAST_TAG = 0xE007F,
	OBJECT = 0xFFFC, /* stands for a box: a neutral */
};

/* types and levels of a line */
struct bidi {
	FriBidiCharType types[ROOM];
	FriBidiLevel levels[ROOM];
	FriBidiParType base;
};

enum qkv_char_kind
qkv_char_kind(uint32_t code)
{
	const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)code);
	/* tags would carry a text that nobody sees */
	int is_part =
		(p->boundclass == UTF8PROC_BOUNDCLASS_EXTEND || p->boundclass == UTF8PROC_BOUNDCLASS_ZWJ) &&
		(code < FIRST_TAG || code > LAST_TAG);

	if (p->ignorable)
		return is_part ? QKV_CHAR_JOINER : QKV_CHAR_INVISIBLE;
	/* vowels and finals of Hangul, where they stand alone, lie over the initial in the font */
	if (p->boundclass == UTF8PROC_BOUNDCLASS_V || p->boundclass == UTF8PROC_BOUNDCLASS_T)
		return QKV_CHAR_MARK;
	return p->category == UTF8PROC_CATEGORY_MN || p->category == UTF8PROC_CATEGORY_MC ||
			p->category == UTF8PROC_CATEGORY_ME
		? QKV_CHAR_MARK
		: QKV_CHAR_PLAIN;
}

size_t
qkv_char_columns(uint32_t code)
{
	int columns = utf8proc_charwidth((utf8proc_int32_t)code);

	return columns > 0 ? (size_t)columns : 0;
}

int
qkv_char_is_rtl(uint32_t code)
{
	return code >= FIRST_RTL && FRIBIDI_IS_RTL(fribidi_get_bidi_type(code));
}

size_t
qkv_script_read(uint32_t *codes, const char **rest, const char *text)
{
	utf8proc_int32_t *out = (utf8proc_int32_t *)codes;
	const char *end = text + strlen(text);
	char clean[4 * READ];
	size_t used = 0;
	utf8proc_ssize_t count;

	for (int i = 0; text < end && i < READ; i++) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, text, end);

		text += length ? length : 1;
		used += qkv_utf8_write(clean + used, length ? code : 0xFFFD);
	}
	*rest = text;
	count = utf8proc_decompose((const utf8proc_uint8_t *)clean, (utf8proc_ssize_t)used, out, ROOM,
		UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	count = utf8proc_normalize_utf32(out, count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	return count > 0 ? (size_t)count : 0;
}

static int
has_rtl(const uint32_t *codes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (codes[i] >= FIRST_RTL && !(codes[i] & QKV_GLYPH_BOX))
			return 1;
	return 0;
}

/* finds types and levels; text gets the codes with a neutral for each box */
static int
resolve(struct bidi *b, FriBidiChar *text, const uint32_t *codes, size_t count, struct qkv_err *e)
{
	FriBidiBracketType brackets[ROOM];
	FriBidiStrIndex n = (FriBidiStrIndex)count;

	for (size_t i = 0; i < count; i++)
		text[i] = codes[i] & QKV_GLYPH_BOX ? OBJECT : codes[i];
	b->base = FRIBIDI_PAR_ON;
	fribidi_get_bidi_types(text, n, b->types);
	fribidi_get_bracket_types(text, n, b->types, brackets);
	if (!fribidi_get_par_embedding_levels_ex(b->types, brackets, n, &b->base, b->levels))
		return qkv_fail(e, QKV_EMEMORY, "out of memory, ordering a label");
	return 0;
}

int
qkv_script_join(uint32_t *codes, size_t count, struct qkv_err *e)
{
	struct bidi b;
	FriBidiChar text[ROOM];
	FriBidiArabicProp joining[ROOM];
	FriBidiStrIndex n = (FriBidiStrIndex)count;

	if (!has_rtl(codes, count))
		return 0;
	if (resolve(&b, text, codes, count, e))
		return -1;
	fribidi_get_joining_types(text, n, joining);
	fribidi_join_arabic(b.types, n, b.levels, joining);
	fribidi_shape(FRIBIDI_FLAGS_ARABIC, b.levels, n, joining, text);
	for (size_t i = 0; i < count; i++)
		if (!(codes[i] & QKV_GLYPH_BOX))
			codes[i] = text[i];
	return 0;
}

int
qkv_script_order(int *seen, uint32_t *codes, size_t count, struct qkv_err *e)
{
	struct bidi b;
	FriBidiChar text[ROOM];
	FriBidiStrIndex n = (FriBidiStrIndex)count;

	for (size_t i = 0; i < count; i++)
		seen[i] = (int)i;
	if (!has_rtl(codes, count))
		return 0;
	if (resolve(&b, text, codes, count, e))
		return -1;
	fribidi_shape_mirroring(b.levels, n, text);
	for (size_t i = 0; i < count; i++)
		if (!(codes[i] & QKV_GLYPH_BOX))
			codes[i] = text[i];
	if (!fribidi_reorder_line(FRIBIDI_FLAG_REORDER_NSM, b.types, n, 0, b.base, b.levels, NULL, seen))
		return qkv_fail(e, QKV_EMEMORY, "out of memory, ordering a label");
	return 0;
}

const char *
qkv_script_utf8proc(void)
{
	return utf8proc_version();
}

const char *
qkv_script_fribidi(void)
{
	return FRIBIDI_VERSION;
}

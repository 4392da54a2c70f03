/* Labels: characters of a token to visible ones, cut to their limit in logical order, then put in the order of sight. */
#include "draw/label.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/script.h"

#include <stdio.h>
#include <string.h>

enum {
	EMPTY_SET = 0x2205,
	OPEN_BOX = 0x2423, /* for a space where it would not be seen */
	ELLIPSIS = 0x2026,
	ELLIPSIS_WIDTH = 8,
	FILL = 0xFEFF, /* stands behind a ligature */
	ROOM = QKV_SCRIPT_ROOM,
};

struct line {
	uint32_t codes[ROOM];
	uint32_t letters[ROOM];      /* codes before they were joined */
	unsigned char goes_on[ROOM]; /* whether the next code belongs to it, in an escape */
	size_t count;
	size_t width, base; /* pixels so far, and where the last character that took place begins */
};

static void
put(struct line *l, uint32_t code)
{
	l->goes_on[l->count] = 0;
	l->codes[l->count++] = code;
}

/* a control character as it would be written in C */
static void
put_escape(struct line *l, uint32_t code)
{
	static const char hex[] = "0123456789abcdef";
	const char *named = code == '\n' ? "n" : code == '\t' ? "t" : code == '\r' ? "r" : NULL;

	size_t first = l->count;

	put(l, '\\');
	if (named) {
		put(l, (uint32_t)*named);
	} else {
		put(l, 'x');
		put(l, (uint32_t)hex[code >> 4]);
		put(l, (uint32_t)hex[code & 15]);
	}
	memset(l->goes_on + first, 1, l->count - 1 - first);
}

static int
is_visible(uint32_t code)
{
	enum qkv_char_kind kind = qkv_char_kind(code);

	return kind == QKV_CHAR_PLAIN || kind == QKV_CHAR_MARK;
}

/* puts a code as it is to be seen */
static void
put_visible(struct line *l, uint32_t code, int is_edge, int all_invisible)
{
	if (code < ' ' || (code >= 0x7F && code < 0xA0))
		put_escape(l, code);
	else if (code == ' ')
		put(l, is_edge ? OPEN_BOX : code);
	else if (is_visible(code))
		put(l, code);
	else
		put(l,
			all_invisible || qkv_char_kind(code) == QKV_CHAR_INVISIBLE ? code | QKV_GLYPH_BOX
										   : code);
}

/* the visible codes of text; whether that is all of it */
static int
read_line(struct line *l, const char *text)
{
	uint32_t codes[ROOM];
	const char *rest;
	size_t count = qkv_script_read(codes, &rest, text), first = 0, last = count;
	int all_invisible = 1;

	while (first < count && codes[first] == ' ')
		first++;
	while (last > first && codes[last - 1] == ' ')
		last--;
	for (size_t i = 0; i < count; i++)
		all_invisible &= !is_visible(codes[i]);
	l->count = 0;
	if (!count)
		put(l, EMPTY_SET);
	for (size_t i = 0; i < count; i++)
		put_visible(l, codes[i], i < first || i >= last, all_invisible);
	return !*rest;
}

/* places a code after those before it, its left edge at *x; pixels of its glyph, 0: it has none */
static size_t
place(struct line *l, size_t *x, uint32_t code)
{
	size_t width = qkv_glyph_width(code);

	*x = l->width;
	if (!(code & QKV_GLYPH_BOX) && (code == FILL || !is_visible(code)))
		return 0;
	if (!width)
		width = 16;
	if (!(code & QKV_GLYPH_BOX) && qkv_char_kind(code) == QKV_CHAR_MARK && l->width)
		/* ends where the letter ends, as Unifont draws it */
		*x = l->width >= l->base + width ? l->width - width : l->base;
	else
		l->base = *x;
	if (l->width < *x + width)
		l->width = *x + width;
	return width;
}

/* cuts l where an ellipsis still fits into limit pixels; whether it had to */
static int
cut(struct line *l, size_t limit, int is_all)
{
	size_t fits = 0;

	l->width = l->base = 0;
	for (size_t i = 0; i < l->count; i++) {
		size_t x;

		place(l, &x, l->codes[i]);
		if (!l->goes_on[i] && l->width + ELLIPSIS_WIDTH <= limit)
			fits = i + 1;
	}
	if (is_all && l->width <= limit)
		return 0;
	l->count = fits;
	l->letters[fits] = ELLIPSIS;
	put(l, ELLIPSIS);
	return 1;
}

/* the text of l in UTF-8, logical order, what is boxed but for want of a glyph as an escape */
static int
write_text(struct qkv_label *out, const struct line *l, struct qkv_err *e)
{
	enum { LONGEST = sizeof "\\u10ffff" };
	size_t used = 0;

	out->text = qkv_mem_new(l->count, LONGEST, e);
	if (!out->text)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		uint32_t code = l->letters[i];

		if (code & QKV_GLYPH_BOX)
			used += (size_t)snprintf(out->text + used, LONGEST, "\\u%04lx",
				(unsigned long)(code & ~QKV_GLYPH_BOX));
		else
			used += qkv_utf8_write(out->text + used, code);
	}
	return 0;
}

/* the glyphs of l from left to right */
static int
write_spots(struct qkv_label *out, struct line *l, struct qkv_err *e)
{
	int seen[ROOM];

	if (qkv_script_order(seen, l->codes, l->count, e))
		return -1;
	out->spots = qkv_mem_new(l->count, sizeof *out->spots, e);
	if (!out->spots)
		return -1;
	l->width = l->base = 0;
	for (size_t i = 0; i < l->count; i++) {
		uint32_t code = l->codes[seen[i]];
		size_t x;

		if (!place(l, &x, code) || code == ' ')
			continue;
		out->spots[out->count++] = (struct qkv_spot){code, (uint32_t)x};
		if (!(code & QKV_GLYPH_BOX) && !qkv_glyph_width(code) && !out->missing++)
			out->lacking = code;
	}
	out->width = l->width;
	return 0;
}

/* the pixels of all glyphs */
static int
write_ink(struct qkv_label *out, struct qkv_err *e)
{
	out->ink = qkv_mem_new(out->width, sizeof *out->ink, e);
	if (!out->ink)
		return -1;
	for (size_t i = 0; i < out->count; i++) {
		uint16_t *ink = out->ink + out->spots[i].x;
		struct qkv_glyph g;

		qkv_glyph_get(&g, out->spots[i].code);
		for (int y = 0; y < QKV_GLYPH_HEIGHT; y++)
			for (size_t x = 0; x < g.width; x++)
				ink[x] |= (uint16_t)((g.row[y] >> (g.width - 1 - x) & 1) << y);
	}
	return 0;
}

int
qkv_label_new(struct qkv_label *out, const char *text, size_t limit, struct qkv_err *e)
{
	struct line l;
	int is_all;

	memset(out, 0, sizeof *out);
	is_all = read_line(&l, text);
	memcpy(l.letters, l.codes, l.count * sizeof *l.codes);
	if (qkv_script_join(l.codes, l.count, e))
		return -1;
	out->shortened = cut(&l, limit, is_all);
	if (!write_text(out, &l, e) && !write_spots(out, &l, e) && !write_ink(out, e))
		return 0;
	qkv_label_free(out);
	return -1;
}

void
qkv_label_free(struct qkv_label *l)
{
	qkv_mem_free(l->spots);
	qkv_mem_free(l->text);
	qkv_mem_free(l->ink);
	l->spots = NULL;
	l->text = NULL;
	l->ink = NULL;
}

/* Labels: characters to glyphs in a line, in logical order. */
#include "draw/label.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "draw/glyph.h"

#include <stdio.h>
#include <string.h>

enum {
	EMPTY_SET = 0x2205,
	SYMBOL_FOR_SPACE = 0x2420,
	ELLIPSIS = 0x2026,
	ELLIPSIS_WIDTH = 8,
	ROOM = 256, /* spots of a label, more than QKV_LABEL_LIMIT can hold unless marks are piled up */
};

/* a label as it grows */
struct line {
	struct qkv_spot spots[ROOM];
	size_t count, width;
	size_t base;                 /* where the last character that took place begins */
	size_t fit_count, fit_width; /* up to here an ellipsis still fits after it */
	size_t limit;
	char text[12 * ROOM];
	size_t length, fit_length; /* of text, likewise */
};

/* the text of what is drawn: itself, or as an escape where it could not be seen */
static void
add_text(struct line *l, uint32_t code)
{
	char *p = l->text + l->length;

	if (l->length > sizeof l->text - 12)
		return;
	if (qkv_glyph_invisible(code & ~QKV_GLYPH_BOX) && code & QKV_GLYPH_BOX)
		l->length += (size_t)sprintf(p, "\\u%04lx", (unsigned long)(code & ~QKV_GLYPH_BOX));
	else
		l->length += qkv_utf8_write(p, code & ~QKV_GLYPH_BOX);
}

/* adds a character; 0, or -1: there is no room for it, nor for any that follows */
static int
add(struct line *l, uint32_t code)
{
	size_t width = qkv_glyph_width(code);
	size_t x = l->width;

	if (!width)
		width = 16;
	if (l->count == ROOM - 1)
		return -1;
	if (qkv_glyph_is_mark(code) && l->count) {
		/* ends where the letter ends, as Unifont draws it */
		x = l->width >= l->base + width ? l->width - width : l->base;
	} else {
		l->base = x;
	}
	if (x + width > l->limit)
		return -1;
	l->spots[l->count++] = (struct qkv_spot){code, (uint32_t)x};
	add_text(l, code);
	if (l->width < x + width)
		l->width = x + width;
	return 0;
}

/* a byte of a control character as it would be written in C */
static int
add_escape(struct line *l, uint32_t code)
{
	static const char hex[] = "0123456789abcdef";
	const char *named = code == '\n' ? "n" : code == '\t' ? "t" : code == '\r' ? "r" : NULL;

	if (add(l, '\\'))
		return -1;
	if (named)
		return add(l, (uint32_t)*named);
	return add(l, 'x') || add(l, (uint32_t)hex[code >> 4]) || add(l, (uint32_t)hex[code & 15]) ? -1 : 0;
}

static uint32_t
read_code(const char **p, const char *end)
{
	uint32_t code;
	size_t length = qkv_utf8_read(&code, *p, end);

	*p += length ? length : 1;
	return length ? code : 0xFFFD;
}

/* whether nothing of text would be seen */
static int
is_invisible(const char *text, const char *end)
{
	while (text < end)
		if (!qkv_glyph_invisible(read_code(&text, end)))
			return 0;
	return 1;
}

/* adds the character at p as it is to be seen; 0, or -1: no room */
static int
add_visible(struct line *l, struct qkv_label *out, uint32_t code, int at_end, int all_invisible)
{
	int is_rtl;

	if (code < ' ' || (code >= 0x7F && code < 0xA0))
		return add_escape(l, code);
	if (code == ' ' && !at_end) {
		l->base = l->width;
		l->width += qkv_glyph_width(' ');
		add_text(l, ' ');
		return l->width > l->limit ? -1 : 0;
	}
	if (qkv_glyph_invisible(code) && (all_invisible || !qkv_glyph_is_joiner(code)))
		return add(l, code | QKV_GLYPH_BOX);
	if (qkv_glyph_invisible(code)) {
		add_text(l, code);
		return 0;
	}
	if (code == ' ')
		code = SYMBOL_FOR_SPACE;
	/* letters in the wrong order would be read as another word */
	is_rtl = qkv_glyph_is_rtl(code);
	if ((is_rtl || !qkv_glyph_width(code)) && !out->missing++)
		out->lacking = code;
	return add(l, is_rtl ? code | QKV_GLYPH_BOX : code);
}

/* lays out text into l; 0, or -1: it was cut at the last character that leaves room for an ellipsis */
static int
lay_out(struct line *l, struct qkv_label *out, const char *text)
{
	const char *end = text + strlen(text), *last = end, *first = text, *p = text;
	int all_invisible = is_invisible(text, end);

	while (*first == ' ')
		first++;
	while (last > first && last[-1] == ' ')
		last--;
	if (text == end)
		return add(l, EMPTY_SET);
	while (p < end) {
		int at_end = p < first || p >= last;

		if (add_visible(l, out, read_code(&p, end), at_end, all_invisible))
			return -1;
		if (l->width + ELLIPSIS_WIDTH <= l->limit) {
			l->fit_count = l->count;
			l->fit_width = l->width;
			l->fit_length = l->length;
		}
	}
	return 0;
}

int
qkv_label_new(struct qkv_label *out, const char *text, size_t limit, struct qkv_err *e)
{
	struct line l;

	memset(out, 0, sizeof *out);
	l.limit = limit;
	l.count = l.width = l.base = l.fit_count = l.fit_width = l.length = l.fit_length = 0;
	if (lay_out(&l, out, text)) {
		out->shortened = 1;
		l.count = l.fit_count;
		l.spots[l.count++] = (struct qkv_spot){ELLIPSIS, (uint32_t)l.fit_width};
		l.width = l.fit_width + ELLIPSIS_WIDTH;
		l.length = l.fit_length;
		add_text(&l, ELLIPSIS);
	}
	out->text = qkv_mem_new(l.length + 1, 1, e);
	out->spots = out->text ? qkv_mem_new(l.count, sizeof *out->spots, e) : NULL;
	if (!out->spots) {
		qkv_label_free(out);
		return -1;
	}
	memcpy(out->text, l.text, l.length);
	memcpy(out->spots, l.spots, l.count * sizeof *l.spots);
	out->count = l.count;
	out->width = l.width;
	return 0;
}

void
qkv_label_free(struct qkv_label *l)
{
	qkv_mem_free(l->spots);
	qkv_mem_free(l->text);
	l->spots = NULL;
	l->text = NULL;
}

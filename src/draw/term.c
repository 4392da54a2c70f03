/*
 * A sheet as text for a terminal: a tile a letter.
 *
 * A tile is the letter of a word, or two cells over each other: U+2580 in the colours of both; the ends of bars are
 * eighths of it. Without colours a tile is a shade of ASCII.
 */
#include "base/mem.h"
#include "base/utf8.h"
#include "draw/pen.h"
#include "draw/picture.h"
#include "draw/script.h"
#include "draw/sheet.h"
#include "write/out.h"

#include <string.h>

enum {
	COLUMN = QKV_SHEET_COLUMN,
	ROW = QKV_SHEET_ROW,
	MASKED = 0x76, /* red, green and blue of a masked cell: seen on light and on dark */
};

enum kind {
	HALVES,
	WORD,      /* text */
	COVERED,   /* by the wide letter before */
	FROM_LEFT, /* so many eighths, in the colour of upper */
	FROM_TOP,
};

struct tile {
	enum kind kind;
	unsigned char upper,
		lower; /* of the palette; where there is a letter, of it and of what is below it */
	unsigned char eighths;
	const char *text; /* a letter with the marks over it */
	size_t length;
	int is_rtl;
};

struct screen {
	struct qkv_out out;
	struct qkv_number_style style;
	const struct qkv_figure *figure;
	struct qkv_palette palette; /* with a colour of masked cells that is seen on any terminal */
	struct tile *tiles;         /* (rows, columns) */
	size_t rows, columns;
	unsigned char *indices; /* of a row of cells */
	struct qkv_pen pen;
};

static struct tile *
tile_at(struct screen *s, size_t x, size_t y)
{
	return &s->tiles[y / ROW * s->columns + x / COLUMN];
}

/* fills what lies in a tile from x0 to x1 and from y0 to y1, pixels */
static void
fill(struct tile *t, unsigned char colour, size_t x0, size_t x1, size_t y0, size_t y1)
{
	if (!x0 && x1 < COLUMN && !y0 && y1 == ROW) {
		*t = (struct tile){.kind = FROM_LEFT, .upper = colour, .eighths = (unsigned char)x1};
	} else if (!y0 && y1 < ROW && y1 != ROW / 2) {
		*t = (struct tile){
			.kind = FROM_TOP, .upper = colour, .eighths = (unsigned char)((y1 + 1) / 2)};
	} else {
		t->kind = HALVES;
		if (y0 < ROW / 2)
			t->upper = colour;
		if (y1 > ROW / 2)
			t->lower = colour;
	}
}

static void
paint_rect(struct screen *s, const struct qkv_mark *m)
{
	size_t right = m->x + m->w, bottom = m->y + m->h;

	for (size_t y = m->y, next; y < bottom; y = next) {
		next = y / ROW * ROW + ROW;
		for (size_t x = m->x, after; x < right; x = after) {
			size_t x1 = right - x < COLUMN ? right - x : COLUMN;

			after = x / COLUMN * COLUMN + COLUMN;
			/* in half a row there are no eighths */
			if (x1 < COLUMN / 2 && m->h < ROW && x > m->x)
				break;
			fill(tile_at(s, x, y), (unsigned char)m->ink, x % COLUMN, x1, y % ROW,
				bottom < next ? bottom % ROW : ROW);
		}
	}
}

static void
paint_cells(struct screen *s, const struct qkv_mark *m)
{
	const struct qkv_panel *p = m->of.panel;

	for (size_t y = 0; y < m->h; y += ROW / 2) {
		qkv_palette_index(s->indices, p->cells + y / p->cell_h * p->wide, p->wide, p->span,
			&s->palette, p->kern);
		for (size_t x = 0; x < m->w; x += COLUMN) {
			struct tile *t = tile_at(s, m->x + x, m->y + y);

			*(y % ROW ? &t->lower : &t->upper) = s->indices[x / p->cell_w];
		}
	}
}

static void
paint_ramp(struct screen *s, const struct qkv_mark *m)
{
	size_t n = m->w / COLUMN, low, high;

	qkv_palette_ends(&low, &high, m->of.span, &s->palette);
	for (size_t i = 0; i < n; i++) {
		struct tile *t = tile_at(s, m->x + i * COLUMN, m->y);

		t->upper = t->lower = (unsigned char)(low + i * (high - low) / (n - 1));
	}
}

/*
 * The letter at *p with the marks over it, and its columns. Joiners are left out, and whatever comes between them and
 * the next letter: terminals disagree on how wide what they join is.
 */
static size_t
next_letter(struct tile *t, const char **p, const char *end)
{
	size_t columns = 0;
	int is_over = 0;

	t->text = *p;
	while (*p < end) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, *p, end), wide = qkv_char_columns(code);

		if (columns && wide)
			break;
		*p += length;
		is_over |= !wide && qkv_char_kind(code) != QKV_CHAR_MARK;
		if (!is_over)
			t->length += length;
		t->is_rtl |= qkv_char_is_rtl(code);
		columns += wide;
	}
	return columns;
}

/* a label from left to right, or letter below letter; where it is too long, the last is an ellipsis */
static void
paint_words(struct screen *s, const struct qkv_mark *m)
{
	static const char ellipsis[] = "\xE2\x80\xA6";
	const char *p = m->of.label->text, *end = p + strlen(p);
	int is_up = m->kind == QKV_MARK_WORDS_UP;
	/* what stands upon cells is centred by pixels */
	size_t x = m->x, y = m->kind == QKV_MARK_OVER ? m->y + ROW / 2 : m->y,
	       limit = is_up ? y + m->h : x + m->w;

	while (p < end) {
		struct tile letter = {.kind = WORD, .upper = (unsigned char)m->ink}, *t = tile_at(s, x, y);
		size_t columns = next_letter(&letter, &p, end);

		/* what is left needs at least a column */
		if (p < end && (is_up ? y + ROW : x + columns * COLUMN) >= limit) {
			letter.text = ellipsis;
			letter.length = sizeof ellipsis - 1;
			columns = 1;
			p = end;
		}
		if (!columns)
			return;
		if (m->kind == QKV_MARK_OVER)
			letter.lower = t->upper;
		t[0] = letter;
		if (columns == 2)
			t[1].kind = COVERED;
		if (is_up)
			y += ROW;
		else
			x += columns * COLUMN;
	}
}

static void
paint_mark(struct screen *s, const struct qkv_mark *m)
{
	switch (m->kind) {
	case QKV_MARK_RECT:
		paint_rect(s, m);
		break;
	case QKV_MARK_WORDS:
	case QKV_MARK_OVER:
	case QKV_MARK_WORDS_UP:
		paint_words(s, m);
		break;
	case QKV_MARK_CELLS:
		paint_cells(s, m);
		break;
	case QKV_MARK_RAMP:
		paint_ramp(s, m);
		break;
	}
}

/* ---- from tiles to text ---- */

static void
take_pen(struct screen *s, struct qkv_pen pen)
{
	qkv_pen_take(&s->pen, pen, &s->out, s->figure->colours, &s->palette);
}

static void
put_block(struct screen *s, uint32_t code)
{
	char text[4];

	qkv_out_bytes(&s->out, text, qkv_utf8_write(text, code));
}

static void
put_coloured(struct screen *s, const struct tile *t)
{
	switch (t->kind) {
	case HALVES:
		take_pen(s,
			t->upper == t->lower ? (struct qkv_pen){.back = t->upper}
				: t->upper   ? (struct qkv_pen){.front = t->upper, .back = t->lower}
					     : (struct qkv_pen){.front = t->lower});
		if (t->upper == t->lower)
			qkv_out_char(&s->out, ' ');
		else
			put_block(s, t->upper ? 0x2580 : 0x2584);
		break;
	case FROM_LEFT:
		take_pen(s, (struct qkv_pen){.front = t->upper});
		put_block(s, 0x2590u - t->eighths);
		break;
	case FROM_TOP:
		/* there are blocks that stand, and none that hang */
		take_pen(s, (struct qkv_pen){.front = t->upper, .is_reversed = 1});
		put_block(s, 0x2588u - t->eighths);
		break;
	default:
		break;
	}
}

/* how a colour of the palette looks in ASCII */
static char
shade(const struct qkv_palette *p, size_t index)
{
	static const char shades[] = ".:+*#%@";
	size_t first = index, most = sizeof shades - 2;

	if (index < QKV_INKS)
		return index == QKV_INK_PAPER ? ' ' : index == QKV_INK_MASKED ? '~' : '=';
	for (int m = 0; m < QKV_MAPS; m++)
		if (p->first[m] && p->first[m] <= index && index < p->first[m] + p->colours)
			first = p->first[m];
	return shades[((index - first) * most + (p->colours - 1) / 2) / (p->colours - 1)];
}

/* text has the colour of the terminal, but for what stands upon cells */
static struct qkv_pen
word_pen(const struct tile *t)
{
	return (struct qkv_pen){
		.front = t->lower ? t->upper : 0, .back = t->lower, .is_dim = t->upper == QKV_INK_QUIET};
}

static void
put_tile(struct screen *s, const struct tile *t)
{
	if (t->kind == WORD) {
		take_pen(s, word_pen(t));
		qkv_out_bytes(&s->out, t->text, t->length);
	} else if (t->kind == COVERED) {
		return;
	} else if (s->figure->colours != QKV_COLOURS_NONE) {
		put_coloured(s, t);
	} else {
		qkv_out_char(&s->out,
			t->kind == HALVES              ? shade(&s->palette, t->upper)
				: t->kind == FROM_LEFT ? '-'
						       : '\'');
	}
}

static void
put_row(struct screen *s, const struct tile *tiles)
{
	size_t n = s->columns;

	while (n && tiles[n - 1].kind == HALVES && !tiles[n - 1].upper && !tiles[n - 1].lower)
		n--;
	for (size_t i = 0; i < n; i++) {
		put_tile(s, &tiles[i]);
		/* or a terminal that orders letters would order cells between two words as well */
		if (tiles[i].is_rtl && (i + 1 == n || tiles[i + 1].kind != WORD))
			qkv_out_text(&s->out, "\xE2\x80\x8E");
	}
	take_pen(s, (struct qkv_pen){0});
	qkv_out_char(&s->out, '\n');
}

static int
write_term(struct qkv_sink *sink, const struct qkv_figure *f, struct qkv_err *e)
{
	struct screen s = {.figure = f,
		.rows = (f->height + ROW - 1) / ROW,
		.columns = (f->width + COLUMN - 1) / COLUMN};
	int failed;

	qkv_number_style_set(&s.style, 0, 0, ' ');
	failed = qkv_out_open(&s.out, sink, f->kern, &s.style, e) ||
		!(s.tiles = qkv_mem_new(s.rows * s.columns, sizeof *s.tiles, e)) ||
		!(s.indices = qkv_mem_new(s.columns, 1, e));

	if (!failed) {
		s.palette = f->palette;
		memset(s.palette.rgb[QKV_INK_MASKED], MASKED, 3);
		for (size_t i = 0; i < f->count; i++)
			paint_mark(&s, &f->marks[i]);
		for (size_t i = 0; i < s.rows; i++)
			put_row(&s, s.tiles + i * s.columns);
		failed = qkv_out_flush(&s.out, e);
	}
	qkv_mem_free(s.indices);
	qkv_mem_free(s.tiles);
	qkv_out_close(&s.out);
	return failed ? -1 : 0;
}

int
qkv_term_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_draw_options *o,
	struct qkv_notes *notes, struct qkv_err *e)
{
	struct qkv_draw_options sheet = *o;

	if (!sheet.term.width)
		sheet.term.width = 80;
	return qkv_picture_new(c, s, write_term, &sheet, notes, e);
}

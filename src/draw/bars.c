/* Bars of row and column sums, and on each a mark at what uniform attention over the allowed keys would give. */
#include "draw/bars.h"

#include "draw/glyph.h"

#include <math.h>
#include <string.h>

enum {
	GAP = 8,
	LENGTH = 32, /* of the longest bar */
	LETTER = 8,  /* pixels that a letter of a number is wide */
	LINE = QKV_GLYPH_HEIGHT,
};

static double
largest(double top, const double *sums, size_t n)
{
	for (size_t i = 0; sums && i < n; i++)
		top = sums[i] > top || top != top ? sums[i] : top;
	return top;
}

static void
write_number(char text[QKV_NUMBER_MAX + 1], double x)
{
	text[qkv_number_write_digits(text, (float)x, 4)] = 0;
}

void
qkv_bars_scale(struct qkv_bars *b, const struct qkv_panel *panels, size_t count)
{
	size_t room = 0;
	int rows = 0, cols = 0;

	memset(b, 0, sizeof *b);
	b->row_top = b->col_top = NAN;
	for (size_t i = 0; i < count; i++) {
		const struct qkv_panel *p = &panels[i];

		rows |= p->row_sums != NULL;
		cols |= p->col_sums != NULL;
		if (p->row_sums)
			b->row_top = largest(largest(b->row_top, p->row_sums, p->high), p->row_even, p->high);
		if (p->col_sums)
			b->col_top = largest(largest(b->col_top, p->col_sums, p->wide), p->col_even, p->wide);
	}
	if (rows) {
		write_number(b->row_number, b->row_top);
		room = LENGTH + 2;
	}
	if (cols) {
		write_number(b->col_number, b->col_top);
		b->below = GAP + LENGTH + 1 + LINE / 2;
	}
	if (room < LETTER * strlen(b->row_number))
		room = LETTER * strlen(b->row_number);
	if (room < LETTER * strlen(b->col_number))
		room = LETTER * strlen(b->col_number);
	b->right = room ? GAP + room : 0;
}

size_t
qkv_bars_length(double sum, double top)
{
	if (!(sum > 0 && top < INFINITY))
		return 0;
	return sum / top * LENGTH < 1 ? 1 : (size_t)(sum / top * LENGTH + 0.5);
}

/* where the line of the scale is */
static size_t
mark_at(double top)
{
	return top > 0 ? LENGTH + 1 : 0;
}

/* a part of the bar of a cell whose corner is at x, y, from one length to another */
static int
mark_part(struct qkv_figure *f, enum qkv_ink ink, int down, size_t x, size_t y, size_t cell, size_t from,
	size_t to, struct qkv_err *e)
{
	/* marks join those of the next cell, bars leave room between them */
	size_t free = ink == QKV_INK_BAR ? cell / 4 : 0;

	if (from >= to)
		return 0;
	return down ? qkv_figure_rect(f, ink, x + free, y + from, cell - 2 * free, to - from, e)
		    : qkv_figure_rect(f, ink, x + from, y + free, to - from, cell - 2 * free, e);
}

/* bars of n cells, the first at x, y, and the mark of uniform attention on each */
static int
mark_bars(struct qkv_figure *f, int down, size_t x, size_t y, size_t cell, const double *sums,
	const double *even, size_t n, double top, struct qkv_err *e)
{
	for (size_t i = 0; i < n; i++) {
		size_t length = qkv_bars_length(sums[i], top), at = even ? qkv_bars_length(even[i], top) : 0;
		size_t before = at && at < length ? at : length;

		if (mark_part(f, QKV_INK_BAR, down, x, y, cell, 0, before, e) ||
			(at && mark_part(f, QKV_INK_EVEN, down, x, y, cell, at, at + 1, e)) ||
			mark_part(f, QKV_INK_BAR, down, x, y, cell, before + 1, length, e))
			return -1;
		*(down ? &x : &y) += cell;
	}
	return 0;
}

static int
mark_rows(const struct qkv_bars *b, struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e)
{
	size_t x = p->x + p->wide * p->cell_w + GAP;
	size_t number = LETTER * strlen(b->row_number), end = mark_at(b->row_top) + 1;
	size_t number_x = number > end ? x : x + end - number;

	if (mark_bars(f, 0, x, p->y, p->cell_h, p->row_sums, p->row_even, p->high, b->row_top, e) ||
		qkv_figure_rect(f, QKV_INK_FAINT, x + end - 1, p->y, 1, p->high * p->cell_h, e))
		return -1;
	return qkv_figure_text(f, QKV_INK_TEXT, number_x, p->y - GAP - LINE, b->row_number, e);
}

static int
mark_cols(const struct qkv_bars *b, struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e)
{
	size_t y = p->y + p->high * p->cell_h + GAP, end = y + mark_at(b->col_top);

	if (mark_bars(f, 1, p->x, y, p->cell_w, p->col_sums, p->col_even, p->wide, b->col_top, e) ||
		qkv_figure_rect(f, QKV_INK_FAINT, p->x, end, p->wide * p->cell_w, 1, e))
		return -1;
	return qkv_figure_text(
		f, QKV_INK_TEXT, p->x + p->wide * p->cell_w + GAP, end - LINE / 2, b->col_number, e);
}

int
qkv_bars_mark(const struct qkv_bars *b, struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e)
{
	if (p->row_sums && mark_rows(b, f, p, e))
		return -1;
	return p->col_sums ? mark_cols(b, f, p, e) : 0;
}

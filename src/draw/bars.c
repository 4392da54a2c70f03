/* Bars of row and column sums. */
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
	for (size_t i = 0; i < n; i++)
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
			b->row_top = largest(b->row_top, p->row_sums, p->high);
		if (p->col_sums)
			b->col_top = largest(b->col_top, p->col_sums, p->wide);
	}
	if (rows) {
		write_number(b->row_number, b->row_top);
		room = LENGTH + 1;
	}
	if (cols) {
		write_number(b->col_number, b->col_top);
		b->below = GAP + LENGTH + LINE / 2;
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

/* where the longest bar ends */
static size_t
mark_at(double top)
{
	return top > 0 ? LENGTH : 0;
}

/* pixels that stay free on either side of a bar */
static size_t
inset(size_t cell)
{
	return cell / 4;
}

static int
mark_rows(const struct qkv_bars *b, struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e)
{
	size_t x = p->x + p->wide * p->cell_w + GAP, free = inset(p->cell_h);
	size_t number = LETTER * strlen(b->row_number), end = mark_at(b->row_top) + 1;
	size_t number_x = number > end ? x : x + end - number;

	for (size_t i = 0; i < p->high; i++) {
		size_t length = qkv_bars_length(p->row_sums[i], b->row_top);

		if (length &&
			qkv_figure_rect(f, QKV_INK_BAR, x, p->y + i * p->cell_h + free, length,
				p->cell_h - 2 * free, e))
			return -1;
	}
	if (qkv_figure_rect(f, QKV_INK_FAINT, x + end - 1, p->y, 1, p->high * p->cell_h, e))
		return -1;
	return qkv_figure_text(f, QKV_INK_TEXT, number_x, p->y - GAP - LINE, b->row_number, e);
}

static int
mark_cols(const struct qkv_bars *b, struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e)
{
	size_t y = p->y + p->high * p->cell_h + GAP, free = inset(p->cell_w), end = y + mark_at(b->col_top);

	for (size_t j = 0; j < p->wide; j++) {
		size_t length = qkv_bars_length(p->col_sums[j], b->col_top);

		if (length &&
			qkv_figure_rect(f, QKV_INK_BAR, p->x + j * p->cell_w + free, y, p->cell_w - 2 * free,
				length, e))
			return -1;
	}
	if (qkv_figure_rect(f, QKV_INK_FAINT, p->x, end, p->wide * p->cell_w, 1, e))
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

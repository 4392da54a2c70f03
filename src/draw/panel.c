/*
 * Panels: cell (i, j) of a matrix goes to cell (i / row_pool, j / col_pool) of the panel, and the largest
 * stays, so that a diagonal or a column one cell wide is never lost. Memory is bounded by QKV_PANEL_SIDE.
 */
#include "draw/panel.h"

#include "base/mem.h"
#include "draw/figure.h"
#include "draw/sheet.h"

#include <math.h>
#include <string.h>

int
qkv_stage_has_key_columns(enum qkv_stage stage)
{
	return stage >= QKV_SCORES && stage <= QKV_ALPHA;
}

int
qkv_stage_has_key_rows(enum qkv_stage stage)
{
	return stage == QKV_K || stage == QKV_V;
}

static size_t
divide_up(size_t a, size_t b)
{
	return a / b + (a % b != 0);
}

/* each axis by its own length: where queries are keys, a diagonal stays one */
static void
set_shape(struct qkv_panel *p, const struct qkv_matrix *m, const struct qkv_draw_options *o)
{
	size_t side = o->term.width ? qkv_sheet_side(m->doc, o) : QKV_PANEL_SIDE;

	p->rows = m->rows;
	p->cols = m->cols;
	p->row_pool = o->cell || m->rows <= side ? 1 : divide_up(m->rows, side);
	p->col_pool = o->cell || m->cols <= side ? 1 : divide_up(m->cols, side);
	p->high = divide_up(p->rows, p->row_pool);
	p->wide = divide_up(p->cols, p->col_pool);
}

static int
is_pooled(const struct qkv_panel *p)
{
	return p->row_pool > 1 || p->col_pool > 1;
}

/* refuses cells that no picture can hold, before there is memory for them */
static int
check_size(const struct qkv_panel *p, const struct qkv_draw_options *o, struct qkv_err *e)
{
	size_t cell = o->cell ? o->cell : 1;
	size_t width = p->wide > (size_t)-1 / cell ? (size_t)-1 : p->wide * cell;
	size_t height = p->high > (size_t)-1 / cell ? (size_t)-1 : p->high * cell;

	return qkv_figure_check(width, height, "at least ", o, e);
}

int
qkv_panel_new(
	struct qkv_panel *p, const struct qkv_matrix *m, const struct qkv_draw_options *o, struct qkv_err *e)
{
	int sums = m->stage == QKV_ALPHA && !o->bare;

	memset(p, 0, sizeof *p);
	if (qkv_kern_choose(&p->kern, o->isa, e))
		return -1;
	p->stage = m->stage;
	p->layer = m->layer;
	p->head = m->head;
	if (m->mask)
		strncpy(p->mask, m->mask, sizeof p->mask - 1);
	set_shape(p, m, o);
	if (check_size(p, o, e))
		return -1;
	p->cells = qkv_mem_floats(p->high * p->wide, sizeof *p->cells, e);
	if (!p->cells)
		return -1;
	for (size_t i = 0; i < p->high * p->wide && is_pooled(p); i++)
		p->cells[i] = NAN;
	if (sums && !o->no_row_sums) {
		p->row_sums = qkv_mem_new(p->high, sizeof *p->row_sums, e);
		if (!p->row_sums)
			return -1;
	}
	if (sums && !o->no_col_sums) {
		p->col_sums = qkv_mem_new(p->wide, sizeof *p->col_sums, e);
		if (!p->col_sums)
			return -1;
	}
	return 0;
}

/* the larger of a cell and a value; NaN gives way to anything */
static float
larger(float cell, float v)
{
	return v > cell || cell != cell ? v : cell;
}

/* what is shown of a value: x + (x - x) is x, or NaN where x is infinite */
static float
shown(const float *data, const unsigned char *hidden, size_t j)
{
	return hidden && hidden[j] ? NAN : data[j] + (data[j] - data[j]);
}

static void
add_row(struct qkv_panel *p, size_t row, const float *data, const unsigned char *hidden)
{
	float *cells = p->cells + row / p->row_pool * p->wide;

	if (!is_pooled(p)) {
		p->kern->show(cells, data, p->cols);
		for (size_t j = 0; hidden && j < p->cols; j++)
			cells[j] = hidden[j] ? NAN : cells[j];
		return;
	}
	for (size_t c = 0, j = 0; c < p->wide; c++) {
		size_t end = p->cols - j < p->col_pool ? p->cols : j + p->col_pool;
		float most = cells[c];

		for (; j < end; j++)
			most = larger(most, shown(data, hidden, j));
		cells[c] = most;
	}
}

/* the largest of each pool of sums; NaN gives way to anything */
static void
add_sums(double *out, const double *sums, size_t first, size_t count, size_t pool)
{
	for (size_t i = 0; i < count; i++) {
		double *most = &out[(first + i) / pool];

		if ((first + i) % pool == 0 || sums[i] > *most || *most != *most)
			*most = sums[i];
	}
}

void
qkv_panel_add(struct qkv_panel *p, const struct qkv_block *b)
{
	/* scores before the mask are shown as they are */
	const unsigned char *hidden = p->stage >= QKV_MASKED ? b->hidden : NULL;

	for (size_t i = 0; i < b->rows; i++)
		add_row(p, b->row + i, b->data + i * b->stride, hidden ? hidden + i * p->cols : NULL);
	if (p->row_sums && b->row_sums)
		add_sums(p->row_sums, b->row_sums, b->row, b->rows, p->row_pool);
}

void
qkv_panel_end(struct qkv_panel *p, const double *col_sums)
{
	p->has_masked = p->kern->reach(&p->low, &p->top, p->cells, p->high * p->wide);
	if (p->col_sums && col_sums)
		add_sums(p->col_sums, col_sums, 0, p->cols, p->col_pool);
}

void
qkv_panel_free(struct qkv_panel *p)
{
	qkv_mem_free(p->cells);
	qkv_mem_free(p->row_sums);
	qkv_mem_free(p->col_sums);
}

/*
 * Panels: cell (i, j) of a matrix goes to cell (i / row_pool, j / col_pool) of the panel. The largest stays, so that a
 * diagonal or a column one cell wide is never lost, or the mean does. Memory is bounded by the cells a side.
 */
#include "draw/panel.h"

#include "base/mem.h"
#include "draw/figure.h"
#include "draw/merge.h"
#include "draw/scale.h"
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
	size_t most = o->max_size ? o->max_size : QKV_PANEL_SIDE;
	size_t fits = o->term.width ? qkv_sheet_side(m->doc, o) : most;
	size_t side = o->cell ? (size_t)-1 : fits < most ? fits : most;

	p->rows = m->rows;
	p->cols = m->cols;
	p->row_pool = m->rows <= side ? 1 : divide_up(m->rows, side);
	p->col_pool = m->cols <= side ? 1 : divide_up(m->cols, side);
	p->high = divide_up(p->rows, p->row_pool);
	p->wide = divide_up(p->cols, p->col_pool);
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

/* sums and, where wanted, those of uniform attention */
static int
new_sums(double **sums, double **even, int is_even, size_t count, struct qkv_err *e)
{
	*sums = qkv_mem_new(count, sizeof **sums, e);
	if (!*sums || !is_even)
		return *sums ? 0 : -1;
	*even = qkv_mem_new(count, sizeof **even, e);
	return *even ? 0 : -1;
}

static int
is_pooled(const struct qkv_panel *p)
{
	return p->row_pool > 1 || p->col_pool > 1;
}

static int
new_cells(struct qkv_panel *p, const struct qkv_draw_options *o, enum qkv_keep keep, struct qkv_err *e)
{
	p->is_row = keep != QKV_KEEP_CELLS && !is_pooled(p);
	p->cells = qkv_mem_floats(p->is_row ? 1 : p->high, p->wide * sizeof *p->cells, e);
	if (!p->cells)
		return -1;
	if (keep != QKV_KEEP_COLOURS || !p->is_row)
		return 0;
	p->span = qkv_scale_of(o->extent, p);
	p->palette = qkv_mem_new(1, sizeof *p->palette, e);
	p->colours = p->palette ? qkv_mem_new(p->high, p->wide, e) : NULL;
	if (!p->colours)
		return -1;
	qkv_scale_palette(p->palette, o->extent, o);
	return 0;
}

int
qkv_panel_new(struct qkv_panel *p, const struct qkv_matrix *m, const struct qkv_draw_options *o,
	enum qkv_keep keep, struct qkv_err *e)
{
	int sums = m->stage == QKV_ALPHA && !o->bare;
	/* which keys are allowed cannot be told where some are left out, and a terminal has no room for marks */
	int even = !m->doc->left_out && !o->term.width;

	memset(p, 0, sizeof *p);
	if (qkv_kern_choose(&p->kern, o->isa, e))
		return -1;
	p->wants_positive = o->norm == QKV_NORM_LOG;
	p->least = p->least_positive = INFINITY;
	p->most = -INFINITY;
	p->stage = m->stage;
	p->layer = m->layer;
	p->head = m->head;
	if (m->mask)
		strncpy(p->mask, m->mask, sizeof p->mask - 1);
	set_shape(p, m, o);
	if (check_size(p, o, e) || new_cells(p, o, keep, e))
		return -1;
	if (sums && !o->no_row_sums && new_sums(&p->row_sums, &p->row_even, even, p->high, e))
		return -1;
	if (sums && !o->no_col_sums && new_sums(&p->col_sums, &p->col_even, even, p->wide, e))
		return -1;
	return qkv_merge_new(&p->merge, p, o->pool_mean, p->col_even != NULL, e);
}

int
qkv_panel_push(struct qkv_panel **panels, size_t *count, size_t *room, const struct qkv_matrix *m,
	const struct qkv_draw_options *o, enum qkv_keep keep, struct qkv_err *e)
{
	if (*count == *room) {
		size_t more = *room ? 2 * *room : 16;
		struct qkv_panel *all = qkv_mem_resize(*panels, more, sizeof *all, e);

		if (!all)
			return -1;
		*panels = all;
		*room = more;
	}
	return qkv_panel_new(&(*panels)[(*count)++], m, o, keep, e);
}

/* the least cell above 0 */
static float
find_positive(const float *cells, size_t n)
{
	float least = INFINITY;

	for (size_t i = 0; i < n; i++)
		least = cells[i] > 0 && cells[i] < least ? cells[i] : least;
	return least;
}

/* takes in how far n cells reach */
static void
measure(struct qkv_panel *p, size_t n)
{
	p->has_masked |= p->kern->reach(&p->least, &p->most, p->cells, n);
	if (p->wants_positive) {
		float positive = find_positive(p->cells, n);

		p->least_positive = positive < p->least_positive ? positive : p->least_positive;
	}
}

static void
copy_row(struct qkv_panel *p, size_t row, const float *data, const unsigned char *hidden)
{
	float *cells = p->is_row ? p->cells : p->cells + row * p->wide;

	p->kern->show(cells, data, p->cols);
	for (size_t j = 0; hidden && j < p->cols; j++)
		cells[j] = hidden[j] ? NAN : cells[j];
	if (p->is_row)
		measure(p, p->wide);
	if (p->colours)
		qkv_palette_index(p->colours + row * p->wide, cells, p->wide, p->span, p->palette, p->kern);
}

void
qkv_panel_add(struct qkv_panel *p, const struct qkv_block *b)
{
	for (size_t i = 0; i < b->rows; i++) {
		const unsigned char *hidden = b->hidden ? b->hidden + i * p->cols : NULL;
		/* scores before the mask are shown as they are */
		const unsigned char *blank = p->stage >= QKV_MASKED ? hidden : NULL;
		const float *data = b->data + i * b->stride;

		if (is_pooled(p))
			qkv_merge_row(p->merge, p, b->row + i, data, blank);
		else
			copy_row(p, b->row + i, data, blank);
		if (p->row_even || p->col_even)
			qkv_merge_even(p->merge, p, b->row + i, hidden);
	}
	if (p->row_sums && b->row_sums)
		qkv_merge_sums(p->merge, p->row_sums, b->row_sums, b->row, b->rows, p->rows, p->row_pool);
}

void
qkv_panel_end(struct qkv_panel *p, const double *col_sums)
{
	if (!p->is_row)
		measure(p, p->high * p->wide);
	if (p->col_sums && col_sums)
		qkv_merge_sums(p->merge, p->col_sums, col_sums, 0, p->cols, p->cols, p->col_pool);
	if (p->col_even)
		qkv_merge_sums(p->merge, p->col_even, qkv_merge_even_columns(p->merge), 0, p->cols, p->cols,
			p->col_pool);
	qkv_merge_free(p->merge);
	p->merge = NULL;
}

void
qkv_panel_free(struct qkv_panel *p)
{
	qkv_merge_free(p->merge);
	qkv_mem_free(p->cells);
	qkv_mem_free(p->colours);
	qkv_mem_free(p->palette);
	qkv_mem_free(p->row_sums);
	qkv_mem_free(p->col_sums);
	qkv_mem_free(p->row_even);
	qkv_mem_free(p->col_even);
}

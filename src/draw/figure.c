/*
 * The layout of a figure: title and colour bars, then a grid of panels. Around each panel: its heading and the
 * key labels above, the query labels to the left, bars of the sums to the right and below.
 */
#include "draw/figure.h"

#include "base/mem.h"
#include "draw/bars.h"
#include "draw/caption.h"
#include "draw/glyph.h"
#include "draw/grid.h"
#include "draw/legend.h"
#include "draw/sheet.h"
#include "draw/values.h"

#include <string.h>

enum {
	MARGIN = 16,
	GAP = QKV_GLYPH_HEIGHT / 2, /* from labels to cells: labels of small cells stand out by no more */
	BETWEEN = 24,               /* panels and what belongs to them */
	LETTER = 8,
	HEADING = QKV_GLYPH_HEIGHT + 6,
};

/* what is needed until the marks are placed; pixels */
struct plan {
	const struct qkv_doc *doc;
	struct qkv_panel *panels;
	size_t count;
	const struct qkv_draw_options *o;
	size_t rows, cols;    /* of the grid */
	size_t *left, *wide;  /* (cols,): labels, then panel and bars */
	size_t *above, *high; /* (rows,): heading and labels, then panel and bars */
	struct qkv_bars bars;
	struct qkv_legend legend;
};

static void
raise_to(size_t *a, size_t b)
{
	if (*a < b)
		*a = b;
}

/* a + b, or the largest number */
static size_t
plus(size_t a, size_t b)
{
	return a > (size_t)-1 - b ? (size_t)-1 : a + b;
}

static size_t
times(size_t a, size_t b)
{
	return b && a > (size_t)-1 / b ? (size_t)-1 : a * b;
}

/* stages shown, the scale of each panel, and the palette that they need */
static int
set_scales(struct qkv_figure *f, const struct plan *p, struct qkv_err *e)
{
	f->scales = p->o->extent && p->o->extent->count ? p->o->extent : &f->own;
	if (f->scales == &f->own && qkv_scale_find(&f->own, p->panels, p->count, p->o, e))
		return -1;
	for (size_t i = 0; i < p->count; i++) {
		struct qkv_panel *panel = &p->panels[i];

		panel->span = qkv_scale_of(f->scales, panel);
		f->stages |= 1u << panel->stage;
		f->has_masked |= panel->has_masked;
	}
	qkv_scale_palette(&f->palette, f->scales, p->o);
	return 0;
}

/* the axis of features of a panel, the same for all panels that have as many */
static struct qkv_axis *
feature_axis(struct qkv_figure *f, const struct qkv_panel *p)
{
	size_t i = 2;

	while (i < f->num_axes && f->axes[i].n != p->cols)
		i++;
	f->num_axes += i == f->num_axes;
	return &f->axes[i];
}

/* gives p its axes, made where no panel before it has them */
static int
set_axes(struct qkv_figure *f, struct qkv_panel *p, const struct qkv_doc *doc, int raw, struct qkv_err *e)
{
	int keys_down = qkv_stage_has_key_rows(p->stage), keys_across = qkv_stage_has_key_columns(p->stage);
	struct qkv_axis *down = &f->axes[keys_down], *across = keys_across ? &f->axes[1] : feature_axis(f, p);

	p->row_axis = down;
	p->col_axis = across;
	if (!down->labels &&
		qkv_axis_new(down, keys_down ? doc->key_tokens : doc->query_tokens, p->rows, p->row_pool,
			p->cell_h, raw, e))
		return -1;
	if (across->labels)
		return 0;
	return qkv_axis_new(
		across, keys_across ? doc->key_tokens : NULL, p->cols, p->col_pool, p->cell_w, raw, e);
}

static int
make_axes(struct qkv_figure *f, const struct plan *p, struct qkv_notes *notes, struct qkv_err *e)
{
	f->axes = qkv_mem_new(2 + p->count, sizeof *f->axes, e);
	if (!f->axes)
		return -1;
	f->num_axes = 2;
	for (size_t i = 0; i < p->count; i++)
		if (set_axes(f, &p->panels[i], p->doc, p->o->raw_labels, e))
			return -1;
	qkv_axis_note(&f->axes[0], "label", notes);
	/* the same tokens are told once */
	if (!p->doc->self_attention || !f->axes[0].labels)
		qkv_axis_note(&f->axes[1], "label", notes);
	for (size_t i = 2; i < f->num_axes; i++)
		qkv_axis_note(&f->axes[i], "label of features", notes);
	return 0;
}

/* the room that each row and column of the grid needs */
static void
measure(struct plan *p, const struct qkv_figure *f)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct qkv_panel *panel = &p->panels[i];
		size_t r = panel->grid_row, c = panel->grid_col;
		int has_sums = panel->row_sums || panel->col_sums;
		char heading[QKV_HEADING];

		raise_to(&p->wide[c], plus(times(panel->wide, panel->cell_w), has_sums ? p->bars.right : 0));
		raise_to(&p->high[r], plus(times(panel->high, panel->cell_h), has_sums ? p->bars.below : 0));
		if (p->o->bare)
			continue;
		qkv_caption_heading(heading, f, p->doc, panel);
		raise_to(&p->wide[c], LETTER * strlen(heading));
		raise_to(&p->left[c], panel->row_axis->extent + GAP);
		raise_to(&p->above[r], HEADING + panel->col_axis->extent + GAP);
	}
}

/* moves what belongs to a whole layer to the middle of the rows of its heads */
static void
centre_outputs(const struct plan *p)
{
	for (size_t i = 0, first = 0; i < p->count; i++) {
		struct qkv_panel *panel = &p->panels[i];

		first = panel->layer != p->panels[first].layer ? i : first;
		if (panel->head == QKV_NONE)
			panel->y -= (panel->y - p->panels[first].y) / 2;
	}
}

/* sets where each panel stands, and the size of the figure */
static int
place(struct qkv_figure *f, struct plan *p, struct qkv_err *e)
{
	int bare = p->o->bare;
	size_t gap = bare ? p->panels[0].cell_h : BETWEEN, content = 0, x = bare ? 0 : MARGIN, y = x;

	for (size_t c = 0; c < p->cols; c++)
		content = plus(content, plus(p->left[c] + (c ? gap : 0), p->wide[c]));
	if (!bare) {
		if (qkv_legend_size(&p->legend, f, x, y, content, e))
			return -1;
		y += p->legend.height + BETWEEN / 2;
	}
	for (size_t i = 0; i < p->count; i++) {
		struct qkv_panel *panel = &p->panels[i];

		panel->x = x;
		panel->y = y;
		for (size_t c = 0; c < panel->grid_col; c++)
			panel->x = plus(panel->x, p->left[c] + p->wide[c] + gap);
		for (size_t r = 0; r < panel->grid_row; r++)
			panel->y = plus(panel->y, p->above[r] + p->high[r] + gap);
		panel->x = plus(panel->x, p->left[panel->grid_col]);
		panel->y = plus(panel->y, p->above[panel->grid_row]);
	}
	if (f->stages & (f->stages - 1) && p->o->columns <= 1)
		centre_outputs(p);
	for (size_t r = 0; r < p->rows; r++)
		y = plus(y, plus(p->above[r] + (r ? gap : 0), p->high[r]));
	raise_to(&content, p->legend.width);
	f->width = plus(content, bare ? 0 : 2 * MARGIN);
	f->height = plus(y, bare ? 0 : MARGIN);
	return qkv_figure_check(f->width, f->height, "", p->o, e);
}

static int
mark_labels(struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e)
{
	struct qkv_mark m = {QKV_MARK_WORDS, QKV_INK_TEXT, 0, 0, 0, QKV_GLYPH_HEIGHT, {NULL}};

	for (size_t i = 0; i < p->row_axis->count; i++) {
		m.of.label = &p->row_axis->labels[i];
		m.w = m.of.label->width;
		m.x = p->x - GAP - m.w;
		m.y = (size_t)((long)p->y + qkv_axis_place(p->row_axis, i));
		if (qkv_figure_mark(f, &m, e))
			return -1;
	}
	m.kind = QKV_MARK_WORDS_UP;
	m.w = QKV_GLYPH_HEIGHT;
	for (size_t j = 0; j < p->col_axis->count; j++) {
		m.of.label = &p->col_axis->labels[j];
		m.h = m.of.label->width;
		m.x = (size_t)((long)p->x + qkv_axis_place(p->col_axis, j));
		m.y = p->y - GAP - m.h;
		if (qkv_figure_mark(f, &m, e))
			return -1;
	}
	return 0;
}

/* a line of one pixel around the cells */
static int
mark_frame(struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e)
{
	size_t w = p->wide * p->cell_w, h = p->high * p->cell_h;

	if (qkv_figure_rect(f, QKV_INK_FAINT, p->x - 1, p->y - 1, w + 2, 1, e) ||
		qkv_figure_rect(f, QKV_INK_FAINT, p->x - 1, p->y + h, w + 2, 1, e) ||
		qkv_figure_rect(f, QKV_INK_FAINT, p->x - 1, p->y, 1, h, e))
		return -1;
	return qkv_figure_rect(f, QKV_INK_FAINT, p->x + w, p->y, 1, h, e);
}

static int
mark_all(struct qkv_figure *f, const struct plan *p, struct qkv_notes *notes, struct qkv_err *e)
{
	char heading[QKV_HEADING];
	size_t left_out = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct qkv_panel *panel = &p->panels[i];
		struct qkv_mark m = {QKV_MARK_CELLS, QKV_INK_PAPER, panel->x, panel->y,
			panel->wide * panel->cell_w, panel->high * panel->cell_h, {NULL}};

		m.of.panel = panel;
		if (qkv_figure_mark(f, &m, e))
			return -1;
		if (p->o->annotate && qkv_values_mark(f, panel, &left_out, e))
			return -1;
		if (p->o->bare)
			continue;
		qkv_caption_heading(heading, f, p->doc, panel);
		if (qkv_figure_text(
			    f, QKV_INK_TEXT, panel->x, panel->y - p->above[panel->grid_row], heading, e))
			return -1;
		if (mark_frame(f, panel, e) || mark_labels(f, panel, e) ||
			qkv_bars_mark(&p->bars, f, panel, e))
			return -1;
	}
	qkv_note_add(notes, QKV_NOTE_VALUES, left_out, "cells are %zu x %zu pixels", p->panels[0].cell_w,
		p->panels[0].cell_h);
	return p->o->bare ? 0 : qkv_legend_mark(&p->legend, f, e);
}

/* how many texts there will be at most */
static size_t
count_texts(const struct plan *p)
{
	/* a heading and two numbers of bars for each panel; what the legend has; values */
	size_t count = 3 * p->count + QKV_LEGEND_TEXTS;

	for (size_t i = 0; p->o->annotate && i < p->count; i++)
		count = plus(count, qkv_values_count(&p->panels[i]));
	return count;
}

static int
lay_out(struct qkv_figure *f, struct plan *p, struct qkv_notes *notes, struct qkv_err *e)
{
	size_t sides = p->cols + p->rows;

	p->left = qkv_mem_new(2 * sides, sizeof *p->left, e);
	f->texts = p->left ? qkv_mem_new(count_texts(p), sizeof *f->texts, e) : NULL;
	if (!f->texts)
		return -1;
	p->wide = p->left + p->cols;
	p->above = p->wide + p->cols;
	p->high = p->above + p->rows;
	if (!p->o->bare) {
		if (make_axes(f, p, notes, e))
			return -1;
		qkv_caption_write(f, p->doc, p->panels, p->count, p->o);
	}
	qkv_bars_scale(&p->bars, p->panels, p->count);
	measure(p, f);
	return place(f, p, e) || mark_all(f, p, notes, e) ? -1 : 0;
}

/* the same for a terminal */
static int
lay_out_sheet(struct qkv_figure *f, const struct plan *p, struct qkv_notes *notes, struct qkv_err *e)
{
	f->colours = p->o->term.colours;
	f->texts = qkv_mem_new(plus(count_texts(p), QKV_SHEET_LINES), sizeof *f->texts, e);
	if (!f->texts)
		return -1;
	qkv_sheet_size(p->panels, p->count, p->doc, p->o);
	if (!p->o->bare) {
		if (make_axes(f, p, notes, e))
			return -1;
		qkv_caption_write(f, p->doc, p->panels, p->count, p->o);
	}
	return qkv_sheet_place(f, p->panels, p->count, p->doc, p->o, notes, e);
}

int
qkv_figure_new(struct qkv_figure *f, const struct qkv_doc *doc, struct qkv_panel *panels, size_t count,
	const struct qkv_draw_options *o, struct qkv_notes *notes, struct qkv_err *e)
{
	struct plan p = {.doc = doc, .panels = panels, .count = count, .o = o};
	int status;

	memset(f, 0, sizeof *f);
	f->zoom = o->zoom ? o->zoom : 1;
	f->threads = o->threads;
	f->kern = panels[0].kern;
	if (set_scales(f, &p, e))
		return -1;
	if (o->term.width) {
		status = lay_out_sheet(f, &p, notes, e);
	} else {
		qkv_grid_arrange(panels, count, f->stages, o->columns, &p.rows, &p.cols);
		qkv_grid_size(panels, count, p.cols, o);
		status = lay_out(f, &p, notes, e);
	}
	qkv_mem_free(p.left);
	return status;
}

void
qkv_figure_free(struct qkv_figure *f)
{
	for (size_t i = 0; i < f->num_axes; i++)
		qkv_axis_free(&f->axes[i]);
	for (size_t i = 0; i < f->num_texts; i++)
		qkv_label_free(&f->texts[i]);
	qkv_extent_clear(&f->own);
	qkv_mem_free(f->axes);
	qkv_mem_free(f->texts);
	qkv_mem_free(f->marks);
}

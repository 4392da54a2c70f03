/*
 * Painting marks row by row.
 *
 * Marks do not overlap, so the row before is still right except where a mark begins, ends, or looks different
 * from one row to the next: a rectangle is painted once, a panel once a cell, text in every row.
 */
#include "draw/raster.h"

#include "base/mem.h"
#include "draw/glyph.h"

#include <string.h>

int
qkv_raster_new(struct qkv_raster *r, const struct qkv_figure *f, struct qkv_err *e)
{
	size_t widest = 0;

	memset(r, 0, sizeof *r);
	r->figure = f;
	qkv_figure_palette(&r->palette, f);
	for (size_t i = 0; i < f->count; i++) {
		size_t w = f->marks[i].w;

		if ((f->marks[i].kind == QKV_MARK_CELLS || f->marks[i].kind == QKV_MARK_RAMP) && w > widest)
			widest = w;
	}
	if (!(r->line = qkv_mem_new(f->width, 1, e)) || !(r->indices = qkv_mem_new(widest, 1, e)) ||
		!(r->starts = qkv_mem_new(f->height, sizeof *r->starts, e)) ||
		!(r->following = qkv_mem_new(f->count, sizeof *r->following, e)) ||
		!(r->active = qkv_mem_new(f->count, sizeof *r->active, e)))
		return -1;
	for (size_t i = f->count; i-- > 0;) {
		size_t y = f->marks[i].y;

		r->following[i] = r->starts[y];
		r->starts[y] = i + 1;
	}
	return 0;
}

static void
paint_cells(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	const struct qkv_panel *p = m->of.panel;
	unsigned char *out = r->line + m->x;

	if (row % p->cell_h)
		return;
	qkv_palette_index(p->cell_w == 1 ? out : r->indices, p->cells + row / p->cell_h * p->wide, p->wide,
		&r->figure->spans[p->stage], &r->palette, p->kern);
	if (p->cell_w > 1)
		for (size_t j = 0; j < p->wide; j++)
			memset(out + j * p->cell_w, r->indices[j], p->cell_w);
}

/* a row of a line of text: row `row` of each glyph */
static void
paint_words(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	const struct qkv_label *l = m->of.label;
	unsigned char *out = r->line + m->x;

	memset(out, QKV_INK_PAPER, m->w);
	for (size_t i = 0; i < l->count; i++) {
		struct qkv_glyph g;

		qkv_glyph_get(&g, l->spots[i].code);
		for (size_t x = 0; x < g.width; x++)
			if (g.row[row] >> (g.width - 1 - x) & 1)
				out[l->spots[i].x + x] = (unsigned char)m->ink;
	}
}

/* a row of a line of text that runs upwards: one column of one glyph, its top at the left */
static void
paint_words_up(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	const struct qkv_label *l = m->of.label;
	unsigned char *out = r->line + m->x;
	size_t along = m->h - 1 - row; /* from the beginning of the text */

	memset(out, QKV_INK_PAPER, m->w);
	for (size_t i = 0; i < l->count; i++) {
		size_t x = l->spots[i].x;
		struct qkv_glyph g;

		if (along < x || along - x >= 16)
			continue;
		qkv_glyph_get(&g, l->spots[i].code);
		for (size_t y = 0; along - x < g.width && y < QKV_GLYPH_HEIGHT; y++)
			if (g.row[y] >> (g.width - 1 - (along - x)) & 1)
				out[y] = (unsigned char)m->ink;
	}
}

static void
paint_ramp(struct qkv_raster *r, const struct qkv_mark *m)
{
	size_t first = r->palette.first[m->of.span->map];

	for (size_t x = 0; x < m->w; x++)
		r->line[m->x + x] = (unsigned char)(first + x * (r->palette.colours - 1) / (m->w - 1));
}

static void
paint_mark(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	switch (m->kind) {
	case QKV_MARK_RECT:
		if (!row)
			memset(r->line + m->x, (int)m->ink, m->w);
		break;
	case QKV_MARK_WORDS:
		paint_words(r, m, row);
		break;
	case QKV_MARK_WORDS_UP:
		paint_words_up(r, m, row);
		break;
	case QKV_MARK_CELLS:
		paint_cells(r, m, row);
		break;
	case QKV_MARK_RAMP:
		if (!row)
			paint_ramp(r, m);
		break;
	}
}

int
qkv_raster_paint(struct qkv_raster *r, size_t y)
{
	const struct qkv_mark *marks = r->figure->marks;
	size_t kept = 0;
	int repeats = 0;

	/* what ended goes before what begins in its place comes */
	for (size_t i = 0; i < r->num_active; i++) {
		const struct qkv_mark *m = &marks[r->active[i]];

		if (y - m->y < m->h)
			r->active[kept++] = r->active[i];
		else
			memset(r->line + m->x, QKV_INK_PAPER, m->w);
	}
	for (size_t next = r->starts[y]; next; next = r->following[next - 1])
		r->active[kept++] = next - 1;
	r->num_active = kept;
	for (size_t i = 0; i < kept; i++) {
		const struct qkv_mark *m = &marks[r->active[i]];

		paint_mark(r, m, y - m->y);
		if (m->kind == QKV_MARK_CELLS)
			repeats |= (y - m->y) % m->of.panel->cell_h != 0;
	}
	return repeats;
}

void
qkv_raster_free(struct qkv_raster *r)
{
	qkv_mem_free(r->line);
	qkv_mem_free(r->indices);
	qkv_mem_free(r->starts);
	qkv_mem_free(r->following);
	qkv_mem_free(r->active);
}

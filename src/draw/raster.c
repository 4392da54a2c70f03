/*
 * Painting marks row by row.
 *
 * Marks do not overlap, so the row before is still right except where a mark begins, ends, or looks different
 * from one row to the next: a rectangle is painted once, a panel once a cell, text in every row. Only where values
 * stand upon cells these are painted anew in every row.
 *
 * Enlarged text is smooth: the pixels of a glyph are interpolated bilinearly, and the edge is where that passes a
 * little below one half, so that the corners of diagonal strokes meet.
 */
#include "draw/raster.h"

#include "base/mem.h"
#include "draw/glyph.h"

#include <string.h>

#define EDGE 0.45

int
qkv_raster_new(struct qkv_raster *r, const struct qkv_figure *f, struct qkv_err *e)
{
	size_t widest = 0;

	memset(r, 0, sizeof *r);
	r->figure = f;
	r->zoom = f->zoom;
	for (size_t i = 0; i < f->count; i++) {
		const struct qkv_mark *m = &f->marks[i];

		if (m->kind == QKV_MARK_CELLS && m->of.panel->wide > widest)
			widest = m->of.panel->wide;
		r->has_over |= m->kind == QKV_MARK_OVER;
	}
	if (!(r->line = qkv_mem_new(f->width, f->zoom, e)) || !(r->indices = qkv_mem_new(widest, 1, e)) ||
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

/* writes each of n bytes cell times */
static void
widen(unsigned char *out, const unsigned char *bytes, size_t n, size_t cell)
{
	size_t j = 0;

	if (cell == 1) {
		memcpy(out, bytes, n);
		return;
	}
	/* eight at a time, of which the next ones cover what is too much */
	for (; cell <= 8 && n - j > 8; j++) {
		uint64_t eight = bytes[j] * UINT64_C(0x0101010101010101);

		memcpy(out + j * cell, &eight, 8);
	}
	for (; j < n; j++)
		memset(out + j * cell, bytes[j], cell);
}

static void
paint_cells(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	const struct qkv_panel *p = m->of.panel;
	unsigned char *out = r->line + m->x * r->zoom;
	size_t cell = p->cell_w * r->zoom, first = row / (p->cell_h * r->zoom) * p->wide;
	const unsigned char *indices = r->indices;

	if (row % (p->cell_h * r->zoom) && !r->has_over)
		return;
	if (p->colours)
		indices = p->colours + first;
	else
		qkv_palette_index(
			r->indices, p->cells + first, p->wide, p->span, &r->figure->palette, p->kern);
	widen(out, indices, p->wide, cell);
}

/* whether a label has ink at x, y */
static int
has_ink(const struct qkv_label *l, long x, long y)
{
	return x >= 0 && (size_t)x < l->width && y >= 0 && y < QKV_GLYPH_HEIGHT && l->ink[x] >> y & 1;
}

/* how much ink there is at x, y of an enlarged label, 0 to 1 */
static double
smooth_ink(const struct qkv_label *l, size_t x, size_t y, size_t zoom)
{
	/* the pixel's centre from those of the label's pixels, in halves of enlarged ones */
	long step = 2 * (long)zoom, at_x = 2 * (long)x + 1 + step / 2, at_y = 2 * (long)y + 1 + step / 2;
	long left = at_x / step - 1, top = at_y / step - 1;
	double u = (double)(at_x % step) / (double)step, v = (double)(at_y % step) / (double)step;
	double above = has_ink(l, left, top) * (1 - u) + has_ink(l, left + 1, top) * u;
	double below = has_ink(l, left, top + 1) * (1 - u) + has_ink(l, left + 1, top + 1) * u;
	double ink = (above * (1 - v) + below * v - EDGE) * (double)zoom + 0.5;

	return ink < 0 ? 0 : ink > 1 ? 1 : ink;
}

/* the palette index of text of an ink, where there is so much of it */
static unsigned char
shade(const struct qkv_raster *r, enum qkv_ink ink, double much)
{
	const struct qkv_palette *p = &r->figure->palette;
	size_t step = (size_t)(much * (QKV_PALETTE_SHADES + 1) + 0.5);

	if (!step)
		return QKV_INK_PAPER;
	if (step > QKV_PALETTE_SHADES)
		return (unsigned char)ink;
	return (unsigned char)(p->shades[ink == QKV_INK_QUIET] + step - 1);
}

/* a row of a label that is m->w by m->h, or turned so */
static void
paint_words(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	const uint16_t *ink = m->of.label->ink;
	unsigned char *out = r->line + m->x, colour = (unsigned char)m->ink;
	unsigned column = ink[m->kind == QKV_MARK_WORDS_UP ? m->h - 1 - row : 0];

	if (m->kind == QKV_MARK_WORDS_UP)
		for (size_t y = 0; y < m->w; y++)
			out[y] = column >> y & 1 ? colour : QKV_INK_PAPER;
	else if (m->kind == QKV_MARK_WORDS)
		for (size_t x = 0; x < m->w; x++)
			out[x] = ink[x] >> row & 1 ? colour : QKV_INK_PAPER;
	else
		for (size_t x = 0; x < m->w; x++)
			out[x] = ink[x] >> row & 1 ? colour : out[x];
}

/* the same enlarged */
static void
paint_smooth(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	const struct qkv_label *l = m->of.label;
	unsigned char *out = r->line + m->x * r->zoom;
	int is_turned = m->kind == QKV_MARK_WORDS_UP;
	size_t from_end = m->h * r->zoom - 1 - row; /* of text that runs upwards */

	for (size_t i = 0; i < m->w * r->zoom; i++) {
		double much = smooth_ink(l, is_turned ? from_end : i, is_turned ? i : row, r->zoom);

		if (m->kind != QKV_MARK_OVER)
			out[i] = shade(r, m->ink, much);
		else if (much >= 0.5)
			out[i] = (unsigned char)m->ink;
	}
}

static void
paint_ramp(struct qkv_raster *r, const struct qkv_mark *m)
{
	size_t width = m->w * r->zoom, low, high;

	qkv_palette_ends(&low, &high, m->of.span, &r->figure->palette);
	for (size_t x = 0; x < width; x++)
		r->line[m->x * r->zoom + x] = (unsigned char)(low + x * (high - low) / (width - 1));
}

static void
paint_mark(struct qkv_raster *r, const struct qkv_mark *m, size_t row)
{
	switch (m->kind) {
	case QKV_MARK_RECT:
		if (!row)
			memset(r->line + m->x * r->zoom, (int)m->ink, m->w * r->zoom);
		break;
	case QKV_MARK_WORDS:
	case QKV_MARK_WORDS_UP:
	case QKV_MARK_OVER:
		if (r->zoom > 1)
			paint_smooth(r, m, row);
		else
			paint_words(r, m, row);
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

/* turns to row y of the figure: what ended goes before what begins in its place comes */
static void
turn_to(struct qkv_raster *r, size_t y)
{
	const struct qkv_mark *marks = r->figure->marks;
	size_t kept = 0;

	for (size_t i = 0; i < r->num_active; i++) {
		const struct qkv_mark *m = &marks[r->active[i]];

		if (y - m->y < m->h)
			r->active[kept++] = r->active[i];
		else if (m->kind != QKV_MARK_OVER)
			memset(r->line + m->x * r->zoom, QKV_INK_PAPER, m->w * r->zoom);
	}
	for (size_t next = r->starts[y]; next; next = r->following[next - 1])
		r->active[kept++] = next - 1;
	r->num_active = kept;
}

int
qkv_raster_paint(struct qkv_raster *r, size_t y)
{
	int repeats = 0;

	if (y % r->zoom == 0)
		turn_to(r, y / r->zoom);
	for (size_t i = 0; i < r->num_active; i++) {
		const struct qkv_mark *m = &r->figure->marks[r->active[i]];
		size_t row = y - m->y * r->zoom;

		paint_mark(r, m, row);
		if (m->kind == QKV_MARK_CELLS)
			repeats |= row % (m->of.panel->cell_h * r->zoom) != 0;
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

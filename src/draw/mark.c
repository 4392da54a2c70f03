/* The list of marks that a figure grows, and the sizes that it may have. */
#include "draw/figure.h"

#include "base/mem.h"
#include "draw/glyph.h"

int
qkv_figure_check(
	size_t width, size_t height, const char *how, const struct qkv_draw_options *o, struct qkv_err *e)
{
	const char *advice;

	if (width <= QKV_FIGURE_SIDE && height <= QKV_FIGURE_SIDE &&
		(!width || height <= QKV_FIGURE_PIXELS / width))
		return 0;
	advice = o->cell > 1   ? "use a smaller --cell, or leave it out"
		: o->cell == 1 ? "leave out --cell"
			       : "show fewer heads or layers";
	return qkv_fail(e, QKV_EINPUT,
		"picture would be %s%zu x %zu pixels, at most %u a side and %u in all; %s", how, width,
		height, QKV_FIGURE_SIDE, QKV_FIGURE_PIXELS, advice);
}

void
qkv_figure_palette(struct qkv_palette *p, const struct qkv_figure *f)
{
	unsigned maps = 0;

	for (int i = 0; i < QKV_STAGES; i++)
		if (f->stages >> i & 1)
			maps |= 1u << f->spans[i].map;
	qkv_palette_fill(p, maps);
}

int
qkv_figure_mark(struct qkv_figure *f, const struct qkv_mark *m, struct qkv_err *e)
{
	if (f->count == f->room) {
		size_t room = f->room ? 2 * f->room : 256;
		struct qkv_mark *marks = qkv_mem_resize(f->marks, room, sizeof *marks, e);

		if (!marks)
			return -1;
		f->marks = marks;
		f->room = room;
	}
	f->marks[f->count++] = *m;
	return 0;
}

int
qkv_figure_rect(
	struct qkv_figure *f, enum qkv_ink ink, size_t x, size_t y, size_t w, size_t h, struct qkv_err *e)
{
	if (!w || !h)
		return 0;
	return qkv_figure_mark(f, &(struct qkv_mark){QKV_MARK_RECT, ink, x, y, w, h, {NULL}}, e);
}

int
qkv_figure_text(
	struct qkv_figure *f, enum qkv_ink ink, size_t x, size_t y, const char *text, struct qkv_err *e)
{
	struct qkv_label *l = &f->texts[f->num_texts];

	if (qkv_label_new(l, text, (size_t)-1, e))
		return -1;
	f->num_texts++;
	return qkv_figure_mark(
		f, &(struct qkv_mark){QKV_MARK_WORDS, ink, x, y, l->width, QKV_GLYPH_HEIGHT, {l}}, e);
}

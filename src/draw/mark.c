/* The list of marks that a figure grows, and the sizes that it may have. */
#include "draw/figure.h"

#include "base/mem.h"
#include "draw/glyph.h"

int
qkv_figure_check(
	size_t width, size_t height, const char *how, const struct qkv_draw_options *o, struct qkv_err *e)
{
	size_t zoom = o->zoom ? o->zoom : 1;
	const char *advice;

	width = width > (size_t)-1 / zoom ? (size_t)-1 : width * zoom;
	height = height > (size_t)-1 / zoom ? (size_t)-1 : height * zoom;
	if (width <= QKV_FIGURE_SIDE && height <= QKV_FIGURE_SIDE &&
		(!width || height <= QKV_FIGURE_PIXELS / width))
		return 0;
	advice = zoom > 1      ? "use a smaller --zoom"
		: o->cell > 1  ? "use a smaller --cell, or leave it out"
		: o->cell == 1 ? "leave out --cell"
		: o->max_size  ? "use a smaller --max-size"
			       : "show fewer heads or layers";
	return qkv_fail(e, QKV_EINPUT,
		"picture would be %s%zu x %zu pixels, at most %u a side and %u in all; %s", how, width,
		height, QKV_FIGURE_SIDE, QKV_FIGURE_PIXELS, advice);
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
qkv_figure_words(struct qkv_figure *f, enum qkv_ink ink, size_t x, size_t y, const struct qkv_label *l,
	struct qkv_err *e)
{
	struct qkv_mark m = {QKV_MARK_WORDS, ink, x, y, l->width, QKV_GLYPH_HEIGHT, {NULL}};

	m.of.label = l;
	return qkv_figure_mark(f, &m, e);
}

const struct qkv_label *
qkv_figure_label(struct qkv_figure *f, const char *text, size_t limit, struct qkv_err *e)
{
	struct qkv_label *l = &f->texts[f->num_texts];

	/* freed with the figure, whatever comes of it */
	f->num_texts++;
	return qkv_label_new(l, text, limit, e) ? NULL : l;
}

int
qkv_figure_text(
	struct qkv_figure *f, enum qkv_ink ink, size_t x, size_t y, const char *text, struct qkv_err *e)
{
	const struct qkv_label *l = qkv_figure_label(f, text, (size_t)-1, e);

	return l ? qkv_figure_words(f, ink, x, y, l, e) : -1;
}

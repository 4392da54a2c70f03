/* What is written over the panels: title, caption, colour bars with their numbers, key of masked cells. */
#ifndef QKV_DRAW_LEGEND_H
#define QKV_DRAW_LEGEND_H

#include "draw/figure.h"

enum {
	QKV_LEGEND_LINES = 12, /* of a caption */
	/* title, caption, key; two numbers, a name and a norm of each stage */
	QKV_LEGEND_TEXTS = QKV_LEGEND_LINES + 2 + 4 * QKV_STAGES,
};

struct qkv_legend {
	size_t x, y;                                         /* of its upper left corner in the figure */
	size_t width, height;                                /* pixels */
	size_t names, lows, ramp, highs, norms;              /* widths of its columns */
	const struct qkv_label *lines[QKV_LEGEND_LINES + 1]; /* the title first */
	size_t count;
	const struct qkv_label *name[QKV_STAGES], *low[QKV_STAGES], *high[QKV_STAGES], *norm[QKV_STAGES];
	const struct qkv_span *span[QKV_STAGES];
	const struct qkv_label *masked;
};

/* the legend of f, whose words are written, at x, y, over panels that are content pixels wide together */
int qkv_legend_size(
	struct qkv_legend *l, struct qkv_figure *f, size_t x, size_t y, size_t content, struct qkv_err *e);

int qkv_legend_mark(const struct qkv_legend *l, struct qkv_figure *f, struct qkv_err *e);

#endif

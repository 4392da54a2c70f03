/* What is written over the panels: title, caption, colour bars with their numbers, key of masked cells. */
#ifndef QKV_DRAW_LEGEND_H
#define QKV_DRAW_LEGEND_H

#include "draw/figure.h"

struct qkv_legend {
	size_t x, y;                     /* of its upper left corner in the figure */
	size_t width, height;            /* pixels */
	size_t names, lows, ramp, highs; /* widths of its columns */
	char low[QKV_STAGES][33], high[QKV_STAGES][33];
};

/* writes title and caption of f, and the heading of a panel */
void qkv_legend_words(
	struct qkv_figure *f, const struct qkv_doc *doc, const struct qkv_panel *panels, size_t count);
void qkv_legend_heading(
	char text[96], const struct qkv_figure *f, const struct qkv_doc *doc, const struct qkv_panel *p);

/* the legend of f at x, y, over panels that are content pixels wide together */
void qkv_legend_size(struct qkv_legend *l, const struct qkv_figure *f, size_t x, size_t y, size_t content);

int qkv_legend_mark(const struct qkv_legend *l, struct qkv_figure *f, struct qkv_err *e);

#endif

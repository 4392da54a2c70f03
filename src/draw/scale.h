/* From where to where do the colours of panels reach? */
#ifndef QKV_DRAW_SCALE_H
#define QKV_DRAW_SCALE_H

#include "draw/map.h"
#include "draw/panel.h"

/* the scales of a document */
struct qkv_extent {
	struct qkv_span *spans;
	size_t count;
};

/* finds the scales of the panels into x, for qkv_extent_clear; a stage has one, or one a layer or head */
int qkv_scale_find(struct qkv_extent *x, const struct qkv_panel *panels, size_t count,
	const struct qkv_draw_options *o, struct qkv_err *e);

/* the one that a panel belongs to */
const struct qkv_span *qkv_scale_of(const struct qkv_extent *x, const struct qkv_panel *p);

/* the palette of all pictures with these scales */
void
qkv_scale_palette(struct qkv_palette *palette, const struct qkv_extent *x, const struct qkv_draw_options *o);

#endif

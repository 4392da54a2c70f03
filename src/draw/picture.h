/* From a document to its picture, whoever paints it: what png, svg and term have in common. */
#ifndef QKV_DRAW_PICTURE_H
#define QKV_DRAW_PICTURE_H

#include "draw/figure.h"

/* writes the marks of f to s in a format of its own */
typedef int qkv_painter(struct qkv_sink *s, const struct qkv_figure *f, struct qkv_err *e);

int qkv_picture_new(struct qkv_consumer **c, struct qkv_sink *s, qkv_painter *paint,
	const struct qkv_draw_options *o, struct qkv_notes *notes, struct qkv_err *e);

#endif

/* A figure as PNG (ISO/IEC 15948): palette, no time stamp, the same pixels and chunks everywhere. */
#ifndef QKV_DRAW_PNG_H
#define QKV_DRAW_PNG_H

#include "draw/figure.h"

int qkv_png_write(struct qkv_sink *s, const struct qkv_figure *f, struct qkv_err *e);

/* the version of libpng in use */
const char *qkv_png_version(void);

#endif

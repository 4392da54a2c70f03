/* What a figure says of itself in words: true of what it shows, and of what it leaves out. */
#ifndef QKV_DRAW_CAPTION_H
#define QKV_DRAW_CAPTION_H

#include "draw/figure.h"

#define QKV_HEADING 160 /* bytes of a heading */

/* writes title, caption and parameters of f */
void qkv_caption_write(struct qkv_figure *f, const struct qkv_doc *doc, const struct qkv_panel *panels,
	size_t count, const struct qkv_draw_options *o);

/* writes the heading of a panel */
void qkv_caption_heading(char text[QKV_HEADING], const struct qkv_figure *f, const struct qkv_doc *doc,
	const struct qkv_panel *p);

/* what is written at the colour bar of a norm, "" where it is linear; by enum qkv_norm */
extern const char *const qkv_caption_norms[];

#define QKV_CAPTION_END 48 /* bytes of what stands at an end of a colour bar */

/* the first scale of a stage that f shows, and what stands at its ends: a number, with a sign before it where values
 * lie beyond, or a word where the stage has several scales */
const struct qkv_span *qkv_caption_scale(char low[QKV_CAPTION_END], char high[QKV_CAPTION_END],
	const struct qkv_figure *f, enum qkv_stage stage);

#endif

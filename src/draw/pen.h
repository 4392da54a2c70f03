/* In which colours does a terminal write? */
#ifndef QKV_DRAW_PEN_H
#define QKV_DRAW_PEN_H

#include "draw/map.h"
#include "write/out.h"

/* indices of the palette, 0: the colour of the terminal */
struct qkv_pen {
	unsigned char front, back;
	int is_dim, is_reversed;
};

/* turns to another pen, and tells the terminal where that is not the one at hand; without colours nobody is told */
void qkv_pen_take(struct qkv_pen *at_hand, struct qkv_pen pen, struct qkv_out *o, enum qkv_colours colours,
	const struct qkv_palette *p);

#endif

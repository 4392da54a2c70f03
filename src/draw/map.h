/* Which colour a value has: colour maps, and the palette of a picture. */
#ifndef QKV_DRAW_MAP_H
#define QKV_DRAW_MAP_H

#include "kern/kern.h"

#include <stddef.h>

/* the palette begins with these, then come the colours of the maps in use */
enum qkv_ink {
	QKV_INK_PAPER,
	QKV_INK_TEXT,
	QKV_INK_QUIET, /* text that explains */
	QKV_INK_FAINT, /* frames and scale marks */
	QKV_INK_BAR,
	QKV_INK_MASKED, /* cells without a value; a grey that no map has */
	QKV_INKS
};

enum qkv_map { QKV_MAP_VIRIDIS, QKV_MAP_BALANCE /* two-sided: blue, white, red */, QKV_MAPS };

struct qkv_palette {
	size_t size;
	unsigned char rgb[256][3];
	size_t first[QKV_MAPS]; /* of a map's colours */
	size_t colours;         /* of each map, odd, so that zero has a colour of its own in the middle */
};

/* how the values of a stage become colours: from low to high, linearly */
struct qkv_span {
	float low, high; /* low is 0, or -high with the two-sided map */
	enum qkv_map map;
};

/* the palette for the maps of which bit 1u << map is set */
void qkv_palette_fill(struct qkv_palette *p, unsigned maps);

/* the palette index of each of n values, QKV_INK_MASKED where it is NaN */
void qkv_palette_index(unsigned char *out, const float *values, size_t n, const struct qkv_span *r,
	const struct qkv_palette *p, const struct qkv_kern *kern);

#endif

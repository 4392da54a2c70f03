/* Which colour a value has: scales, and the palette of a picture. */
#ifndef QKV_DRAW_MAP_H
#define QKV_DRAW_MAP_H

#include "kern/kern.h"

/* the palette begins with these, then come the colours of the maps in use, then shades of text */
enum qkv_ink {
	QKV_INK_PAPER,
	QKV_INK_TEXT,
	QKV_INK_QUIET, /* text that explains */
	QKV_INK_FAINT, /* frames and scale marks */
	QKV_INK_BAR,
	QKV_INK_EVEN,   /* marks on bars: what uniform attention would give */
	QKV_INK_MASKED, /* cells without a value; a colour that no map in use has */
	QKV_INK_DARK,   /* text on light cells, and on dark ones */
	QKV_INK_LIGHT,
	QKV_INKS
};

#define QKV_PALETTE_SHADES 8 /* between paper and an ink of text */

struct qkv_palette {
	size_t size;
	unsigned char rgb[256][3];
	size_t first[QKV_MAPS]; /* of a map's colours */
	size_t colours;         /* of each map, odd, so that zero has a colour of its own in the middle */
	size_t shades[2];       /* the lightest of QKV_INK_TEXT and of QKV_INK_QUIET; 0: none */
};

/* how the values of some panels become colours, from low to high */
struct qkv_span {
	enum qkv_stage stage;
	size_t layer, head; /* QKV_ANY: those of all */
	float low, high;    /* low below high */
	enum qkv_norm norm;
	enum qkv_map map;
	double from, to; /* the part of the map that low to high takes: 0 to 1, but for uneven signs */
	int has_lower, has_higher; /* values beyond the ends */
};

/* the palette for the maps of which bit 1u << map is set, in the theme of o */
void qkv_palette_fill(struct qkv_palette *p, unsigned maps, const struct qkv_draw_options *o);

/* the palette indices of the ends of s */
void qkv_palette_ends(size_t *low, size_t *high, const struct qkv_span *s, const struct qkv_palette *p);

/* the palette index of each of n values, QKV_INK_MASKED where it is NaN */
void qkv_palette_index(unsigned char *out, const float *values, size_t n, const struct qkv_span *s,
	const struct qkv_palette *p, const struct qkv_kern *kern);

/* QKV_INK_DARK or QKV_INK_LIGHT, whichever stands out more (at least 4.5 to 1) against a colour of the palette */
enum qkv_ink qkv_palette_contrast(const struct qkv_palette *p, size_t index);

#endif

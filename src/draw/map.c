/*
 * Palettes: inks, maps, shades. A value v of a span stands at (u(v) - u(low)) / (u(high) - u(low)) of its part of the
 * map, with u(v) = v, the signed square root, or the logarithm. For the last the bounds between colours form a
 * geometric series, which needs products and roots alone, so that every machine draws the same.
 */
#include "draw/map.h"

#include "draw/colours.h"

#include <math.h>

static const unsigned inks[2][QKV_INKS] = {
	{
		[QKV_INK_PAPER] = 0xffffff,
		[QKV_INK_TEXT] = 0x1c1c1c,
		[QKV_INK_QUIET] = 0x5f6873,
		[QKV_INK_FAINT] = 0xb0b0b0,
		[QKV_INK_BAR] = 0x8d99a6,
		[QKV_INK_EVEN] = 0xb3261e,
		[QKV_INK_MASKED] = 0xd4d4d4,
		[QKV_INK_DARK] = 0x000000,
		[QKV_INK_LIGHT] = 0xffffff,
	},
	{
		[QKV_INK_PAPER] = 0x15181d,
		[QKV_INK_TEXT] = 0xe8e8e8,
		[QKV_INK_QUIET] = 0x9da8b4,
		[QKV_INK_FAINT] = 0x565f6a,
		[QKV_INK_BAR] = 0x5d6b7a,
		[QKV_INK_EVEN] = 0xffb454,
		[QKV_INK_MASKED] = 0x3b3b3b,
		[QKV_INK_DARK] = 0x000000,
		[QKV_INK_LIGHT] = 0xffffff,
	},
};

/* masked cells beside the grey map, which has all greys */
static const unsigned masked_beside_grey[2] = {0xc4daf2, 0x2a4263};

static void
put(struct qkv_palette *p, unsigned colour)
{
	unsigned char *rgb = p->rgb[p->size++];

	rgb[0] = (unsigned char)(colour >> 16);
	rgb[1] = (unsigned char)(colour >> 8);
	rgb[2] = (unsigned char)colour;
}

/* colours between paper and an ink, from the lightest on */
static void
put_shades(struct qkv_palette *p, enum qkv_ink ink)
{
	for (unsigned i = 1; i <= QKV_PALETTE_SHADES; i++) {
		unsigned colour = 0;

		for (int c = 0; c < 3; c++)
			colour = colour << 8 |
				(p->rgb[QKV_INK_PAPER][c] * (QKV_PALETTE_SHADES + 1 - i) +
					p->rgb[ink][c] * i) /
					(QKV_PALETTE_SHADES + 1);
		put(p, colour);
	}
}

void
qkv_palette_fill(struct qkv_palette *p, unsigned maps, const struct qkv_draw_options *o)
{
	/* one map has 221 colours and leaves room for shades; two share them */
	unsigned n = maps & (maps - 1) ? 110 : 220;

	*p = (struct qkv_palette){.colours = n + 1};
	for (int i = 0; i < QKV_INKS; i++)
		put(p,
			i == QKV_INK_MASKED && maps >> QKV_MAP_GREY & 1 ? masked_beside_grey[o->dark != 0]
									: inks[o->dark != 0][i]);
	for (int m = 0; m < QKV_MAPS; m++) {
		int reversed = o->reversed && (enum qkv_map)m == o->map;

		if (!(maps >> m & 1))
			continue;
		p->first[m] = p->size;
		for (unsigned i = 0; i <= n; i++)
			put(p, qkv_map_colour((enum qkv_map)m, reversed ? n - i : i, n));
	}
	if (o->zoom > 1) {
		p->shades[0] = p->size;
		put_shades(p, QKV_INK_TEXT);
		p->shades[1] = p->size;
		put_shades(p, QKV_INK_QUIET);
	}
}

/* the same, from the beginning of the map */
static void
find_ends(double *low, double *high, const struct qkv_span *s, const struct qkv_palette *p)
{
	double top = (double)(p->colours - 1);

	*low = s->from * top;
	*high = s->to * top;
}

void
qkv_palette_ends(size_t *low, size_t *high, const struct qkv_span *s, const struct qkv_palette *p)
{
	double a, b;

	find_ends(&a, &b, s, p);
	*low = p->first[s->map] + (size_t)(a + 0.5);
	*high = p->first[s->map] + (size_t)(b + 0.5);
}

static double
signed_root(double v)
{
	return v < 0 ? -sqrt(-v) : sqrt(v);
}

/* how many of the count bounds are at most v */
static size_t
count_below(const double *bounds, size_t count, double v)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (bounds[middle] <= v)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* the nth root of r > 0, by bisection to the last bit */
static double
root(double r, int n)
{
	double low = r < 1 ? r : 1, high = r < 1 ? 1 : r;

	for (;;) {
		double middle = low + (high - low) / 2, power = 1;

		if (middle <= low || middle >= high)
			return low;
		for (int i = 0; i < n; i++)
			power *= middle;
		if (power < r)
			low = middle;
		else
			high = middle;
	}
}

static void
index_log(unsigned char *out, const float *values, size_t n, const struct qkv_span *s,
	const struct qkv_palette *p)
{
	double bounds[256], half = root((double)s->high / (double)s->low, 2 * (int)(p->colours - 1));
	size_t first = p->first[s->map];

	bounds[0] = (double)s->low * half;
	for (size_t i = 1; i < p->colours - 1; i++)
		bounds[i] = bounds[i - 1] * half * half;
	for (size_t i = 0; i < n; i++)
		out[i] = (unsigned char)(values[i] == values[i]
				? first + count_below(bounds, p->colours - 1, (double)values[i])
				: QKV_INK_MASKED);
}

static void
index_root(unsigned char *out, const float *values, size_t n, const struct qkv_span *s,
	const struct qkv_palette *p)
{
	double low = signed_root((double)s->low), bottom, top, factor;
	size_t first = p->first[s->map];

	find_ends(&bottom, &top, s, p);
	factor = (top - bottom) / (signed_root((double)s->high) - low);
	for (size_t i = 0; i < n; i++) {
		double t = bottom + (signed_root((double)values[i]) - low) * factor;
		size_t index = (size_t)((t >= top ? top : t > bottom ? t : bottom) + 0.5);

		out[i] = (unsigned char)(values[i] == values[i] ? first + index : QKV_INK_MASKED);
	}
}

void
qkv_palette_index(unsigned char *out, const float *values, size_t n, const struct qkv_span *s,
	const struct qkv_palette *p, const struct qkv_kern *kern)
{
	struct qkv_ramp ramp = {
		.low = (double)s->low, .first = (double)p->first[s->map], .none = QKV_INK_MASKED};

	find_ends(&ramp.bottom, &ramp.top, s, p);
	ramp.factor = (ramp.top - ramp.bottom) / ((double)s->high - ramp.low);
	if (s->norm == QKV_NORM_LINEAR)
		kern->index(out, values, n, &ramp);
	else if (s->norm == QKV_NORM_SQRT)
		index_root(out, values, n, s, p);
	else
		index_log(out, values, n, s, p);
}

/* the light that a channel of sRGB sends (IEC 61966-2-1): the power 2.4 as the fifth root of the twelfth */
static double
linear(unsigned char channel)
{
	double x = channel / 255.0, y = (x + 0.055) / 1.055, square = y * y, fourth = square * square;

	return x <= 0.04045 ? x / 12.92 : root(fourth * fourth * fourth, 5);
}

enum qkv_ink
qkv_palette_contrast(const struct qkv_palette *p, size_t index)
{
	const unsigned char *rgb = p->rgb[index];
	double light = 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);

	/* WCAG 2.1: (a + 0.05) / (b + 0.05), equal against black and white where light is sqrt(1.05 * 0.05) - 0.05 */
	return light > 0.179 ? QKV_INK_DARK : QKV_INK_LIGHT;
}

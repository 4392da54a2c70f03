/*
 * Colours of a terminal: ECMA-48 (8.3.117, SGR) as xterm extends it, 38;2;RED;GREEN;BLUE or 38;5;INDEX in front,
 * 48 behind; 2 is faint, 7 reversed, 0 undoes all.
 */
#include "draw/pen.h"

/* the nearest of the 6 x 6 x 6 colours and 24 greys that xterm has at 16 to 255 */
static size_t
nearest_256(const unsigned char rgb[3])
{
	size_t index = 16, level, grey = (size_t)(rgb[0] + rgb[1] + rgb[2]) / 3;
	long cube = 0, greys = 0;

	grey = grey < 8 ? 0 : grey > 238 ? 23 : (grey - 3) / 10;
	for (int i = 0; i < 3; i++) {
		long from_grey = rgb[i] - (long)(8 + 10 * grey), from_level;

		level = rgb[i] < 48 ? 0 : rgb[i] < 115 ? 1 : (rgb[i] - 35u) / 40;
		index += level * (i == 0 ? 36 : i == 1 ? 6 : 1);
		from_level = rgb[i] - (long)(level ? 55 + 40 * level : 0);
		cube += from_level * from_level;
		greys += from_grey * from_grey;
	}
	return greys < cube ? 232 + grey : index;
}

static void
put_colour(struct qkv_out *o, const char *which, size_t index, enum qkv_colours colours,
	const struct qkv_palette *p)
{
	const unsigned char *rgb = p->rgb[index];

	if (!index)
		return;
	qkv_out_text(o, which);
	if (colours == QKV_COLOURS_256) {
		qkv_out_text(o, ";5;");
		qkv_out_count(o, nearest_256(rgb));
		return;
	}
	qkv_out_text(o, ";2");
	for (int i = 0; i < 3; i++) {
		qkv_out_char(o, ';');
		qkv_out_count(o, rgb[i]);
	}
}

static int
is_same(const struct qkv_pen *a, const struct qkv_pen *b)
{
	return a->front == b->front && a->back == b->back && a->is_dim == b->is_dim &&
		a->is_reversed == b->is_reversed;
}

void
qkv_pen_take(struct qkv_pen *at_hand, struct qkv_pen pen, struct qkv_out *o, enum qkv_colours colours,
	const struct qkv_palette *p)
{
	if (colours == QKV_COLOURS_NONE || is_same(at_hand, &pen))
		return;
	*at_hand = pen;
	qkv_out_text(o, "\x1B[0");
	if (pen.is_dim)
		qkv_out_text(o, ";2");
	if (pen.is_reversed)
		qkv_out_text(o, ";7");
	put_colour(o, ";38", pen.front, colours, p);
	put_colour(o, ";48", pen.back, colours, p);
	qkv_out_char(o, 'm');
}

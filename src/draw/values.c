/* Values in cells: below 1 with three or two decimals, else with up to three significant digits, as they fit. */
#include "draw/values.h"

#include "draw/glyph.h"
#include "kern/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LETTER = 8, MARGIN = 4 };

size_t
qkv_values_count(const struct qkv_panel *p)
{
	return p->cell_h < QKV_GLYPH_HEIGHT ? 0 : p->high * p->wide;
}

/* writes v as it fits into room letters; its length, 0: not at all */
static size_t
write_value(char text[QKV_NUMBER_MAX + 1], float v, size_t room)
{
	int unit, parts;

	if (v == 0 || fabsf(v) >= 1) {
		for (int digits = 3; digits >= 1; digits--) {
			size_t length = qkv_number_write_digits(text, v, digits);

			text[length] = 0;
			if (length <= room)
				return length;
		}
		return 0;
	}
	if (room < sizeof "0.00" - 1 + (v < 0))
		return 0;
	unit = room < sizeof "-0.000" - 1 ? 100 : 1000;
	parts = (int)(fabsf(v) * (float)unit + 0.5f);
	return (size_t)snprintf(text, QKV_NUMBER_MAX, unit == 100 ? "%s%d.%02d" : "%s%d.%03d",
		v < 0 ? "-" : "", parts / unit, parts % unit);
}

int
qkv_values_mark(struct qkv_figure *f, const struct qkv_panel *p, size_t *left_out, struct qkv_err *e)
{
	size_t room = p->cell_w < MARGIN ? 0 : (p->cell_w - MARGIN) / LETTER;

	for (size_t i = 0; i < p->high * p->wide; i++) {
		struct qkv_mark m = {QKV_MARK_OVER, QKV_INK_DARK, 0, 0, 0, QKV_GLYPH_HEIGHT, {NULL}};
		char text[QKV_NUMBER_MAX + 1];
		unsigned char index;
		size_t length;

		if (p->cells[i] != p->cells[i])
			continue;
		length = p->cell_h < QKV_GLYPH_HEIGHT ? 0 : write_value(text, p->cells[i], room);
		if (!length) {
			++*left_out;
			continue;
		}
		qkv_palette_index(&index, &p->cells[i], 1, p->span, &f->palette, p->kern);
		m.ink = qkv_palette_contrast(&f->palette, index);
		m.of.label = qkv_figure_label(f, text, (size_t)-1, e);
		if (!m.of.label)
			return -1;
		m.w = m.of.label->width;
		m.x = p->x + i % p->wide * p->cell_w + (p->cell_w - m.w) / 2;
		m.y = p->y + i / p->wide * p->cell_h + (p->cell_h - m.h) / 2;
		if (qkv_figure_mark(f, &m, e))
			return -1;
	}
	return 0;
}

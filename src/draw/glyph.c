/* Glyphs: two levels of lookup into the font's table, and boxes for what it lacks. */
#include "draw/glyph.h"

#include <string.h>

/* hexadecimal digits, 3 by 5 pixels: a row is an octal digit, the top one first */
static const uint16_t digits[16] = {
	075557,
	026227,
	071747,
	071717,
	055711,
	074717,
	074757,
	071122,
	075757,
	075717,
	075755,
	065656,
	074447,
	065556,
	074747,
	074744,
};

static uint32_t
entry(uint32_t code)
{
	return code < 0x10000 ? qkv_glyph_entries[qkv_glyph_leaves[code / 64]][code % 64] : 0;
}

size_t
qkv_glyph_width(uint32_t code)
{
	uint32_t e = entry(code);

	return e ? 8 + 8 * (e & 1) : 0;
}

/* a frame of 15 by 15 with the code in two lines of digits, which leaves a pixel to the next glyph */
static void
box(struct qkv_glyph *g, uint32_t code)
{
	int count = code < 0x10000 ? 4 : 6, half = count / 2;

	g->width = 16;
	memset(g->row, 0, sizeof g->row);
	g->row[1] = g->row[15] = 0xFFFE;
	for (int y = 2; y < 15; y++)
		g->row[y] = 0x8002;
	for (int i = 0; i < count; i++) {
		unsigned digit = digits[code >> 4 * (count - 1 - i) & 15];
		int right = (half == 2 ? 5 : 3) + 4 * (half - 1 - i % half); /* pixels right of the digit */

		for (int y = 0; y < 5; y++)
			g->row[(i < half ? 3 : 9) + y] |= (uint16_t)((digit >> 3 * (4 - y) & 7) << right);
	}
}

void
qkv_glyph_get(struct qkv_glyph *g, uint32_t code)
{
	uint32_t e = entry(code);
	const uint64_t *word = qkv_glyph_words + e / 2;
	unsigned rows; /* in a word */

	if (!e) {
		box(g, code & ~QKV_GLYPH_BOX);
		return;
	}
	g->width = 8 + 8 * (e & 1);
	rows = e & 1 ? 4 : 8;
	for (unsigned y = 0; y < QKV_GLYPH_HEIGHT; y++) {
		uint64_t bits = word[y / rows] >> (rows - 1 - y % rows) * g->width;

		g->row[y] = (uint16_t)(bits & ((1u << g->width) - 1));
	}
}

/* Which pixels a character has: GNU Unifont, 16 rows of 8 or 16 pixels, compiled in. */
#ifndef QKV_DRAW_GLYPH_H
#define QKV_DRAW_GLYPH_H

#include <stddef.h>
#include <stdint.h>

#define QKV_GLYPH_HEIGHT 16

/* added to a code point: drawn as a box with its number, which every code point can be */
#define QKV_GLYPH_BOX 0x80000000u

/* 16 rows from the top; the leftmost pixel is bit width - 1 */
struct qkv_glyph {
	size_t width; /* 8 or 16 */
	uint16_t row[QKV_GLYPH_HEIGHT];
};

extern const char qkv_glyph_version[];

/* the table that src/gen/glyphs.c makes: leaf of each 64 code points, entries of each leaf (2 * index of the first
 * word, plus 1 where 16 pixels wide; 0: no glyph), words with the rows from their highest bits on */
extern const uint16_t qkv_glyph_leaves[];
extern const uint32_t qkv_glyph_entries[][64];
extern const uint64_t qkv_glyph_words[];

/* the width of the glyph of code in pixels, 0: the font has none */
size_t qkv_glyph_width(uint32_t code);

/* the glyph of code, or a box where there is none, or QKV_GLYPH_BOX asks for it */
void qkv_glyph_get(struct qkv_glyph *g, uint32_t code);

#endif

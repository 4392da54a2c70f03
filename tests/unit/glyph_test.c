/* Glyphs: what the font has, and how what it lacks is drawn. */
#include "draw/glyph.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void
check_rows(uint32_t code, size_t width, const uint16_t rows[16])
{
	struct qkv_glyph g;

	qkv_glyph_get(&g, code);
	assert_int_equal(g.width, width);
	assert_memory_equal(g.row, rows, sizeof g.row);
}

static void
shapes(void **state)
{
	/* lines 0041, 0020 and 4E00 of unifont.hex */
	static const uint16_t a[16] = {
		0, 0, 0, 0, 0x18, 0x24, 0x24, 0x42, 0x42, 0x7E, 0x42, 0x42, 0x42, 0x42};
	static const uint16_t space[16] = {0};
	static const uint16_t one[16] = {0, 0, 0, 0, 0, 0, 0, 0xFFFE};

	(void)state;
	check_rows('A', 8, a);
	check_rows(' ', 8, space);
	check_rows(0x4E00, 16, one);
	assert_true(strlen(qkv_glyph_version) > 0);
}

static void
widths(void **state)
{
	static const struct {
		uint32_t code;
		size_t width;
	} table[] = {
		{'a', 8},
		{0xE9, 8},
		{0x0416, 8},
		{0x05D0, 8},
		{0x2205, 8},
		{0x2026, 8},
		{0x2420, 16},
		{0x2423, 8},
		{0xAC00, 16},
		{0xD7A3, 16},
		{0x4E09, 16},
		{0x6708, 16},
		{0x3042, 16},
		{0x2B1B, 16},
		/* controls, blanks, joiners, unassigned, private, surrogates, other planes */
		{0, 0},
		{'\n', 0},
		{0x7F, 0},
		{0xA0, 0},
		{0xAD, 0},
		{0x200B, 0},
		{0x200D, 0},
		{0x3000, 0},
		{0xFE0F, 0},
		{0xFEFF, 0},
		{0x0378, 0},
		{0xE000, 0},
		{0xD800, 0},
		{0xFFFF, 0},
		{0x1F600, 0},
		{0x20000, 0},
		{0x10FFFF, 0},
		{0xFFFFFFFF, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (qkv_glyph_width(table[i].code) != table[i].width)
			fail_msg("U+%04X is %zu wide", table[i].code, qkv_glyph_width(table[i].code));
}

static void
every_glyph_has_ink(void **state)
{
	struct qkv_glyph g;
	size_t count = 0, wide = 0;

	(void)state;
	for (uint32_t code = 0; code < 0x10000; code++) {
		unsigned ink = 0;

		if (!qkv_glyph_width(code))
			continue;
		qkv_glyph_get(&g, code);
		for (int y = 0; y < 16; y++)
			ink |= g.row[y];
		assert_true(ink || code == ' ');
		assert_true(ink < 1u << g.width);
		count++;
		wide += g.width == 16;
	}
	/* all syllables of Hangul and the ideographs of plane 0 are there */
	assert_true(count > 50000 && wide > 45000);
	for (uint32_t code = 0xAC00; code <= 0xD7A3; code++)
		assert_int_equal(qkv_glyph_width(code), 16);
	for (uint32_t code = 0x4E00; code <= 0x9FFF; code++)
		assert_int_equal(qkv_glyph_width(code), 16);
}

static void
boxes(void **state)
{
	static const char *const face[16] = {
		"................",
		"###############.",
		"#.............#.",
		"#.###..#..###.#.",
		"#.#.#.##..#...#.",
		"#.#.#..#..###.#.",
		"#.#.#..#..#...#.",
		"#.###.###.#...#.",
		"#.............#.",
		"#.###.###.###.#.",
		"#.#...#.#.#.#.#.",
		"#.###.#.#.#.#.#.",
		"#.#.#.#.#.#.#.#.",
		"#.###.###.###.#.",
		"#.............#.",
		"###############.",
	};
	struct qkv_glyph g, other;

	(void)state;
	qkv_glyph_get(&g, 0x1F600);
	assert_int_equal(g.width, 16);
	for (int y = 0; y < 16; y++)
		for (int x = 0; x < 16; x++)
			assert_int_equal(g.row[y] >> (15 - x) & 1, face[y][x] == '#');
	/* asked for where there is a glyph; four digits stand in the middle */
	qkv_glyph_get(&g, 'A' | QKV_GLYPH_BOX);
	assert_int_equal(g.width, 16);
	assert_int_equal(g.row[3], 0x8000 | 07 << 9 | 07 << 5 | 2);
	qkv_glyph_get(&other, 'B' | QKV_GLYPH_BOX);
	assert_memory_not_equal(&g, &other, sizeof g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),
		cmocka_unit_test(widths),
		cmocka_unit_test(every_glyph_has_ink),
		cmocka_unit_test(boxes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

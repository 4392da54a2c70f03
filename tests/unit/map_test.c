/* Colour maps: values to indices, and palettes. */
#include "draw/map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* the nearest of 221 colours, and the ends beyond them */
static void
colours_are_the_nearest(void **state)
{
	static const float values[] = {-1, 0, 0.4f, 0.6f, 109.6f, 219.4f, 219.6f, 220, 900, NAN};
	static const unsigned char steps[] = {0, 0, 0, 1, 110, 219, 220, 220, 220};
	static const struct qkv_draw_options o = {0};
	struct qkv_span span = {.low = 0, .high = 220, .to = 1};
	unsigned char out[10];
	struct qkv_palette p;

	(void)state;
	qkv_palette_fill(&p, 1u << QKV_MAP_VIRIDIS, &o);
	assert_int_equal(p.colours, 221);
	qkv_palette_index(out, values, 10, &span, &p, qkv_kern_find(NULL));
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(out[i], p.first[QKV_MAP_VIRIDIS] + steps[i]);
	assert_int_equal(out[9], QKV_INK_MASKED);
}

/* both ends, and the middle of what has signs */
static void
palettes(void **state)
{
	static const struct qkv_draw_options o = {0};
	struct qkv_palette p;
	const unsigned char *first;

	(void)state;
	qkv_palette_fill(&p, 1u << QKV_MAP_VIRIDIS | 1u << QKV_MAP_BALANCE, &o);
	assert_int_equal(p.colours, 111);
	assert_int_equal(p.size, QKV_INKS + 222);
	first = p.rgb[p.first[QKV_MAP_VIRIDIS]];
	assert_memory_equal(first, "\x44\x01\x54", 3);
	assert_memory_equal(first + 3 * 110, "\xFD\xE7\x25", 3);
	first = p.rgb[p.first[QKV_MAP_BALANCE]];
	assert_memory_equal(first, "\x12\x3A\x7C", 3);
	assert_memory_equal(first + 3 * 55, "\xF7\xF7\xF5", 3);
	assert_memory_equal(first + 3 * 110, "\x8A\x1A\x24", 3);
	qkv_palette_fill(&p, 1u << QKV_MAP_BALANCE, &o);
	assert_int_equal(p.size, QKV_INKS + 221);
}

/* the first and the last value that have the middle colour of 221, by each norm */
static void
norms(void **state)
{
	static const struct {
		struct qkv_span span;
		float below, first, last, above;
	} table[] = {
		{{.low = 0, .high = 220, .to = 1}, 109.4f, 109.6f, 110.4f, 110.6f},
		{{.low = 0, .high = 48400, .to = 1, .norm = QKV_NORM_SQRT}, 11990, 11991, 12210, 12211},
		/* 10^-6 to 1: steps by a factor of 10^(6/220), of which the middle is 10^-3 */
		{{.low = 1e-6f, .high = 1, .to = 1, .norm = QKV_NORM_LOG}, 9.68e-4f, 9.7e-4f, 1.031e-3f,
			1.033e-3f},
	};
	static const struct qkv_draw_options o = {0};
	struct qkv_palette p;

	(void)state;
	qkv_palette_fill(&p, 1u << QKV_MAP_VIRIDIS, &o);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		float values[] = {table[i].below, table[i].first, table[i].last, table[i].above,
			table[i].span.low, table[i].span.high, -1, 1e9f, NAN};
		unsigned char steps[] = {109, 110, 110, 111, 0, 220, 0, 220}, out[9];

		qkv_palette_index(out, values, 9, &table[i].span, &p, qkv_kern_find(NULL));
		for (size_t k = 0; k < sizeof steps; k++)
			if (out[k] != p.first[QKV_MAP_VIRIDIS] + steps[k])
				fail_msg("span %zu, value %zu: %d", i, k,
					out[k] - (int)p.first[QKV_MAP_VIRIDIS]);
		assert_int_equal(out[8], QKV_INK_MASKED);
	}
}

/* a part of a map, and its ends for the colour bar */
static void
parts(void **state)
{
	static const struct qkv_draw_options o = {0};
	static const float values[] = {-9, -1, 0, 4, 9};
	static const size_t steps[] = {83, 83, 110, 220, 220};
	struct qkv_span span = {.low = -1, .high = 4, .map = QKV_MAP_BALANCE, .from = 0.375, .to = 1};
	unsigned char out[5];
	struct qkv_palette p;
	size_t low, high;

	(void)state;
	qkv_palette_fill(&p, 1u << QKV_MAP_BALANCE, &o);
	qkv_palette_index(out, values, 5, &span, &p, qkv_kern_find(NULL));
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(out[i], p.first[QKV_MAP_BALANCE] + steps[i]);
	qkv_palette_ends(&low, &high, &span, &p);
	assert_int_equal(low, out[0]);
	assert_int_equal(high, out[4]);
}

/* the ends of every map, and of its reverse; no colour of masked cells among them; themes differ */
static void
maps_and_themes(void **state)
{
	static const char *const ends[QKV_MAPS][2] = {{"\x44\x01\x54", "\xFD\xE7\x25"},
		{"\x00\x22\x4E", "\xFE\xE8\x38"}, {"\x00\x00\x04", "\xFC\xFD\xBF"},
		{"\x00\x00\x00", "\xFF\xFF\xFF"}, {"\x12\x3A\x7C", "\x8A\x1A\x24"}};

	(void)state;
	for (int m = 0; m < QKV_MAPS; m++)
		for (int variant = 0; variant < 4; variant++) {
			struct qkv_draw_options o = {.map = (enum qkv_map)m,
				.reversed = variant & 1,
				.dark = variant >> 1,
				.zoom = 2};
			struct qkv_palette p;

			qkv_palette_fill(&p, 1u << m, &o);
			assert_memory_equal(p.rgb[p.first[m]], ends[m][o.reversed], 3);
			assert_memory_equal(p.rgb[p.first[m] + 220], ends[m][!o.reversed], 3);
			assert_int_equal(p.size, QKV_INKS + 221 + 2 * QKV_PALETTE_SHADES);
			for (size_t i = 0; i < 221; i++)
				assert_memory_not_equal(p.rgb[p.first[m] + i], p.rgb[QKV_INK_MASKED], 3);
			assert_true(p.rgb[QKV_INK_PAPER][0] > 128 ? !o.dark : o.dark);
		}
}

/* R10: at least 4.5 to 1 by the formulas of WCAG 2.1, here in floating point of the C library */
static void
values_stand_out(void **state)
{
	(void)state;
	for (int m = 0; m < QKV_MAPS; m++) {
		struct qkv_draw_options o = {.map = (enum qkv_map)m};
		struct qkv_palette p;

		qkv_palette_fill(&p, 1u << m, &o);
		for (size_t i = p.first[m]; i < p.size; i++) {
			static const double weights[] = {0.2126, 0.7152, 0.0722};
			double light = 0, ratio;

			for (int c = 0; c < 3; c++) {
				double x = p.rgb[i][c] / 255.0;

				light += weights[c] *
					(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
			}
			ratio = qkv_palette_contrast(&p, i) == QKV_INK_DARK ? (light + 0.05) / 0.05
									    : 1.05 / (light + 0.05);
			if (ratio < 4.5)
				fail_msg("map %d, colour %zu: %f", m, i, ratio);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_are_the_nearest),
		cmocka_unit_test(palettes),
		cmocka_unit_test(norms),
		cmocka_unit_test(parts),
		cmocka_unit_test(maps_and_themes),
		cmocka_unit_test(values_stand_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

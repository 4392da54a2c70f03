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
	struct qkv_span span = {0, 220, QKV_MAP_VIRIDIS};
	unsigned char out[10];
	struct qkv_palette p;

	(void)state;
	qkv_palette_fill(&p, 1u << QKV_MAP_VIRIDIS);
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
	struct qkv_palette p;
	const unsigned char *first;

	(void)state;
	qkv_palette_fill(&p, 1u << QKV_MAP_VIRIDIS | 1u << QKV_MAP_BALANCE);
	assert_int_equal(p.colours, 111);
	assert_int_equal(p.size, QKV_INKS + 222);
	first = p.rgb[p.first[QKV_MAP_VIRIDIS]];
	assert_memory_equal(first, "\x44\x01\x54", 3);
	assert_memory_equal(first + 3 * 110, "\xFD\xE7\x25", 3);
	first = p.rgb[p.first[QKV_MAP_BALANCE]];
	assert_memory_equal(first, "\x12\x3A\x7C", 3);
	assert_memory_equal(first + 3 * 55, "\xF7\xF7\xF5", 3);
	assert_memory_equal(first + 3 * 110, "\x8A\x1A\x24", 3);
	qkv_palette_fill(&p, 1u << QKV_MAP_BALANCE);
	assert_int_equal(p.size, QKV_INKS + 221);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_are_the_nearest),
		cmocka_unit_test(palettes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

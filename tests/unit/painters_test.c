/* What SVG and terminals have in common: clean failures of sinks and memory, the same bytes every time. */
#include "picture.h"

#include <stdarg.h>
#include <setjmp.h>

#include <cmocka.h>

static const char *const tokens[] = {"a", "\xEB\x82\x98", "\xF0\x9F\x98\x80"};
static const char *many[80];

static float
value(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	if (stage == QKV_ALPHA)
		return j > i ? NAN : 1 / (float)(i + 1);
	return (float)i - (float)j + (float)head;
}

#define STAGES (1u << QKV_Q | 1u << QKV_SCORES | 1u << QKV_ALPHA | 1u << QKV_OUTPUT)
#define TERM(width_, colours_)                                                                               \
	{                                                                                                    \
		.term = {.width = width_, .colours = colours_ }                                              \
	}

/* alone or in several stages; as elements and as images; in every number of colours */
static const struct {
	picture_new *make;
	struct feed feed;
} runs[] = {
	{qkv_svg_new, {3, 3, tokens, tokens, 1, 1, 0, 0, value, {0}}},
	{qkv_svg_new, {2, 3, tokens, tokens, 2, 2, STAGES, 3, value, {0}}},
	{qkv_svg_new, {3, 3, tokens, tokens, 1, 1, 0, 0, value, {.bare = 1}}},
	{qkv_svg_new, {80, 80, many, many, 1, 1, 0, 0, value, {0}}},
	{qkv_term_new, {3, 3, tokens, tokens, 1, 1, 0, 0, value, {0}}},
	{qkv_term_new, {2, 3, tokens, tokens, 2, 2, STAGES, 3, value, TERM(40, QKV_COLOURS_256)}},
	{qkv_term_new, {80, 80, many, many, 1, 1, 0, 0, value, TERM(60, QKV_COLOURS_TRUE)}},
};

enum { RUNS = sizeof runs / sizeof *runs };

static int
draw(struct qkv_memory_sink *m, size_t limit, size_t i, struct qkv_err *e)
{
	struct qkv_notes notes;

	e->text[0] = 0;
	return feed_picture(runs[i].make, m, limit, &runs[i].feed, &notes, e);
}

static void
same_bytes_each_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		struct qkv_memory_sink a, b;
		struct qkv_err e;

		assert_int_equal(draw(&a, 1u << 20, i, &e), 0);
		assert_int_equal(draw(&b, 1u << 20, i, &e), 0);
		assert_int_equal(a.size, b.size);
		assert_memory_equal(a.data, b.data, a.size);
		assert_int_equal(a.data[a.size - 1], '\n');
		qkv_memory_sink_free(&a);
		qkv_memory_sink_free(&b);
	}
}

/* sinks that take less and less than all */
static void
full_sinks(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		struct qkv_memory_sink m;
		struct qkv_err e;
		size_t size;

		assert_int_equal(draw(&m, 1u << 20, i, &e), 0);
		size = m.size;
		qkv_memory_sink_free(&m);
		for (size_t k = 0; k < size; k += 1 + size / 200) {
			assert_int_equal(draw(&m, k, i, &e), -1);
			assert_int_equal(e.status, QKV_EIO);
			assert_string_equal(e.text, "memory: No space left on device");
			assert_true(m.size <= k);
			qkv_memory_sink_free(&m);
		}
	}
}

/* the nth allocation and all after it fail, for every n until none is left that could */
static void
no_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		struct qkv_memory_sink m;
		struct qkv_err e;
		size_t n = 0;
		int status;

		do {
			qkv_mem_fail_at(++n);
			status = draw(&m, 1u << 20, i, &e);
			qkv_mem_fail_at(0);
			qkv_memory_sink_free(&m);
			if (status) {
				assert_int_equal(e.status, QKV_EMEMORY);
				assert_memory_equal(e.text, "out of memory", 13);
			}
		} while (status);
		assert_true(n > 5);
	}
}

static int
fill_tokens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof many / sizeof *many; i++)
		many[i] = tokens[i % 3];
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_bytes_each_time),
		cmocka_unit_test(full_sinks),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, fill_tokens, NULL);
}

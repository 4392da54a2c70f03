/* PNG as bytes: chunks, the same every time, and clean failures of sinks, memory and sizes. */
#include "picture.h"

#include "draw/figure.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const tokens[] = {"a", "\xEB\x82\x98", "\xF0\x9F\x98\x80"};

static float
value(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	if (stage == QKV_ALPHA)
		return j > i ? NAN : 1 / (float)(i + 1);
	return (float)i - (float)j + (float)head;
}

static const struct feed small = {3, 3, tokens, tokens, 1, 1, 0, 0, value, {0}};
static const struct feed stages = {2, 3, tokens, tokens, 2, 2,
	1u << QKV_Q | 1u << QKV_SCORES | 1u << QKV_ALPHA | 1u << QKV_OUTPUT, 3, value, {0}};

/* the length of the chunk at p, whose name is copied to name */
static size_t
read_chunk(char name[5], const unsigned char *p)
{
	memcpy(name, p + 4, 4);
	name[4] = 0;
	return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

static void
chunks(void **state)
{
	static const struct {
		const char *name;
		size_t size;
		const char *data;
	} expected[] = {
		{"IHDR", 13, NULL},
		{"sRGB", 1, "\0"},
		{"PLTE", 3 * 230, NULL},
		{"pHYs", 9, "\0\0\x0E\xC4\0\0\x0E\xC4\1"},
		{"iTXt", 25, "Title\0\0\0\0\0alpha, 3 tokens"},
		{"iTXt", 79,
			"Description\0\0\0\0\0queries down, keys across, bars: sums, marks: uniform "
			"attention"},
		{"iTXt", 117,
			"Parameters\0\0\0\0\0map: viridis; norm: linear; theme: light; labels: text; cell: "
			"40 x 40; "
			"zoom: 1; scale of alpha: 0 to 1"},
		{"iTXt", 16, "Software\0\0\0\0\0qkv"},
	};
	struct qkv_memory_sink m;
	struct qkv_notes notes;
	struct qkv_err e;
	const unsigned char *p;
	char name[5];

	(void)state;
	assert_int_equal(feed_png(&m, 1u << 20, &small, &notes, &e), 0);
	assert_memory_equal(m.data, "\x89PNG\r\n\x1A\n", 8);
	p = (const unsigned char *)m.data + 8;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		size_t size = read_chunk(name, p);

		assert_string_equal(name, expected[i].name);
		assert_int_equal(size, expected[i].size);
		if (expected[i].data)
			assert_memory_equal(p + 8, expected[i].data, size);
		if (!i)
			assert_memory_equal(
				p + 16, "\x08\x03\0\0\0", 5); /* 8 bits of palette, no interlacing */
		p += 12 + size;
	}
	/* nothing but pixels follows: no time, no text */
	for (size_t size = read_chunk(name, p); strcmp(name, "IEND"); size = read_chunk(name, p)) {
		assert_string_equal(name, "IDAT");
		p += 12 + size;
	}
	assert_ptr_equal(p + 12, m.data + m.size);
	qkv_memory_sink_free(&m);
}

static void
same_bytes_each_time(void **state)
{
	struct qkv_memory_sink a, b;
	struct qkv_notes notes;
	struct qkv_err e;

	(void)state;
	assert_int_equal(feed_png(&a, 1u << 20, &stages, &notes, &e), 0);
	assert_int_equal(feed_png(&b, 1u << 20, &stages, &notes, &e), 0);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	qkv_memory_sink_free(&a);
	qkv_memory_sink_free(&b);
}

/* a sink that is full after k bytes, for every k */
static void
full_sinks(void **state)
{
	struct qkv_memory_sink m;
	struct qkv_notes notes;
	struct qkv_err e;
	size_t size;

	(void)state;
	assert_int_equal(feed_png(&m, 1u << 20, &small, &notes, &e), 0);
	size = m.size;
	qkv_memory_sink_free(&m);
	for (size_t k = 0; k < size; k++) {
		e.text[0] = 0;
		assert_int_equal(feed_png(&m, k, &small, &notes, &e), -1);
		assert_int_equal(e.status, QKV_EIO);
		assert_string_equal(e.text, "memory: No space left on device");
		assert_true(m.size <= k);
		qkv_memory_sink_free(&m);
	}
	assert_int_equal(feed_png(&m, size, &small, &notes, &e), 0);
	qkv_memory_sink_free(&m);
}

/* the nth allocation and all after it fail, for every n until none is left that could */
static void
no_memory(void **state)
{
	static const struct feed *const feeds[] = {&small, &stages};
	struct qkv_memory_sink m;
	struct qkv_notes notes;
	struct qkv_err e;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		size_t n = 0;
		int status;

		do {
			e.text[0] = 0;
			qkv_mem_fail_at(++n);
			status = feed_png(&m, 1u << 20, feeds[i], &notes, &e);
			qkv_mem_fail_at(0);
			qkv_memory_sink_free(&m);
			if (status) {
				assert_int_equal(e.status, QKV_EMEMORY);
				assert_memory_equal(e.text, "out of memory", 13);
			}
		} while (status);
		assert_true(n > 30);
	}
}

static void
nothing_to_draw(void **state)
{
	static const struct feed none = {3, 3, tokens, tokens, 0, 0, 0, 0, value, {0}};
	struct qkv_memory_sink m;
	struct qkv_notes notes;
	struct qkv_err e;

	(void)state;
	assert_int_equal(feed_png(&m, 1u << 20, &none, &notes, &e), -1);
	assert_string_equal(e.text, "nothing to draw, expected at least one matrix");
	qkv_memory_sink_free(&m);
}

/* the error that drawing f ends with; nothing may have been written */
static struct qkv_err
refuse(const struct feed *f)
{
	struct qkv_memory_sink m;
	struct qkv_notes notes;
	struct qkv_err e = {0};

	assert_int_equal(feed_png(&m, 1u << 28, f, &notes, &e), -1);
	assert_int_equal(m.size, 0);
	qkv_memory_sink_free(&m);
	return e;
}

static void
sizes_are_checked(void **state)
{
	static const struct {
		size_t w, h, cell;
		int fits;
	} table[] = {
		{1000000, 1073, 0, 1}, {1, 1000000, 0, 1}, {32768, 32768, 0, 1}, {1000001, 1, 2, 0},
		{1, 1000001, 0, 0}, {32768, 32769, 1, 0},
		{(size_t)1 << 32, (size_t)1 << 32, 9, 0}, /* a product that would wrap to 0 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct qkv_draw_options o = {.cell = table[i].cell};
		struct qkv_err e = {0};
		char text[256];

		assert_int_equal(
			qkv_figure_check(table[i].w, table[i].h, "", &o, &e), table[i].fits ? 0 : -1);
		if (table[i].fits)
			continue;
		snprintf(text, sizeof text,
			"picture would be %zu x %zu pixels, at most 1000000 a side and 1073741824 in all; %s",
			table[i].w, table[i].h,
			o.cell > 1            ? "use a smaller --cell, or leave it out"
				: o.cell == 1 ? "leave out --cell"
					      : "show fewer heads or layers");
		assert_string_equal(e.text, text);
		assert_int_equal(e.status, QKV_EINPUT);
	}
}

/* R11, R12: refused before there is anything, even memory for the cells */
static void
sizes_beyond_png_are_refused(void **state)
{
	static const struct {
		size_t n_q, n_k, cell;
		const char *message;
	} table[] = {
		{1, 25001, 40, "at least 1000040 x 40 pixels, at most 1000000 a side"},
		{2, 2, 32768,
			"at least 65536 x 65536 pixels, at most 1000000 a side and 1073741824 in all; use a "
			"smaller --cell, or leave it out"},
		{2, 2, 18000, "at least 36000 x 36000 pixels"},
		{3, 3, (size_t)-1 / 2, "at least 18446744073709551615 x 18446744073709551615 pixels"},
		{100000, 100000, 1,
			"at least 100000 x 100000 pixels, at most 1000000 a side and 1073741824 in all; "
			"leave "
			"out --cell"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct feed f = {
			table[i].n_q, table[i].n_k, NULL, NULL, 1, 1, 0, 0, value, {.cell = table[i].cell}};
		struct qkv_err e = refuse(&f);

		assert_int_equal(e.status, QKV_EINPUT);
		if (!strstr(e.text, table[i].message))
			fail_msg("%s", e.text);
	}
}

static void
many_heads_are_refused_together(void **state)
{
	struct feed f = {3, 3, tokens, tokens, 1, 40, 0, 0, value, {.cell = 2000}};
	struct qkv_err e = refuse(&f);

	(void)state;
	assert_int_equal(e.status, QKV_EINPUT);
	assert_non_null(strstr(e.text, "picture would be at least 6000 x 180000 pixels"));
}

static void
a_second_document_is_refused(void **state)
{
	struct feed f = {3, 3, tokens, tokens, 1, 1, 0, 0, value, {0}};
	struct qkv_memory_sink m;
	struct qkv_notes notes = {0};
	struct qkv_consumer *c;
	struct qkv_err e;

	(void)state;
	qkv_memory_sink_init(&m, 1u << 20);
	assert_int_equal(qkv_png_new(&c, &m.sink, &f.o, &notes, &e), 0);
	assert_int_equal(c->wants, QKV_WANTS_HIDDEN);
	assert_int_equal(feed_consumer(c, &f, &e), 0);
	assert_int_equal(feed_consumer(c, &f, &e), -1);
	assert_int_equal(e.status, QKV_EUSAGE);
	assert_string_equal(e.text, "one picture holds one document, use {doc} in the output name");
	c->free(c);
	qkv_memory_sink_free(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks),
		cmocka_unit_test(same_bytes_each_time),
		cmocka_unit_test(full_sinks),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(nothing_to_draw),
		cmocka_unit_test(a_second_document_is_refused),
		cmocka_unit_test(many_heads_are_refused_together),
		cmocka_unit_test(sizes_are_checked),
		cmocka_unit_test(sizes_beyond_png_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

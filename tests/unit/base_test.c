/* The ground: messages, UTF-8, base64, arenas, sinks in memory, threads. */
#include "test.h"

#include "base/arena.h"
#include "base/base64.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/sink.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdint.h>
#include <time.h>

static void
test_fail_is_one_line(void **state)
{
	struct qkv_err e;
	char text[4096];

	(void)state;
	assert_int_equal(qkv_fail(&e, QKV_EINPUT, "a\nb\x1b[1m%d", 7), -1);
	assert_string_equal(e.text, "a?b?[1m7");
	assert_int_equal(e.status, QKV_EINPUT);
	assert_int_equal(qkv_fail_prefix(&e, "%s:%d: ", "f\tg", 3), -1);
	assert_string_equal(e.text, "f?g:3: a?b?[1m7");

	qkv_fail(&e, QKV_EINPUT, "\xFF \xE3\x81 \xC2\x85 \xEA\xB0\x80");
	assert_string_equal(e.text, "? ?? ? \xEA\xB0\x80");

	/* what is too long ends in dots, on a whole character */
	for (size_t i = 0; i + 3 < sizeof text; i += 3)
		memcpy(text + i, "\xEA\xB0\x80", 4);
	qkv_fail(&e, QKV_EINPUT, "x%s", text);
	assert_int_equal((strlen(e.text) - 4) % 3, 0);
	assert_string_equal(e.text + strlen(e.text) - 3, "...");
	assert_true(strlen(e.text) < sizeof e.text);
}

static void
test_notes_count(void **state)
{
	struct qkv_notes n = {0};
	char text[512];

	(void)state;
	qkv_note_add(&n, QKV_NOTE_HIDDEN_ROW, 0, "nowhere");
	assert_int_equal(n.of[QKV_NOTE_HIDDEN_ROW].count, 0);
	qkv_note_add(&n, QKV_NOTE_HIDDEN_ROW, 1, "query %d", 4);
	qkv_note_add(&n, QKV_NOTE_HIDDEN_ROW, 2, "query %d", 5);
	qkv_note_format(text, &n, QKV_NOTE_HIDDEN_ROW);
	assert_string_equal(text, "queries whose keys are all hidden get no weights: 3, first query 4");
}

static void
test_utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t size, length;
		uint32_t code;
	} rows[] = {
		{"a", 1, 1, 'a'},
		{"\x7F", 1, 1, 0x7F},
		{"\xC2\x80", 2, 2, 0x80},
		{"\xDF\xBF", 2, 2, 0x7FF},
		{"\xE0\xA0\x80", 3, 3, 0x800},
		{"\xED\x9F\xBF", 3, 3, 0xD7FF},
		{"\xEE\x80\x80", 3, 3, 0xE000},
		{"\xEF\xBF\xBF", 3, 3, 0xFFFF},
		{"\xF0\x90\x80\x80", 4, 4, 0x10000},
		{"\xF4\x8F\xBF\xBF", 4, 4, 0x10FFFF},
		{"\x80", 1, 0, 0},     /* continuation alone */
		{"\xC0\xAF", 2, 0, 0}, /* not shortest */
		{"\xC1\xBF", 2, 0, 0},
		{"\xE0\x9F\xBF", 3, 0, 0},
		{"\xF0\x8F\xBF\xBF", 4, 0, 0},
		{"\xED\xA0\x80", 3, 0, 0},     /* surrogate */
		{"\xF4\x90\x80\x80", 4, 0, 0}, /* beyond U+10FFFF */
		{"\xF5\x80\x80\x80", 4, 0, 0},
		{"\xE3\x81", 2, 0, 0}, /* cut */
		{"\xE3\x81q", 3, 0, 0},
		{"\xFF", 1, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t code = 0;
		char back[4];

		assert_int_equal(
			qkv_utf8_read(&code, rows[i].bytes, rows[i].bytes + rows[i].size), rows[i].length);
		assert_int_equal(code, rows[i].code);
		if (rows[i].length) {
			assert_int_equal(qkv_utf8_write(back, code), rows[i].length);
			assert_memory_equal(back, rows[i].bytes, rows[i].length);
		}
	}
}

static void
test_base64(void **state)
{
	/* RFC 4648, section 10, and what must be refused */
	static const struct {
		const char *text, *bytes;
		int result;
		size_t bad;
	} rows[] = {
		{"", "", 0, 0},
		{"Zg==", "f", 0, 0},
		{"Zm8=", "fo", 0, 0},
		{"Zm9v", "foo", 0, 0},
		{"Zm9vYg==", "foob", 0, 0},
		{"Zm9vYmFy", "foobar", 0, 0},
		{"Zm9", "", -1, 3},
		{"Zm9v=", "", -1, 4},
		{"Z===", "", -1, 1},
		{"====", "", -1, 0},
		{"Zm 9", "", -1, 2},
		{"Zh==", "", -1, 1}, /* bits that no byte holds */
		{"Zm9=", "", -1, 2},
		{"Zg==Zg==", "", -1, 2},
		{"Zm_v", "", -1, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned char out[16];
		size_t length = 0, bad = 0;

		assert_int_equal(qkv_base64_read(out, &length, rows[i].text, strlen(rows[i].text), &bad),
			rows[i].result);
		assert_int_equal(bad, rows[i].bad);
		assert_int_equal(length, strlen(rows[i].bytes));
		assert_memory_equal(out, rows[i].bytes, length);
		if (!rows[i].result) {
			char text[16];

			assert_int_equal(qkv_base64_write(text, out, length), strlen(rows[i].text));
			assert_memory_equal(text, rows[i].text, strlen(rows[i].text));
		}
	}
}

static void
test_allocator(void **state)
{
	struct qkv_err e;
	struct qkv_arena a = {0};
	char *p;

	(void)state;
	assert_null(qkv_mem_new(SIZE_MAX / 2, 4, &e));
	assert_int_equal(e.status, QKV_EMEMORY);
	assert_null(qkv_mem_floats(SIZE_MAX / 2, 4, &e));
	assert_null(qkv_mem_resize(NULL, SIZE_MAX / 2, 4, &e));
	assert_null(qkv_arena_new(&a, SIZE_MAX / 2, 4, &e));
	p = qkv_arena_new(&a, 100000, 1, &e);
	assert_non_null(p);
	assert_int_equal(p[99999], 0);
	assert_string_equal(qkv_arena_print(&a, &e, "%d-%s", 5, "x"), "5-x");
	assert_string_equal(qkv_arena_copy(&a, "abcdef", 3, &e), "abc");
	qkv_mem_fail_at(2);
	p = qkv_mem_new(1, 1, &e);
	assert_non_null(p);
	qkv_mem_free(p);
	assert_null(qkv_mem_new(1, 1, &e));
	assert_null(qkv_mem_hook(1));
	qkv_mem_fail_at(0);
	qkv_arena_free(&a);
}

static void
test_memory_sink_fills_up(void **state)
{
	struct qkv_memory_sink m;
	struct qkv_err e;

	(void)state;
	qkv_memory_sink_init(&m, 5);
	assert_int_equal(m.sink.write(&m.sink, "abc", 3, &e), 0);
	assert_int_equal(m.sink.write(&m.sink, "def", 3, &e), -1);
	assert_int_equal(e.status, QKV_EIO);
	assert_int_equal(m.sink.write(&m.sink, "de", 2, &e), 0);
	assert_memory_equal(m.data, "abcde", 5);
	qkv_memory_sink_free(&m);
}

static void
mark(void *arg, size_t index, size_t worker)
{
	unsigned char *marks = arg;

	(void)worker;
	marks[index]++;
}

static void
test_pool_does_each_task_once(void **state)
{
	static const int workers[] = {1, 2, 7, 0};

	(void)state;
	for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
		unsigned char marks[1000] = {0};
		struct qkv_pool *p;
		struct qkv_err e;

		assert_int_equal(qkv_pool_new(&p, workers[i], &e), 0);
		assert_true(qkv_pool_size(p) >= 1);
		for (int run = 1; run <= 20; run++) {
			qkv_pool_run(p, sizeof marks, mark, marks);
			for (size_t t = 0; t < sizeof marks; t++)
				assert_int_equal(marks[t], run);
		}
		qkv_pool_run(p, 0, mark, marks);
		assert_int_equal(marks[0], 20);
		qkv_pool_free(p);
	}
	qkv_pool_free(NULL);
}

/* runs at once one after the other, and after a pause in which workers fall asleep */
static void
test_pool_runs_again(void **state)
{
	static const struct timespec pause = {0, 2000000};
	unsigned char marks[3];
	struct qkv_pool *p;
	struct qkv_err e;

	(void)state;
	assert_int_equal(qkv_pool_new(&p, 3, &e), 0);
	for (int run = 0; run < 20000; run++) {
		memset(marks, 0, sizeof marks);
		if (run % 1000 == 0)
			nanosleep(&pause, NULL);
		qkv_pool_run(p, sizeof marks, mark, marks);
		assert_memory_equal(marks, "\1\1\1", sizeof marks);
	}
	qkv_pool_free(p);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fail_is_one_line),
		cmocka_unit_test(test_notes_count),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_allocator),
		cmocka_unit_test(test_memory_sink_fills_up),
		cmocka_unit_test(test_pool_does_each_task_once),
		cmocka_unit_test(test_pool_runs_again),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}

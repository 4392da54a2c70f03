/* Text for terminals: no wider than they are, cells below their labels whatever letters those have, no raw controls. */
#include "picture.h"

#include "base/utf8.h"
#include "draw/script.h"

#include <stdarg.h>
#include <setjmp.h>

#include <cmocka.h>

enum { MAX_TOKENS = 300 };

static const char *const samples[] = {
	"a",
	"antidisestablishmentarianism",
	"",
	" ",
	"\xEB\x82\x98\xEB\x8A\x94",                                                 /* Hangul */
	"\xE1\x84\x82\xE1\x85\xA1",                                                 /* the same in jamo */
	"\xE4\xB8\x89\xE6\x9C\x88\xE3\x81\xAE",                                     /* Han, kana */
	"\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",                                         /* Hebrew */
	"\xD9\x85\xD9\x84\xD9\x83 abc",                                             /* Arabic */
	"\xE0\xA4\xA8\xE0\xA4\xAE\xE0\xA4\xB8\xE0\xA5\x8D\xE0\xA4\xA4\xE0\xA5\x87", /* Devanagari */
	"e\xCC\x81\xCC\xA3x",
	"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9", /* two emoji, joined */
	"\xE2\x9D\xA4\xEF\xB8\x8F",
	"\xE2\x80\x8B\xE2\x80\xAE",
	"\x1B[2J\n\t\x7F\xC2\x9B",
	"[CLS]",
};

static const char *tokens[MAX_TOKENS];

static float
value(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	if (stage == QKV_ALPHA)
		return j > i ? NAN : 1 / (float)(i + 1);
	return (float)i - (float)j + (float)head;
}

/* reads a letter or an SGR sequence at p, adds its columns; what follows */
static const char *
step(size_t *columns, const char *p, const char *end)
{
	uint32_t code;
	size_t length;

	if (*p == '\x1B') {
		if (p[1] != '[')
			fail_msg("an escape that is not SGR");
		p += 2 + strspn(p + 2, "0123456789;");
		if (*p != 'm')
			fail_msg("an escape that is not SGR");
		return p + 1;
	}
	length = qkv_utf8_read(&code, p, end);
	if (!length || code < ' ' || (code >= 0x7F && code < 0xA0))
		fail_msg("a raw control, or no UTF-8: %02x", (unsigned char)*p);
	*columns += qkv_char_columns(code);
	return p + length;
}

static size_t
widest_line(const struct qkv_memory_sink *m)
{
	const char *p = m->data, *end = p + m->size;
	size_t widest = 0, columns = 0;

	while (p < end) {
		if (*p == '\n') {
			widest = columns > widest ? columns : widest;
			columns = 0;
			p++;
		} else {
			p = step(&columns, p, end);
		}
	}
	return widest;
}

static void
lines_fit(void **state)
{
	static const size_t widths[] = {40, 41, 60, 80, 81, 132, 200};
	static const struct {
		size_t n_q, n_k, layers, heads;
		unsigned stages;
		size_t features;
	} shapes[] = {
		{1, 1, 1, 1, 0, 0},
		{16, 16, 1, 3, 0, 0},
		{5, 16, 2, 2, 0, 0},
		{40, 40, 1, 1, 0, 0},
		{300, 300, 1, 1, 0, 0},
		{3, 300, 1, 1, 0, 0},
		{300, 2, 1, 1, 0, 0},
		{6, 6, 1, 2, (1u << QKV_STAGES) - 1, 64},
		{6, 6, 1, 12, 1u << QKV_SCORES | 1u << QKV_MASKED | 1u << QKV_ALPHA, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (size_t w = 0; w < 3 * sizeof widths / sizeof *widths; w++) {
			size_t width = widths[w / 3];
			struct feed f = {shapes[i].n_q, shapes[i].n_k, tokens, tokens, shapes[i].layers,
				shapes[i].heads, shapes[i].stages, shapes[i].features, value,
				{.bare = w % 7 == 0, .term = {width, (enum qkv_colours)(w % 3)}}};
			struct qkv_memory_sink m;
			struct qkv_notes notes;
			struct qkv_err e;

			if (feed_picture(qkv_term_new, &m, 1u << 24, &f, &notes, &e))
				fail_msg("%s", e.text);
			if (widest_line(&m) > width)
				fail_msg("shape %zu: %zu columns of %zu", i, widest_line(&m), width);
			if (f.n_k > width && !notes.of[QKV_NOTE_POOLED].count)
				fail_msg("shape %zu: nothing said of merged cells", i);
			qkv_memory_sink_free(&m);
		}
}

/* without colours: the shades of each row begin in the same column, and there are two of each cell */
static void
cells_stand_in_columns(void **state)
{
	enum { N = sizeof samples / sizeof *samples };
	struct feed f = {
		N, N, samples, samples, 1, 1, 1u << QKV_SCORES, 0, value, {.term = {100, QKV_COLOURS_NONE}}};
	struct qkv_memory_sink m;
	struct qkv_notes notes;
	struct qkv_err e;
	const char *line;
	size_t rows = 0;

	(void)state;
	assert_int_equal(feed_picture(qkv_term_new, &m, 1u << 20, &f, &notes, &e), 0);
	line = m.data;
	for (const char *end = m.data + m.size, *next; line < end; line = next) {
		size_t columns = 0;

		next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
		/* a row of cells ends in 2 N shades */
		if (next - 1 - line < 2 * N || strspn(next - 1 - 2 * N, ".:+*#%@") != 2 * N)
			continue;
		for (const char *p = line; p < next - 1 - 2 * N;)
			p = step(&columns, p, end);
		assert_int_equal(columns, 25);
		rows++;
	}
	assert_int_equal(rows, N);
	qkv_memory_sink_free(&m);
}

static void
documents_follow_each_other(void **state)
{
	struct feed f = {2, 2, tokens, tokens, 1, 1, 0, 0, value, {.term = {80, QKV_COLOURS_NONE}}};
	struct qkv_memory_sink m;
	struct qkv_notes notes = {0};
	struct qkv_consumer *c;
	struct qkv_err e;
	size_t size;

	(void)state;
	qkv_memory_sink_init(&m, 1u << 20);
	assert_int_equal(qkv_term_new(&c, &m.sink, &f.o, &notes, &e), 0);
	assert_int_equal(feed_consumer(c, &f, &e), 0);
	size = m.size;
	assert_int_equal(feed_consumer(c, &f, &e), 0);
	assert_int_equal(m.size, 2 * size);
	assert_memory_equal(m.data, m.data + size, size);
	c->free(c);
	qkv_memory_sink_free(&m);
}

static int
fill_tokens(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAX_TOKENS; i++)
		tokens[i] = samples[i % (sizeof samples / sizeof *samples)];
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_fit),
		cmocka_unit_test(cells_stand_in_columns),
		cmocka_unit_test(documents_follow_each_other),
	};

	return cmocka_run_group_tests(tests, fill_tokens, NULL);
}

/* Words over the panels: they are true of what the figure shows. */
#include "figure.h"

static void
words_that_explain(void **state)
{
	static const struct {
		struct trial t;
		const char *title, *caption;
	} table[] = {
		{{3, 3, 1, 1, ALPHA, 0, {0}, 0, 0, 0, 0}, "alpha, 3 tokens",
			"queries down, keys across, bars: sums, marks: uniform attention"},
		{{1, 2, 1, 12, ALPHA, 0, {.no_row_sums = 1, .no_col_sums = 1}, 0, 0, 0, 0},
			"alpha, 1 query, 2 keys, 12 heads", "queries down, keys across"},
		{{9, 9, 2, 2, LESSON, 0, {0}, 0, 0, 0, 0},
			"scores, scaled, masked, alpha, 9 tokens, 2 layers, 2 heads",
			"queries down, keys across, bars: sums, marks: uniform attention"},
		{{4097, 4097, 1, 1, 1u << QKV_SCORES, 0, {0}, 0, 0, 0, 0}, "scores, 4097 tokens",
			"queries down, keys across, a label for every 48 tokens and for the last and special "
			"ones, "
			"a cell shows the largest of 3 x 3"},
		{{1, 3000, 1, 1, 1u << QKV_SCORES, 0, {0}, 0, 0, 0, 0}, "scores, 1 query, 3000 keys",
			"queries down, keys across, a label for every 32 keys and for the last and special "
			"ones, a cell shows the largest of 1 "
			"x 2"},
		{{3000, 1, 1, 1, 1u << QKV_K | 1u << QKV_SCORES, 100, {0}, 0, 0, 0, 0},
			"k, scores, 3000 queries, 1 key, head 0",
			"queries down (keys in k), keys across (features in k), a label for every 32 "
			"queries, 3 features of 100 and for the last and special ones, a cell shows the "
			"largest of up to 2 x 1"},
		{{2, 2, 1, 1, 1u << QKV_CONTEXT, 8, {0}, 0, 0, 0, 0}, "context, 2 tokens",
			"queries down, features across"},
		{{2, 2, 1, 1, 1u << QKV_OUTPUT, 8, {0}, 0, 0, 0, 0}, "output, 2 tokens",
			"queries down, features across"},
		{{2, 2, 1, 2, 1u << QKV_K | 1u << QKV_V, 8, {0}, 0, 0, 0, 0}, "k, v, 2 tokens, 2 heads",
			"keys down, features across"},
		{{2, 2, 2, 3, ALL, 8, {0}, 0, 0, 0, 0},
			"q, k, v, scores, scaled, masked, alpha, context, output, 2 tokens, 2 layers, 3 "
			"heads",
			"queries down (keys in k, v), keys across (features in q, k, v, context, output), "
			"bars: sums, marks: uniform attention"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct qkv_err e;
		struct made m;

		assert_int_equal(make(&m, &table[i].t, &e), 0);
		assert_string_equal(m.f.title, table[i].title);
		assert_string_equal(m.f.caption, table[i].caption);
		unmake(&m);
	}
}

/* heads of keys and values are others than those of queries, and not counted beside them; a mean is no head */
static void
heads_are_counted_once(void **state)
{
	static const struct {
		size_t heads[4];
		const char *title;
	} table[] = {
		{{0, 1, 0, 1}, "k, alpha, 2 tokens, head 1"},
		{{0, 0, 1, 5}, "k, alpha, 2 tokens, 2 heads"},
		{{0, 1, QKV_MEAN, QKV_MEAN}, "k, alpha, 2 tokens, head 1"},
		{{0, QKV_MEAN, 1, QKV_NONE}, "k, alpha, 2 tokens"},
	};
	struct trial t = {2, 2, 1, 2, 1u << QKV_K | ALPHA, 2, {0}, 0, 0, 0, 0};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct qkv_err e;
		struct made m;

		assert_int_equal(make(&m, &t, &e), 0);
		qkv_figure_free(&m.f);
		for (size_t k = 0; k < 4; k++)
			m.panels[k].head = table[i].heads[k];
		assert_int_equal(qkv_figure_new(&m.f, &m.doc, m.panels, m.count, &t.o, &m.notes, &e), 0);
		assert_string_equal(m.f.title, table[i].title);
		unmake(&m);
	}
}

/* a title of one's own, scales of their own, percentiles and means are told; what does not fit is cut between characters */
static void
says_what_was_asked_for(void **state)
{
	char title[400] = "";
	struct trial t = {9, 9, 1, 2, ALPHA, 0,
		{.title = title, .range_by = QKV_RANGE_HEAD, .robust = 1, .max_size = 3, .pool_mean = 1}, 0,
		0, 0, 0};
	struct qkv_err e;
	struct made m;

	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(title, "\xEB\x82\x98");
	assert_int_equal(make(&m, &t, &e), 0);
	assert_int_equal(strlen(m.f.title), 255);
	assert_memory_equal(m.f.title, title, 255);
	assert_string_equal(m.f.caption,
		"alpha, 9 tokens, 2 heads, queries down, keys across, bars: sums, marks: uniform attention, "
		"a label for every 9 tokens, a cell shows the mean of 3 x "
		"3, "
		"a scale for each head, scale from the 2nd to the 98th percentile");
	assert_non_null(strstr(m.f.parameters, "scale of alpha layer 0 head 1: "));
	unmake(&m);
}

static void
says_what_is_left_out(void **state)
{
	struct trial t = {2, 2, 1, 1, ALPHA, 0, {0}, 0, 0, 0, 0};
	struct qkv_err e;
	struct made m;

	(void)state;
	assert_int_equal(make(&m, &t, &e), 0);
	qkv_figure_free(&m.f);
	m.doc.left_out = "2 of 3 tokens, without [CLS]";
	assert_int_equal(qkv_figure_new(&m.f, &m.doc, m.panels, m.count, &t.o, &m.notes, &e), 0);
	assert_string_equal(
		m.f.caption, "queries down, keys across, 2 of 3 tokens, without [CLS], bars: sums of all");
	unmake(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_that_explain),
		cmocka_unit_test(heads_are_counted_once),
		cmocka_unit_test(says_what_was_asked_for),
		cmocka_unit_test(says_what_is_left_out),
	};

	return cmocka_run_group_tests(tests, fill_tokens, NULL);
}

/* Showing some queries and keys: each value and sum that is shown is that of the whole. */
#include "test.h"
#include "keep.h"
#include "run.h"

static const unsigned all_stages = (1u << QKV_STAGES) - 1, to_alpha = (1u << QKV_CONTEXT) - 1;

static const char *
tokens(size_t n, size_t m)
{
	static char text[4096];
	char *p = text + sprintf(text, ",\"mask\":\"causal-start\"");

	if (n != m)
		return text;
	p += sprintf(p, ",\"tokens\":[");
	for (size_t i = 0; i < n; i++)
		p += sprintf(p, "%s\"%s\"", i ? "," : "", i % 5 ? "a" : "[S]");
	sprintf(p, "]");
	return text;
}

/* which of the originals are left by the ranges 1, 3-20, 33-40, and by the tokens that tokens() has */
static size_t
remaining(size_t *index, size_t n, int ranges, int hides)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if ((!ranges || i == 1 || (i >= 3 && i <= 20) || (i >= 33 && i <= 40)) && (!hides || i % 5))
			index[count++] = i;
	return count;
}

/* that the matrix some is those rows and columns of all */
static void
compare(const struct kept *all, const struct kept *some, int ranges, int hides, int sums)
{
	size_t row[64], col[64];
	int key_rows = all->m.stage == QKV_K || all->m.stage == QKV_V;
	int key_cols = all->m.stage >= QKV_SCORES && all->m.stage <= QKV_ALPHA;

	assert_int_equal(some->m.rows, remaining(row, all->m.rows, ranges >> key_rows & 1, hides));
	assert_int_equal(
		some->m.cols, remaining(col, all->m.cols, key_cols && ranges & 2, key_cols && hides));
	for (size_t i = 0; i < some->m.rows; i++) {
		assert_true(some->row_sums[i] == all->row_sums[row[i]]);
		for (size_t j = 0; j < some->m.cols; j++) {
			size_t at = i * some->m.cols + j, of = row[i] * all->m.cols + col[j];

			assert_memory_equal(&some->data[at], &all->data[of], sizeof some->data[at]);
			assert_int_equal(some->hidden[at], all->hidden[of]);
		}
	}
	for (size_t j = 0; j < some->m.cols && all->m.stage == QKV_ALPHA && sums; j++)
		assert_true(some->col_sums[j] == all->col_sums[col[j]]);
	if (all->m.stage == QKV_ALPHA && sums)
		assert_true(some->col_sums[some->m.cols] == all->col_sums[all->m.cols]);
}

/* every stage, of self- and cross-attention, with ranges of queries (1), keys (2) or both, with hidden tokens, where
 * rows that are not shown are computed, and where they are not */
static void
test_values(void **state)
{
	static const struct qkv_settings none = {0};
	static const struct qkv_range ranges[] = {{0, 33, 40}, {0, 3, 20}, {0, 1, 1}, {0, 4, 5}};
	static const char *const hidden[] = {"[S]"};

	(void)state;
	for (int way = 1; way < 64; way++) {
		int average = way & 8;
		size_t n = 43, m = way & 4 ? n : 47;
		struct qkv_attend_options o = {
			.stages = way & 16 ? all_stages : to_alpha, .average = average};
		struct keeper all, some;
		char *text = problem(n, m, 4, 2, tokens(n, m));

		keep(&all, text, &none, &o);
		o.queries = o.keys = ranges;
		o.num_queries = way & 1 ? 4 : 0;
		o.num_keys = way & 2 ? 4 : 0;
		o.hide_tokens = hidden;
		o.num_hide_tokens = way & 4 ? 1 : 0;
		o.no_col_sums = way & 32;
		keep(&some, text, &none, &o);
		assert_int_equal(some.count, all.count);
		for (size_t i = 0; i < all.count; i++)
			compare(&all.kept[i], &some.kept[i], way & 3, way & 4, !o.no_col_sums);
		drop(&all);
		drop(&some);
	}
}

#define ABC "{\"tokens\":[\"a\",\"b\",\"c\"],\"alpha\":[[0.5,0.25,0.25],[0,1,0],[0.125,0.125,0.75]]}"

/* what writers make of it: original indices, sums of the whole, and the same bytes for any number of threads */
static void
test_written(void **state)
{
	static const struct qkv_range last[] = {{0, 1, 2}}, ends[] = {{0, 2, 2}, {0, 0, 0}},
				      whole[] = {{0, 0, 2}};
	static const struct {
		qkv_writer *writer;
		struct qkv_write_options write;
		struct qkv_attend_options attend;
		const char *out;
	} rows[] = {
		{qkv_csv_new, {0}, {.queries = last, .num_queries = 1, .keys = ends, .num_keys = 2},
			"layer,head,query,token,a,c,row_sum\n0,0,1,b,0,0,1\n0,0,2,c,0.125,0.75,1\n"
			"0,0,,col_sum,0.625,1,3\n"},
		{qkv_csv_new, {.header = QKV_HEADER_INDEX, .no_row_sums = 1}, {.keys = ends, .num_keys = 2},
			"layer,head,query,token,k0,k2\n0,0,0,a,0.5,0.25\n0,0,1,b,0,0\n0,0,2,c,0.125,0.75\n"
			"0,0,,col_sum,0.625,1\n"},
		{qkv_csv_new, {.layout_long = 1},
			{.queries = last, .num_queries = 1, .keys = ends, .num_keys = 2},
			"doc,layer,head,query,key,query_token,key_token,alpha\n0,0,0,1,0,b,a,0\n0,0,0,1,2,b,"
			"c,0\n"
			"0,0,0,2,0,c,a,0.125\n0,0,0,2,2,c,c,0.75\n"},
		{qkv_json_new, {0}, {.queries = whole, .num_queries = 1, .keys = last, .num_keys = 1},
			"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"a\",\"b\",\"c\"],\"key_tokens\":[\"b\","
			"\"c\"],"
			"\"key_indices\":[1,2],\"num_heads\":1,\"num_kv_heads\":null,\"weight_layout\":null,"
			"\"mask_true\":\"attend\",\"heads\":[{\"layer\":0,\"head\":0,\"d_k\":null,\"scale\":"
			"null,"
			"\"mask\":\"none\",\"alpha\":[[0.25,0.25],[1,0],[0.125,0.75]],\"row_sums\":[1,1,1],"
			"\"col_sums\":[1.375,1]}]}\n"},
		{qkv_json_new, {.by_head = 1},
			{.queries = ends, .num_queries = 2, .keys = whole, .num_keys = 1},
			"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"a\",\"c\"],\"key_tokens\":[\"a\",\"b\","
			"\"c\"],"
			"\"query_indices\":[0,2],\"num_heads\":1,\"num_kv_heads\":null,\"weight_layout\":"
			"null,"
			"\"mask_true\":\"attend\",\"heads\":[{\"layer\":0,\"head\":0,\"d_k\":null,\"scale\":"
			"null,"
			"\"mask\":\"none\",\"alpha\":[[0.5,0.25,0.25],[0.125,0.125,0.75]],\"row_sums\":[1,1],"
			"\"col_sums\":[0.625,1.375,1]}]}\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run r = {.writer = rows[i].writer, .write = rows[i].write, .attend = rows[i].attend};

		assert_int_equal(run_text(&r, ABC), 0);
		assert_string_equal(r.out.data, rows[i].out);
		run_free(&r);
	}
}

/* large enough to be worth threads */
static void
test_threads(void **state)
{
	static const struct qkv_range some[] = {{0, 7, 7}, {0, 90, 150}};
	struct run first = {.attend = {.stages = all_stages,
				    .queries = some,
				    .num_queries = 2,
				    .keys = some,
				    .num_keys = 1,
				    .threads = 1}};
	char *text = problem(211, 211, 4, 2, "");

	(void)state;
	assert_int_equal(run_text(&first, text), 0);
	for (int threads = 2; threads < 8; threads += 5) {
		struct run r = {.attend = first.attend};

		r.attend.threads = threads;
		assert_int_equal(run_text(&r, text), 0);
		assert_string_equal(r.out.data, first.out.data);
		run_free(&r);
	}
	run_free(&first);
}

/* the whole that was asked for by its parts is read back, a part is not */
static void
test_read_back(void **state)
{
	static const struct qkv_range parts[] = {{0, 2, 2}, {0, 0, 1}};
	struct run r = {.attend = {.queries = parts, .num_queries = 2, .keys = parts, .num_keys = 2}},
		   again = {0};

	(void)state;
	assert_int_equal(run_text(&r, ABC), 0);
	assert_int_equal(run_text(&again, r.out.data), 0);
	assert_string_equal(again.out.data, r.out.data);
	run_free(&r);
	run_free(&again);
	r = (struct run){.attend = {.queries = parts, .num_queries = 1}};
	assert_int_equal(run_text(&r, ABC), 0);
	again = (struct run){0};
	assert_int_equal(run_text(&again, r.out.data), -1);
	assert_string_equal(again.err.text,
		"in.json:1:82: query_indices: only some queries were written, expected a document with all");
	run_free(&r);
	run_free(&again);
}

static void
test_refuses(void **state)
{
	static const struct qkv_range far[] = {{0, 1, 5}}, farther[] = {{0, 4, 5}};
	static const char *const all[] = {"a", "b", "c"};
	static const struct {
		struct qkv_attend_options attend;
		const char *message;
	} rows[] = {
		{{.queries = far, .num_queries = 1}, "in.json: --queries: no query 3, expected less than 3"},
		{{.keys = farther, .num_keys = 1}, "in.json: --keys: no key 4, expected less than 3"},
		{{.hide_tokens = all, .num_hide_tokens = 3},
			"in.json: --hide-tokens: no query is left, expected at least one"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run r = {.attend = rows[i].attend};

		assert_int_equal(run_text(&r, ABC), -1);
		assert_int_equal(r.err.status, QKV_EINPUT);
		assert_string_equal(r.err.text, rows[i].message);
		run_free(&r);
	}
}

#define LONG "a token so long that it alone would fill most of the line of a caption"

/* what a caption is told, and the warning of what is not there */
static void
test_words(void **state)
{
	static const char *const hidden[] = {"b", "", "B", "a", "zzz", LONG};
	static const struct qkv_range first[] = {{0, 0, 1}};
	struct qkv_attend_options o = {
		.hide_tokens = hidden, .num_hide_tokens = 5, .queries = first, .num_queries = 1};
	struct keeper k;
	struct qkv_settings none = {0};
	struct run r = {.attend = o};
	char text[512];

	(void)state;
	keep(&k, ABC, &none, &(struct qkv_attend_options){0});
	assert_string_equal(k.left_out, "");
	drop(&k);
	o.num_hide_tokens = 1;
	keep(&k, ABC, &none, &o);
	assert_string_equal(k.left_out, "1 of 3 queries, 2 of 3 keys, without b");
	drop(&k);
	o.num_hide_tokens = 6;
	o.num_queries = 0;
	keep(&k,
		"{\"tokens\":[\"" LONG
		"\",\"\",\"b\",\"x\"],\"alpha\":[[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0]]}",
		&none, &o);
	assert_string_equal(k.left_out, "1 of 4 tokens, without b and 2 more");
	drop(&k);
	o.hide_tokens = &hidden[5];
	o.num_hide_tokens = 1;
	keep(&k, "{\"tokens\":[\"" LONG "x\",\"a\"],\"embeddings\":[[1],[2]],\"W_Q\":[[1]],\"W_K\":[[1]]}",
		&none, &o);
	assert_string_equal(k.left_out, "");
	drop(&k);
	keep(&k, "{\"tokens\":[\"" LONG "\",\"a\"],\"embeddings\":[[1],[2]],\"W_Q\":[[1]],\"W_K\":[[1]]}",
		&none, &o);
	assert_string_equal(k.left_out, "1 of 2 tokens");
	drop(&k);
	r.attend.num_hide_tokens = 3;
	assert_int_equal(run_text(&r, ABC), 0);
	qkv_note_format(text, &r.notes, QKV_NOTE_NO_TOKEN);
	assert_string_equal(text, "tokens to hide that the document does not have: 2, first ''");
	run_free(&r);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("narrow", tests, NULL, NULL);
}

/* The edges of the computation: queries that see nothing, rows that do not sum to 1, what is missing, what overflows. */
#include "test.h"
#include "run.h"

/* a query without keys gets zeros everywhere and one warning; a context of zeros too */
static void
test_hidden_rows(void **state)
{
	struct run r = {.attend = {.stages = 1u << QKV_ALPHA | 1u << QKV_CONTEXT | 1u << QKV_OUTPUT}};
	char note[512];

	(void)state;
	assert_int_equal(
		run_text(&r,
			"{\"embeddings\":[[0],[0],[0]],\"W_Q\":[[1]],\"W_K\":[[1]],\"W_V\":[[2]],\"b_V\":[5],"
			"\"mask\":[[1,1,1],[0,0,0],[1,0,0]]}"),
		0);
	assert_non_null(strstr(r.out.data,
		"\"alpha\":[[0.33333334,0.33333334,0.33333334],[0,0,0],[1,0,0]],\"row_sums\":[1,0,1],"
		"\"col_sums\":[1.3333334,0.33333334,0.33333334],\"context\":[[5],[0],[5]]"));
	assert_int_equal(r.notes.of[QKV_NOTE_HIDDEN_ROW].count, 1);
	qkv_note_format(note, &r.notes, QKV_NOTE_HIDDEN_ROW);
	assert_string_equal(
		note, "queries whose keys are all hidden get no weights: 1, first layer 0, head 0, query 1");
	run_free(&r);
}

/* the warning does not hang on what is shown, and counts heads one by one */
static void
test_hidden_rows_are_told(void **state)
{
	static const unsigned stages[] = {
		1u << QKV_MASKED, 1u << QKV_CONTEXT, 1u << QKV_OUTPUT, 1u << QKV_ALPHA | 1u << QKV_V};

	(void)state;
	for (int average = 0; average < 2; average++)
		for (size_t s = 0; s < 4; s++) {
			struct run r = {.attend = {.stages = stages[s], .average = average}};

			assert_int_equal(run_text(&r,
						 "{\"Q\":[[[0]],[[0]]],\"K\":[[[0]],[[0]]],\"V\":[[[1]],[[1]]"
						 "],\"mask\":[[[0]],[[1]]]}"),
				0);
			assert_int_equal(r.notes.of[QKV_NOTE_HIDDEN_ROW].count, 1);
			run_free(&r);
		}
}

/* ready rows are shown as they are, and those that do not sum to 1 are told */
static void
test_ready_rows(void **state)
{
	struct run r = {.writer = qkv_csv_new};

	(void)state;
	assert_int_equal(run_text(&r, "{\"alpha\":[[1.25,0],[0.5,0.5005]]}"), 0);
	assert_string_equal(r.out.data,
		"layer,head,query,token,0,1,row_sum\n0,0,0,0,1.25,0,1.25\n0,0,1,1,0.5,0.5005,1.0005\n"
		"0,0,,col_sum,1.75,0.5005,2.2505\n");
	assert_int_equal(r.notes.of[QKV_NOTE_ROW_SUM].count, 1);
	assert_string_equal(r.notes.of[QKV_NOTE_ROW_SUM].first, "layer 0, head 0, query 0");
	run_free(&r);
}

/* layers of any sources in any order, each as if it stood alone */
static void
test_mixed_layers(void **state)
{
	static const char *const layers[] = {
		"{\"alpha\":[[1,0],[0.5,0.5]]}",
		"{\"scores\":[[1,2],[3,5]],\"scale\":\"none\"}",
		"{\"embeddings\":[[1],[2]],\"W_Q\":[[1]],\"W_K\":[[1]]}",
		"{\"Q\":[[1,1],[0,1]],\"K\":[[1,0],[0,2]]}",
	};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++) {
			struct run both = {.write = {.bare = 1}, .writer = qkv_csv_new}, one = both,
				   other = both;
			char text[512];

			snprintf(text, sizeof text, "{\"layers\":[%s,%s]}", layers[i], layers[k]);
			assert_int_equal(run_text(&both, text), 0);
			assert_int_equal(run_text(&one, layers[i]) | run_text(&other, layers[k]), 0);
			snprintf(text, sizeof text, "%s%s", one.out.data, other.out.data);
			assert_string_equal(both.out.data, text);
			run_free(&both);
			run_free(&one);
			run_free(&other);
		}
}

/* a layer that does not tell the number of key/value heads leaves it to those that do */
static void
test_open_kv_heads(void **state)
{
	static const char *const texts[] = {
		"{\"layers\":[{\"Q\":[[[1]],[[2]]],\"K\":[[3]]},{\"alpha\":[[[1]],[[1]]]}]}",
		"{\"layers\":[{\"alpha\":[[[1]],[[1]]]},{\"Q\":[[[1]],[[2]]],\"K\":[[3]]}]}",
		"{\"num_kv_heads\":1,\"alpha\":[[[1]],[[1]]]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct run r = {.writer = NULL};

		assert_int_equal(run_text(&r, texts[i]), 0);
		assert_non_null(strstr(r.out.data, "\"num_heads\":2,\"num_kv_heads\":1,"));
		run_free(&r);
	}
}

/* a stage that the source does not have is refused, and says what it needs */
static void
test_missing_stages(void **state)
{
	static const struct {
		const char *text;
		enum qkv_stage stage;
		const char *message;
	} rows_of[] = {
		{"{\"alpha\":[[1]]}", QKV_SCORES,
			"in.json:1:1: stage scores cannot be computed, expected scores, not ready alpha"},
		{"{\"alpha\":[[1]]}", QKV_CONTEXT,
			"in.json:1:1: stage context cannot be computed, expected W_V or V"},
		{"{\"scores\":[[1]],\"scale\":1}", QKV_Q,
			"in.json:1:1: stage q cannot be computed, expected embeddings with weights, or Q "
			"with K"},
		{"{\"Q\":[[1]],\"K\":[[1]]}", QKV_OUTPUT,
			"in.json:1:1: stage output cannot be computed, expected W_V or V"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++) {
		struct run r = {.attend = {.stages = 1u << rows_of[i].stage}};

		assert_int_equal(run_text(&r, rows_of[i].text), -1);
		assert_string_equal(r.err.text, rows_of[i].message);
		run_free(&r);
	}
}

/* bounds that are exceeded by no value are no error, and only what is asked for has to be finite */
static void
test_close_to_overflow(void **state)
{
#define FINITE " of head 0 is not finite, expected what float32 can hold"
	static const struct {
		enum qkv_stage stage;
		const char *text, *out, *message;
	} rows_of[] = {
		{QKV_SCORES, "{\"Q\":[[1.5e19,0],[0,1]],\"K\":[[2e19,0],[0,3e19]],\"scale\":\"none\"}",
			"\"scores\":[[3e38,0],[0,3e19]]", NULL},
		{QKV_SCORES, "{\"Q\":[[1e20,0],[0,1e20]],\"K\":[[0,3e19],[3e19,0]],\"scale\":1e-30}", NULL,
			"score for query 0, key 1" FINITE},
		{QKV_SCALED, "{\"scores\":[[1e30]],\"scale\":1e10}", NULL, "score for query 0, key 0" FINITE},
		{QKV_MASKED, "{\"scores\":[[3e38]],\"scale\":1,\"bias\":[[3e38]]}", NULL,
			"score for query 0, key 0" FINITE},
		{QKV_CONTEXT, "{\"Q\":[[1]],\"K\":[[1]],\"V\":[[1e30]],\"W_O\":[[1e20]]}",
			"\"context\":[[1e30]]", NULL},
		{QKV_OUTPUT, "{\"Q\":[[1]],\"K\":[[1]],\"V\":[[1e30]],\"W_O\":[[1e20]]}", NULL,
			"output for query 0, column 0 is not finite, expected what float32 can hold"},
		{QKV_CONTEXT, "{\"alpha\":[[1e20]],\"V\":[[1e20]]}", NULL,
			"context for query 0, column 0" FINITE},
		{QKV_ALPHA, "{\"alpha\":[[1e20]],\"V\":[[1e20]]}", "\"row_sums\":[1e20]", NULL},
		{QKV_ALPHA, "{\"alpha\":[[3e38,3e38]]}", NULL, "the sum of row 0 of alpha" FINITE},
		{QKV_ALPHA, "{\"alpha\":[[3e38],[3e38]]}", NULL, "the sum of column 0 of alpha" FINITE},
		{QKV_ALPHA, "{\"alpha\":[[3e38,-3e38],[-3e38,3e38]]}",
			"\"row_sums\":[0,0],\"col_sums\":[0,0]", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++) {
		struct run r = {.attend = {.stages = 1u << rows_of[i].stage}};

		assert_int_equal(run_text(&r, rows_of[i].text), rows_of[i].message ? -1 : 0);
		if (rows_of[i].message)
			assert_string_equal(r.err.text + strlen("in.json:1:1: "), rows_of[i].message);
		else
			assert_non_null(strstr(r.out.data, rows_of[i].out));
		run_free(&r);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden_rows),
		cmocka_unit_test(test_hidden_rows_are_told),
		cmocka_unit_test(test_ready_rows),
		cmocka_unit_test(test_mixed_layers),
		cmocka_unit_test(test_open_kv_heads),
		cmocka_unit_test(test_missing_stages),
		cmocka_unit_test(test_close_to_overflow),
	};

	return cmocka_run_group_tests_name("attend at its edges", tests, NULL, NULL);
}

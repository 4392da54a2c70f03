/* The writers: their bytes, that they can be read back, and what they do when the sink is full. */
#include "test.h"
#include "run.h"

#define LABELS "\"tokens\":[\"a,\\\"b\\\"\",\"c\\td\\\\\\ne\"]"
#define ALPHA "{" LABELS ",\"alpha\":[[[1,0],[0.5,0.25]],[[0,1],[0.125,0.875]]]}"
#define HEADER "layer,head,query,token,\"a,\"\"b\"\"\",\"c\td\\\ne\",row_sum\n"

static const struct {
	const char *what, *text;
	qkv_writer *writer;
	struct qkv_write_options options;
	unsigned stages;
	const char *out;
} golden[] = {
	{"wide", ALPHA, qkv_csv_new, {0}, 0,
		HEADER
		"0,0,0,\"a,\"\"b\"\"\",1,0,1\n0,0,1,\"c\td\\\ne\",0.5,0.25,0.75\n0,0,,col_sum,1.5,0.25,1.75\n"
		"0,1,0,\"a,\"\"b\"\"\",0,1,1\n0,1,1,\"c\td\\\ne\",0.125,0.875,1\n0,1,,col_sum,0.125,1.875,"
		"2\n"},
	{"TSV", ALPHA, qkv_csv_new, {.tsv = 1, .no_col_sums = 1}, 0,
		"layer\thead\tquery\ttoken\ta,\"b\"\tc\\td\\\\\\ne\trow_sum\n0\t0\t0\ta,\"b\"\t1\t0\t1\n"
		"0\t0\t1\tc\\td\\\\\\ne\t0.5\t0.25\t0.75\n0\t1\t0\ta,"
		"\"b\"\t0\t1\t1\n0\t1\t1\tc\\td\\\\\\ne\t0.125\t0.875\t1\n"},
	{"index, column sums, three digits, byte order mark", "{\"alpha\":[[0.1234567,0.5]]}", qkv_csv_new,
		{.header = QKV_HEADER_INDEX, .no_row_sums = 1, .precision = 3, .bom = 1}, 0,
		"\xEF\xBB\xBFlayer,head,query,token,k0,k1\n0,0,0,0,0.123,0.5\n0,0,,col_sum,0.123,0.5\n"},
	{"no header", "{\"alpha\":[[1]]}", qkv_csv_new, {.header = QKV_HEADER_NONE}, 0,
		"0,0,0,0,1,1\n0,0,,col_sum,1,1\n"},
	{"bare", ALPHA, qkv_csv_new, {.bare = 1}, 0, "1,0\n0.5,0.25\n0,1\n0.125,0.875\n"},
	{"labels that a reader could take for nothing",
		"{\"tokens\":[\"\",\" \",\" x\"],\"alpha\":[[1,0,0],[0,1,0],[0,0,1]]}", qkv_csv_new,
		{.no_row_sums = 1, .no_col_sums = 1}, 0,
		"layer,head,query,token,\"\",\" \", x\n0,0,0,\"\",1,0,0\n0,0,1,\" \",0,1,0\n0,0,2, "
		"x,0,0,1\n"},
	{"long",
		"{\"tokens\":[\"a\"],\"context\":{\"tokens\":[\"x\",\"y\"]},\"alpha\":[[0.25,0.75]]}\n{"
		"\"alpha\":[[1]]}",
		qkv_csv_new, {.layout_long = 1}, 0,
		"doc,layer,head,query,key,query_token,key_token,alpha\n0,0,0,0,0,a,x,0.25\n0,0,0,0,1,a,y,0."
		"75\n1,0,0,0,0,0,0,1\n"},
	{"masked scores", "{\"scores\":[[1,-2]],\"scale\":-0.5,\"mask\":[[0,1]]}", qkv_csv_new, {0},
		1u << QKV_MASKED, "layer,head,query,token,0,1\n0,0,0,0,-inf,1\n"},
	{"features", "{\"Q\":[[1,-0.0,3]],\"K\":[[4,5,6]],\"context\":{\"tokens\":[\"k\"]}}", qkv_csv_new,
		{0}, 1u << QKV_K, "layer,head,key,token,0,1,2\n0,0,0,k,4,5,6\n"},
	{"no negative zero", "{\"Q\":[[1,-0.0,3]],\"K\":[[4,5,6]]}", qkv_csv_new, {0}, 1u << QKV_Q,
		"layer,head,query,token,0,1,2\n0,0,0,0,1,0,3\n"},
	{"output, which has no head", "{\"alpha\":[[1]],\"V\":[[2,3]]}", qkv_csv_new, {0}, 1u << QKV_OUTPUT,
		"layer,head,query,token,0,1\n0,,0,0,2,3\n"},
	{"JSON",
		"{\"tokens\":[\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f\xEA\xB0\x80\"],\"Q\":[[2]],\"K\":[[3]],"
		"\"key_mask\":[0],\"V\":[[4]]}",
		qkv_json_new, {0}, (1u << QKV_STAGES) - 1,
		"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7F\xEA\xB0\x80\"],"
		"\"key_tokens\":[\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7F\xEA\xB0\x80\"],\"num_heads\":1,\"num_"
		"kv_heads\":1,"
		"\"weight_layout\":null,\"mask_true\":\"attend\",\"heads\":[{\"layer\":0,\"head\":0,\"d_k\":"
		"1,\"scale\":1,\"mask\":"
		"\"none\",\"q\":[[2]],\"k\":[[3]],\"v\":[[4]],\"scores\":[[6]],\"scaled\":[[6]],\"masked\":[["
		"null]],\"alpha\":[[0]],"
		"\"row_sums\":[0],\"col_sums\":[0],\"context\":[[0]]},{\"layer\":0,\"output\":[[0]]}]}\n"},
	{"NDJSON", "{\"alpha\":[[[1]],[[0.5]]]}", qkv_json_new, {.by_head = 1, .no_row_sums = 1}, 0,
		"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"0\"],\"key_tokens\":[\"0\"],\"num_heads\":2,\"num_"
		"kv_heads\":null,"
		"\"weight_layout\":null,\"mask_true\":\"attend\",\"heads\":[{\"layer\":0,\"head\":0,\"d_k\":"
		"null,\"scale\":null,"
		"\"mask\":\"none\",\"alpha\":[[1]],\"col_sums\":[1]}]}\n"
		"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"0\"],\"key_tokens\":[\"0\"],\"num_heads\":2,\"num_"
		"kv_heads\":null,"
		"\"weight_layout\":null,\"mask_true\":\"attend\",\"heads\":[{\"layer\":0,\"head\":1,\"d_k\":"
		"null,\"scale\":null,"
		"\"mask\":\"none\",\"alpha\":[[0.5]],\"col_sums\":[0.5]}]}\n"},
};

enum { NUM_GOLDEN = sizeof golden / sizeof *golden };

static struct run
prepared(size_t i)
{
	return (struct run){.attend = {.stages = golden[i].stages},
		.write = golden[i].options,
		.writer = golden[i].writer};
}

static void
test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_GOLDEN; i++) {
		struct run r = prepared(i);

		if (run_text(&r, golden[i].text))
			fail_msg("%s: %s", golden[i].what, r.err.text);
		if (strcmp(r.out.data, golden[i].out))
			fail_msg("%s:\n%s\nexpected\n%s", golden[i].what, r.out.data, golden[i].out);
		run_free(&r);
	}
}

/* a sink that takes k bytes, for every k: a clean failure, and those bytes */
static void
test_full_sink(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_GOLDEN; i++)
		for (size_t k = 0; k < strlen(golden[i].out); k++) {
			struct run r = prepared(i);

			assert_int_equal(run_bytes(&r, golden[i].text, strlen(golden[i].text), k), -1);
			assert_int_equal(r.err.status, QKV_EIO);
			assert_string_equal(r.err.text, "memory: No space left on device");
			assert_true(r.out.size <= k &&
				!memcmp(r.out.data ? r.out.data : "", golden[i].out, r.out.size));
			run_free(&r);
		}
}

/* more than the writers' buffer: a failure in the middle, not at the end only */
static void
test_full_sink_large(void **state)
{
	static char text[200000] = "{\"alpha\":[";
	static qkv_writer *const writers[] = {qkv_csv_new, qkv_json_new};
	char *p = text + strlen(text);

	(void)state;
	for (int i = 0; i < 120; i++) {
		for (int j = 0; j < 120; j++)
			p += sprintf(p, "%s0.%05d",
				j           ? ","
					: i ? ",["
					    : "[",
				(i * 7919 + j * 104729) % 100000);
		p += sprintf(p, "]");
	}
	strcpy(p, "]}");
	for (size_t w = 0; w < 2; w++) {
		struct run whole = {.writer = writers[w]};

		assert_int_equal(run_text(&whole, text), 0);
		for (size_t k = 0; k < whole.out.size - 1; k += 997) {
			struct run r = {.writer = writers[w]};

			assert_int_equal(run_bytes(&r, text, strlen(text), k), -1);
			assert_true(r.out.size <= k &&
				!memcmp(r.out.data ? r.out.data : "", whole.out.data, r.out.size));
			run_free(&r);
		}
		run_free(&whole);
	}
}

/* blocks of long lines outgrow their buffers: the same lines by any number of threads, or a clean failure */
static void
test_long_lines(void **state)
{
	static char text[20000] = "{\"tokens\":[";
	struct run whole = {.writer = qkv_csv_new, .write = {.layout_long = 1}, .attend = {.threads = 1}};
	char *p = text + strlen(text);
	int failed = 1;

	(void)state;
	for (int i = 0; i < 70; i++)
		p += sprintf(p, "%s\"%0100d\"", i ? "," : "", i);
	p += sprintf(p, "],\"Q\":[");
	for (int i = 0; i < 70; i++)
		p += sprintf(p, "%s[%d]", i ? "," : "", i % 9);
	p += sprintf(p, "],\"K\":[");
	for (int i = 0; i < 70; i++)
		p += sprintf(p, "%s[%d.5]", i ? "," : "", i % 7);
	strcpy(p, "]}");
	assert_int_equal(run_text(&whole, text), 0);
	for (size_t n = 0; failed || n < 2; n++) {
		struct run r = whole;

		r.attend.threads = 3;
		qkv_mem_fail_at(n);
		failed = run_text(&r, text);
		qkv_mem_fail_at(0);
		if (!failed)
			assert_string_equal(r.out.data, whole.out.data);
		run_free(&r);
	}
	run_free(&whole);
}

/* what was written in JSON is read back as ready alpha, and written again the same */
static void
test_read_back(void **state)
{
	static const char *const texts[] = {
		ALPHA,
		"{\"alpha\":[[[[1]],[[0.3]]],[[[0.1]],[[7.0385307e-26]]]],\"mask\":\"causal\"}",
		"{\"embeddings\":[[1],[2]],\"W_Q\":[[1,1,3,4]],\"W_K\":[[1,-1]],\"num_heads\":4,\"num_kv_"
		"heads\":2,\"mask\":[[1,0],[1,1]]}",
		"{\"embeddings\":[[1],[2]],\"W_Q\":[[1,1]],\"W_K\":[[1,-1]],\"num_heads\":2,\"scale\":0.1}",
		"{\"scores\":[[1,2,3]],\"scale\":\"none\",\"mask\":\"causal-start\",\"tokens\":[\"\\u0001\"]}"
		"\n{\"alpha\":[[0.25]]}",
	};
	static const struct qkv_range second[] = {{QKV_ANY, 1, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (int way = 0; way < 4; way++) {
			struct run r = {.write = {.by_head = way == 1}, .attend = {.average = way == 2}},
				   again;

			if (way == 3 && i < 4) {
				r.attend.heads = second;
				r.attend.num_heads = 1;
			}
			if (run_text(&r, texts[i]))
				fail_msg("%s", r.err.text);
			again = (struct run){.write = r.write};
			if (run_text(&again, r.out.data))
				fail_msg("%s: %s", r.out.data, again.err.text);
			assert_string_equal(again.out.data, r.out.data);
			run_free(&again);
			run_free(&r);
		}
}

/* documents that begin with "qkv" and are not what we write */
static void
test_bad_written(void **state)
{
#define DOC(more)                                                                                            \
	"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"a\"],\"key_tokens\":[\"a\"],\"num_heads\":2,\"num_kv_"     \
	"heads\":null,"                                                                                      \
	"\"weight_layout\":null,\"mask_true\":\"attend\",\"heads\":[" more "]}"
#define HEAD(n, more) "{\"layer\":0,\"head\":" n ",\"d_k\":null,\"scale\":null,\"mask\":\"none\"" more "}"
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"{\"qkv\":2}",
			"in.json:1:1: no key \"doc\", expected it in a document that begins with \"qkv\""},
		{"{\"qkv\":1,\"W_Q\":[[1]]}",
			"in.json:1:10: unknown key \"W_Q\", expected one that the manual names"},
		{DOC(""), "in.json:1:142: heads: no head, expected an array of at least one"},
		{DOC("7"), "in.json:1:143: heads[0]: a number, expected an object"},
		{DOC(HEAD("0", "")), "in.json:1:143: heads[0]: no key \"alpha\", expected it in each head"},
		{DOC(HEAD("2", ",\"alpha\":[[1]]")),
			"in.json:1:209: heads[0].alpha: head 2 of 2, expected less"},
		{"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"a\"],\"key_tokens\":[\"a\"],\"num_heads\":1,\"num_"
		 "kv_heads\":null,"
		 "\"weight_layout\":null,\"mask_true\":\"hide\",\"heads\":[]}",
			"in.json:1:125: mask_true: another polarity, expected \"attend\""},
		{DOC(HEAD("0", ",\"alpha\":[[1,2]]")),
			"in.json:1:209: heads[0].alpha: 1 x 2, expected 1 x 1 as there are tokens"},
		{DOC(HEAD("0", ",\"alpha\":[[null]]")),
			"in.json:1:211: heads[0].alpha[0][0]: null, expected a number"},
		{DOC(HEAD("1", ",\"alpha\":[[1]]") "," HEAD("0", ",\"alpha\":[[1]]")),
			"in.json:1:282: heads[1].alpha: a head that does not come after the one before, "
			"expected them in order"},
		{DOC(HEAD("0", ",\"alpha\":[[1]],\"scores\":[[1]]")),
			"in.json:1:215: heads[0]: unknown key \"scores\", expected one that the manual "
			"names"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run r = {.writer = NULL};

		assert_int_equal(run_text(&r, rows[i].text), -1);
		assert_string_equal(r.err.text, rows[i].message);
		run_free(&r);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_full_sink),
		cmocka_unit_test(test_full_sink_large),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_bad_written),
	};

	return cmocka_run_group_tests_name("write", tests, NULL, NULL);
}

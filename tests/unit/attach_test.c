/* Files in place of keys of a document, and arrays that are written in NPY. */
#include "room.h"
#include "run.h"

#include "load/json_library.h"

#define HEAD(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"

static void
put(const char *name, const void *data, size_t size)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	assert_true(fwrite(data, 1, size, f) == size);
	fclose(f);
}

/* writes a file of float32 */
static void
put_array(const char *name, const char *shape, const float *x, size_t count)
{
	char file[256] = "\x93NUMPY\x01";
	size_t n = (size_t)snprintf(file + 10, sizeof file - 10, HEAD("%s"), shape);

	file[8] = (char)n;
	memcpy(file + 10 + n, x, count * sizeof *x);
	put(name, file, 10 + n + count * sizeof *x);
}

static int
put_files(void **state)
{
	static const float numbers[] = {1, 2, 3, 4, 0.5f, 0.5f, 0.25f, 0.75f, 0.125f, 0.875f, 1, 0};
	static const float huge[] = {3e38f, 3e38f};
	static const char wide[] =
		"\x93NUMPY\x01\x00\x3C\x00{'descr': '>f8', 'fortran_order': False, 'shape': (1, 1), }\n"
		"\x48\x07\x82\x87\xF4\x9C\x4A\x1D"; /* 1e39 */
	static const char nan[] = "\x00\x00\x80\x3F\x00\x00\xC0\x7F",
			  inf[] = "\x00\x00\x80\xFF\x00\x00\x80\x3F";
	float x[2];

	if (enter(state))
		return -1;
	put_array("q.npy", "(2, 1)", numbers, 2);
	put_array("k.npy", "(2, 1)", numbers + 2, 2);
	put_array("k2.npy", "(1, 2)", numbers + 2, 2);
	put_array("q3.npy", "(1, 2, 1)", numbers, 2);
	put_array("s.npy", "(2, 2)", numbers, 4);
	put_array("a.npy", "(2, 2)", numbers + 4, 4);
	put_array("a4.npy", "(2, 1, 2, 2)", numbers + 4, 8);
	put_array("none.npy", "(0, 2)", numbers, 0);
	put_array("huge.npy", "(1, 2)", huge, 2);
	memcpy(x, nan, 8);
	put_array("nan.npy", "(1, 2)", x, 2);
	memcpy(x, inf, 8);
	put_array("inf.npy", "(1, 2)", x, 2);
	put("wide.npy", wide, sizeof wide - 1);
	put("t.txt", "a\nb\n", 4);
	put("crlf.txt",
		"\xEF\xBB\xBF"
		"a\r\nb",
		7);
	put("three.txt", "a\n\nb", 4);
	put("latin.txt", "a\n\xE9\n", 4);
	put("nul.txt", "a\nb\0\n", 5);
	put("empty.txt", "", 0);
	return 0;
}

#define WEIGHTS "\"W_Q\":[[1]],\"W_K\":[[2]]"
#define ONE_SOURCE ", expected one source of scores: embeddings with weights, Q with K, scores, or alpha"

/* documents (NULL: none) with files beside them, and what gives the same without files */
static const struct {
	const char *text, *files[6], *same;
} joined[] = {
	{NULL, {"Q", "q.npy", "K", "k.npy"}, "{\"Q\":[[1],[2]],\"K\":[[3],[4]]}"},
	{NULL, {"K", "k.npy", "Q", "q3.npy", "V", "q.npy"},
		"{\"Q\":[[1],[2]],\"K\":[[3],[4]],\"V\":[[1],[2]]}"},
	{NULL, {"Q", "q.npy", "K", "k.npy", "tokens", "t.txt"},
		"{\"Q\":[[1],[2]],\"K\":[[3],[4]],\"tokens\":[\"a\",\"b\"]}"},
	{NULL, {"Q", "k2.npy", "K", "k2.npy", "Q", "s.npy"}, "{\"Q\":[[1,2],[3,4]],\"K\":[[3,4]]}"},
	{NULL, {"alpha", "a.npy", "tokens", "crlf.txt"},
		"{\"alpha\":[[0.5,0.5],[0.25,0.75]],\"tokens\":[\"a\",\"b\"]}"},
	{NULL, {"alpha", "a4.npy"}, "{\"alpha\":[[[[0.5,0.5],[0.25,0.75]]],[[[0.125,0.875],[1,0]]]]}"},
	{"{\"V\":[[1],[2]],\"mask\":\"causal\"}", {"Q", "q.npy", "K", "k.npy"},
		"{\"Q\":[[1],[2]],\"K\":[[3],[4]],\"V\":[[1],[2]],\"mask\":\"causal\"}"},
	{"{\"K\":[[3],[4]],\"Q\":[[7],[8]],\"tokens\":[\"x\"]}", {"Q", "q.npy", "tokens", "t.txt"},
		"{\"Q\":[[1],[2]],\"K\":[[3],[4]],\"tokens\":[\"a\",\"b\"]}"},
	{"{\"embeddings\":[[5]]," WEIGHTS "}", {"embeddings", "q.npy"},
		"{\"embeddings\":[[1],[2]]," WEIGHTS "}"},
	{"{\"embeddings\":[[1],[2]],\"W_K\":[[2]]}", {"W_Q", "wq.npy"},
		"{\"embeddings\":[[1],[2]]," WEIGHTS "}"},
	{"{\"scale\":0.5,\"key_mask\":[1,0]}", {"scores", "s.npy"},
		"{\"scores\":[[1,2],[3,4]],\"scale\":0.5,\"key_mask\":[1,0]}"},
	{"{\"layers\":[{\"alpha\":[[0.5,0.5],[0.25,0.75]]}]}", {"tokens", "t.txt"},
		"{\"layers\":[{\"alpha\":[[0.5,0.5],[0.25,0.75]]}],\"tokens\":[\"a\",\"b\"]}"},
	{"{\"Q\":[[1],[2]]}\n{\"Q\":[[3],[4]]}", {"K", "k.npy"},
		"{\"Q\":[[1],[2]],\"K\":[[3],[4]]}\n{\"Q\":[[3],[4]],\"K\":[[3],[4]]}"},
};

static void
test_joined(void **state)
{
	static const float one = 1;

	(void)state;
	put_array("wq.npy", "(1, 1)", &one, 1);
	for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
		struct run a = {.writer = NULL}, b = {.writer = NULL};

		a.files = joined[i].files;
		if (run_text(&a, joined[i].text))
			fail_msg("row %zu: %s", i, a.err.text);
		assert_int_equal(run_text(&b, joined[i].same), 0);
		assert_string_equal(a.out.data, b.out.data);
		run_free(&a);
		run_free(&b);
	}
}

static const struct {
	const char *text, *files[6], *message;
} contradictions[] = {
	{NULL, {"Q", "q.npy"}, "q.npy: no key \"K\", expected it beside Q"},
	{NULL, {"V", "q.npy"},
		"q.npy: no attention, expected embeddings with weights, Q with K, scores, or alpha"},
	{NULL, {"Q", "q.npy", "K", "k2.npy"}, "k2.npy: K: 2 columns, expected 1 as Q has"},
	{NULL, {"Q", "q.npy", "K", "k.npy", "V", "k2.npy"}, "k2.npy: V: 1 rows, one a key, expected 2"},
	{NULL, {"Q", "q.npy", "K", "k.npy", "alpha", "a.npy"}, "a.npy: alpha: stands beside Q" ONE_SOURCE},
	{NULL, {"Q", "q.npy", "q", "k.npy"}, "k.npy: unknown key \"q\", expected perhaps \"Q\""},
	{NULL, {"scores", "s.npy"},
		"s.npy: ready scores do not tell d_k, expected a scale: a number or \"none\""},
	{NULL, {"alpha", "nan.npy"},
		"nan.npy: alpha: element [0][1] is NaN in float32, expected a finite number"},
	{NULL, {"alpha", "inf.npy"},
		"inf.npy: alpha: element [0][0] is -infinite in float32, expected a finite number"},
	{NULL, {"alpha", "wide.npy"},
		"wide.npy: alpha: element [0][0] is infinite in float32, expected a finite number"},
	{NULL, {"alpha", "none.npy"}, "none.npy: alpha: empty, expected a matrix such as [[1,2],[3,4]]"},
	{NULL, {"Q", "a4.npy", "K", "k.npy"},
		"a4.npy: Q: 4 axes (2 x 1 x 2 x 2), expected 2 to 3: a matrix such as [[1,2],[3,4]] (is "
		"there "
		"an axis of batches too many?)"},
	{NULL, {"alpha", "a.npy", "tokens", "three.txt"},
		"three.txt:1:1: tokens: 3 tokens, expected 2, one for each of the queries"},
	{NULL, {"alpha", "a.npy", "tokens", "latin.txt"},
		"latin.txt:2:1: byte 0xE9 is not UTF-8, expected UTF-8"},
	{NULL, {"alpha", "a.npy", "tokens", "nul.txt"},
		"nul.txt:2:2: byte 0, expected a character that text can hold"},
	{NULL, {"alpha", "a.npy", "tokens", "empty.txt"},
		"empty.txt:1:1: empty, expected tokens, one a line"},
	{NULL, {"alpha", "t.txt"}, "t.txt: not an NPY file, expected the bytes 0x93 NUMPY and a version"},
	{NULL, {"Q", "huge.npy", "K", "huge.npy"},
		"huge.npy: score for query 0, key 0 of head 0 is not finite, expected what float32 can hold"},
	{"{\"alpha\":[[1]]}", {"Q", "q.npy", "K", "k.npy"},
		"in.json:1:10: alpha: stands beside Q" ONE_SOURCE},
	{"{\"embeddings\":[[1]]," WEIGHTS "}", {"alpha", "a.npy"},
		"a.npy: alpha: stands beside embeddings" ONE_SOURCE},
	{"{\"layers\":[{\"alpha\":[[1]]}]}", {"V", "q.npy"},
		"q.npy: V: stands beside layers, expected it in each of them"},
	{"{\"qkv\":1,\"doc\":0}", {"V", "q.npy"},
		"q.npy: V: stands beside a document that qkv has written, expected a problem"},
	{"{\"K\":[[1],[2]],\"num_heads\":2}", {"Q", "q.npy"},
		"in.json:1:28: num_heads: 2, expected 1, the heads of Q"},
	{"{\"Q\":[[1]],\"Q\":[[2]],\"K\":[[3],[4]]}", {"Q", "q.npy"},
		"q.npy: the key \"Q\" again, expected it once"},
};

static void
test_contradictions(void **state)
{
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof contradictions / sizeof *contradictions; i++) {
		struct run r = {.files = contradictions[i].files};

		if (!run_text(&r, contradictions[i].text) || strcmp(r.err.text, contradictions[i].message) ||
			r.err.status != QKV_EINPUT) {
			printf("row %zu\n  %s\n  expected %s\n", i, r.err.text, contradictions[i].message);
			failed++;
		}
		run_free(&r);
	}
	assert_int_equal(failed, 0);
	{
		const char *const files[6] = {"Q", "missing.npy"};
		struct run r = {.files = files};

		assert_int_equal(run_text(&r, NULL), -1);
		assert_string_equal(r.err.text, "missing.npy: No such file or directory");
		assert_int_equal(r.err.status, QKV_EIO);
		run_free(&r);
	}
}

static int
npy_writer(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o, struct qkv_err *e)
{
	(void)o;
	return qkv_npy_new(c, s, e);
}

/* the shape in the header of what is written under r's options */
static void
has_shape(struct run *r, const char *text, const char *shape)
{
	char header[119], expected[128];

	r->writer = npy_writer;
	if (run_text(r, text))
		fail_msg("%s", r->err.text);
	snprintf(expected, sizeof expected, HEAD("%s"), shape);
	memset(header, ' ', sizeof header);
	memcpy(header, expected, strlen(expected));
	header[117] = '\n';
	assert_memory_equal(r->out.data, "\x93NUMPY\x01\x00\x76\x00", 10);
	assert_memory_equal(r->out.data + 10, header, 118);
	run_free(r);
}

#define HEADS "\"num_heads\":4,\"num_kv_heads\":2,\"W_Q\":[[1,2,3,4]],\"W_K\":[[1,2]],\"W_V\":[[1,2]]"
#define GROUPED "{\"embeddings\":[[1],[2],[3]]," HEADS "}"
#define LAYERS                                                                                               \
	"{\"layers\":[{\"embeddings\":[[1],[2],[3]]," HEADS "},{\"embeddings\":[[1],[2],[3]]," HEADS "}]}"

static void
test_shapes(void **state)
{
	static const struct qkv_range some = {QKV_ANY, 1, 2}, second = {QKV_ANY, 1, 1};

	(void)state;
	has_shape(&(struct run){.writer = NULL}, "{\"alpha\":[[1,0,0],[0,1,0]]}", "(1, 2, 3)");
	has_shape(&(struct run){.writer = NULL}, GROUPED, "(4, 3, 3)");
	has_shape(&(struct run){.writer = NULL}, LAYERS, "(2, 4, 3, 3)");
	has_shape(&(struct run){.attend = {.average = 1}}, LAYERS, "(2, 1, 3, 3)");
	has_shape(&(struct run){.attend = {.stages = 1u << QKV_Q}}, GROUPED, "(4, 3, 1)");
	has_shape(&(struct run){.attend = {.stages = 1u << QKV_K}}, GROUPED, "(2, 3, 1)");
	has_shape(&(struct run){.attend = {.stages = 1u << QKV_K, .heads = &second, .num_heads = 1}}, GROUPED,
		"(1, 3, 1)");
	has_shape(&(struct run){.attend = {.stages = 1u << QKV_V, .average = 1}}, GROUPED, "(1, 3, 1)");
	has_shape(&(struct run){.attend = {.stages = 1u << QKV_OUTPUT}}, GROUPED, "(1, 3, 4)");
	has_shape(&(struct run){.attend = {.heads = &some, .num_heads = 1}}, LAYERS, "(2, 2, 3, 3)");
	has_shape(&(struct run){.attend = {.layers = &second, .num_layers = 1}}, LAYERS, "(1, 4, 3, 3)");
	has_shape(&(struct run){.writer = NULL}, "{\"alpha\":[[[[1]],[[1]]]]}", "(1, 2, 1, 1)");
}

/* layers that show different numbers of heads, or heads of different widths, are no array */
static void
test_ragged(void **state)
{
	static const struct qkv_range heads[] = {{0, 0, 3}, {1, 1, 2}};
	struct run r = {.writer = npy_writer, .attend = {.heads = heads, .num_heads = 2}};

	(void)state;
	assert_int_equal(run_text(&r, LAYERS), -1);
	assert_string_equal(r.err.text,
		"layer 0 shows 4 matrices of 3 columns, layer 1 shows 2 of 3, expected the same of all "
		"layers in "
		"an "
		"array, or {layer} in -o FILE");
	assert_int_equal(r.err.status, QKV_EINPUT);
	assert_int_equal(r.out.size, 0);
	run_free(&r);
	r = (struct run){.writer = npy_writer, .attend = {.stages = 1u << QKV_K}};
	assert_int_equal(
		run_text(&r, "{\"layers\":[{\"Q\":[[1]],\"K\":[[1]]},{\"Q\":[[1,2]],\"K\":[[1,2]]}]}"), -1);
	assert_string_equal(r.err.text,
		"layer 0 shows 1 matrices of 1 columns, layer 1 shows 1 of 2, expected the same of all "
		"layers in "
		"an "
		"array, or {layer} in -o FILE");
	run_free(&r);
}

/* what is written is read as ready alpha, and written again gives the same bytes; the numbers are those of JSON */
static void
test_read_back(void **state)
{
	static const char *const texts[] = {
		GROUPED, LAYERS, "{\"Q\":[[1,2],[3,4]],\"K\":[[1,0]],\"mask\":\"causal-start\"}"};
	const char *const files[6] = {"alpha", "written.npy"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct run a = {.writer = npy_writer}, b = {.writer = npy_writer, .files = files},
			   from = {.writer = qkv_csv_new}, to = {.writer = qkv_csv_new, .files = files};

		assert_int_equal(run_text(&a, texts[i]), 0);
		put("written.npy", a.out.data, a.out.size - 1);
		assert_int_equal(run_text(&b, NULL), 0);
		assert_int_equal(a.out.size, b.out.size);
		assert_memory_equal(a.out.data, b.out.data, a.out.size);
		assert_int_equal(run_text(&from, texts[i]) || run_text(&to, NULL), 0);
		assert_string_equal(from.out.data, to.out.data);
		run_free(&a);
		run_free(&b);
		run_free(&from);
		run_free(&to);
	}
}

static void
test_full_sink(void **state)
{
	struct run whole = {.writer = npy_writer};
	size_t size;

	(void)state;
	assert_int_equal(run_text(&whole, GROUPED), 0);
	size = whole.out.size - 1;
	assert_int_equal(size, 128 + 4 * 9 * 4);
	run_free(&whole);
	for (size_t k = 0; k <= size; k++) {
		struct run r = {.writer = npy_writer};

		assert_int_equal(run_bytes(&r, GROUPED, strlen(GROUPED), k), k < size ? -1 : 0);
		if (k < size)
			assert_string_equal(r.err.text, "memory: No space left on device");
		run_free(&r);
	}
}

static void
test_every_allocation(void **state)
{
	(void)state;
	qkv_json_hook();
	for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
		int done = 0;

		for (size_t n = 1; !done; n++) {
			struct run r = {.writer = npy_writer, .files = joined[i].files};

			assert_true(n < 1000);
			qkv_mem_fail_at(n);
			done = !run_text(&r, joined[i].text) || r.err.status != QKV_EMEMORY;
			qkv_mem_fail_at(0);
			if (done && r.err.status)
				fail_msg("allocation %zu of row %zu: %s", n, i, r.err.text);
			if (!done)
				assert_true(*r.err.text);
			run_free(&r);
		}
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_ragged),
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_full_sink),
		cmocka_unit_test(test_every_allocation),
	};

	return cmocka_run_group_tests_name("attach", tests, put_files, leave);
}

/* What is read, what is refused, and in which words. */
#include "test.h"
#include "run.h"

#include "load/problem.h"

#include <math.h>

#define EMBED "\"tokens\":[\"a\",\"b\"],\"embeddings\":[[1],[2]],"
#define WEIGHTS "\"W_Q\":[[1]],\"W_K\":[[1]],\"W_V\":[[1]]"
#define BASE "{" EMBED WEIGHTS "}"
#define WITH(more) "{" EMBED WEIGHTS "," more "}"
#define ONE(number) "{\"tokens\":[\"a\",\"b\"],\"embeddings\":[[" number "],[2]]," WEIGHTS "}"
#define TOKENS(list) "{\"tokens\":" list ",\"embeddings\":[[1],[2]]," WEIGHTS "}"
#define NUMBER_HINT "expected a finite number (JSON has no NaN or Infinity; only a bias may be \"-inf\")"

static const struct {
	const char *text, *message;
} bad[] = {
	/* the document as a whole */
	{"", "in.json:1:1: empty input, expected a problem in JSON"},
	{" \n", "in.json:2:1: empty input, expected a problem in JSON"},
	{"\xEF\xBB\xBF", "in.json:1:4: empty input, expected a problem in JSON"},
	{"\xFF\xFE{", "in.json:1:1: text in UTF-16, expected UTF-8"},
	{"[1]", "in.json:1:1: an array, expected a problem, which begins with '{'"},
	{"{}", "in.json:1:1: no attention, expected embeddings with weights, Q with K, scores, or alpha"},
	{BASE "}",
		"in.json:1:80: text after the document, expected nothing, or another that begins with '{' on "
		"a new line"},
	{BASE " " BASE,
		"in.json:1:81: text after the document, expected nothing, or another that begins with '{' on "
		"a new line"},
	{BASE "\nx",
		"in.json:2:1: text after the document, expected nothing, or another that begins with '{' on "
		"a new line"},
	{"{" EMBED WEIGHTS ",}", "in.json:1:80: }, expected a key in quotes"},
	{"{" EMBED WEIGHTS ",\"W_Q\":[[9]]}", "in.json:1:80: the key \"W_Q\" again, expected it once"},
	{WITH("\"w_q\":[[9]]"), "in.json:1:80: unknown key \"w_q\", expected perhaps \"W_Q\""},
	{WITH("\"emb\\u0065ddings\":[[9]]"),
		"in.json:1:80: \"emb\\u0065ddings\", expected a key without escapes"},
	{WITH("\"layers\":[]"),
		"in.json:1:34: embeddings: stands beside layers, expected it in each of them"},

	/* numbers */
	{ONE("00"), "in.json:1:37: embeddings[0][0]: 0, expected the rest of a number, or what follows one"},
	{ONE("1."), "in.json:1:38: embeddings[0][0]: ], expected the rest of a number, or what follows one"},
	{ONE("+1"), "in.json:1:36: embeddings[0][0]: +1, expected a number"},
	{ONE(".5"), "in.json:1:36: embeddings[0][0]: .5, expected a number"},
	{ONE("1e999"), "in.json:1:36: embeddings[0][0]: 1e999, expected a number that float32 can hold"},
	{ONE("1e39"), "in.json:1:36: embeddings[0][0]: 1e39, expected a number that float32 can hold"},
	{ONE("NaN"), "in.json:1:36: embeddings[0][0]: NaN, " NUMBER_HINT},
	{ONE("-Infinity"), "in.json:1:36: embeddings[0][0]: -Infinity, " NUMBER_HINT},
	{ONE("null"), "in.json:1:36: embeddings[0][0]: null, expected a number"},
	{ONE("true"), "in.json:1:36: embeddings[0][0]: true, expected a number"},
	{ONE("\"1\""), "in.json:1:36: embeddings[0][0]: \"1\", expected a number"},
	{ONE("1_000"), "in.json:1:37: embeddings[0]: _000, expected ',' or ']'"},
	{WITH("\"num_heads\":2.7"), "in.json:1:92: num_heads: 2.7, expected an integer from 1 to 2147483647"},
	{WITH("\"num_heads\":\"2\""), "in.json:1:92: num_heads: a string, expected an integer"},
	{WITH("\"num_heads\":0"), "in.json:1:92: num_heads: 0, expected an integer from 1 to 2147483647"},
	{WITH("\"scale\":1e999"), "in.json:1:88: scale: 1e999, expected a number that a double can hold"},
	{WITH("\"scale\":1e39"), "in.json:1:88: scale: a scale that float32 cannot hold, expected less"},
	{WITH("\"scale\":\"half\""),
		"in.json:1:88: scale: \"half\", expected a number, \"auto\" or \"none\""},

	/* strings */
	{TOKENS("[\"a\",7]"), "in.json:1:16: tokens[1]: a number, expected a string"},
	{TOKENS("\"ab\""),
		"in.json:1:11: tokens: a string, expected an array of strings such as [\"a\",\"b\"]"},
	{TOKENS("[]"), "in.json:1:11: tokens: empty, expected at least one string"},
	{TOKENS("[\"a\",\"b\",\"c\"]"),
		"in.json:1:11: tokens: 3 tokens, expected 2, one for each of the queries"},
	{TOKENS("[\"\x01\",\"b\"]"), "in.json:1:13: raw control byte 0x01 in a string, expected \\u0001"},
	{TOKENS("[\"\x7F\x1B\",\"b\"]"), "in.json:1:14: raw control byte 0x1B in a string, expected \\u001B"},
	{TOKENS("[\"\n\",\"b\"]"), "in.json:1:13: raw control byte 0x0A in a string, expected \\u000A"},
	{TOKENS("[\"\xC0\xAF\",\"b\"]"), "in.json:1:13: byte 0xC0 in a string is not UTF-8, expected UTF-8"},
	{TOKENS("[\"\xED\xA0\x80\",\"b\"]"),
		"in.json:1:13: byte 0xED in a string is not UTF-8, expected UTF-8"},
	{TOKENS("[\"12345678\xF0\",\"b\"]"),
		"in.json:1:21: byte 0xF0 in a string is not UTF-8, expected UTF-8"},
	{TOKENS("[\"\\u0000\",\"b\"]"),
		"in.json:1:13: a NUL escape, expected a character that text can hold"},
	{TOKENS("[\"\\ud800\",\"b\"]"),
		"in.json:1:13: half a surrogate pair, expected \\uD800-\\uDBFF and then \\uDC00-\\uDFFF"},
	{TOKENS("[\"\\udc00\\ud800\",\"b\"]"),
		"in.json:1:13: half a surrogate pair, expected \\uD800-\\uDBFF and then \\uDC00-\\uDFFF"},
	{TOKENS("[\"\\q\",\"b\"]"),
		"in.json:1:13: an escape that JSON does not know, expected one of \\\" \\\\ \\/ \\b \\f "
		"\\n \\r \\t \\uXXXX"},

	/* shapes */
	{"{\"tokens\":[],\"embeddings\":[]," WEIGHTS "}",
		"in.json:1:27: embeddings: empty, expected a matrix such as "
		"[[1,2],[3,4]]"},
	{"{\"embeddings\":[[]]," WEIGHTS "}",
		"in.json:1:15: embeddings: empty, expected a matrix such as [[1,2],[3,4]]"},
	{"{\"embeddings\":[[[1],[2]]]," WEIGHTS "}",
		"in.json:1:15: embeddings: 3 axes (1 x 2 x 1), expected 2: a matrix such as [[1,2],[3,4]] "
		"(is there an axis of "
		"batches too many?)"},
	{"{\"embeddings\":[1,2]," WEIGHTS "}",
		"in.json:1:15: embeddings: 1 axis (2), expected 2: a matrix such as [[1,2],[3,4]]"},
	{"{" EMBED "\"W_Q\":1}",
		"in.json:1:50: W_Q: a number, expected an array of numbers of 2 axes, such as [[1,2],[3,4]]"},
	{"{\"embeddings\":[[1,2],[3]]}",
		"in.json:1:22: embeddings[1]: 1 elements, expected 2 as in the first"},
	{"{\"embeddings\":[[1],[2,3]]}",
		"in.json:1:20: embeddings[1]: 2 elements, expected 1 as in the first"},
	{"{\"embeddings\":[[1],\"ab\"]}",
		"in.json:1:20: embeddings[1]: \"ab\", expected an array of numbers, as before it"},
	{"{\"embeddings\":[[1],{\"a\":1}]}",
		"in.json:1:20: embeddings[1]: an object, expected an array of numbers, as before it"},
	{"{\"embeddings\":[1,[2]]}", "in.json:1:18: embeddings[1]: an array, expected a number"},
	{"{" EMBED "\"W_Q\":[[1,2,3]],"
	 "\"num_heads\":2,\"W_K\":[[1]]}",
		"in.json:1:50: W_Q: 3 columns, not divisible by 2 heads"},
	{"{\"embeddings\":[[1,2,3]],\"W_Q\":[[1,0,0],[0,1,0]]}",
		"in.json:1:31: W_Q: 2 x 3, expected 3 x heads d_k with weight_layout in_out; use "
		"--weight-layout out_in if it is "
		"the weight of a Linear"},
	{"{\"embeddings\":[[1,2,3]],\"weight_layout\":\"out_in\",\"W_Q\":[[1,0],[0,1],[0,1]]}",
		"in.json:1:56: W_Q: 3 x 2, expected heads d_k x 3 with weight_layout out_in; in_out would "
		"fit"},
	{"{\"embeddings\":[[1,2]],\"weight_layout\":\"out_in\",\"num_heads\":2,\"W_Q\":[[1,0],[0,1],[0,1]]}",
		"in.json:1:68: W_Q: 3 rows, not divisible by 2 heads"},
	{"{\"embeddings\":[[1,2]],\"W_Q\":[[1],[1]],\"W_K\":[[1],[1]],\"W_V\":[[1]]}",
		"in.json:1:61: W_V: 1 x 1, expected 2 x kv_heads d_v with weight_layout in_out"},
	{WITH("\"qkv_layout\":\"heads\""), "in.json:1:93: qkv_layout: heads, expected blocks or per_head"},
	{WITH("\"segments\":[0.5,1]"), "in.json:1:91: segments: element [0] is not an integer, expected one"},
	{WITH("\"segments\":[1]"), "in.json:1:91: segments: 1 segments, expected 2, one a token"},
	{WITH("\"weight_layout\":\"in\""), "in.json:1:96: weight_layout: in, expected in_out or out_in"},
	{WITH("\"b_Q\":[1,2]"), "in.json:1:86: b_Q: 2 elements, expected 1"},
	{WITH("\"b_O\":[1]"), "in.json:1:86: b_O: there is no weight that it belongs to, expected one"},
	{WITH("\"W_QKV\":[[1,2,3]]"), "in.json:1:50: W_Q: stands beside W_QKV, expected only one of them"},
	{WITH("\"Q\":[[1],[2]]"),
		"in.json:1:84: Q: stands beside embeddings, expected one source of scores: embeddings with "
		"weights, Q with K, scores, or alpha"},
	{WITH("\"V\":[[1],[2]]"), "in.json:1:84: V: stands beside embeddings, expected W_V"},
	{"{\"Q\":[[1],[2]]}", "in.json:1:1: no key \"K\", expected it beside Q"},
	{"{\"Q\":[[1],[2]],\"K\":[[1,2]]}", "in.json:1:20: K: 2 columns, expected 1 as Q has"},
	{"{\"Q\":[[[1]],[[2]]],\"K\":[[[1]],[[2]],[[3]]]}",
		"in.json:1:24: K: 3 key/value heads for 2 heads, expected a number that divides it"},
	{"{\"Q\":[[1]],\"K\":[[1]],\"num_heads\":2}",
		"in.json:1:34: num_heads: 2, expected 1, the heads of Q"},
	{"{\"scores\":[[1,2]]}",
		"in.json:1:1: ready scores do not tell d_k, expected a scale: a number or \"none\""},
	{"{\"scores\":[[1,2]],\"scale\":\"auto\"}",
		"in.json:1:27: scale: ready scores do not tell d_k, expected a scale: a number or \"none\""},
	{"{\"alpha\":[[1,2]],\"scale\":1}", "in.json:1:26: scale: stands beside ready alpha, expected none"},
	{"{\"alpha\":[[1,2]],\"bias\":[[1,2]]}",
		"in.json:1:25: bias: stands beside ready alpha, expected none"},
	{"{\"alpha\":[[[[[1]]],[[[1]]]]]}",
		"in.json:1:10: alpha: an axis of 2 batches, expected layers x 1 x heads x queries x keys"},

	/* masks */
	{WITH("\"mask\":[[1,0.5],[1,1]]"),
		"in.json:1:91: mask[0][1]: 0.5, expected 0, 1, false or true, where 1 may attend "
		"(what is to be added to the scores goes into bias)"},
	{WITH("\"mask\":[[1,\"0\"],[1,1]]"),
		"in.json:1:91: mask[0][1]: \"0\", expected 0, 1, false or true, where 1 may attend "
		"(what is to be added to the scores goes into bias)"},
	{WITH("\"mask\":[[0.0,-1e9],[0,0]]"),
		"in.json:1:93: mask[0][1]: -1e9, expected 0, 1, false or true, where 1 may attend "
		"(what is to be added to the scores goes into bias)"},
	{WITH("\"mask\":[[1,1]]"), "in.json:1:87: mask: 1 x 2, expected 2 x 2, queries x keys"},
	{WITH("\"mask\":\"diagonal\""),
		"in.json:1:87: mask: \"diagonal\", expected none, causal, causal-start, causal-end, "
		"window:LEFT,RIGHT, or a matrix of 0 and 1"},
	{WITH("\"key_mask\":[1]"), "in.json:1:91: key_mask: 1 elements, expected 2, one a key"},
	{WITH("\"bias\":[[0,\"inf\"],[0,0]]"),
		"in.json:1:91: bias[0][1]: \"inf\", expected a number or \"-inf\""},
	{"{\"Q\":[[1]],\"K\":[[1],[2]],\"mask\":\"causal\"}",
		"in.json:1:33: mask: causal with 1 queries and 2 keys, expected as many, or causal-start or "
		"causal-end, which say "
		"where the triangle begins"},

	{"{\"Q\":[[1]],\"K\":[[1],[2]],\"mask\":\"window:0,0\"}",
		"in.json:1:33: mask: window:0,0 with 1 queries and 2 keys, expected as many"},
	{"{\"Q\":[[1]],\"K\":[[1],[2]],\"mask\":{\"shape\":[1,2],\"dtype\":\"float32\",\"data\":"
	 "\"AACAPwAAAEA=\"}}",
		"in.json:1:33: mask: element [0][1] is not 0 or 1, expected 1 where a query may attend (what "
		"is to be added to "
		"the scores goes into bias)"},

	/* layers */
	{"{\"layers\":[]}", "in.json:1:11: layers: empty, expected an array of at least one problem"},
	{"{\"layers\":[{\"Q\":[[1]],\"K\":[[1]]},{\"Q\":[[1],[2]],\"K\":[[1]]}]}",
		"in.json:1:39: layers[1].Q: 2 queries, expected 1"},
	{"{\"layers\":[{\"Q\":[[1]],\"K\":[[1]],\"k\":1}]}",
		"in.json:1:33: layers[0]: unknown key \"k\", expected perhaps \"K\""},
	{"{\"layers\":[{\"Q\":[[1]],\"K\":[[NaN]]}]}", "in.json:1:29: layers[0].K[0][0]: NaN, " NUMBER_HINT},
	{"{\"layers\":[{\"layers\":[]}]}",
		"in.json:1:22: layers[0].layers: stands within layers, expected it in the document"},
	{"{\"layers\":[7]}", "in.json:1:12: layers[0]: a number, expected an object"},

	{"{\"context\":{\"tokens\":[\"x\"]},\"layers\":[{\"embeddings\":[[1]],\"W_Q\":[[1]],\"W_K\":[[1]]}]}",
		"in.json:1:39: layers[0]: no key \"context\", expected it with embeddings, as the document "
		"has a context"},

	/* tensors in base64 */
	{"{\"alpha\":{\"shape\":[1,2],\"dtype\":\"float32\"}}",
		"in.json:1:10: alpha: no key \"data\", expected shape, dtype and data"},
	{"{\"alpha\":{\"shape\":[1,2],\"dtype\":\"float32\",\"data\":\"AACAPw==\"}}",
		"in.json:1:50: alpha.data: 4 bytes, expected 8 for 2 elements of float32"},
	{"{\"alpha\":{\"shape\":[1,1],\"dtype\":\"float32\",\"data\":\"AACA!w==\"}}",
		"in.json:1:55: alpha.data: not base64 here, expected A-Z a-z 0-9 + / and = at the end"},
	{"{\"alpha\":{\"shape\":[1,1],\"dtype\":\"float32\",\"data\":\"A\\/\\/A!w==\"}}",
		"in.json:1:57: alpha.data: not base64 here, expected A-Z a-z 0-9 + / and = at the end"},
	{"{\"alpha\":{\"shape\":[1,1],\"dtype\":\"int8\",\"data\":\"AA==\"}}",
		"in.json:1:33: alpha.dtype: int8, expected one of float32, float64, float16, bfloat16"},
	{"{\"alpha\":{\"shape\":[2147483647,2147483647,2147483647,2],\"dtype\":\"float32\",\"data\":\"AA==\"}"
	 "}",
		"in.json:1:19: alpha.shape: more elements than memory can hold, expected less"},
	{"{\"alpha\":{\"shape\":[1,2],\"dtype\":\"float16\",\"data\":\"AAAAfA==\"}}",
		"in.json:1:50: alpha: element [0][1] is infinite in float32, expected a finite number"},
	{"{\"alpha\":{\"shape\":[1,2],\"dtype\":\"bfloat16\",\"data\":\"AADAfw==\"}}",
		"in.json:1:51: alpha: element [0][1] is NaN in float32, expected a finite number"},

	/* what only the computation finds */
	{"{\"embeddings\":[[3e19],[-3e19]]," WEIGHTS "}",
		"in.json:1:1: score for query 0, key 0 of head 0 is not finite, expected what float32 can "
		"hold"},
	{"{\"embeddings\":[[3e38]],\"W_Q\":[[2]],\"W_K\":[[1]]}",
		"in.json:1:15: embeddings: q of row 0, head 0 is not finite, expected what float32 can hold"},
};

static void
test_bad_inputs(void **state)
{
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct run r = {.writer = NULL};

		if (!run_text(&r, bad[i].text) || strcmp(r.err.text, bad[i].message) ||
			r.err.status != QKV_EINPUT || r.out.size) {
			printf("%s\n  %s\n  expected %s\n", bad[i].text, r.err.text, bad[i].message);
			failed++;
		}
		run_free(&r);
	}
	assert_int_equal(failed, 0);
}

/* texts that differ from BASE but must give what it gives */
static void
test_same_as_base(void **state)
{
	static const char *const same[] = {
		"\xEF\xBB\xBF" BASE,
		BASE "\n \t\r\n",
		"{\r\n\"tokens\":[\"a\",\"b\"],\r\n\"embeddings\":[[1],\r\n[2]],\r\n" WEIGHTS "\r\n}\r\n",
		WITH("\"meta\":{\"deep\":[[[{}]]],\"a\":1,\"a\":[null,true,1e5,\"\\u00e9\"]},\"_x\":[1,[2]],"
		     "\"_\\u0041\":NaN"),
		WITH("\"num_heads\":1,\"num_kv_heads\":1.0,\"scale\":\"auto\",\"mask\":\"none\",\"segments\":"
		     "[0,1]"),
		ONE("1E0"),
		ONE("0.1e1"),
		ONE("10000000000000000000000000000000e-31"),
		TOKENS("[\"\\u0061\",\"\\u0062\"]"),
		"{" EMBED "\"heads\":[{" WEIGHTS "}],\"weight_layout\":\"in_out\"}",
		"{" EMBED "\"W_QKV\":[[1,1,1]]}",
		"{" EMBED
		"\"W_QKV\":{\"shape\":[1,3],\"dtype\":\"torch.float32\",\"data\":\"AACAPwAAgD8AAIA\\/\"}}",
		"{" EMBED "\"W_QKV\":{\"shape\":[1,3],\"dtype\":\"float64\",\"data\":"
		"\"AAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/\"}}",
		"{" EMBED "\"W_QKV\":{\"shape\":[1,3],\"dtype\":\"float16\",\"data\":\"ADwAPAA8\"}}",
		"{" EMBED "\"W_QKV\":{\"shape\":[1,3],\"dtype\":\"bfloat16\",\"data\":\"gD+AP4A/\"}}",
	};
	struct run base = {.writer = qkv_csv_new};

	(void)state;
	assert_int_equal(run_text(&base, BASE), 0);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		struct run r = {.writer = qkv_csv_new};

		/* NaN is refused even where nothing is kept */
		if (strstr(same[i], "NaN")) {
			assert_int_equal(run_text(&r, same[i]), -1);
		} else {
			assert_int_equal(run_text(&r, same[i]), 0);
			assert_string_equal(r.out.data, base.out.data);
		}
		run_free(&r);
	}
	run_free(&base);
}

/* every proper prefix fails, and says where in one line */
static void
test_prefixes(void **state)
{
	static const char text[] = "{\"tokens\":[\"\\u00e9\",\"\xEA\xB0\x80\"],\"embeddings\":[[1.5e0],[-2]],"
				   "\"W_QKV\":{\"shape\":[1,3],\"dtype\":\"float16\","
				   "\"data\":\"ADwAPAA8\"},\"mask\":[[true,0],[1,1]],\"bias\":[[0,\"-inf\"],["
				   "0,0]],\"_x\":{\"y\":[null,false]}}";

	(void)state;
	for (size_t n = 0; n <= strlen(text); n++) {
		char *cut = malloc(n ? n : 1); /* of its own, so that a step too far is seen */
		struct run r = {.writer = NULL};

		memcpy(cut, text, n);
		assert_int_equal(run_bytes(&r, cut, n, (size_t)-1), n < strlen(text) ? -1 : 0);
		if (n < strlen(text)) {
			assert_int_equal(r.out.size, 0);
			assert_memory_equal(r.err.text, "in.json:1:", 10);
			assert_null(strchr(r.err.text, '\n'));
		}
		run_free(&r);
		free(cut);
	}
}

/* one byte changed anywhere must never do worse than fail */
static void
test_changed_bytes(void **state)
{
	static const char text[] = "{\"tokens\":[\"a\",\"\\u0062\"],\"embeddings\":{\"shape\":[2,1],"
				   "\"dtype\":\"float32\",\"data\":"
				   "\"AACAPwAAAEA=\"},\"heads\":[{\"W_Q\":[[1]],\"W_K\":[[-1e1]]}],\"bias\":["
				   "[0,\"-inf\"],[0,0]]}";
	static const char bytes[] = "\0\n\"\\{}[],:0-e.\x80\xFFn";

	(void)state;
	for (size_t i = 0; i < sizeof text - 1; i++)
		for (size_t b = 0; b < sizeof bytes - 1; b++) {
			char changed[sizeof text];
			struct run r = {.writer = NULL};

			memcpy(changed, text, sizeof text);
			changed[i] = bytes[b];
			if (run_bytes(&r, changed, sizeof text - 1, (size_t)-1))
				assert_true(*r.err.text && r.out.size == 0);
			run_free(&r);
		}
}

static void
test_depth(void **state)
{
	char text[4096] = "{\"meta\":";
	size_t base = strlen(text);

	(void)state;
	for (size_t depth = QKV_DEPTH - 1; depth <= QKV_DEPTH; depth++) {
		struct run r = {.writer = NULL};
		size_t n = base;

		memset(text + n, '[', depth);
		memset(text + n + depth, ']', depth);
		strcpy(text + n + 2 * depth, "," EMBED WEIGHTS "}");
		assert_int_equal(run_text(&r, text), depth < QKV_DEPTH ? 0 : -1);
		if (depth == QKV_DEPTH)
			assert_non_null(strstr(r.err.text, "nesting deeper than 64"));
		run_free(&r);
	}
	{
		static char deep[400020] = "{\"embeddings\":";
		struct run r = {.writer = NULL};

		memset(deep + 14, '[', 200000);
		memset(deep + 200014, ']', 200000);
		deep[400014] = '}';
		assert_int_equal(run_bytes(&r, deep, 400015, (size_t)-1), -1);
		assert_non_null(strstr(r.err.text, "nesting deeper than 8"));
		run_free(&r);
	}
}

/* half floats of every kind: B04 of IEEE 754 binary16 and bfloat16 */
static void
test_small_floats(void **state)
{
	static const struct {
		const char *text;
		float values[5];
		size_t count;
	} rows[] = {
		{"{\"alpha\":{\"shape\":[1,5],\"dtype\":\"float16\",\"data\":\"AQD/A1U1//sAgA==\"}}",
			{5.960464477539063e-08f, 6.097555160522461e-05f, 0.333251953125f, -65504, 0}, 5},
		{"{\"alpha\":{\"shape\":[1,3],\"dtype\":\"bfloat16\",\"data\":\"gD+rPgEA\"}}",
			{1, 0.333984375f, 9.183549615799121e-41f}, 3},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct qkv_settings none = {0};
		struct qkv_notes notes = {0};
		struct qkv_reader *reader;
		struct qkv_problem *p;
		struct qkv_err e;

		assert_int_equal(
			qkv_reader_open_text(&reader, "in.json", rows[i].text, strlen(rows[i].text), &e), 0);
		assert_int_equal(qkv_reader_next(&p, reader, &none, &notes, &e), 1);
		for (size_t j = 0; j < rows[i].count; j++)
			assert_true(p->layers[0].alpha[0][j] == rows[i].values[j]);
		qkv_problem_free(p);
		qkv_reader_free(reader);
	}
}

static void
test_settings_texts(void **state)
{
	static const struct {
		const char *text;
		int result;
		double number;
	} scales[] = {
		{"none", 0, 1},
		{"0.5", 0, 0.5},
		{"-1.5", 0, -1.5},
		{"-.5", 0, -0.5},
		{".25", 0, 0.25},
		{"-1e-3", 0, -1e-3},
		{"", -1, 0},
		{"--mask", -1, 0},
		{"1x", -1, 0},
		{" 1", -1, 0},
		{"1e999", -1, 0},
		{"nan", -1, 0},
		{".", -1, 0},
		{"-", -1, 0},
		{"0x10", -1, 0},
	};
	static const char *const masks[] = {
		"none", "causal", "causal-start", "causal-end", "window:0,0", "window:12,3"};
	static const char *const no_masks[] = {"", "Causal", "caus", "window", "window:", "window:1",
		"window:1,", "window:1,2,", "window:-1,2", "window:1, 2", "window:99999999999999999999,1"};
	struct qkv_mask mask;
	struct qkv_scale scale;
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
		assert_int_equal(qkv_scale_parse(&scale, scales[i].text), scales[i].result);
		if (!scales[i].result)
			assert_true(scale.kind == QKV_SCALE_NUMBER && scale.number == scales[i].number);
	}
	assert_int_equal(qkv_scale_parse(&scale, "auto"), 0);
	assert_int_equal(scale.kind, QKV_SCALE_AUTO);
	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
		assert_int_equal(qkv_mask_parse(&mask, masks[i]), 0);
		qkv_mask_print(name, &mask);
		assert_string_equal(name, masks[i]);
	}
	for (size_t i = 0; i < sizeof no_masks / sizeof *no_masks; i++)
		assert_int_equal(qkv_mask_parse(&mask, no_masks[i]), -1);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_inputs),
		cmocka_unit_test(test_same_as_base),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_small_floats),
		cmocka_unit_test(test_settings_texts),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}

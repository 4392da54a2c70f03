/* For every n, the n-th allocation fails: each run ends with a clear error, nothing written in part is taken for whole. */
#include "test.h"
#include "run.h"

#include "load/json_library.h"

#define WEIGHTS                                                                                              \
	"\"W_Q\":[[1,2],[3,4]],\"W_K\":[[1,0],[0,1]],\"W_V\":[[1,1],[2,2]],\"W_O\":[[1,0],[0,1]],\"b_Q\":["  \
	"0,1]"

static const char *const texts[] = {
	"{\"tokens\":[\"a\",\"b\"],\"num_heads\":2,\"embeddings\":[[1,0],[0,1]]," WEIGHTS
	",\"mask\":\"causal\",\"meta\":[{}]}",
	"{\"tokens\":[\"a\"],\"embeddings\":[[1,0]],\"context\":{\"tokens\":[\"x\",\"y\"],\"embeddings\":{"
	"\"shape\":[2,2],"
	"\"dtype\":\"float32\",\"data\":\"AACAPwAAgD8AAIA\\/"
	"AACAPw==\"}},\"heads\":[{\"W_Q\":[[1],[2]],\"W_K\":[[1],[1]],\"W_V\":[[1],[1]]}]}",
	"{\"layers\":[{\"Q\":[[1]],\"K\":[[1]],\"V\":[[1]]},{\"Q\":[[1]],\"K\":[[1]],\"V\":[[1]]}],"
	"\"tokens\":[\"a\"]}",
	"{\"qkv\":1,\"doc\":0,\"query_tokens\":[\"a\"],\"key_tokens\":[\"a\"],\"num_heads\":2,\"num_kv_"
	"heads\":null,"
	"\"weight_layout\":null,\"mask_true\":\"attend\",\"heads\":[{\"layer\":0,\"head\":1,\"d_k\":null,"
	"\"scale\":1,\"mask\":\"none\","
	"\"alpha\":[[1]]}]}",
};

static int
png_writer(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o, struct qkv_err *e)
{
	static struct qkv_notes notes;
	static const struct qkv_draw_options draw;

	(void)o;
	return qkv_png_new(c, s, &draw, &notes, e);
}

static void
test_every_allocation(void **state)
{
	static qkv_writer *const writers[] = {qkv_csv_new, qkv_json_new, png_writer};

	static const char *const hidden[] = {"y", "nobody"};

	(void)state;
	qkv_json_hook();
	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
		for (size_t w = 0; w < 3; w++)
			for (int stage = 0; stage < 2; stage++) {
				int average = stage && t == 0, done = 0;

				for (size_t n = 1; !done; n++) {
					struct run r = {.writer = writers[w], .attend = {.average = average}};

					if (stage && t < 3)
						r.attend.stages = 1u << (w == 0 ? QKV_OUTPUT : QKV_CONTEXT) |
							(w ? 1u << QKV_OUTPUT : 0);
					r.attend.hide_tokens = hidden;
					r.attend.num_hide_tokens = t == 1 ? 2 : 0;
					assert_true(n < 2000);
					qkv_mem_fail_at(n);
					done = !run_text(&r, texts[t]) || r.err.status != QKV_EMEMORY;
					qkv_mem_fail_at(0);
					if (done && r.err.status)
						fail_msg("allocation %zu of text %zu: %s", n, t, r.err.text);
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
		cmocka_unit_test(test_every_allocation),
	};

	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}

/* The computation: its invariants, and the same bytes whatever the threads and the instruction set. */
#include "test.h"
#include "keep.h"
#include "run.h"

#include "attend/prepare.h"

#include <math.h>

static const unsigned all_stages = (1u << QKV_STAGES) - 1;

static void
test_rows_sum_to_one(void **state)
{
	static const struct qkv_settings none = {0};
	static const struct qkv_attend_options o = {0};
	static const size_t sizes[] = {1, 2, 15, 16, 17, 33, 67};

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		struct keeper k;
		size_t n = sizes[s];

		keep(&k, problem(n, n + 3, 4, 2, ""), &none, &o);
		assert_int_equal(k.count, 4);
		for (size_t h = 0; h < k.count; h++) {
			const struct kept *t = &k.kept[h];
			double total = 0;

			for (size_t i = 0; i < n; i++)
				assert_true(fabs(t->row_sums[i] - 1) < 1e-6);
			for (size_t j = 0; j < n + 3; j++)
				total += t->col_sums[j];
			assert_true(fabs(total - (double)n) < 1e-6 * (double)n);
		}
		drop(&k);
	}
}

/* the whole text of every stage, in JSON */
static void
render(struct run *r, const char *text, int threads, const char *isa)
{
	*r = (struct run){.attend = {.stages = all_stages, .threads = threads, .isa = isa}};
	if (run_text(r, text))
		fail_msg("%s", r->err.text);
}

static void
test_same_bytes(void **state)
{
	static const char *const isas[] = {"portable", "avx2", "avx512", "neon"};
	static const int threads[] = {1, 2, 3, 7};

	(void)state;
	/* large enough to be worth threads, and of odd sizes */
	for (int large = 0; large < 2; large++) {
		const char *text =
			large ? problem(211, 211, 4, 2, ",\"mask\":\"causal\"") : problem(19, 33, 4, 2, "");
		struct run first;

		render(&first, text, 1, NULL);
		for (size_t i = 0; i < 4; i++)
			for (size_t t = 0; t < 4; t++) {
				struct run r;

				if (!qkv_isa_name(isas[i]) || (large && t % 2))
					continue;
				render(&r, text, threads[t], isas[i]);
				assert_int_equal(r.out.size, first.out.size);
				assert_memory_equal(r.out.data, first.out.data, first.out.size);
				run_free(&r);
			}
		run_free(&first);
	}
}

/* tokens in another order: the same alpha in that order */
static void
test_permutation(void **state)
{
	static const struct qkv_settings none = {0};
	static const struct qkv_attend_options o = {0};
	static const char *const rows_of[] = {"[0.3,1]", "[-2,0.5]", "[1,1.25]"};
	static const size_t order[] = {2, 0, 1};
	char text[2][256];
	struct keeper k[2];

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		char *p = text[v] +
			sprintf(text[v], "{\"W_Q\":[[1,2],[0,1]],\"W_K\":[[1,0],[3,1]],\"embeddings\":[");

		for (size_t i = 0; i < 3; i++)
			p += sprintf(p, "%s%s", i ? "," : "", rows_of[v ? order[i] : i]);
		sprintf(p, "]}");
		keep(&k[v], text[v], &none, &o);
	}
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < 3; j++)
			assert_true(fabsf(k[1].kept[0].data[i * 3 + j] -
					    k[0].kept[0].data[order[i] * 3 + order[j]]) < 1e-7f);
	drop(&k[0]);
	drop(&k[1]);
}

/* a constant added to a row of scores changes nothing */
static void
test_shift(void **state)
{
	static const struct qkv_settings none = {0};
	static const struct qkv_attend_options o = {0};
	struct keeper a, b;

	(void)state;
	keep(&a, "{\"scale\":\"none\",\"scores\":[[1,2,4],[0,0.5,-3]]}", &none, &o);
	keep(&b, "{\"scale\":\"none\",\"scores\":[[1025,1026,1028],[-8,-7.5,-11]]}", &none, &o);
	assert_memory_equal(a.kept[0].data, b.kept[0].data, 6 * sizeof(float));
	drop(&a);
	drop(&b);
}

/* hidden cells are exact zeros, and told to who asks; what is seen sums to 1 */
static void
test_masks(void **state)
{
	static const char *const texts[] = {
		"causal", "causal-start", "causal-end", "window:2,1", "window:0,0", "none"};
	static const struct qkv_attend_options o = {0};

	(void)state;
	for (size_t m = 0; m < sizeof texts / sizeof *texts; m++) {
		size_t n = 21, keys = m == 1 ? 13 : m == 2 ? 30 : n;
		struct qkv_settings s = {0};
		struct keeper k;

		assert_int_equal(qkv_mask_parse(&s.mask, texts[m]), 0);
		keep(&k, problem(n, keys, 2, 2, ""), &s, &o);
		for (size_t h = 0; h < 2; h++)
			for (size_t i = 0; i < n; i++)
				for (size_t j = 0; j < keys; j++) {
					int sees = m < 2 ? j <= i
						: m == 2 ? j <= i + 9
						: m == 3 ? j + 2 >= i && j <= i + 1
						: m == 4 ? i == j
							 : 1;
					float alpha = k.kept[h].data[i * keys + j];

					assert_int_equal(k.kept[h].hidden[i * keys + j], !sees);
					assert_true(sees ? alpha > 0 : alpha == 0 && !signbit(alpha));
				}
		assert_string_equal(k.kept[0].mask, texts[m]);
		drop(&k);
	}
}

static void
test_selection(void **state)
{
	static const struct qkv_settings none = {0};
	static const struct qkv_range some[] = {{QKV_ANY, 3, 3}, {QKV_ANY, 0, 0}};
	static const struct qkv_range one[] = {{1, 1, 2}}, layer[] = {{QKV_ANY, 1, 1}},
				      beyond[] = {{QKV_ANY, 3, 4}};
	struct qkv_attend_options o = {.stages = 1u << QKV_Q | 1u << QKV_K, .heads = some, .num_heads = 2};
	struct qkv_attend_options a = {.heads = one, .num_heads = 1, .layers = layer, .num_layers = 1};
	struct run r = {.attend = {.heads = beyond, .num_heads = 1}};
	struct keeper k;

	(void)state;
	/* q of heads 0 and 3, k of the key/value heads that serve them */
	keep(&k, problem(4, 4, 4, 2, ""), &none, &o);
	assert_int_equal(k.count, 4);
	assert_true(k.kept[0].m.stage == QKV_Q && k.kept[0].m.head == 0);
	assert_true(k.kept[1].m.stage == QKV_K && k.kept[1].m.head == 0);
	assert_true(k.kept[2].m.stage == QKV_K && k.kept[2].m.head == 1);
	assert_true(k.kept[3].m.stage == QKV_Q && k.kept[3].m.head == 3);
	drop(&k);
	keep(&k, "{\"alpha\":[[[[1]],[[1]],[[1]]],[[[1]],[[1]],[[1]]]]}", &none, &a);
	assert_int_equal(k.count, 2);
	assert_true(k.kept[0].m.layer == 1 && k.kept[0].m.head == 1 && k.kept[1].m.head == 2);
	drop(&k);
	assert_int_equal(run_text(&r, problem(4, 4, 4, 2, "")), -1);
	assert_string_equal(r.err.text, "in.json: --heads: no head 4 in layer 0, expected less than 4");
	run_free(&r);
}

static void
test_average(void **state)
{
	static const struct qkv_settings none = {0};
	static const struct qkv_attend_options o = {.average = 1};
	struct keeper k;

	(void)state;
	keep(&k, "{\"alpha\":[[[1,0],[0.5,0.5]],[[0,1],[0.25,0.75]]],\"mask\":[[[1,0],[1,1]],[[0,1],[1,1]]]}",
		&none, &o);
	assert_int_equal(k.count, 1);
	assert_true(k.kept[0].m.head == QKV_MEAN);
	assert_true(k.kept[0].data[0] == 0.5f && k.kept[0].data[2] == 0.375f && k.kept[0].data[3] == 0.625f);
	assert_true(k.kept[0].col_sums[1] == 1.125 && !k.kept[0].hidden[0]); /* hidden in one head only */
	drop(&k);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_sum_to_one),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_permutation),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_average),
	};

	return cmocka_run_group_tests_name("attend", tests, NULL, NULL);
}

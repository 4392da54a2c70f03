/* The computation: its invariants, and the same bytes whatever the threads and the instruction set. */
#include "test.h"
#include "run.h"

#include "attend/prepare.h"

#include <math.h>

/* a consumer that keeps every matrix whole */
struct kept {
	struct qkv_matrix m;
	char mask[64];         /* m.mask, which goes with its problem */
	float *data;           /* (rows, cols) */
	unsigned char *hidden; /* (rows, cols) */
	double *row_sums, *col_sums;
};

struct keeper {
	struct qkv_consumer c;
	struct kept kept[64];
	size_t count;
	int in_order;
};

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	(void)c, (void)doc, (void)e;
	return 0;
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct keeper *k = (struct keeper *)c;
	struct kept *t = &k->kept[k->count];

	(void)e;
	t->m = *m;
	snprintf(t->mask, sizeof t->mask, "%s", m->mask);
	t->data = calloc(m->rows * m->cols, sizeof *t->data);
	t->hidden = calloc(m->rows * m->cols, 1);
	t->row_sums = calloc(m->rows, sizeof *t->row_sums);
	k->in_order = 0;
	return 0;
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct keeper *k = (struct keeper *)c;
	struct kept *t = &k->kept[k->count];

	(void)e;
	assert_int_equal(b->row, k->in_order);
	k->in_order += (int)b->rows;
	for (size_t i = 0; i < b->rows; i++) {
		size_t at = (b->row + i) * t->m.cols;

		memcpy(t->data + at, b->data + i * b->stride, t->m.cols * sizeof *t->data);
		if (b->hidden)
			memcpy(t->hidden + at, b->hidden + i * t->m.cols, t->m.cols);
		if (b->row_sums)
			t->row_sums[b->row + i] = b->row_sums[i];
	}
	return 0;
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct keeper *k = (struct keeper *)c;
	struct kept *t = &k->kept[k->count++];

	(void)e;
	assert_int_equal(k->in_order, t->m.rows);
	t->col_sums = calloc(t->m.cols, sizeof *t->col_sums);
	if (col_sums)
		memcpy(t->col_sums, col_sums, t->m.cols * sizeof *col_sums);
	return 0;
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	(void)c, (void)e;
	return 0;
}

static void
keep(struct keeper *k, const char *text, const struct qkv_settings *s, const struct qkv_attend_options *o)
{
	struct qkv_reader *reader;
	struct qkv_notes notes = {0};
	struct qkv_problem *p = NULL;
	struct qkv_attend *a = NULL;
	struct qkv_err e;

	memset(k, 0, sizeof *k);
	k->c = (struct qkv_consumer){1, doc_begin, matrix_begin, rows, matrix_end, doc_end, NULL, NULL};
	if (qkv_reader_open_text(&reader, "t", text, strlen(text), &e) ||
		qkv_reader_next(&p, reader, s, &notes, &e) != 1 || qkv_attend_open(&a, p, o, &e) ||
		qkv_attend_run(a, &k->c, &notes, &e))
		fail_msg("%s", e.text);
	qkv_attend_free(a);
	qkv_problem_free(p);
	qkv_reader_free(reader);
}

static void
drop(struct keeper *k)
{
	for (size_t i = 0; i < k->count; i++) {
		free(k->kept[i].data);
		free(k->kept[i].hidden);
		free(k->kept[i].row_sums);
		free(k->kept[i].col_sums);
	}
}

static double
noise(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (double)(*seed >> 8) / 8388608.0 - 1;
}

static char *
print_matrix(char *p, const char *key, size_t r, size_t c, unsigned seed)
{
	p += sprintf(p, ",\"%s\":[", key);
	for (size_t i = 0; i < r; i++) {
		for (size_t j = 0; j < c; j++)
			p += sprintf(p, "%s%.7f", j ? "," : i ? ",[" : "[", noise(&seed));
		p += sprintf(p, "]");
	}
	return p + sprintf(p, "]");
}

/* a problem of n queries and m keys with heads of width 5, and more members after it */
static char *
problem(size_t n, size_t m, size_t heads, size_t kv, const char *more)
{
	static char text[1 << 20];
	char *p = text;

	p += sprintf(p, "{\"num_heads\":%zu,\"num_kv_heads\":%zu,\"weight_layout\":\"in_out\"", heads, kv);
	p = print_matrix(p, "embeddings", n, 7, 1);
	p = print_matrix(p, "W_Q", 7, heads * 5, 2);
	p = print_matrix(p, "W_K", 7, kv * 5, 3);
	p = print_matrix(p, "W_V", 7, kv * 3, 4);
	p = print_matrix(p, "W_O", heads * 3, 6, 5);
	if (n != m) {
		p = print_matrix(p + sprintf(p, ",\"context\":{\"_\":0"), "embeddings", m, 7, 6);
		p += sprintf(p, "}");
	}
	sprintf(p, "%s}", more);
	return text;
}

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

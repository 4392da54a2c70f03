/* Blocks of rows: what a mask's name leaves out, entropies and argmaxes, and long sequences against whole matrices. */
#include "test.h"
#include "keep.h"

#include "attend/prepare.h"

#include <math.h>

static const struct qkv_settings none = {0};

/* a mask that hides by its name has the same bits as one that hides cell by cell */
static void
test_names_and_cells(void **state)
{
	enum { N = 211 };
	static const char *const names[] = {
		"causal", "window:0,0", "window:30,2", "window:1,100", "window:300,0"};
	static const char *const isas[] = {"portable", "avx2", "avx512", "neon"};
	static char more[2 * N * N + 4 * N];

	(void)state;
	for (size_t m = 0; m < sizeof names / sizeof *names; m++)
		for (size_t s = 0; s < sizeof isas / sizeof *isas; s++) {
			struct qkv_attend_options o = {
				.stages = 1u << QKV_MASKED | 1u << QKV_ALPHA | 1u << QKV_OUTPUT,
				.threads = 1,
				.isa = isas[s]};
			struct qkv_mask mask;
			struct keeper named, celled;
			char *p = more;

			if (!qkv_isa_name(isas[s]))
				continue;
			assert_int_equal(qkv_mask_parse(&mask, names[m]), 0);
			sprintf(more, ",\"mask\":\"%s\"", names[m]);
			keep(&named, problem(N, N, 2, 1, more), &none, &o);
			p += sprintf(p, ",\"mask\":[");
			for (size_t i = 0; i < N; i++) {
				size_t first, last;

				qkv_mask_span(&first, &last, &mask, i, N, N);
				for (size_t j = 0; j < N; j++)
					p += sprintf(p, "%s%d",
						j           ? ","
							: i ? ",["
							    : "[",
						j >= first && j < last);
				p += sprintf(p, "]");
			}
			sprintf(p, "]");
			keep(&celled, problem(N, N, 2, 1, more), &none, &o);
			assert_int_equal(named.count, 5);
			assert_int_equal(celled.count, 5);
			for (size_t i = 0; i < 5; i++) {
				const struct kept *a = &named.kept[i], *b = &celled.kept[i];

				assert_memory_equal(
					a->data, b->data, a->m.rows * a->m.cols * sizeof *a->data);
				assert_memory_equal(a->hidden, b->hidden, a->m.rows * a->m.cols);
				assert_memory_equal(
					a->row_sums, b->row_sums, a->m.rows * sizeof *a->row_sums);
				assert_memory_equal(a->entropy, b->entropy, a->m.rows * sizeof *a->entropy);
				assert_memory_equal(
					a->col_sums, b->col_sums, a->m.cols * sizeof *a->col_sums);
			}
			drop(&named);
			drop(&celled);
		}
}

/* the figures of rows of alpha, whether it is computed or ready */
static void
check_figures(const struct kept *t)
{
	for (size_t i = 0; i < t->m.rows; i++) {
		const float *row = t->data + i * t->m.cols;
		double entropy = 0;
		size_t argmax = QKV_NONE;

		for (size_t j = 0; j < t->m.cols; j++) {
			if (row[j] > 0)
				entropy -= (double)row[j] * log((double)row[j]);
			if (row[j] > 0 && (argmax == QKV_NONE || row[j] > row[argmax]))
				argmax = j;
		}
		assert_true(fabs(t->entropy[i] - entropy) < 1e-6);
		assert_true(t->argmax[i] == argmax);
	}
}

static void
test_figures(void **state)
{
	static const struct qkv_attend_options o = {0}, mean = {.average = 1};
	static const char ready[] = "{\"alpha\":[[0.5,0.25,0.25],[0,0,1],[0,0,0],[0.375,0.375,0.25]]}";
	static const char *const more[] = {"", ",\"mask\":\"window:3,1\"",
		",\"mask\":\"window:3,1\",\"key_mask\":[0,0,0,0,0,0,0,0,0,1]", ",\"scale\":0",
		",\"scale\":-40", ",\"scale\":1000"};
	struct keeper k;

	(void)state;
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		keep(&k, problem(10, 10, 2, 2, more[i]), &none, &o);
		check_figures(&k.kept[0]);
		check_figures(&k.kept[1]);
		drop(&k);
		keep(&k, problem(10, 10, 2, 2, more[i]), &none, &mean);
		check_figures(&k.kept[0]);
		drop(&k);
	}
	keep(&k, ready, &none, &o);
	check_figures(&k.kept[0]);
	assert_true(fabs(k.kept[0].entropy[0] - 1.5 * log(2)) < 1e-15);
	assert_true(k.kept[0].argmax[2] == QKV_NONE);
	drop(&k);
	/* equal scores: ln n, and the first key */
	keep(&k, problem(300, 300, 1, 1, ",\"scale\":0"), &none, &o);
	assert_true(fabs(k.kept[0].entropy[7] - log(300)) < 1e-14);
	assert_true(k.kept[0].argmax[7] == 0);
	drop(&k);
}

/* ready Q and K of n tokens, d wide, and more members */
static char *
long_problem(size_t n, size_t d, const char *more)
{
	char *text = malloc(n * d * 24 + 4096), *p = text;

	assert_non_null(text);
	p += sprintf(p, "{\"_\":0");
	p = print_matrix(p, "Q", n, d, 7);
	p = print_matrix(p, "K", n, d, 8);
	sprintf(p, "%s}", more);
	return text;
}

/* what a consumer that looks and forgets has seen */
struct watcher {
	struct qkv_consumer c;
	const float *want; /* (n, n), or NULL */
	double col_sum;
	size_t rows, hidden;
};

static int
watch_rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct watcher *w = (struct watcher *)c;
	size_t n = b->matrix->cols;

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		if (w->want)
			assert_memory_equal(
				b->data + i * b->stride, w->want + (b->row + i) * n, n * sizeof(float));
		w->rows++;
		w->hidden += b->row_sums[i] < 0.5;
	}
	return 0;
}

static int
watch_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	(void)e;
	((struct watcher *)c)->col_sum = col_sums[((struct watcher *)c)->rows];
	return 0;
}

static int
watch_doc(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	(void)c, (void)doc, (void)e;
	return 0;
}

static int
watch_matrix(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	(void)c, (void)m, (void)e;
	return 0;
}

static void
watch(struct watcher *w, const char *text, const struct qkv_settings *s, int threads)
{
	struct qkv_attend_options o = {.threads = threads};
	struct qkv_reader *reader;
	struct qkv_notes notes = {0};
	struct qkv_problem *p = NULL;
	struct qkv_attend *a = NULL;
	struct qkv_err e;

	w->c = (struct qkv_consumer){
		0, watch_doc, watch_matrix, watch_rows, watch_end, keep_doc_end, NULL, NULL};
	w->col_sum = 0;
	w->rows = w->hidden = 0;
	if (qkv_reader_open_text(&reader, "t", text, strlen(text), &e) ||
		qkv_reader_next(&p, reader, s, &notes, &e) != 1 || qkv_attend_open(&a, p, &o, &e) ||
		qkv_attend_run(a, &w->c, &notes, &e))
		fail_msg("%s", e.text);
	qkv_attend_free(a);
	qkv_problem_free(p);
	qkv_reader_free(reader);
}

/* the columns of all rows that are not hidden sum to their number, however many there are */
static void
test_checksum(void **state)
{
	enum { N = 5000 };
	static const char *const more[] = {
		"", ",\"mask\":\"window:40,3\"", ",\"mask\":\"causal\",\"key_mask\":["};

	(void)state;
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		static char member[2 * N + 100];
		struct watcher w = {.want = NULL};
		char *text, *p = member + sprintf(member, "%s", more[i]);

		/* hides the first 1000 keys, so the first 1000 queries see nothing */
		for (size_t j = 0; i == 2 && j < N; j++)
			p += sprintf(p, "%d%s", j >= 1000, j + 1 < N ? "," : "]");
		text = long_problem(N, 2, member);
		watch(&w, text, &none, 0);
		assert_int_equal(w.rows, N);
		assert_int_equal(w.hidden, i == 2 ? 1000 : 0);
		assert_true(fabs(w.col_sum - (double)(w.rows - w.hidden)) < 1e-7 * N);
		free(text);
	}
}

/* rows that stream by, and the same computed as one matrix */
static void
test_streamed_and_whole(void **state)
{
	enum { N = 4096, D = 4 };
	const struct qkv_kern *kern = qkv_kern_find(NULL);
	char *text = long_problem(N, D, ",\"scale\":0.3");
	float *q = malloc(N * D * sizeof *q), *k = malloc(N * D * sizeof *k);
	float *packed = aligned_alloc(64, qkv_kern_packed(kern, D, N) * sizeof *packed);
	float *whole = malloc((size_t)N * N * sizeof *whole), *max = malloc(N * sizeof *max);
	double *sums = malloc(N * sizeof *sums);
	unsigned seeds[] = {7, 8};
	struct watcher w = {.want = whole};

	(void)state;
	for (size_t i = 0; i < N * D; i++) {
		char digits[32];

		sprintf(digits, "%.7f", noise(&seeds[0]));
		q[i] = (float)atof(digits);
		sprintf(digits, "%.7f", noise(&seeds[1]));
		k[i] = (float)atof(digits);
	}
	kern->pack(packed, k, D, N, 1, D);
	kern->product(whole, N, q, D, packed, D, N, D, N);
	for (size_t i = 0; i < N; i++)
		max[i] = -INFINITY;
	for (size_t i = 0; i < N; i++)
		kern->scale(whole + i * N, 0.3f, N);
	kern->maximum(max, whole, N, 1, N, N);
	kern->exponentials(sums, NULL, whole, N, 1, max, N, N);
	for (size_t i = 0; i < N; i++)
		kern->scale(whole + i * N, (float)(1 / sums[i]), N);
	watch(&w, text, &none, 1);
	watch(&w, text, &none, 3);
	assert_int_equal(w.rows, N);
	free(text);
	free(q);
	free(k);
	free(packed);
	free(whole);
	free(max);
	free(sums);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_cells),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_streamed_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* For tests of the computation: a problem of any size, and a consumer that keeps every matrix whole. */
#ifndef QKV_TESTS_KEEP_H
#define QKV_TESTS_KEEP_H

#include "test.h"

#include "qkv.h"

/* a consumer that keeps every matrix whole */
struct kept {
	struct qkv_matrix m;
	char mask[64];               /* m.mask, which goes with its problem */
	float *data;                 /* (rows, cols) */
	unsigned char *hidden;       /* (rows, cols) */
	double *row_sums, *col_sums; /* (rows,), (cols + 1,) */
	double *entropy;             /* (rows,) */
	size_t *argmax;              /* (rows,) */
};

struct keeper {
	struct qkv_consumer c;
	struct kept kept[64];
	size_t count;
	int in_order;
	char left_out[256]; /* "": nothing */
};

static inline int
keep_doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct keeper *k = (struct keeper *)c;

	(void)e;
	snprintf(k->left_out, sizeof k->left_out, "%s", doc->left_out ? doc->left_out : "");
	return 0;
}

static inline int
keep_matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct keeper *k = (struct keeper *)c;
	struct kept *t = &k->kept[k->count];

	(void)e;
	t->m = *m;
	snprintf(t->mask, sizeof t->mask, "%s", m->mask);
	t->data = calloc(m->rows * m->cols, sizeof *t->data);
	t->hidden = calloc(m->rows * m->cols, 1);
	t->row_sums = calloc(m->rows, sizeof *t->row_sums);
	t->entropy = calloc(m->rows, sizeof *t->entropy);
	t->argmax = calloc(m->rows, sizeof *t->argmax);
	k->in_order = 0;
	return 0;
}

static inline int
keep_rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
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
		if (!b->row_sums)
			continue;
		t->row_sums[b->row + i] = b->row_sums[i];
		t->entropy[b->row + i] = b->row_entropy[i];
		t->argmax[b->row + i] = b->row_argmax[i];
	}
	return 0;
}

static inline int
keep_matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct keeper *k = (struct keeper *)c;
	struct kept *t = &k->kept[k->count++];

	(void)e;
	assert_int_equal(k->in_order, t->m.rows);
	t->col_sums = calloc(t->m.cols + 1, sizeof *t->col_sums);
	if (col_sums)
		memcpy(t->col_sums, col_sums, (t->m.cols + 1) * sizeof *col_sums);
	return 0;
}

static inline int
keep_doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	(void)c, (void)e;
	return 0;
}

static inline void
keep(struct keeper *k, const char *text, const struct qkv_settings *s, const struct qkv_attend_options *o)
{
	struct qkv_reader *reader;
	struct qkv_notes notes = {0};
	struct qkv_problem *p = NULL;
	struct qkv_attend *a = NULL;
	struct qkv_err e;

	memset(k, 0, sizeof *k);
	k->c = (struct qkv_consumer){QKV_WANTS_HIDDEN | QKV_WANTS_FIGURES, keep_doc_begin, keep_matrix_begin,
		keep_rows, keep_matrix_end, keep_doc_end, NULL, NULL};
	if (qkv_reader_open_text(&reader, "t", text, strlen(text), &e) ||
		qkv_reader_next(&p, reader, s, &notes, &e) != 1 || qkv_attend_open(&a, p, o, &e) ||
		qkv_attend_run(a, &k->c, &notes, &e))
		fail_msg("%s", e.text);
	qkv_attend_free(a);
	qkv_problem_free(p);
	qkv_reader_free(reader);
}

static inline void
drop(struct keeper *k)
{
	for (size_t i = 0; i < k->count; i++) {
		free(k->kept[i].data);
		free(k->kept[i].hidden);
		free(k->kept[i].row_sums);
		free(k->kept[i].col_sums);
		free(k->kept[i].entropy);
		free(k->kept[i].argmax);
	}
}

static inline double
noise(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (double)(*seed >> 8) / 8388608.0 - 1;
}

static inline char *
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
static inline char *
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

#endif

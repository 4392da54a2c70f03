/*
 * Showing some queries and keys: a consumer between the computation, which is of all of them, and another one, which
 * gets a document of those alone. Values and sums stay what they were.
 */
#include "attend/prepare.h"

#include "base/mem.h"

/* a block as the inner consumer sees it */
struct strip {
	struct qkv_block block;
	double sums[QKV_ROWS], entropy[QKV_ROWS];
	size_t argmax[QKV_ROWS];
};

struct narrow {
	struct qkv_consumer consumer; /* first: the consumer is the narrow */
	struct qkv_consumer *to;
	const struct qkv_attend *a;
	struct qkv_arena arena; /* of the document */
	struct qkv_doc doc;
	struct qkv_matrix m;
	const struct qkv_choice *rows, *cols; /* of m; cols NULL: features, all of them */
	struct strip *strips;                 /* (slots,) */
	float *data;                          /* (slots, QKV_ROWS, m.cols) */
	unsigned char *hidden;                /* likewise */
	double *col_sums;                     /* (n_k + 1,) */
};

/* the tokens that are chosen */
static const char *const *
pick_tokens(struct narrow *n, const char *const *all, const struct qkv_choice *c, struct qkv_err *e)
{
	const char **shown = qkv_arena_new(&n->arena, c->count, sizeof *shown, e);

	for (size_t i = 0; shown && i < c->count; i++)
		shown[i] = all[c->index[i]];
	return shown;
}

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct narrow *n = (struct narrow *)c;
	const struct qkv_choice *queries = &n->a->queries, *keys = &n->a->keys;
	struct qkv_shown *shown = qkv_arena_new(&n->arena, doc->shown_layers, sizeof *shown, e);
	struct qkv_doc *d = &n->doc;

	*d = *doc;
	d->n_q = queries->count;
	d->n_k = keys->count;
	d->query_tokens = pick_tokens(n, doc->query_tokens, queries, e);
	d->key_tokens = pick_tokens(n, doc->key_tokens, keys, e);
	d->query_index = d->n_q < doc->n_q ? queries->index : NULL;
	d->key_index = d->n_k < doc->n_k ? keys->index : NULL;
	d->left_out = n->a->left_out;
	d->self_attention = n->a->is_square;
	d->shown = shown;
	if (!shown || !d->query_tokens || !d->key_tokens)
		return -1;
	/* the columns of the last stage are keys where it is one from scores to alpha */
	for (size_t i = 0; i < doc->shown_layers; i++) {
		shown[i] = doc->shown[i];
		if (n->a->stages >> QKV_SCORES && !(n->a->stages >> QKV_CONTEXT))
			shown[i].cols = d->n_k;
	}
	return n->to->doc_begin(n->to, d, e);
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct narrow *n = (struct narrow *)c;
	size_t cells;
	float *data;
	unsigned char *hidden;

	n->rows = m->stage == QKV_K || m->stage == QKV_V ? &n->a->keys : &n->a->queries;
	n->cols = m->stage >= QKV_SCORES && m->stage <= QKV_ALPHA ? &n->a->keys : NULL;
	n->m = *m;
	n->m.doc = &n->doc;
	n->m.rows = n->rows->count;
	n->m.cols = n->cols ? n->cols->count : m->cols;
	cells = n->doc.slots * QKV_ROWS * n->m.cols;
	data = qkv_mem_resize(n->data, cells, sizeof *data, e);
	n->data = data ? data : n->data;
	hidden = data ? qkv_mem_resize(n->hidden, cells, sizeof *hidden, e) : NULL;
	n->hidden = hidden ? hidden : n->hidden;
	return hidden ? n->to->matrix_begin(n->to, &n->m, e) : -1;
}

static void
ahead(struct qkv_consumer *c, const struct qkv_block *b)
{
	struct narrow *n = (struct narrow *)c;
	size_t cols = n->m.cols, strip = b->slot * QKV_ROWS * cols, first = qkv_choice_below(n->rows, b->row);
	struct strip *s = &n->strips[b->slot];
	float *data = n->data + strip;
	unsigned char *hidden = n->hidden + strip;

	s->block = *b;
	s->block.matrix = &n->m;
	s->block.row = first;
	s->block.rows = qkv_choice_below(n->rows, b->row + b->rows) - first;
	s->block.stride = cols;
	s->block.data = data;
	s->block.hidden = b->hidden ? hidden : NULL;
	s->block.row_sums = b->row_sums ? s->sums : NULL;
	s->block.row_entropy = b->row_entropy ? s->entropy : NULL;
	s->block.row_argmax = b->row_argmax ? s->argmax : NULL;
	for (size_t i = 0; i < s->block.rows; i++) {
		size_t from = n->rows->index[first + i] - b->row;

		for (size_t j = 0; j < cols; j++) {
			size_t at = n->cols ? n->cols->index[j] : j;

			data[i * cols + j] = b->data[from * b->stride + at];
			if (b->hidden)
				hidden[i * cols + j] = b->hidden[from * b->matrix->cols + at];
		}
		if (b->row_sums)
			s->sums[i] = b->row_sums[from];
		if (b->row_entropy)
			s->entropy[i] = b->row_entropy[from];
		if (b->row_argmax)
			s->argmax[i] = b->row_argmax[from];
	}
	if (s->block.rows && n->to->ahead)
		n->to->ahead(n->to, &s->block);
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct narrow *n = (struct narrow *)c;
	const struct qkv_block *block = &n->strips[b->slot].block;

	return block->rows ? n->to->rows(n->to, block, e) : 0;
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct narrow *n = (struct narrow *)c;

	if (!col_sums)
		return n->to->matrix_end(n->to, NULL, e);
	for (size_t j = 0; j < n->m.cols; j++)
		n->col_sums[j] = col_sums[n->cols->index[j]];
	n->col_sums[n->m.cols] = col_sums[n->a->doc.n_k];
	return n->to->matrix_end(n->to, n->col_sums, e);
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	struct narrow *n = (struct narrow *)c;

	return n->to->doc_end(n->to, e);
}

static void
narrow_free(struct qkv_consumer *c)
{
	struct narrow *n = (struct narrow *)c;

	qkv_mem_free(n->strips);
	qkv_mem_free(n->data);
	qkv_mem_free(n->hidden);
	qkv_mem_free(n->col_sums);
	qkv_arena_free(&n->arena);
	qkv_mem_free(n);
}

int
qkv_narrow_new(
	struct qkv_consumer **c, const struct qkv_attend *a, struct qkv_consumer *to, struct qkv_err *e)
{
	struct narrow *n = qkv_mem_new(1, sizeof *n, e);

	if (!n)
		return -1;
	n->consumer = (struct qkv_consumer){
		to->wants, doc_begin, matrix_begin, rows, matrix_end, doc_end, narrow_free, ahead};
	n->to = to;
	n->a = a;
	n->strips = qkv_mem_new(a->num_slots, sizeof *n->strips, e);
	n->col_sums = n->strips ? qkv_mem_new(a->keys.count + 1, sizeof *n->col_sums, e) : NULL;
	if (!n->col_sums) {
		narrow_free(&n->consumer);
		return -1;
	}
	*c = &n->consumer;
	return 0;
}

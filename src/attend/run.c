/*
 * Running an attend: matrices in order, their blocks computed side by side and handed over one by one, while the
 * next ones are computed.
 *
 * A block's column sums are added in double row by row, and the blocks' sums in ascending order, so that the
 * number of threads cannot show.
 */
#include "attend/prepare.h"

#include "base/mem.h"
#include "kern/log.h"

#include <math.h>
#include <string.h>

/* a matrix on its way to the consumer: a stage of one head, or the mean of several */
struct job {
	struct qkv_attend *a;
	const struct qkv_prepared *l;
	struct qkv_matrix m;
	const size_t *heads; /* (num_heads,) positions */
	size_t num_heads;
	struct qkv_consumer *c;
	double *col_sums;         /* (n_k + 1,) */
	struct qkv_block *blocks; /* (num_slots,) */
	size_t *rows;             /* (num_slots,): where the blocks begin that are being computed */
	size_t slot;              /* of the first of them */
	size_t ready, num_ready;  /* those that are to be handed over */
	int failed;
	struct qkv_err *e; /* of the consumer */
};

static void
hide(const struct job *j, struct qkv_slot *s, struct qkv_block *b)
{
	size_t n = b->matrix->cols;

	for (size_t i = 0; i < b->rows; i++)
		qkv_attend_hide(s->hidden + i * n, j->l->layer, &j->a->doc, j->heads[0], b->row + i);
	/* the mean of several heads hides what all of them hide */
	for (size_t h = 1; h < j->num_heads; h++)
		for (size_t i = 0; i < b->rows; i++)
			for (size_t k = 0; k < n; k++)
				if (s->hidden[i * n + k] &&
					qkv_layer_allows(j->l->layer, &j->a->doc, j->heads[h], b->row + i, k))
					s->hidden[i * n + k] = 0;
	b->hidden = s->hidden;
}

/* the mean over the heads, added in double head by head */
static void
average(const struct job *j, struct qkv_slot *s, struct qkv_block *b)
{
	size_t cells = b->rows * j->m.cols;

	memset(s->mean, 0, cells * sizeof *s->mean);
	for (size_t h = 0; h < j->num_heads; h++) {
		size_t stride;
		const float *rows =
			qkv_attend_rows(j->a, j->l, s, j->m.stage, j->heads[h], b->row, b->rows, &stride);

		for (size_t i = 0; i < b->rows; i++)
			j->a->kern->accumulate(s->mean + i * j->m.cols, rows + i * stride, j->m.cols);
	}
	for (size_t i = 0; i < cells; i++)
		s->out[i] = (float)(s->mean[i] / (double)j->num_heads);
	b->data = s->out;
	b->stride = j->m.cols;
}

/* row sums, and what the block adds to the column sums, of alpha that is not computed here */
static void
add_up(const struct job *j, struct qkv_slot *s, struct qkv_block *b)
{
	memset(s->cols, 0, j->m.cols * sizeof *s->cols);
	for (size_t i = 0; i < b->rows; i++) {
		s->sums[i] = j->a->kern->sum(b->data + i * b->stride, j->m.cols);
		j->a->kern->accumulate(s->cols, b->data + i * b->stride, j->m.cols);
	}
}

/* entropies by their definition, and argmaxes, of alpha that is not computed here */
static void
measure(const struct job *j, struct qkv_slot *s, const struct qkv_block *b)
{
	for (size_t i = 0; i < b->rows; i++) {
		const float *row = b->data + i * b->stride;
		float most = 0;

		j->a->kern->maximum(&most, row, 0, 1, 1, j->m.cols);
		s->entropy[i] = 0;
		for (size_t k = 0; k < j->m.cols; k++)
			if (row[k] > 0)
				s->entropy[i] -= (double)row[k] * qkv_log((double)row[k]);
		s->argmax[i] = most > 0 ? j->a->kern->find(row, most, j->m.cols) : QKV_NONE;
	}
}

static void
compute(const struct job *j, size_t slot, size_t row)
{
	struct qkv_slot *s = &j->a->slots[slot];
	struct qkv_block *b = &j->blocks[slot];
	size_t left = j->m.rows - row;
	int averages = j->m.head == QKV_MEAN && j->a->average;

	*b = (struct qkv_block){
		.matrix = &j->m, .slot = slot, .row = row, .rows = left < QKV_ROWS ? left : QKV_ROWS};
	if (averages)
		average(j, s, b);
	else
		b->data = qkv_attend_rows(
			j->a, j->l, s, j->m.stage, j->heads ? j->heads[0] : 0, row, b->rows, &b->stride);
	if (j->c->wants & QKV_WANTS_HIDDEN && j->m.stage >= QKV_SCORES && j->m.stage <= QKV_ALPHA &&
		qkv_layer_hides(j->l->layer))
		hide(j, s, b);
	if (j->m.stage == QKV_ALPHA) {
		if (averages || j->l->layer->source == QKV_FROM_ALPHA) {
			add_up(j, s, b);
			if (j->a->wants_figures)
				measure(j, s, b);
		}
		b->row_sums = s->sums;
		b->row_entropy = j->a->wants_figures ? s->entropy : NULL;
		b->row_argmax = j->a->wants_figures ? s->argmax : NULL;
	}
	if (j->c->ahead)
		j->c->ahead(j->c, b);
}

/* hands over what is ready */
static void
hand_over(struct job *j)
{
	for (size_t n = j->ready; n < j->ready + j->num_ready && !j->failed; n++) {
		if (j->m.stage == QKV_ALPHA)
			j->a->kern->total(j->col_sums, j->a->slots[n].cols, j->m.cols);
		j->failed = j->c->rows(j->c, &j->blocks[n], j->e);
	}
}

static void
hand_over_or_compute(void *arg, size_t index, size_t worker)
{
	struct job *j = arg;

	(void)worker;
	if (index == 0)
		hand_over(j);
	else
		compute(j, j->slot + index - 1, j->rows[index - 1]);
}

static int
sees_nothing(const struct job *j, size_t h, size_t i)
{
	for (size_t k = 0; k < j->a->doc.n_k; k++)
		if (qkv_layer_allows(j->l->layer, &j->a->doc, h, i, k))
			return 0;
	return 1;
}

/* what is to be said of row i of head h, or QKV_NOTES: nothing */
static enum qkv_note_kind
note_of(const struct job *j, size_t h, size_t i)
{
	const struct qkv_layer *l = j->l->layer;
	int hides = qkv_layer_hides(l);
	double sum;

	if (l->source == QKV_FROM_ALPHA) {
		sum = j->a->kern->sum(l->alpha[h] + i * j->a->doc.n_k, j->a->doc.n_k);
		if (fabs(sum - 1) <= 1e-3)
			return QKV_NOTES;
		/* what this tool has written does not say which cells are hidden, but no other rows are zero */
		if (l->head_index && fabs(sum) <= 0)
			return QKV_NOTE_HIDDEN_ROW;
		return hides && sees_nothing(j, h, i) ? QKV_NOTE_HIDDEN_ROW : QKV_NOTE_ROW_SUM;
	}
	return hides && sees_nothing(j, h, i) ? QKV_NOTE_HIDDEN_ROW : QKV_NOTES;
}

/* warns of the layer's queries without keys, and of rows of ready alpha that do not sum to 1 */
static void
note_rows(const struct job *j, struct qkv_notes *notes)
{
	const struct qkv_layer *l = j->l->layer;

	for (size_t h = 0; h < l->num_heads; h++) {
		size_t index = l->head_index ? l->head_index[h] : h;

		for (size_t i = 0; j->l->shows[h] && i < j->a->doc.n_q; i++) {
			enum qkv_note_kind kind = note_of(j, h, i);

			if (kind != QKV_NOTES && index == QKV_MEAN)
				qkv_note_add(notes, kind, 1, "layer %zu, mean, query %zu", l->index, i);
			else if (kind != QKV_NOTES)
				qkv_note_add(
					notes, kind, 1, "layer %zu, head %zu, query %zu", l->index, index, i);
		}
	}
}

/* whether the block at a row is shown, or adds to sums that are, or to an output */
static int
is_needed(const struct job *j, size_t row)
{
	const struct qkv_choice *shown =
		j->m.stage == QKV_K || j->m.stage == QKV_V ? &j->a->keys : &j->a->queries;

	return (j->m.stage == QKV_ALPHA && !j->a->no_col_sums) || j->a->contexts ||
		qkv_choice_below(shown, row + QKV_ROWS) > qkv_choice_below(shown, row);
}

static int
run_blocks(struct job *j)
{
	/* one worker hands a block over before it computes the next in the same slot */
	size_t half = j->a->num_slots / 2, row = 0;

	j->failed = 0;
	j->slot = j->num_ready = 0;
	do {
		size_t num = 0;

		for (; row < j->m.rows && num < (half ? half : 1); row += QKV_ROWS)
			if (is_needed(j, row))
				j->rows[num++] = row;
		qkv_pool_run(j->a->pool, num + 1, hand_over_or_compute, j);
		j->ready = j->slot;
		j->num_ready = num;
		j->slot = j->slot ? 0 : half;
	} while (j->num_ready && !j->failed);
	for (size_t k = 0; k < j->m.cols && j->m.stage == QKV_ALPHA; k++)
		j->col_sums[j->m.cols] += j->col_sums[k];
	return j->failed ? -1 : 0;
}

/* one matrix from its beginning to its end */
static int
run_matrix(struct job *j, struct qkv_err *e)
{
	const struct qkv_layer *l = j->l->layer;
	const struct qkv_doc *doc = &j->a->doc;
	int keys = j->m.stage == QKV_K || j->m.stage == QKV_V, alpha = j->m.stage == QKV_ALPHA;

	j->m.doc = doc;
	j->m.layer = l->index;
	j->m.rows = keys ? doc->n_k : doc->n_q;
	j->m.cols = qkv_attend_cols(j->a, j->l, j->m.stage);
	j->m.d_k = l->d_k;
	j->m.has_scale = l->has_scale;
	j->m.scale = j->l->scale;
	j->m.mask = l->mask_name;
	memset(j->col_sums, 0, (doc->n_k + 1) * sizeof *j->col_sums);
	if (j->c->matrix_begin(j->c, &j->m, e) || run_blocks(j) ||
		j->c->matrix_end(j->c, alpha && !j->a->no_col_sums ? j->col_sums : NULL, e))
		return -1;
	if (j->a->contexts && (alpha || j->m.stage == QKV_CONTEXT))
		for (size_t h = 0; h < j->num_heads; h++)
			j->a->has_context[j->heads[h]] = 1;
	return 0;
}

static int
run_heads(struct job *j, struct qkv_err *e)
{
	const struct qkv_layer *l = j->l->layer;

	for (size_t h = 0; h < l->num_heads; h++)
		for (unsigned s = 0; s < QKV_OUTPUT; s++) {
			if (!(j->a->stages >> s & 1) || !qkv_attend_shows(j->a, j->l, (enum qkv_stage)s, h))
				continue;
			j->heads = &h;
			j->num_heads = 1;
			j->m.stage = (enum qkv_stage)s;
			j->m.head = l->head_index ? l->head_index[h] : h;
			if (run_matrix(j, e))
				return -1;
		}
	return 0;
}

static int
run_mean(struct job *j, struct qkv_err *e)
{
	size_t *heads = qkv_mem_new(j->l->layer->num_heads, sizeof *heads, e);
	int result = heads ? 0 : -1;

	for (unsigned s = 0; !result && s < QKV_OUTPUT; s++) {
		if (!(j->a->stages >> s & 1))
			continue;
		j->heads = heads;
		j->num_heads = 0;
		for (size_t h = 0; h < j->l->layer->num_heads; h++)
			if (qkv_attend_shows(j->a, j->l, (enum qkv_stage)s, h))
				heads[j->num_heads++] = h;
		j->m.stage = (enum qkv_stage)s;
		j->m.head = QKV_MEAN;
		result = run_matrix(j, e);
	}
	qkv_mem_free(heads);
	return result;
}

static int
run_layer(struct job *j, struct qkv_notes *notes, struct qkv_err *e)
{
	if (j->a->stages >> QKV_MASKED)
		note_rows(j, notes);
	qkv_attend_pack(j->a, j->l);
	if (j->a->average ? run_mean(j, e) : run_heads(j, e))
		return -1;
	if (!(j->a->stages >> QKV_OUTPUT & 1))
		return 0;
	qkv_attend_output(j->a, j->l);
	j->heads = NULL;
	j->num_heads = 0;
	j->m.stage = QKV_OUTPUT;
	j->m.head = QKV_NONE;
	return run_matrix(j, e);
}

static int
run_doc(struct qkv_attend *a, struct qkv_consumer *c, struct qkv_notes *notes, struct qkv_err *e)
{
	struct job j = {.a = a, .c = c, .e = e};
	int result;

	a->wants_figures = c->wants & QKV_WANTS_FIGURES;
	j.col_sums = qkv_mem_new(a->doc.n_k + 1, sizeof *j.col_sums, e);
	j.blocks = j.col_sums ? qkv_mem_new(a->num_slots, sizeof *j.blocks, e) : NULL;
	j.rows = j.blocks ? qkv_mem_new(a->num_slots, sizeof *j.rows, e) : NULL;
	result = j.rows ? c->doc_begin(c, &a->doc, e) : -1;
	for (size_t n = 0; !result && n < a->num_layers; n++) {
		j.l = &a->layers[n];
		result = run_layer(&j, notes, e);
	}
	if (!result)
		result = c->doc_end(c, e);
	qkv_mem_free(j.rows);
	qkv_mem_free(j.blocks);
	qkv_mem_free(j.col_sums);
	return result;
}

int
qkv_attend_run(struct qkv_attend *a, struct qkv_consumer *c, struct qkv_notes *notes, struct qkv_err *e)
{
	struct qkv_consumer *narrow;
	int result;

	qkv_note_add(notes, QKV_NOTE_NO_TOKEN, a->num_absent, "%s", a->absent);
	if (!a->left_out)
		return run_doc(a, c, notes, e);
	if (qkv_narrow_new(&narrow, a, c, e))
		return -1;
	result = run_doc(a, narrow, notes, e);
	narrow->free(narrow);
	return result;
}

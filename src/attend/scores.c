/*
 * A block of rows from scores to alpha:
 *
 *     scores = q K^T, scaled = scores * scale, masked = scaled + bias, hidden cells -infinity,
 *     alpha = softmax(masked), its entropy ln Z - E[s - max], Z the sum of e^(s - max)
 *
 * Columns are taken as many at a time as stay in a near cache, up to the greatest score of each row; then the
 * rows are turned into exponentials, and divided by their sums. Columns that a mask hides by its name from all
 * rows of the block are not computed.
 */
#include "attend/prepare.h"

#include "kern/log.h"

#include <math.h>
#include <string.h>

void
qkv_attend_hide(
	unsigned char *hidden, const struct qkv_layer *l, const struct qkv_doc *doc, size_t h, size_t i)
{
	size_t n = doc->n_k, first, last, cell = i * n, head = h * doc->n_q * n;

	qkv_mask_span(&first, &last, &l->mask, i, doc->n_q, n);
	memset(hidden, 1, n);
	if (last > first)
		memset(hidden + first, 0, last - first);
	if (l->key_mask.data)
		for (size_t j = 0; j < n; j++)
			hidden[j] |= l->key_mask.data[j] < 1;
	if (l->mask_matrix.data) {
		const float *m = l->mask_matrix.data + (l->mask_matrix.shape[0] > 1 ? head : 0) + cell;

		for (size_t j = 0; j < n; j++)
			hidden[j] |= m[j] < 1;
	}
	if (l->bias.data) {
		const float *m = l->bias.data + (l->bias.shape[0] > 1 ? head : 0) + cell;

		for (size_t j = 0; j < n; j++)
			hidden[j] |= isinf(m[j]) != 0;
	}
}

void
qkv_attend_span(size_t *from, size_t *to, const struct qkv_attend *a, const struct qkv_layer *l, size_t first,
	size_t num)
{
	*from = a->doc.n_k;
	*to = 0;
	for (size_t i = first; i < first + num; i++) {
		size_t begin, end;

		qkv_mask_span(&begin, &end, &l->mask, i, a->doc.n_q, a->doc.n_k);
		if (begin < end) {
			*from = begin < *from ? begin : *from;
			*to = end > *to ? end : *to;
		}
	}
	*from = *from < *to ? *from : *to;
}

static void
fill(float *row, size_t from, size_t to, float x)
{
	for (size_t j = from; j < to; j++)
		row[j] = x;
}

/* turns columns from to to - 1 of row i from scaled scores into masked ones */
static void
mask(const struct qkv_attend *a, const struct qkv_layer *l, float *row, size_t h, size_t i, size_t from,
	size_t to)
{
	size_t n = a->doc.n_k, begin, end, at = i * n + from, head = h * a->doc.n_q * n;

	if (l->bias.data)
		a->kern->add(row + from, l->bias.data + (l->bias.shape[0] > 1 ? head : 0) + at, to - from);
	if (l->mask_matrix.data)
		a->kern->hide(row + from, l->mask_matrix.data + (l->mask_matrix.shape[0] > 1 ? head : 0) + at,
			to - from);
	if (l->key_mask.data)
		a->kern->hide(row + from, l->key_mask.data + from, to - from);
	qkv_mask_span(&begin, &end, &l->mask, i, a->doc.n_q, n);
	fill(row, from, begin < to ? begin : to, -INFINITY);
	fill(row, end > from ? end : from, to, -INFINITY);
}

struct block {
	const struct qkv_attend *a;
	const struct qkv_prepared *l;
	struct qkv_slot *s;
	enum qkv_stage stage;
	size_t h, first, num;
	size_t from, to;     /* columns that are computed */
	float scale;         /* what is still to be multiplied by it */
	float max[QKV_ROWS]; /* the greatest score times scale */
};

/* columns from to to - 1, and their greatest if alpha comes next */
static void
columns(struct block *b, size_t from, size_t to)
{
	const struct qkv_attend *a = b->a;
	const struct qkv_layer *l = b->l->layer;
	size_t n = a->doc.n_k, ld = a->stride,
	       group = a->doc.num_kv_heads ? a->doc.num_heads / a->doc.num_kv_heads : 1;
	float *peaks = b->s->peaks + from / QKV_CHUNK * QKV_ROWS;

	if (l->source == QKV_FROM_QK || l->source == QKV_FROM_EMBEDDINGS)
		a->kern->product(b->s->strip + from, ld,
			b->l->q.data + b->h * b->l->q.head + b->first * b->l->q.row, b->l->q.row,
			a->packed_k[b->h / group] + from * l->d_k, l->d_k, b->num, l->d_k, to - from);
	for (size_t i = 0; i < b->num; i++) {
		float *row = b->s->strip + i * ld;

		if (l->source == QKV_FROM_SCORES)
			memcpy(row + from, l->scores.data + (b->h * a->doc.n_q + b->first + i) * n + from,
				(to - from) * sizeof *row);
		peaks[i] = -INFINITY;
		if (b->stage >= QKV_SCALED && b->scale == 1)
			a->kern->scale(row + from, b->l->scale, to - from);
		if (b->stage >= QKV_MASKED && qkv_layer_hides(l))
			mask(a, l, row, b->h, b->first + i, from, to);
	}
	if (b->stage < QKV_ALPHA)
		return;
	a->kern->maximum(peaks, b->s->strip + from, ld, b->scale, b->num, to - from);
	for (size_t i = 0; i < b->num; i++)
		b->max[i] = peaks[i] > b->max[i] ? peaks[i] : b->max[i];
}

/* the first key of row i with the greatest alpha, e^0 times the factor: in a chunk whose peak rounds to it */
static size_t
argmax(const struct block *b, size_t i, float factor)
{
	const float *row = b->s->strip + i * b->a->stride;
	size_t from = b->from, to, at = 0;

	for (; from < b->to; from = to) {
		to = b->to - from < QKV_CHUNK ? b->to : from + QKV_CHUNK;
		if (b->s->peaks[from / QKV_CHUNK * QKV_ROWS + i] - b->max[i] < -1e-6f)
			continue;
		at = b->a->kern->find(row + from, factor, to - from);
		if (from + at < to)
			break;
	}
	return from + at;
}

/* entropies from the sums z of e^y and those of y e^y, and argmaxes */
static void
figures(struct block *b, const double *z, const double *means, const float *factor)
{
	for (size_t i = 0; i < b->num; i++) {
		double entropy = z[i] > 0 ? qkv_log(z[i]) - means[i] / z[i] : 0;

		b->s->entropy[i] = entropy > 0 ? entropy : 0;
		b->s->argmax[i] = z[i] > 0 ? argmax(b, i, factor[i]) : QKV_NONE;
	}
}

static void
alpha(struct block *b)
{
	const struct qkv_attend *a = b->a;
	size_t width = b->to - b->from;
	float *x = b->s->strip + b->from, factor[QKV_ROWS];
	double z[QKV_ROWS], means[QKV_ROWS];

	for (size_t i = 0; i < b->num; i++)
		if (b->max[i] == -INFINITY) /* everything is hidden: z becomes 0 */
			b->max[i] = 0;
	a->kern->exponentials(
		z, a->wants_figures ? means : NULL, x, a->stride, b->scale, b->max, b->num, width);
	for (size_t i = 0; i < b->num; i++)
		factor[i] = z[i] > 0 ? (float)(1 / z[i]) : 0;
	memset(b->s->cols, 0, a->doc.n_k * sizeof *b->s->cols);
	a->kern->normalise(b->s->sums, b->s->cols + b->from, x, a->stride, factor, b->num, width);
	if (a->wants_figures)
		figures(b, z, means, factor);
}

const float *
qkv_attend_scores(const struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s,
	enum qkv_stage stage, size_t h, size_t first, size_t num, size_t *stride)
{
	size_t n = a->doc.n_k;
	struct block b = {a, l, s, stage, h, first, num, 0, n, 1, {0}};
	float outside = stage == QKV_ALPHA ? 0 : -INFINITY;

	*stride = l->layer->source == QKV_FROM_ALPHA ? n : a->stride;
	if (l->layer->source == QKV_FROM_ALPHA)
		return l->layer->alpha[h] + first * n;
	if (stage >= QKV_MASKED)
		qkv_attend_span(&b.from, &b.to, a, l->layer, first, num);
	if (stage == QKV_ALPHA && !qkv_layer_hides(l->layer))
		b.scale = l->scale; /* within the exponentials, to the same bits */
	b.from -= b.from % QKV_CHUNK;
	for (size_t i = 0; i < num; i++)
		b.max[i] = -INFINITY;
	for (size_t j = b.from; j < b.to; j += QKV_CHUNK)
		columns(&b, j, b.to - j < QKV_CHUNK ? b.to : j + QKV_CHUNK);
	for (size_t i = 0; i < num; i++) {
		fill(s->strip + i * a->stride, 0, b.from, outside);
		fill(s->strip + i * a->stride, b.to, n, outside);
	}
	if (stage == QKV_ALPHA)
		alpha(&b);
	return s->strip;
}

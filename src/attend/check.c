/*
 * That no score, context or output can overflow float32.
 *
 * |q.k| <= |q| |k| (Cauchy-Schwarz), of every partial sum too; so |masked| <= max|q| max|k| max(1, |scale|) + max|bias|.
 * Rows of computed alpha sum to 1, so |context| <= max|v|, and |output| <= |contexts side by side| |column of W_O| +
 * max|b_O|. Where a bound is exceeded, the stage is computed once and looked at.
 */
#include "attend/prepare.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* leaves room for the roundings of a chain */
static const double limit = FLT_MAX * 0.99;

static double
largest(const float *x, size_t count)
{
	double most = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(x[i]) && fabs((double)x[i]) > most)
			most = fabs((double)x[i]);
	return most;
}

/* the largest of all heads of ready alpha */
static double
largest_of_heads(const struct qkv_attend *a, const struct qkv_layer *l)
{
	double most = 0;

	for (size_t h = 0; h < l->num_heads; h++)
		most = fmax(most, largest(l->alpha[h], a->doc.n_q * a->doc.n_k));
	return most;
}

/* the norm of count elements, step apart */
static double
norm(const float *x, size_t count, size_t step)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)x[i * step] * x[i * step];
	return sqrt(sum);
}

/* the largest norm of a row of all heads */
static double
longest(const struct qkv_rows *r, size_t heads, size_t rows, size_t width)
{
	double most = 0;

	for (size_t h = 0; h < heads; h++)
		for (size_t i = 0; i < rows; i++) {
			double length = norm(r->data + h * r->head + i * r->row, width, 1);

			most = length > most ? length : most;
		}
	return most;
}

/* a bound of what scores become on their way to alpha */
static double
bound_scores(const struct qkv_attend *a, const struct qkv_prepared *l)
{
	const struct qkv_layer *from = l->layer;
	const struct qkv_doc *doc = &a->doc;
	double scale = fabs((double)l->scale), most;

	if (from->source == QKV_FROM_ALPHA)
		return 0;
	most = from->source == QKV_FROM_SCORES ? largest(from->scores.data, from->scores.count)
					       : longest(&l->q, doc->num_heads, doc->n_q, from->d_k) *
			longest(&l->k, doc->num_kv_heads, doc->n_k, from->d_k);
	return most * (scale > 1 ? scale : 1) +
		(from->bias.data ? largest(from->bias.data, from->bias.count) : 0);
}

/* a bound of contexts */
static double
bound_contexts(const struct qkv_attend *a, const struct qkv_prepared *l)
{
	const struct qkv_layer *from = l->layer;
	double most = 0, sum = 1;

	/* rows of ready alpha may be anything */
	if (from->source == QKV_FROM_ALPHA)
		sum = largest_of_heads(a, from) * (double)a->doc.n_k;
	for (size_t h = 0; h < a->doc.num_kv_heads; h++)
		for (size_t i = 0; i < a->doc.n_k; i++)
			most = fmax(most, largest(l->v.data + h * l->v.head + i * l->v.row, from->d_v));
	return sum * most;
}

/* a bound of the output of contexts within a bound */
static double
bound_output(const struct qkv_attend *a, const struct qkv_prepared *l, double contexts)
{
	const struct qkv_layer *from = l->layer;
	size_t width = a->doc.num_heads * from->d_v;
	double column = 0;

	for (size_t c = 0; c < from->d_out; c++)
		column = fmax(column, norm(from->w_o.data + c * from->w_o.cs, width, from->w_o.rs));
	return contexts * sqrt((double)width) * column +
		(from->w_o.bias ? largest(from->w_o.bias, from->d_out) : 0);
}

/* fails where the sum of a row or a column of ready alpha, or of all of it, is too large to be shown */
static int
look_at_sums(const struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_err *e)
{
	size_t n_q = a->doc.n_q, n_k = a->doc.n_k;

	for (size_t h = 0; h < l->layer->num_heads; h++) {
		const float *alpha = l->layer->alpha[h];
		double total = 0;

		for (size_t i = 0; i < n_q; i++) {
			double sum = a->kern->sum(alpha + i * n_k, n_k);

			total += sum;
			if (fabs(sum) > FLT_MAX)
				return qkv_layer_fail(a->problem, l->layer, e,
					"the sum of row %zu of alpha of head %zu is not finite, expected "
					"what float32 can hold",
					i, h);
		}
		for (size_t j = 0; j < n_k; j++) {
			double sum = 0;

			for (size_t i = 0; i < n_q; i++)
				sum += alpha[i * n_k + j];
			if (fabs(sum) > FLT_MAX || fabs(total) > FLT_MAX)
				return qkv_layer_fail(a->problem, l->layer, e,
					"the sum of column %zu of alpha of head %zu is not finite, expected "
					"what float32 can hold",
					j, h);
		}
	}
	return 0;
}

/* computes a stage of a head and fails at the first value that is not finite */
static int
look(struct qkv_attend *a, const struct qkv_prepared *l, enum qkv_stage stage, size_t h, size_t cols,
	struct qkv_err *e)
{
	struct qkv_slot *s = a->slots;
	const char *column = stage < QKV_CONTEXT ? "key" : "column";
	char head[40];

	for (size_t first = 0; first < a->doc.n_q; first += QKV_ROWS) {
		size_t num = a->doc.n_q - first < QKV_ROWS ? a->doc.n_q - first : QKV_ROWS, stride;
		const float *rows = qkv_attend_rows(a, l, s, stage, h, first, num, &stride);

		for (size_t i = 0; i < num; i++)
			for (size_t j = 0; j < cols; j++) {
				float x = rows[i * stride + j];

				if (isfinite(x) ||
					(stage == QKV_MASKED && x < 0 &&
						!qkv_layer_allows(l->layer, &a->doc, h, first + i, j)))
					continue;
				snprintf(head, sizeof head, " of head %zu", h);
				return qkv_layer_fail(a->problem, l->layer, e,
					"%s for query %zu, %s %zu%s is not finite, expected what float32 can "
					"hold",
					stage <= QKV_MASKED ? "score" : qkv_stage_names[stage], first + i,
					column, j, stage == QKV_OUTPUT ? "" : head);
			}
	}
	return 0;
}

static int
check_scores(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_err *e)
{
	for (size_t h = 0; h < a->doc.num_heads; h++)
		for (enum qkv_stage stage = QKV_SCORES; stage <= QKV_MASKED; stage++)
			if (look(a, l, stage, h, a->doc.n_k, e))
				return -1;
	return 0;
}

static int
check_contexts(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_err *e)
{
	for (size_t h = 0; h < a->doc.num_heads; h++)
		if (look(a, l, QKV_CONTEXT, h, l->layer->d_v, e))
			return -1;
	return 0;
}

int
qkv_attend_check(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_err *e)
{
	const struct qkv_layer *from = l->layer;
	unsigned projections = 1u << QKV_Q | 1u << QKV_K | 1u << QKV_V;
	int output = a->stages >> QKV_OUTPUT & 1, contexts = output || a->stages >> QKV_CONTEXT & 1;
	double bound = contexts ? bound_contexts(a, l) : 0;
	int sums = from->source == QKV_FROM_ALPHA && a->stages >> QKV_ALPHA & 1;

	if (sums && largest_of_heads(a, from) * (double)a->doc.n_q * (double)a->doc.n_k > limit &&
		look_at_sums(a, l, e))
		return -1;
	if (a->stages & ~projections && bound_scores(a, l) > limit) {
		qkv_attend_pack(a, l);
		if (check_scores(a, l, e))
			return -1;
	}
	if (bound > limit) {
		qkv_attend_pack(a, l);
		if (check_contexts(a, l, e))
			return -1;
	}
	if (!output || !from->d_out || bound_output(a, l, bound) <= limit)
		return 0;
	qkv_attend_pack(a, l);
	return look(a, l, QKV_OUTPUT, 0, from->d_out, e);
}

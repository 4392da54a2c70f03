/*
 * That no score, context or output can overflow float32.
 *
 * |q.k|, and each partial sum, is at most d_k max|q| max|k|; so |masked| <= that times max(1, |scale|), plus max|bias|.
 * Rows of computed alpha sum to 1, so |context| <= max|v|, and |output| <= H d_v max|context| max|W_O| +
 * max|b_O|. Where a bound is exceeded, the stage is computed once and looked at.
 */
#include "attend/prepare.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* leaves room for the roundings of a chain */
static const double limit = FLT_MAX * 0.99;

/* the greatest magnitude of a bias, but for what it hides */
static double
largest_bias(const struct qkv_part *bias)
{
	double most = 0;

	for (size_t i = 0; i < bias->count; i++)
		if (isfinite(bias->data[i]) && fabs((double)bias->data[i]) > most)
			most = fabs((double)bias->data[i]);
	return most;
}

/* the greatest of all heads of ready alpha */
static double
largest_alpha(const struct qkv_attend *a, const struct qkv_layer *l)
{
	double most = 0;

	for (size_t h = 0; h < l->num_heads; h++)
		most = fmax(
			most, (double)a->kern->magnitude(l->alpha[h], a->doc.n_k, a->doc.n_q, a->doc.n_k));
	return most;
}

/* a bound of what scores become on their way to alpha */
static double
bound_scores(const struct qkv_attend *a, const struct qkv_prepared *l)
{
	const struct qkv_layer *from = l->layer;
	double scale = fabs((double)l->scale), most;

	if (from->source == QKV_FROM_ALPHA)
		return 0;
	most = from->source == QKV_FROM_SCORES
		? (double)a->kern->magnitude(from->scores.data, 0, 1, from->scores.count)
		: (double)from->d_k * l->q.magnitude * l->k.magnitude;
	return most * (scale > 1 ? scale : 1) + largest_bias(&from->bias);
}

/* a bound of contexts */
static double
bound_contexts(const struct qkv_attend *a, const struct qkv_prepared *l)
{
	/* rows of ready alpha may be anything */
	double sum = l->layer->source == QKV_FROM_ALPHA ? largest_alpha(a, l->layer) * (double)a->doc.n_k : 1;

	return sum * l->v.magnitude;
}

/* a bound of the output of contexts within a bound */
static double
bound_output(const struct qkv_attend *a, const struct qkv_prepared *l, double contexts)
{
	const struct qkv_layer *from = l->layer;
	const struct qkv_weight *w = &from->w_o;
	size_t width = a->doc.num_heads * from->d_v;
	float most = w->cs == 1 ? a->kern->magnitude(w->data, w->rs, width, from->d_out)
				: a->kern->magnitude(w->data, w->cs, from->d_out, width);

	return contexts * (double)width * (double)most +
		(w->bias ? (double)a->kern->magnitude(w->bias, 0, 1, from->d_out) : 0);
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

	if (sums && largest_alpha(a, from) * (double)a->doc.n_q * (double)a->doc.n_k > limit &&
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
	qkv_attend_output(a, l);
	return look(a, l, QKV_OUTPUT, 0, from->d_out, e);
}

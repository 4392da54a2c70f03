/*
 * That no score, context or output can overflow float32.
 *
 * |q.k| <= |q| |k| (Cauchy-Schwarz), of every partial sum too; so |masked| <= max|q| max|k| max(1, |scale|) + max|bias|.
 * Rows of computed alpha sum to 1, so |context| <= max|v|, and |output| <= |contexts side by side| |column of W_O| +
 * max|b_O|. Where a bound is exceeded, everything is computed once and looked at.
 */
#include "attend/prepare.h"

#include <float.h>
#include <math.h>

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

/* a bound of contexts and output */
static double
bound_output(const struct qkv_attend *a, const struct qkv_prepared *l)
{
	const struct qkv_layer *from = l->layer;
	size_t heads = a->doc.num_heads, cells = a->doc.n_q * a->doc.n_k, width = heads * from->d_v;
	double sum = 1, most = 0, column = 0;

	/* rows of ready alpha may be anything */
	for (size_t h = 0; from->source == QKV_FROM_ALPHA && h < heads; h++)
		sum = fmax(sum, largest(from->alpha[h], cells) * (double)a->doc.n_k);
	for (size_t h = 0; h < a->doc.num_kv_heads; h++)
		for (size_t i = 0; i < a->doc.n_k; i++)
			most = fmax(most, largest(l->v.data + h * l->v.head + i * l->v.row, from->d_v));
	for (size_t c = 0; c < from->d_out; c++)
		column = fmax(column, norm(from->w_o.data + c * from->w_o.cs, width, from->w_o.rs));
	return sum * most * fmax(1, sqrt((double)width) * column) +
		(from->w_o.bias ? largest(from->w_o.bias, from->d_out) : 0);
}

/* computes a stage of a head and fails at the first value that is not finite */
static int
look(struct qkv_attend *a, const struct qkv_prepared *l, enum qkv_stage stage, size_t h, size_t cols,
	struct qkv_err *e)
{
	struct qkv_slot *s = a->slots;
	const char *column = stage < QKV_CONTEXT ? "key" : "column";

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
				return qkv_layer_fail(a->problem, l->layer, e,
					"%s for query %zu, %s %zu of head %zu is not finite, expected what "
					"float32 can hold",
					stage <= QKV_MASKED ? "score" : qkv_stage_names[stage], first + i,
					column, j, h);
			}
	}
	return 0;
}

int
qkv_attend_check(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_err *e)
{
	const struct qkv_layer *from = l->layer;
	unsigned of_scores = ~(1u << QKV_Q | 1u << QKV_K | 1u << QKV_V),
		 of_output = 1u << QKV_CONTEXT | 1u << QKV_OUTPUT;
	int scores = a->stages & of_scores && bound_scores(a, l) > limit;
	int outputs = a->stages & of_output && bound_output(a, l) > limit;

	if (!scores && !outputs)
		return 0;
	qkv_attend_pack(a, l);
	for (size_t h = 0; h < a->doc.num_heads; h++) {
		if (scores &&
			(look(a, l, QKV_SCORES, h, a->doc.n_k, e) ||
				look(a, l, QKV_SCALED, h, a->doc.n_k, e) ||
				look(a, l, QKV_MASKED, h, a->doc.n_k, e)))
			return -1;
		if (outputs && look(a, l, QKV_CONTEXT, h, from->d_v, e))
			return -1;
	}
	return outputs
		? look(a, l, QKV_OUTPUT, 0, from->d_out ? from->d_out : a->doc.num_heads * from->d_v, e)
		: 0;
}

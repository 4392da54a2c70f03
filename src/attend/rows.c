/*
 * Rows of any stage; contexts = alpha V, and output = contexts side by side W_O + b_O.
 *
 * The contexts of a head are computed with its alpha, and kept for the stages that come later.
 */
#include "attend/prepare.h"

#include <string.h>

struct work {
	struct qkv_attend *a;
	const struct qkv_prepared *l;
	size_t h;
};

static size_t
group(const struct qkv_attend *a)
{
	return a->doc.num_heads / a->doc.num_kv_heads;
}

/* contexts of rows of alpha; a sum begins where a block of the inner index does */
static void
context(struct qkv_attend *a, const struct qkv_prepared *l, const float *alpha, size_t stride, size_t h,
	size_t first, size_t num)
{
	size_t n = a->doc.n_k, d_v = l->layer->d_v, width = a->doc.num_heads * d_v, from = 0, to = n;
	float *out = a->contexts + first * width + h * d_v;

	if (l->layer->source != QKV_FROM_ALPHA)
		qkv_attend_span(&from, &to, a, l->layer, first, num);
	from -= from % QKV_INNER;
	if (from < to)
		a->kern->product(out, width, alpha + from, stride,
			a->packed_v[h / group(a)] + from * a->kern->panel, n, num, to - from, d_v);
	for (size_t i = 0; i < num && from == to; i++)
		memset(out + i * width, 0, d_v * sizeof *out);
}

static const float *
alpha_and_context(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s, size_t h,
	size_t first, size_t num, size_t *stride)
{
	const float *alpha = qkv_attend_scores(a, l, s, QKV_ALPHA, h, first, num, stride);

	if (a->contexts && l->layer->d_v && !a->has_context[h])
		context(a, l, alpha, *stride, h, first, num);
	return alpha;
}

const float *
qkv_attend_rows(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s, enum qkv_stage stage,
	size_t h, size_t first, size_t num, size_t *stride)
{
	const struct qkv_rows *r = stage == QKV_Q ? &l->q : stage == QKV_K ? &l->k : &l->v;
	size_t d_v = l->layer->d_v, width = a->doc.num_heads * d_v;

	switch (stage) {
	case QKV_Q:
	case QKV_K:
	case QKV_V:
		*stride = r->row;
		return r->data + h * r->head + first * r->row;
	case QKV_ALPHA:
		return alpha_and_context(a, l, s, h, first, num, stride);
	case QKV_CONTEXT:
		if (!a->has_context[h])
			alpha_and_context(a, l, s, h, first, num, stride);
		*stride = width;
		return a->contexts + first * width + h * d_v;
	case QKV_OUTPUT:
		*stride = l->layer->d_out ? l->layer->d_out : width;
		return (l->layer->d_out ? a->output : a->contexts) + first * *stride;
	default:
		return qkv_attend_scores(a, l, s, stage, h, first, num, stride);
	}
}

static void
context_block(void *arg, size_t index, size_t worker)
{
	const struct work *w = arg;
	size_t first = index * QKV_ROWS, left = w->a->doc.n_q - first, stride;

	alpha_and_context(
		w->a, w->l, &w->a->slots[worker], w->h, first, left < QKV_ROWS ? left : QKV_ROWS, &stride);
}

void
qkv_attend_output(struct qkv_attend *a, const struct qkv_prepared *l)
{
	const struct qkv_layer *from = l->layer;
	struct work w = {a, l, 0};

	for (; w.h < a->doc.num_heads; w.h++) {
		if (!a->has_context[w.h])
			qkv_pool_run(a->pool, (a->doc.n_q + QKV_ROWS - 1) / QKV_ROWS, context_block, &w);
		a->has_context[w.h] = 1;
	}
	if (from->d_out)
		qkv_attend_multiply(a, a->output, a->contexts, a->doc.n_q, a->doc.num_heads * from->d_v,
			&from->w_o, 1, from->d_out);
}

/* packs K and V of key/value head number index */
static void
pack_head(void *arg, size_t index, size_t worker)
{
	const struct work *w = arg;
	const struct qkv_attend *a = w->a;
	const struct qkv_rows *k = &w->l->k, *v = &w->l->v;

	(void)worker;
	if (a->packed_k && k->data)
		a->kern->pack(a->packed_k[index], k->data + index * k->head, w->l->layer->d_k, a->doc.n_k, 1,
			k->row);
	if (a->packed_v && v->data)
		a->kern->pack(a->packed_v[index], v->data + index * v->head, a->doc.n_k, w->l->layer->d_v,
			v->row, 1);
}

void
qkv_attend_pack(struct qkv_attend *a, const struct qkv_prepared *l)
{
	struct work w = {a, l, 0};

	if (a->contexts)
		memset(a->has_context, 0, a->doc.num_heads);
	qkv_pool_run(a->pool, a->doc.num_kv_heads, pack_head, &w);
}

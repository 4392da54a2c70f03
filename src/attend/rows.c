/*
 * A block of rows of any stage:
 *
 *     scores = q K^T, scaled = scores * scale, masked = scaled + bias, hidden cells -infinity,
 *     alpha = softmax(masked), context = alpha V, output = contexts side by side W_O + b_O
 */
#include "attend/prepare.h"

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

/* turns a row of scaled scores into masked ones */
static void
mask(const struct qkv_attend *a, const struct qkv_layer *l, struct qkv_slot *s, float *row, size_t h,
	size_t i)
{
	size_t n = a->doc.n_k;

	if (l->bias.data)
		a->kern->add(row, l->bias.data + ((l->bias.shape[0] > 1 ? h * a->doc.n_q : 0) + i) * n, n);
	qkv_attend_hide(s->hidden, l, &a->doc, h, i);
	for (size_t j = 0; j < n; j++)
		row[j] = s->hidden[j] ? -INFINITY : row[j];
}

/* scores to alpha, as far as the stage goes */
static const float *
scores(const struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s, enum qkv_stage stage,
	size_t h, size_t first, size_t num)
{
	const struct qkv_layer *from = l->layer;
	size_t n = a->doc.n_k, group = a->doc.num_kv_heads ? a->doc.num_heads / a->doc.num_kv_heads : 1;
	int hides = qkv_layer_hides(from);

	if (from->source == QKV_FROM_ALPHA)
		return from->alpha[h] + first * n;
	if (from->source == QKV_FROM_SCORES)
		memcpy(s->strip, from->scores.data + (h * a->doc.n_q + first) * n,
			num * n * sizeof *s->strip);
	else
		a->kern->product(s->strip, n, l->q.data + h * l->q.head + first * l->q.row, l->q.row,
			a->packed_k[h / group], from->d_k, num, from->d_k, n);
	for (size_t i = 0; i < num && stage >= QKV_SCALED; i++) {
		float *row = s->strip + i * n;

		a->kern->scale(row, l->scale, n);
		if (stage >= QKV_MASKED && hides)
			mask(a, from, s, row, h, first + i);
		if (stage >= QKV_ALPHA)
			a->kern->softmax(row, n);
	}
	return s->strip;
}

static const float *
context(const struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s, size_t h, size_t first,
	size_t num)
{
	size_t d_v = l->layer->d_v, group = a->doc.num_heads / a->doc.num_kv_heads;
	float *out = s->side + h * d_v;
	const float *alpha = scores(a, l, s, QKV_ALPHA, h, first, num);

	a->kern->product(
		out, a->doc.num_heads * d_v, alpha, a->doc.n_k, a->packed_v[h / group], a->doc.n_k, num, a->doc.n_k, d_v);
	return out;
}

static const float *
output(const struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s, size_t first, size_t num,
	size_t *stride)
{
	const struct qkv_layer *from = l->layer;
	size_t width = a->doc.num_heads * from->d_v;

	for (size_t h = 0; h < a->doc.num_heads; h++)
		context(a, l, s, h, first, num);
	*stride = from->d_out ? from->d_out : width;
	if (!from->d_out)
		return s->side;
	a->kern->product(s->out, from->d_out, s->side, width, a->packed_o, width, num, width, from->d_out);
	for (size_t i = 0; i < num && from->w_o.bias; i++)
		a->kern->add(s->out + i * from->d_out, from->w_o.bias, from->d_out);
	return s->out;
}

const float *
qkv_attend_rows(const struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s,
	enum qkv_stage stage, size_t h, size_t first, size_t num, size_t *stride)
{
	const struct qkv_rows *r = stage == QKV_Q ? &l->q : stage == QKV_K ? &l->k : &l->v;

	switch (stage) {
	case QKV_Q:
	case QKV_K:
	case QKV_V:
		*stride = r->row;
		return r->data + h * r->head + first * r->row;
	case QKV_CONTEXT:
		*stride = a->doc.num_heads * l->layer->d_v;
		return context(a, l, s, h, first, num);
	case QKV_OUTPUT:
		return output(a, l, s, first, num, stride);
	default:
		*stride = a->doc.n_k;
		return scores(a, l, s, stage, h, first, num);
	}
}

struct packing {
	struct qkv_attend *a;
	const struct qkv_prepared *l;
};

/* packs K and V of key/value head number index */
static void
pack_head(void *arg, size_t index, size_t worker)
{
	const struct packing *p = arg;
	const struct qkv_attend *a = p->a;
	const struct qkv_rows *k = &p->l->k, *v = &p->l->v;

	(void)worker;
	if (a->packed_k && k->data)
		a->kern->pack(a->packed_k[index], k->data + index * k->head, p->l->layer->d_k, a->doc.n_k, 1,
			k->row);
	if (a->packed_v && v->data)
		a->kern->pack(a->packed_v[index], v->data + index * v->head, a->doc.n_k, p->l->layer->d_v,
			v->row, 1);
}

void
qkv_attend_pack(struct qkv_attend *a, const struct qkv_prepared *l)
{
	const struct qkv_layer *from = l->layer;
	struct packing p = {a, l};

	qkv_pool_run(a->pool, a->doc.num_kv_heads, pack_head, &p);
	if (a->packed_o && from->d_out)
		a->kern->pack(a->packed_o, from->w_o.data, a->doc.num_heads * from->d_v, from->d_out,
			from->w_o.rs, from->w_o.cs);
}

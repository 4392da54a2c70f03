/*
 * Projections: Q = X W_Q + b_Q for all heads at once, and the same for K and V.
 *
 * The heads stand side by side, (rows, heads * width): heads whose weights are neighbours in the document, as
 * in every fused or separate weight, are one product.
 */
#include "attend/prepare.h"

#include "base/mem.h"

#include <math.h>

enum { CHUNK = 64 }; /* rows of a task: enough to earn the reading of the weights back */

struct projection {
	const struct qkv_kern *kern;
	const struct qkv_part *x;
	const struct qkv_weight *weight;  /* (heads,) */
	size_t heads, width, first, last; /* heads first to last - 1 are neighbours */
	float *packed, *out;              /* out (x rows, heads * width) */
};

static void
chunk(void *arg, size_t index, size_t worker)
{
	const struct projection *p = arg;
	size_t row = index * CHUNK, rows = p->x->shape[0], d = p->x->shape[1], ld = p->heads * p->width;
	size_t num = rows - row < CHUNK ? rows - row : CHUNK;
	float *out = p->out + row * ld + p->first * p->width;

	(void)worker;
	p->kern->product(
		out, ld, p->x->data + row * d, d, p->packed, d, num, d, (p->last - p->first) * p->width);
	for (size_t i = 0; i < num; i++)
		for (size_t h = p->first; h < p->last; h++)
			if (p->weight[h].bias)
				p->kern->add(
					p->out + (row + i) * ld + h * p->width, p->weight[h].bias, p->width);
}

/* the heads from first on that are neighbours; the one after the last */
static size_t
neighbours(const struct projection *p, size_t first)
{
	const struct qkv_weight *w = p->weight;
	size_t h = first + 1;

	while (h < p->heads && w[h].rs == w[first].rs && w[h].cs == w[first].cs &&
		w[h].data == w[h - 1].data + p->width * w[first].cs)
		h++;
	return h;
}

/* the first element that is not finite, or count */
static size_t
find_infinite(const float *x, size_t count)
{
	size_t i = 0;

	while (i < count && isfinite(x[i]))
		i++;
	return i;
}

static int
project(struct qkv_rows *r, struct qkv_attend *a, const struct qkv_part *x, const struct qkv_weight *weight,
	size_t heads, size_t width, const char *name, struct qkv_err *e)
{
	struct projection p = {a->kern, x, weight, heads, width, 0, 0, NULL, NULL};
	size_t rows = x->shape[0], ld = heads * width, bad;

	p.out = qkv_mem_floats(rows * ld, sizeof *p.out, e);
	if (!p.out || !qkv_arena_adopt(&a->arena, p.out, e))
		return -1;
	p.packed = qkv_mem_floats(qkv_kern_packed(a->kern, x->shape[1], ld), sizeof *p.packed, e);
	if (!p.packed)
		return -1;
	for (p.first = 0; p.first < heads; p.first = p.last) {
		const struct qkv_weight *w = &weight[p.first];

		p.last = neighbours(&p, p.first);
		a->kern->pack(p.packed, w->data, x->shape[1], (p.last - p.first) * width, w->rs, w->cs);
		qkv_pool_run(a->pool, (rows + CHUNK - 1) / CHUNK, chunk, &p);
	}
	qkv_mem_free(p.packed);
	*r = (struct qkv_rows){p.out, width, ld};
	bad = find_infinite(p.out, rows * ld);
	if (bad < rows * ld)
		return qkv_part_fail(a->problem, x, e,
			"%s of row %zu, head %zu is not finite, expected what float32 can hold", name,
			bad / ld, bad % ld / width);
	return 0;
}

static struct qkv_rows
ready(const struct qkv_part *p)
{
	return (struct qkv_rows){p->data, p->shape[1] * p->shape[2], p->shape[2]};
}

int
qkv_attend_project(struct qkv_attend *a, struct qkv_prepared *l, struct qkv_err *e)
{
	const struct qkv_layer *from = l->layer;
	const struct qkv_part *keys = from->context.data ? &from->context : &from->x;
	size_t kv = a->doc.num_kv_heads;
	unsigned needs_v = 1u << QKV_V | 1u << QKV_CONTEXT | 1u << QKV_OUTPUT;

	if (from->source != QKV_FROM_EMBEDDINGS) {
		l->q = ready(&from->q);
		l->k = ready(&from->k);
		l->v = ready(&from->v);
		return 0;
	}
	if (a->stages & ~(1u << QKV_V) &&
		(project(&l->q, a, &from->x, from->w_q, a->doc.num_heads, from->d_k, "q", e) ||
			project(&l->k, a, keys, from->w_k, kv, from->d_k, "k", e)))
		return -1;
	return a->stages & needs_v && from->w_v ? project(&l->v, a, keys, from->w_v, kv, from->d_v, "v", e)
						: 0;
}

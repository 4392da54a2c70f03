/*
 * Projections: Q = X W_Q + b_Q for all heads at once, and the same for K, V and the output.
 *
 * The heads stand side by side, (rows, heads * width): heads whose weights are neighbours in the document, as
 * in every fused or separate weight, are one product. A task is a panel of its columns, packed just before
 * all rows use it.
 */
#include "attend/prepare.h"

#include "base/mem.h"

#include <math.h>

struct projection {
	struct qkv_attend *a;
	const float *x;
	size_t rows, d;
	const struct qkv_weight *weight;  /* (heads,) */
	size_t heads, width, first, last; /* heads first to last - 1 are neighbours */
	float *out;                       /* (rows, heads * width) */
};

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* adds to a row of columns j to end - 1, counted from head first, their biases */
static void
add_bias(const struct projection *p, float *row, size_t j, size_t end)
{
	for (size_t next; j < end; row += next - j, j = next) {
		const float *bias = p->weight[p->first + j / p->width].bias;

		next = least((j / p->width + 1) * p->width, end);
		if (bias)
			p->a->kern->add(row, bias + j % p->width, next - j);
	}
}

static void
panel(void *arg, size_t index, size_t worker)
{
	const struct projection *p = arg;
	const struct qkv_kern *kern = p->a->kern;
	const struct qkv_weight *w = &p->weight[p->first];
	struct qkv_panel *mine = &p->a->panels[worker];
	size_t j = index * kern->panel, end = least(j + kern->panel, (p->last - p->first) * p->width);
	size_t ld = p->heads * p->width;
	float *out = p->out + p->first * p->width + j;
	double magnitude;

	kern->pack(mine->packed, w->data + j * w->cs, p->d, end - j, w->rs, w->cs);
	kern->product(out, ld, p->x, p->d, mine->packed, p->d, p->rows, p->d, end - j);
	for (size_t i = 0; i < p->rows; i++)
		add_bias(p, out + i * ld, j, end);
	magnitude = (double)kern->magnitude(out, ld, p->rows, end - j);
	if (!(magnitude <= mine->magnitude))
		mine->magnitude = magnitude;
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

double
qkv_attend_multiply(struct qkv_attend *a, float *out, const float *x, size_t rows, size_t d,
	const struct qkv_weight *weight, size_t heads, size_t width)
{
	struct projection p = {a, x, rows, d, weight, heads, width, 0, 0, out};
	double magnitude = 0;

	for (size_t i = 0; i < qkv_pool_size(a->pool); i++)
		a->panels[i].magnitude = 0;
	for (; p.first < heads; p.first = p.last) {
		p.last = neighbours(&p, p.first);
		qkv_pool_run(a->pool, ((p.last - p.first) * width + a->kern->panel - 1) / a->kern->panel,
			panel, &p);
	}
	for (size_t i = 0; i < qkv_pool_size(a->pool); i++)
		if (!(a->panels[i].magnitude <= magnitude))
			magnitude = a->panels[i].magnitude;
	return magnitude;
}

/* the first element that is not finite */
static size_t
find_infinite(const float *x)
{
	size_t i = 0;

	while (isfinite(x[i]))
		i++;
	return i;
}

static int
project(struct qkv_rows *r, struct qkv_attend *a, const struct qkv_part *x, const struct qkv_weight *weight,
	size_t heads, size_t width, const char *name, struct qkv_err *e)
{
	size_t rows = x->shape[0], ld = heads * width, bad;
	float *out = qkv_mem_floats(rows * ld, sizeof *out, e);

	if (!out || !qkv_arena_adopt(&a->arena, out, e))
		return -1;
	*r = (struct qkv_rows){out, width, ld,
		qkv_attend_multiply(a, out, x->data, rows, x->shape[1], weight, heads, width)};
	if (isfinite(r->magnitude))
		return 0;
	bad = find_infinite(out);
	return qkv_part_fail(a->problem, x, e,
		"%s of row %zu, head %zu is not finite, expected what float32 can hold", name, bad / ld,
		bad % ld / width);
}

static struct qkv_rows
ready(const struct qkv_attend *a, const struct qkv_part *p)
{
	return (struct qkv_rows){p->data, p->shape[1] * p->shape[2], p->shape[2],
		p->data ? (double)a->kern->magnitude(p->data, 0, 1, p->count) : 0};
}

int
qkv_attend_project(struct qkv_attend *a, struct qkv_prepared *l, struct qkv_err *e)
{
	const struct qkv_layer *from = l->layer;
	const struct qkv_part *keys = from->context.data ? &from->context : &from->x;
	size_t kv = a->doc.num_kv_heads;
	unsigned needs_v = 1u << QKV_V | 1u << QKV_CONTEXT | 1u << QKV_OUTPUT;

	if (from->source != QKV_FROM_EMBEDDINGS) {
		l->q = ready(a, &from->q);
		l->k = ready(a, &from->k);
		l->v = ready(a, &from->v);
		return 0;
	}
	if (a->stages & ~(1u << QKV_V) &&
		(project(&l->q, a, &from->x, from->w_q, a->doc.num_heads, from->d_k, "q", e) ||
			project(&l->k, a, keys, from->w_k, kv, from->d_k, "k", e)))
		return -1;
	return a->stages & needs_v && from->w_v ? project(&l->v, a, keys, from->w_v, kv, from->d_v, "v", e)
						: 0;
}

/* Opening an attend: everything that can go wrong with a problem goes wrong here. */
#include "attend/prepare.h"

#include "base/mem.h"

#include <stdint.h>

/* multiply-adds below which threads cost more than they save */
static const double small = 4e6;

static size_t
largest(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* refuses stages that the source of a layer does not have */
static int
check_stages(const struct qkv_attend *a, const struct qkv_layer *l, struct qkv_err *e)
{
	for (unsigned s = 0; s < QKV_STAGES; s++) {
		int has = s <= QKV_K                  ? l->source <= QKV_FROM_QK
			: s == QKV_V || s > QKV_ALPHA ? l->d_v > 0
						      : s == QKV_ALPHA || l->source < QKV_FROM_ALPHA;

		if (a->stages >> s & 1 && !has)
			return qkv_layer_fail(a->problem, l, e, "stage %s cannot be computed, expected %s",
				qkv_stage_names[s],
				s <= QKV_K                            ? "embeddings with weights, or Q with K"
					: s == QKV_V || s > QKV_ALPHA ? "W_V or V"
								      : "scores, not ready alpha");
	}
	return 0;
}

/* the multiply-adds of all that is shown, roughly */
static double
work(const struct qkv_attend *a)
{
	double sum = 0;

	for (size_t n = 0; n < a->num_layers; n++) {
		const struct qkv_layer *l = a->layers[n].layer;
		double rows = (double)a->doc.n_q, cols = (double)a->doc.n_k, heads = (double)l->num_heads;

		sum += heads * rows * cols * (double)(l->d_k + l->d_v + 16);
		if (l->source == QKV_FROM_EMBEDDINGS)
			sum += (rows + 2 * cols) * heads * (double)l->d_k * (double)l->x.shape[1];
	}
	return sum;
}

static float *
floats(struct qkv_attend *a, size_t rows, size_t count, struct qkv_err *e)
{
	float *p = qkv_mem_floats(count > SIZE_MAX / 8 / rows ? SIZE_MAX : rows * count, sizeof *p, e);

	return p ? qkv_arena_adopt(&a->arena, p, e) : NULL;
}

static int
new_slot(struct qkv_attend *a, struct qkv_slot *s, struct qkv_err *e)
{
	s->strip = floats(a, QKV_ROWS, a->doc.n_k, e);
	s->side = floats(a, QKV_ROWS, largest(a->doc.num_heads * a->d_v, 1), e);
	s->out = floats(a, QKV_ROWS, a->widest, e);
	s->mean = a->average ? qkv_arena_new(&a->arena, QKV_ROWS * a->widest, sizeof *s->mean, e) : NULL;
	s->hidden = qkv_arena_new(&a->arena, QKV_ROWS, a->doc.n_k, e);
	s->cols = qkv_arena_new(&a->arena, a->doc.n_k, sizeof *s->cols, e);
	return s->strip && s->side && s->out && (s->mean || !a->average) && s->hidden && s->cols ? 0 : -1;
}

/* packed heads, each with room for (k, n) of any layer */
static int
new_packs(float ***packs, struct qkv_attend *a, size_t k, size_t n, struct qkv_err *e)
{
	*packs = qkv_arena_new(&a->arena, a->doc.num_kv_heads, sizeof **packs, e);
	for (size_t h = 0; *packs && h < a->doc.num_kv_heads; h++) {
		(*packs)[h] = floats(a, 1, qkv_kern_packed(a->kern, k, n), e);
		if (!(*packs)[h])
			return -1;
	}
	return *packs ? 0 : -1;
}

/* room for computing a layer, as much as any of them needs */
static int
new_rooms(struct qkv_attend *a, struct qkv_err *e)
{
	unsigned products = ~(1u << QKV_Q | 1u << QKV_K | 1u << QKV_V),
		 contexts = 1u << QKV_CONTEXT | 1u << QKV_OUTPUT;
	size_t d_k = 0, packed_o = 0;

	for (size_t n = 0; n < a->num_layers; n++) {
		const struct qkv_layer *l = a->layers[n].layer;

		d_k = l->source <= QKV_FROM_QK ? largest(d_k, l->d_k) : d_k;
		a->d_v = largest(a->d_v, l->d_v);
		a->widest = largest(a->widest, largest(l->d_k, l->d_out));
		if (l->d_out)
			packed_o = largest(
				packed_o, qkv_kern_packed(a->kern, a->doc.num_heads * l->d_v, l->d_out));
	}
	a->widest = largest(a->widest, largest(a->doc.n_k, a->doc.num_heads * a->d_v));
	a->num_slots = qkv_pool_size(a->pool) == 1 ? 1 : 2 * qkv_pool_size(a->pool);
	a->slots = qkv_arena_new(&a->arena, a->num_slots, sizeof *a->slots, e);
	if (!a->slots)
		return -1;
	for (size_t i = 0; i < a->num_slots; i++)
		if (new_slot(a, &a->slots[i], e))
			return -1;
	if (a->stages & products && d_k && new_packs(&a->packed_k, a, d_k, a->doc.n_k, e))
		return -1;
	if (a->stages & contexts && a->d_v && new_packs(&a->packed_v, a, a->doc.n_k, a->d_v, e))
		return -1;
	if (a->stages & 1u << QKV_OUTPUT && packed_o && !(a->packed_o = floats(a, 1, packed_o, e)))
		return -1;
	return 0;
}

static int
prepare(struct qkv_attend *a, const struct qkv_attend_options *o, struct qkv_err *e)
{
	a->kern = qkv_kern_find(o->isa);
	if (!a->kern)
		return qkv_fail(e, QKV_EUSAGE,
			"instruction set %s is not on this machine, expected one of %s", o->isa,
			qkv_kern_names());
	if (qkv_attend_select(a, o, e) || qkv_attend_choose(a, o, e))
		return -1;
	for (size_t n = 0; n < a->num_layers; n++)
		if (check_stages(a, a->layers[n].layer, e))
			return -1;
	if (qkv_pool_new(&a->pool, work(a) < small ? 1 : o->threads, e) || new_rooms(a, e))
		return -1;
	for (size_t n = 0; n < a->num_layers; n++)
		if (qkv_attend_project(a, &a->layers[n], e) || qkv_attend_check(a, &a->layers[n], e))
			return -1;
	return qkv_attend_plan(a, e);
}

int
qkv_attend_open(struct qkv_attend **out, const struct qkv_problem *p, const struct qkv_attend_options *o,
	struct qkv_err *e)
{
	struct qkv_attend *a = qkv_mem_new(1, sizeof *a, e);

	if (!a)
		return -1;
	a->problem = p;
	a->doc = p->doc;
	a->stages = o->stages ? o->stages : 1u << QKV_ALPHA;
	a->average = o->average;
	if (prepare(a, o, e)) {
		qkv_attend_free(a);
		return -1;
	}
	*out = a;
	return 0;
}

void
qkv_attend_free(struct qkv_attend *a)
{
	if (!a)
		return;
	qkv_pool_free(a->pool);
	qkv_arena_free(&a->arena);
	qkv_mem_free(a);
}

const char *
qkv_isa_name(const char *isa)
{
	const struct qkv_kern *k = qkv_kern_find(isa);

	return k ? k->name : NULL;
}

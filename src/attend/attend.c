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
	s->strip = floats(a, QKV_ROWS, a->stride, e);
	s->peaks = floats(a, QKV_ROWS, a->doc.n_k / QKV_CHUNK + 1, e);
	s->out = a->average ? floats(a, QKV_ROWS, a->widest, e) : NULL;
	s->mean = a->average ? qkv_arena_new(&a->arena, QKV_ROWS * a->widest, sizeof *s->mean, e) : NULL;
	s->hidden = qkv_arena_new(&a->arena, QKV_ROWS, a->doc.n_k, e);
	s->cols = qkv_arena_new(&a->arena, a->doc.n_k, sizeof *s->cols, e);
	return s->strip && s->peaks && ((s->out && s->mean) || !a->average) && s->hidden && s->cols ? 0 : -1;
}

/* packed heads, each with room for (k, n) of any layer */
static int
new_packs(float ***packs, struct qkv_attend *a, size_t k, size_t n, struct qkv_err *e)
{
	size_t room = (qkv_kern_packed(a->kern, k, n) + 15) / 16 * 16, heads = a->doc.num_kv_heads;
	float *all = floats(a, heads, room, e);

	*packs = all ? qkv_arena_new(&a->arena, heads, sizeof **packs, e) : NULL;
	for (size_t h = 0; *packs && h < heads; h++)
		(*packs)[h] = all + h * room;
	return *packs ? 0 : -1;
}

static int
new_slots(struct qkv_attend *a, struct qkv_err *e)
{
	/* blocks a thread between two meetings, and as many that are being handed over: more where they are small, so
	 * that no thread has to wait */
	size_t threads = qkv_pool_size(a->pool), each = threads == 1 ? 1 : a->doc.n_k < 2048 ? 8 : 2;

	/* an odd number of lines: rows a power of two apart would share the same few places of the cache */
	a->stride = a->doc.n_k < 64 ? a->doc.n_k : ((a->doc.n_k + 15) / 16 | 1) * 16;
	a->num_slots = threads * each;
	a->slots = qkv_arena_new(&a->arena, a->num_slots, sizeof *a->slots, e);
	for (size_t i = 0; a->slots && i < a->num_slots; i++)
		if (new_slot(a, &a->slots[i], e))
			return -1;
	return a->slots ? 0 : -1;
}

/* a packed panel for each worker, of as many rows as any weights have */
static int
new_panels(struct qkv_attend *a, size_t rows, struct qkv_err *e)
{
	a->panels = qkv_arena_new(&a->arena, qkv_pool_size(a->pool), sizeof *a->panels, e);
	for (size_t i = 0; a->panels && i < qkv_pool_size(a->pool); i++) {
		a->panels[i].packed = floats(a, rows, a->kern->panel, e);
		if (!a->panels[i].packed)
			return -1;
	}
	return a->panels ? 0 : -1;
}

static int
new_contexts(struct qkv_attend *a, size_t d_out, struct qkv_err *e)
{
	a->contexts = floats(a, a->doc.n_q, a->doc.num_heads * a->d_v, e);
	a->has_context = qkv_arena_new(&a->arena, a->doc.num_heads, 1, e);
	a->output = a->stages >> QKV_OUTPUT & 1 ? floats(a, a->doc.n_q, d_out, e) : NULL;
	return a->contexts && a->has_context && (a->output || !(a->stages >> QKV_OUTPUT & 1)) ? 0 : -1;
}

/* room for computing a layer, as much as any of them needs */
static int
new_rooms(struct qkv_attend *a, struct qkv_err *e)
{
	unsigned products = ~(1u << QKV_Q | 1u << QKV_K | 1u << QKV_V),
		 contexts = 1u << QKV_CONTEXT | 1u << QKV_OUTPUT;
	size_t d_k = 0, d_out = 1, rows = 1;

	for (size_t n = 0; n < a->num_layers; n++) {
		const struct qkv_layer *l = a->layers[n].layer;

		d_k = l->source <= QKV_FROM_QK ? largest(d_k, l->d_k) : d_k;
		d_out = largest(d_out, l->d_out);
		a->d_v = largest(a->d_v, l->d_v);
		a->widest = largest(a->widest, largest(l->d_k, l->d_out));
		rows = largest(rows, l->x.data ? l->x.shape[1] : 0);
		rows = largest(rows, l->context.data ? l->context.shape[1] : 0);
	}
	a->widest = largest(a->widest, largest(a->doc.n_k, a->doc.num_heads * a->d_v));
	if (new_slots(a, e) || new_panels(a, largest(rows, a->doc.num_heads * a->d_v), e))
		return -1;
	if (a->stages & products && d_k && new_packs(&a->packed_k, a, d_k, a->doc.n_k, e))
		return -1;
	if (!(a->stages & contexts) || !a->d_v)
		return 0;
	return new_packs(&a->packed_v, a, a->doc.n_k, a->d_v, e) || new_contexts(a, d_out, e) ? -1 : 0;
}

static int
prepare(struct qkv_attend *a, const struct qkv_attend_options *o, struct qkv_err *e)
{
	if (qkv_kern_choose(&a->kern, o->isa, e) || qkv_attend_select(a, o, e) || qkv_attend_choose(a, o, e))
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
	a->no_col_sums = o->no_col_sums;
	if (prepare(a, o, e)) {
		qkv_attend_free(a);
		return -1;
	}
	*out = a;
	return 0;
}

const struct qkv_doc *
qkv_attend_doc(const struct qkv_attend *a)
{
	return &a->doc;
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

/* Which matrices come of a problem, and how wide they are. */
#include "attend/prepare.h"

#include <string.h>

int
qkv_attend_shows(const struct qkv_attend *a, const struct qkv_prepared *l, enum qkv_stage stage, size_t h)
{
	int keys = stage == QKV_K || stage == QKV_V;
	size_t group = keys ? a->doc.num_heads / a->doc.num_kv_heads : 1;

	return h * group < l->layer->num_heads && memchr(l->shows + h * group, 1, group);
}

size_t
qkv_attend_cols(const struct qkv_attend *a, const struct qkv_prepared *l, enum qkv_stage stage)
{
	const struct qkv_layer *from = l->layer;

	switch (stage) {
	case QKV_Q:
	case QKV_K:
		return from->d_k;
	case QKV_V:
	case QKV_CONTEXT:
		return from->d_v;
	case QKV_OUTPUT:
		return from->d_out ? from->d_out : a->doc.num_heads * from->d_v;
	default:
		return a->doc.n_k;
	}
}

/* how many matrices of a stage come of a layer */
static size_t
count(const struct qkv_attend *a, const struct qkv_prepared *l, enum qkv_stage stage)
{
	size_t n = 0;

	if (a->average || stage == QKV_OUTPUT)
		return 1;
	for (size_t h = 0; h < l->layer->num_heads; h++)
		n += (size_t)qkv_attend_shows(a, l, stage, h);
	return n;
}

int
qkv_attend_plan(struct qkv_attend *a, struct qkv_err *e)
{
	struct qkv_shown *shown = qkv_arena_new(&a->arena, a->num_layers, sizeof *shown, e);

	if (!shown)
		return -1;
	for (size_t n = 0; n < a->num_layers; n++) {
		const struct qkv_prepared *l = &a->layers[n];

		shown[n].layer = l->layer->index;
		for (unsigned s = 0; s < QKV_STAGES; s++) {
			if (!(a->stages >> s & 1))
				continue;
			shown[n].matrices += count(a, l, (enum qkv_stage)s);
			shown[n].cols = qkv_attend_cols(a, l, (enum qkv_stage)s);
		}
		if (shown[n].matrices > a->doc.shown_heads)
			a->doc.shown_heads = shown[n].matrices;
	}
	a->doc.shown = shown;
	a->doc.slots = a->num_slots;
	a->doc.slot_rows = QKV_ROWS;
	a->doc.shown_layers = a->num_layers;
	return 0;
}

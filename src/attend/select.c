/* Which layers and heads are shown, by the indices that they have in the document. */
#include "attend/prepare.h"

#include <string.h>

static size_t
index_of(const struct qkv_layer *l, size_t position)
{
	return l->head_index ? l->head_index[position] : position;
}

/* whether a layer is among the ranges, all of which must name layers that there are */
static int
has_layer(const struct qkv_attend_options *o, size_t index)
{
	for (size_t i = 0; i < o->num_layers; i++)
		if (index >= o->layers[i].first && index <= o->layers[i].last)
			return 1;
	return !o->num_layers;
}

static int
has_head(const struct qkv_attend_options *o, size_t layer, size_t head)
{
	for (size_t i = 0; i < o->num_heads; i++)
		if ((o->heads[i].layer == QKV_ANY || o->heads[i].layer == layer) &&
			head >= o->heads[i].first && head <= o->heads[i].last)
			return 1;
	return !o->num_heads;
}

static const struct qkv_layer *
find_layer(const struct qkv_problem *p, size_t index)
{
	for (size_t i = 0; i < p->num_layers; i++)
		if (p->layers[i].index == index)
			return &p->layers[i];
	return NULL;
}

static int
find_head(const struct qkv_layer *l, size_t index)
{
	for (size_t h = 0; h < l->num_heads; h++)
		if (index_of(l, h) == index)
			return 1;
	return 0;
}

static int
fail_head(const struct qkv_problem *p, const struct qkv_layer *l, size_t index, struct qkv_err *e)
{
	if (l->head_index)
		return qkv_fail(e, QKV_EINPUT,
			"%s: --heads: head %zu of layer %zu is not in the document, expected one that is",
			p->text->name, index, l->index);
	return qkv_fail(e, QKV_EINPUT, "%s: --heads: no head %zu in layer %zu, expected less than %zu",
		p->text->name, index, l->index, p->doc.head_limit);
}

/* refuses indices that the document does not have */
static int
check(const struct qkv_attend *a, const struct qkv_attend_options *o, struct qkv_err *e)
{
	const struct qkv_problem *p = a->problem;

	for (size_t i = 0; i < o->num_layers; i++)
		for (size_t index = o->layers[i].first; index <= o->layers[i].last; index++)
			if (!find_layer(p, index))
				return qkv_fail(e, QKV_EINPUT,
					p->num_layers < p->doc.num_layers
						? "%s: --layers: layer %zu is not in the document, expected "
						  "one that is"
						: "%s: --layers: no layer %zu, expected less than %zu",
					p->text->name, index, p->doc.num_layers);
	for (size_t i = 0; i < o->num_heads; i++) {
		const struct qkv_range *r = &o->heads[i];

		if (r->layer != QKV_ANY && (!find_layer(p, r->layer) || !has_layer(o, r->layer)))
			return qkv_fail(e, QKV_EINPUT, "%s: --heads: no layer %zu among those shown",
				p->text->name, r->layer);
		for (size_t n = 0; n < p->num_layers; n++) {
			const struct qkv_layer *l = &p->layers[n];

			if ((r->layer != QKV_ANY && r->layer != l->index) || !has_layer(o, l->index))
				continue;
			for (size_t index = r->first; index <= r->last; index++)
				if (!find_head(l, index))
					return fail_head(p, l, index, e);
		}
	}
	return 0;
}

int
qkv_attend_select(struct qkv_attend *a, const struct qkv_attend_options *o, struct qkv_err *e)
{
	const struct qkv_problem *p = a->problem;

	if (check(a, o, e))
		return -1;
	a->layers = qkv_arena_new(&a->arena, p->num_layers, sizeof *a->layers, e);
	if (!a->layers)
		return -1;
	for (size_t n = 0; n < p->num_layers; n++) {
		const struct qkv_layer *l = &p->layers[n];
		struct qkv_prepared *shown = &a->layers[a->num_layers];

		if (!has_layer(o, l->index))
			continue;
		shown->layer = l;
		shown->scale = (float)l->scale;
		shown->shows = qkv_arena_new(&a->arena, l->num_heads, 1, e);
		if (!shown->shows)
			return -1;
		for (size_t h = 0; h < l->num_heads; h++)
			shown->shows[h] = (unsigned char)has_head(o, l->index, index_of(l, h));
		a->num_layers += memchr(shown->shows, 1, l->num_heads) != NULL;
	}
	return 0;
}

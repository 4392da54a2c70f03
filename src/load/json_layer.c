/* One layer: which source its scores have, and ready data. */
#include "load/json_build.h"

#include <math.h>
#include <string.h>

/* the keys of each source, the first of them the one that messages name */
static const char *const sources[][12] = {
	[QKV_FROM_EMBEDDINGS] = {"embeddings", "W_Q", "W_K", "W_V", "W_QKV", "heads", "b_Q", "b_K", "b_V",
		"b_QKV"},
	[QKV_FROM_QK] = {"Q", "K"},
	[QKV_FROM_SCORES] = {"scores"},
	[QKV_FROM_ALPHA] = {"alpha"},
};

enum { NUM_SOURCES = sizeof sources / sizeof *sources };

static int
find_source(struct qkv_build *b, enum qkv_source *source)
{
	struct qkv_member found = {NULL, NULL};

	for (int i = 0; i < NUM_SOURCES; i++) {
		for (size_t k = 0; sources[i][k]; k++) {
			struct qkv_member m;

			if (qkv_build_member(&m, b, sources[i][k]))
				return -1;
			if (!m.node)
				continue;
			if (found.node && *source != (enum qkv_source)i)
				return qkv_json_fail(&b->json, m.node, m.place,
					"stands beside %s, expected one source of scores: "
					"embeddings with weights, Q with K, scores, or alpha",
					found.place);
			if (!found.node)
				found = m;
			*source = (enum qkv_source)i;
		}
	}
	if (!found.node)
		return qkv_json_fail(&b->json, b->node, b->place,
			"no attention, expected embeddings with weights, Q with K, scores, or alpha");
	return 0;
}

/* a part of heads x rows x columns; one head may leave the first axis out */
static int
heads_tensor(struct qkv_part *part, struct qkv_build *b, const char *key)
{
	if (qkv_build_tensor(part, b, key, 2, 3))
		return -1;
	if (part->rank == 2) {
		part->shape[2] = part->shape[1];
		part->shape[1] = part->shape[0];
		part->shape[0] = 1;
		part->rank = 3;
	}
	return 0;
}

/* V (KV, n_k, d_v), if it is there */
static int
values(struct qkv_build *b, struct qkv_layer *l)
{
	if (heads_tensor(&l->v, b, "V"))
		return -1;
	l->d_v = l->v.data ? l->v.shape[2] : 0;
	return 0;
}

/* that V has as many heads and rows as there are key/value heads and keys */
static int
values_fit(struct qkv_build *b, const struct qkv_layer *l)
{
	struct qkv_doc *doc = &b->problem->doc;

	if (!l->v.data)
		return 0;
	return qkv_build_agree(b, &doc->num_kv_heads, l->v.shape[0], &l->v, "key/value heads") ||
			qkv_build_agree(b, &doc->n_k, l->v.shape[1], &l->v, "rows, one a key")
		? -1
		: 0;
}

static int
ready_qk(struct qkv_build *b, struct qkv_layer *l)
{
	struct qkv_doc *doc = &b->problem->doc;

	if (heads_tensor(&l->q, b, "Q") || heads_tensor(&l->k, b, "K") || values(b, l))
		return -1;
	if (!l->q.data)
		return qkv_build_missing(b, "Q", "beside K");
	if (!l->k.data)
		return qkv_build_missing(b, "K", "beside Q");
	l->d_k = l->q.shape[2];
	if (l->k.shape[2] != l->d_k)
		return qkv_part_fail(
			b->problem, &l->k, b->e, "%zu columns, expected %zu as Q has", l->k.shape[2], l->d_k);
	return qkv_build_heads(b, l->q.shape[0], &l->q, l->k.shape[0], &l->k) ||
			qkv_build_agree(b, &doc->n_q, l->q.shape[1], &l->q, "queries") ||
			qkv_build_agree(b, &doc->n_k, l->k.shape[1], &l->k, "keys") || values_fit(b, l)
		? -1
		: 0;
}

/* what ready scores and ready alpha have in common: part is (H, n_q, n_k) */
static int
ready_matrix(struct qkv_build *b, struct qkv_layer *l, const struct qkv_part *part)
{
	struct qkv_doc *doc = &b->problem->doc;

	if (values(b, l))
		return -1;
	return qkv_build_heads(b, part->shape[0], part, l->v.data ? l->v.shape[0] : 0, &l->v) ||
			qkv_build_agree(b, &doc->n_q, part->shape[1], part, "queries") ||
			qkv_build_agree(b, &doc->n_k, part->shape[2], part, "keys") || values_fit(b, l)
		? -1
		: 0;
}

static int
ready_scores(struct qkv_build *b, struct qkv_layer *l)
{
	return heads_tensor(&l->scores, b, "scores") || ready_matrix(b, l, &l->scores) ? -1 : 0;
}

/* alpha, of which the layer is a slice where there is an axis of layers */
static int
ready_alpha(struct qkv_build *b, struct qkv_layer *l)
{
	struct qkv_part a = b->alpha;
	size_t axes;

	if (!a.data && qkv_build_tensor(&a, b, "alpha", 2, 3))
		return -1;
	if (a.rank == 5 && a.shape[1] != 1)
		return qkv_part_fail(b->problem, &a, b->e,
			"an axis of %zu batches, expected layers x 1 x heads x queries x keys", a.shape[1]);
	axes = a.rank < 3 ? a.rank : 3;
	if (a.rank > 3) {
		a.count /= a.shape[0];
		a.data += l->index * a.count;
	}
	memmove(a.shape + 3 - axes, a.shape + a.rank - axes, axes * sizeof *a.shape);
	a.shape[0] = axes == 3 ? a.shape[0] : 1;
	a.rank = 3;
	if (ready_matrix(b, l, &a))
		return -1;
	l->alpha = qkv_arena_new(&b->problem->arena, a.shape[0], sizeof *l->alpha, b->e);
	for (size_t h = 0; l->alpha && h < a.shape[0]; h++)
		l->alpha[h] = a.data + h * a.shape[1] * a.shape[2];
	return l->alpha ? 0 : -1;
}

/* context gives embeddings to cross-attention from embeddings, and only tokens to ready data */
static int
context(struct qkv_build *b, struct qkv_layer *l)
{
	struct qkv_member m, embeddings;

	if (qkv_json_member(&m, &b->json, b->node, b->place, "context") ||
		qkv_json_member(&embeddings, &b->json, m.node, m.place, "embeddings") ||
		qkv_json_tensor(&l->context, &b->json, &embeddings, 2, 2, 0))
		return -1;
	if (!m.node && b->top && l->source == QKV_FROM_EMBEDDINGS) {
		if (qkv_json_member(&m, &b->json, b->top, "", "context"))
			return -1;
		return m.node
			? qkv_build_missing(b, "context", "with embeddings, as the document has a context")
			: 0;
	}
	if (!m.node || (l->source == QKV_FROM_EMBEDDINGS) == (l->context.data != NULL))
		return 0;
	return l->context.data
		? qkv_part_fail(
			  b->problem, &l->context, b->e, "stand beside ready data, expected tokens alone")
		: qkv_json_fail(&b->json, m.node, m.place,
			  "no key \"embeddings\", expected it, since the scores come from embeddings");
}

/* qkv_layout: how a fused weight is stored */
static int
fused_order(struct qkv_build *b)
{
	struct qkv_member m;
	const char *text;

	if (qkv_build_member(&m, b, "qkv_layout") || qkv_json_text(&text, &b->json, &m))
		return -1;
	if (text && strcmp(text, "blocks") && strcmp(text, "per_head"))
		return qkv_json_fail(&b->json, m.node, m.place, "%s, expected blocks or per_head", text);
	b->per_head = text && !strcmp(text, "per_head");
	return 0;
}

int
qkv_build_layer(struct qkv_build *b, struct qkv_layer *l)
{
	static int (*const ready[])(struct qkv_build *, struct qkv_layer *) = {
		[QKV_FROM_EMBEDDINGS] = qkv_build_weights,
		[QKV_FROM_QK] = ready_qk,
		[QKV_FROM_SCORES] = ready_scores,
		[QKV_FROM_ALPHA] = ready_alpha,
	};
	struct qkv_member v;
	struct qkv_part segments;

	l->at = qkv_json_value(&b->json, b->node)->at;
	if (find_source(b, &l->source) || fused_order(b) || context(b, l) || qkv_build_member(&v, b, "V"))
		return -1;
	if (v.node && l->source == QKV_FROM_EMBEDDINGS)
		return qkv_json_fail(&b->json, v.node, v.place, "stands beside embeddings, expected W_V");
	if (ready[l->source](b, l) || qkv_build_output_weight(b, l) || qkv_build_mask(b, l) ||
		qkv_build_tensor(&segments, b, "segments", 1, 1))
		return -1;
	l->num_heads = b->problem->doc.num_heads;
	if (segments.data && segments.count != b->problem->doc.n_q)
		return qkv_part_fail(b->problem, &segments, b->e, "%zu segments, expected %zu, one a token",
			segments.count, b->problem->doc.n_q);
	for (size_t i = 0; i < segments.count; i++)
		if (floorf(segments.data[i]) < segments.data[i])
			return qkv_part_fail(b->problem, &segments, b->e,
				"element [%zu] is not an integer, expected one", i);
	return 0;
}

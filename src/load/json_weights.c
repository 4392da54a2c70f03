/*
 * Embeddings and weights: every way to store the projections becomes one view a head.
 *
 * Head h of a separate weight takes outs h * d_k to (h + 1) * d_k - 1 of it; a fused one has Q, K and V as blocks, or
 * each head's q, k and v together; or each head is an object of its own.
 */
#include "load/json_build.h"

/* the keys of a projection, and what its width is called */
static const struct names {
	const char *weight, *bias, *width, *head_width; /* of all heads, of one */
} of_q = {"W_Q", "b_Q", "heads d_k", "d_k"}, of_k = {"W_K", "b_K", "kv_heads d_k", "d_k"},
  of_v = {"W_V", "b_V", "kv_heads d_v", "d_v"};

/* W_QKV: blocks Q, K, V side by side, or each head's q, k, v together */
static int
fused(struct qkv_build *b, struct qkv_layer *l, const struct qkv_member *m)
{
	struct qkv_doc *doc = &b->problem->doc;
	struct qkv_member bias_member;
	struct qkv_oriented w;
	struct qkv_part bias_part;
	size_t parts, q, k, v, step;

	if (qkv_build_weight(&w, b, m, l->x.shape[1], "(heads + 2 kv_heads) d_k") ||
		qkv_build_heads(b, 0, &w.part, 0, &w.part))
		return -1;
	if (l->context.data && l->context.shape[1] != w.in)
		return qkv_part_fail(b->problem, &l->context, b->e,
			"%zu columns, expected %zu as W_QKV takes", l->context.shape[1], w.in);
	parts = doc->num_heads + 2 * doc->num_kv_heads;
	if (w.out % parts)
		return qkv_part_fail(b->problem, &w.part, b->e,
			"%zu %s of q, k and v, not divisible by %zu heads and 2 x %zu key/value heads", w.out,
			w.outs, doc->num_heads, doc->num_kv_heads);
	l->d_k = l->d_v = w.out / parts;
	if (qkv_build_member(&bias_member, b, "b_QKV") ||
		qkv_build_bias(&bias_part, b, &bias_member, w.out, 1))
		return -1;
	if (b->per_head && doc->num_heads != doc->num_kv_heads)
		return qkv_part_fail(b->problem, &w.part, b->e,
			"qkv_layout per_head with %zu heads and %zu key/value heads, expected as many",
			doc->num_heads, doc->num_kv_heads);
	if (b->per_head) {
		step = 3 * l->d_k;
		q = 0, k = l->d_k, v = 2 * l->d_k;
	} else {
		step = l->d_k;
		q = 0, k = doc->num_heads * step, v = k + doc->num_kv_heads * step;
	}
	l->w_q = qkv_build_views(b, &w, &bias_part, doc->num_heads, q, step);
	l->w_k = qkv_build_views(b, &w, &bias_part, doc->num_kv_heads, k, step);
	l->w_v = qkv_build_views(b, &w, &bias_part, doc->num_kv_heads, v, step);
	return l->w_q && l->w_k && l->w_v ? 0 : -1;
}

/* a separate weight of count heads; *width is what each gets (0: not known yet), *out NULL where it is absent */
static int
separate(struct qkv_weight **out, size_t *width, struct qkv_build *b, const struct names *n, size_t in,
	size_t count)
{
	struct qkv_member m, bias_member;
	struct qkv_oriented w;
	struct qkv_part bias_part;

	if (qkv_build_member(&m, b, n->weight) || qkv_build_weight(&w, b, &m, in, n->width) ||
		qkv_build_member(&bias_member, b, n->bias) ||
		qkv_build_bias(&bias_part, b, &bias_member, w.out, w.part.data != NULL))
		return -1;
	if (!w.part.data)
		return 0;
	if (w.out % count)
		return qkv_part_fail(b->problem, &w.part, b->e, "%zu %s, not divisible by %zu heads", w.out,
			w.outs, count);
	if (*width && w.out != *width * count)
		return qkv_part_fail(b->problem, &w.part, b->e,
			"%zu %s, expected %zu, %zu for each of %zu heads", w.out, w.outs, *width * count,
			*width, count);
	*width = w.out / count;
	*out = qkv_build_views(b, &w, &bias_part, count, 0, *width);
	return *out ? 0 : -1;
}

static int
separates(struct qkv_build *b, struct qkv_layer *l, size_t d_context)
{
	struct qkv_doc *doc = &b->problem->doc;

	if (qkv_build_heads(b, 0, &l->x, 0, &l->x) ||
		separate(&l->w_q, &l->d_k, b, &of_q, l->x.shape[1], doc->num_heads))
		return -1;
	if (!l->w_q)
		return qkv_build_missing(b, "W_Q", "beside embeddings, or W_QKV, or heads");
	if (separate(&l->w_k, &l->d_k, b, &of_k, d_context, doc->num_kv_heads))
		return -1;
	if (!l->w_k)
		return qkv_build_missing(b, "W_K", "beside W_Q");
	return separate(&l->w_v, &l->d_v, b, &of_v, d_context, doc->num_kv_heads);
}

/* weight c of the head objects into views[h]; *width as in separate */
static int
of_head(struct qkv_weight *view, size_t *width, struct qkv_build *b, const cJSON *node, const char *place,
	const struct names *n, size_t in)
{
	struct qkv_member m, bias_member;
	struct qkv_oriented w;
	struct qkv_part bias_part;

	if (qkv_json_member(&m, &b->json, node, place, n->weight) ||
		qkv_build_weight(&w, b, &m, in, n->head_width) ||
		qkv_json_member(&bias_member, &b->json, node, place, n->bias) ||
		qkv_build_bias(&bias_part, b, &bias_member, w.out, w.part.data != NULL))
		return -1;
	if (!w.part.data)
		return 0;
	if (*width && w.out != *width)
		return qkv_part_fail(b->problem, &w.part, b->e, "%zu %s, expected %zu as in the heads before",
			w.out, w.outs, *width);
	*width = w.out;
	*view = (struct qkv_weight){w.part.data, bias_part.data, w.rs, w.cs};
	return 0;
}

/* head number n, with d features of a key */
static int
head_object(
	struct qkv_build *b, struct qkv_layer *l, const cJSON *node, const char *place, size_t n, size_t d)
{
	static const char *const names[] = {"W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"};

	if (!cJSON_IsObject(node))
		return qkv_json_fail(&b->json, node, place, "%s, expected an object with W_Q, W_K, W_V",
			qkv_json_kind(&b->json, node));
	if (qkv_json_keys(&b->json, node, place, names, 6) ||
		of_head(&l->w_q[n], &l->d_k, b, node, place, &of_q, l->x.shape[1]) ||
		of_head(&l->w_k[n], &l->d_k, b, node, place, &of_k, d) ||
		of_head(&l->w_v[n], &l->d_v, b, node, place, &of_v, d))
		return -1;
	if (!l->w_q[n].data || !l->w_k[n].data)
		return qkv_json_fail(&b->json, node, place, "no key \"%s\", expected it in each head",
			l->w_q[n].data ? "W_K" : "W_Q");
	if (!l->w_v[n].data != !l->w_v[0].data)
		return qkv_json_fail(
			&b->json, node, place, "W_V in some heads only, expected it in all or none");
	return 0;
}

static int
head_objects(struct qkv_build *b, struct qkv_layer *l, const struct qkv_member *m, size_t d)
{
	struct qkv_part list = {.at = qkv_json_value(&b->json, m->node)->at, .place = m->place};
	struct qkv_arena *arena = &b->problem->arena;
	size_t n = 0;

	if (!cJSON_IsArray(m->node) || !m->node->child)
		return qkv_json_fail(&b->json, m->node, m->place,
			"%s, expected an array of objects, one a head",
			cJSON_IsArray(m->node) ? "empty" : qkv_json_kind(&b->json, m->node));
	for (const cJSON *c = m->node->child; c; c = c->next)
		n++;
	l->w_q = qkv_arena_new(arena, n, sizeof *l->w_q, b->e);
	l->w_k = qkv_arena_new(arena, n, sizeof *l->w_k, b->e);
	l->w_v = qkv_arena_new(arena, n, sizeof *l->w_v, b->e);
	if (!l->w_q || !l->w_k || !l->w_v)
		return -1;
	n = 0;
	for (const cJSON *c = m->node->child; c; c = c->next, n++) {
		const char *place = qkv_arena_print(arena, b->e, "%s[%zu]", m->place, n);

		if (!place || head_object(b, l, c, place, n, d))
			return -1;
	}
	if (!l->w_v[0].data)
		l->w_v = NULL;
	return qkv_build_heads(b, n, &list, n, &list);
}

/* refuses keys of one way to store weights beside another */
static int
exclude(struct qkv_build *b, const char *way, const char *const *names)
{
	for (; *names; names++) {
		struct qkv_member m;

		if (qkv_build_member(&m, b, *names))
			return -1;
		if (m.node)
			return qkv_json_fail(&b->json, m.node, m.place,
				"stands beside %s, expected only one of them", way);
	}
	return 0;
}

int
qkv_build_weights(struct qkv_build *b, struct qkv_layer *l)
{
	static const char *const not_fused[] = {"W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "heads", NULL};
	static const char *const not_heads[] = {"W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "b_QKV", NULL};
	static const char *const not_separate[] = {"b_QKV", NULL};
	struct qkv_doc *doc = &b->problem->doc;
	struct qkv_member fused_member, heads_member;
	const struct qkv_part *keys;

	if (qkv_build_tensor(&l->x, b, "embeddings", 2, 2))
		return -1;
	if (!l->x.data)
		return qkv_build_missing(b, "embeddings", "beside weights");
	keys = l->context.data ? &l->context : &l->x;
	if (qkv_build_agree(b, &doc->n_q, l->x.shape[0], &l->x, "rows, one a query") ||
		qkv_build_agree(b, &doc->n_k, keys->shape[0], keys, "rows, one a key") ||
		qkv_build_member(&fused_member, b, "W_QKV") || qkv_build_member(&heads_member, b, "heads"))
		return -1;
	if (fused_member.node)
		return exclude(b, "W_QKV", not_fused) || fused(b, l, &fused_member) ? -1 : 0;
	if (heads_member.node)
		return exclude(b, "heads", not_heads) || head_objects(b, l, &heads_member, keys->shape[1])
			? -1
			: 0;
	return exclude(b, "separate weights", not_separate) || separates(b, l, keys->shape[1]) ? -1 : 0;
}

int
qkv_build_output_weight(struct qkv_build *b, struct qkv_layer *l)
{
	struct qkv_member m, bias_member;
	struct qkv_oriented w;
	struct qkv_part bias_part;

	if (qkv_build_member(&m, b, "W_O") ||
		qkv_build_weight(&w, b, &m, l->d_v * b->problem->doc.num_heads, "d_out") ||
		qkv_build_member(&bias_member, b, "b_O") ||
		qkv_build_bias(&bias_part, b, &bias_member, w.out, w.part.data != NULL))
		return -1;
	if (!w.part.data)
		return 0;
	l->d_out = w.out;
	l->w_o = (struct qkv_weight){w.part.data, bias_part.data, w.rs, w.cs};
	return 0;
}

/*
 * Embeddings and weights: every way to store the projections becomes one view a head.
 *
 * In the orientation "in_out" a weight is (d, width) and Q = X W; in "out_in" it is (width, d), as PyTorch's Linear
 * keeps it. Head h of a separate weight takes columns h * d_k to (h + 1) * d_k - 1 of it.
 */
#include "load/json_build.h"

#include <string.h>

/* a weight of the document, seen as (in, out) whatever its orientation */
struct oriented {
	struct qkv_part part;
	size_t in, out;
	size_t rs, cs;
};

static int
layout(enum qkv_layout *l, struct qkv_build *b)
{
	struct qkv_member m;
	const char *text;

	if (qkv_build_member(&m, b, "weight_layout") || qkv_json_text(&text, &b->json, &m))
		return -1;
	*l = QKV_LAYOUT_UNSET;
	if (text && !strcmp(text, "in_out"))
		*l = QKV_IN_OUT;
	else if (text && !strcmp(text, "out_in"))
		*l = QKV_OUT_IN;
	else if (text)
		return qkv_json_fail(&b->json, m.node, m.place, "%s, expected in_out or out_in", text);
	if (b->settings->weight_layout)
		*l = b->settings->weight_layout;
	return 0;
}

static int
is_symmetric(const struct qkv_part *w)
{
	size_t n = w->shape[0];

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (w->data[i * n + j] < w->data[j * n + i] ||
				w->data[i * n + j] > w->data[j * n + i])
				return 0;
	return 1;
}

static void
note_layout(struct qkv_build *b, const struct qkv_part *w)
{
	char where[sizeof b->e->text];
	struct qkv_err place;

	if (w->shape[0] != w->shape[1] || is_symmetric(w))
		return;
	qkv_part_fail(b->problem, w, &place, "%zu x %zu", w->shape[0], w->shape[1]);
	memcpy(where, place.text, sizeof where);
	qkv_note_add(b->notes, QKV_NOTE_LAYOUT, 1, "%s", where);
}

/* a weight out of m whose inner length must be in (0: any); w->part.data NULL where it is absent */
static int
weight(struct oriented *w, struct qkv_build *b, const struct qkv_member *m, size_t in, const char *width)
{
	const char **name = &b->problem->doc.weight_layout, *before = *name;
	enum qkv_layout l;

	*w = (struct oriented){.in = 0};
	if (qkv_json_tensor(&w->part, &b->json, m, 2, 2, 0) || layout(&l, b))
		return -1;
	if (!w->part.data)
		return 0;
	w->in = w->part.shape[l == QKV_OUT_IN];
	w->out = w->part.shape[l != QKV_OUT_IN];
	w->rs = l == QKV_OUT_IN ? 1 : w->out;
	w->cs = l == QKV_OUT_IN ? w->in : 1;
	if (in && w->in != in) {
		size_t r = w->part.shape[0], c = w->part.shape[1];

		return l == QKV_OUT_IN
			? qkv_part_fail(b->problem, &w->part, b->e,
				  "%zu x %zu, expected %s x %zu with weight_layout out_in%s", r, c, width, in,
				  r == in ? "; in_out would fit" : "")
			: qkv_part_fail(b->problem, &w->part, b->e,
				  "%zu x %zu, expected %zu x %s with weight_layout in_out%s", r, c, in, width,
				  c == in ? "; use --weight-layout out_in if it is the weight of a Linear"
					  : "");
	}
	if (l == QKV_LAYOUT_UNSET)
		note_layout(b, &w->part);
	*name = l == QKV_OUT_IN ? "out_in" : "in_out";
	if (before && strcmp(before, *name))
		return qkv_part_fail(b->problem, &w->part, b->e,
			"weight_layout %s, expected %s as in the layers before", *name, before);
	return 0;
}

/* a bias vector of a length; data NULL where it is absent */
static int
bias(struct qkv_part *part, struct qkv_build *b, const struct qkv_member *m, size_t length, int beside_weight)
{
	if (qkv_json_tensor(part, &b->json, m, 1, 1, 0))
		return -1;
	if (part->data && !beside_weight)
		return qkv_part_fail(
			b->problem, part, b->e, "there is no weight that it belongs to, expected one");
	if (part->data && part->count != length)
		return qkv_part_fail(
			b->problem, part, b->e, "%zu elements, expected %zu", part->count, length);
	return 0;
}

/* count views, each width columns of w, the first at column first and the next step columns on */
static struct qkv_weight *
views(struct qkv_build *b, const struct oriented *w, const struct qkv_part *bias_part, size_t count,
	size_t first, size_t step)
{
	struct qkv_weight *v = qkv_arena_new(&b->problem->arena, count, sizeof *v, b->e);

	for (size_t h = 0; v && h < count; h++) {
		size_t column = first + h * step;

		v[h] = (struct qkv_weight){.data = w->part.data + column * w->cs,
			.rs = w->rs,
			.cs = w->cs,
			.bias = bias_part->data ? bias_part->data + column : NULL};
	}
	return v;
}

/* W_QKV: blocks Q, K, V side by side, or each head's q, k, v together */
static int
fused(struct qkv_build *b, struct qkv_layer *l, const struct qkv_member *m)
{
	struct qkv_doc *doc = &b->problem->doc;
	struct qkv_member order_member, bias_member;
	struct oriented w;
	struct qkv_part bias_part;
	const char *order;
	size_t parts, q, k, v, step;

	if (weight(&w, b, m, l->x.shape[1], "(heads + 2 kv_heads) d_k") ||
		qkv_build_heads(b, 0, 0, &w.part) || qkv_build_member(&order_member, b, "qkv_layout") ||
		qkv_json_text(&order, &b->json, &order_member))
		return -1;
	if (order && strcmp(order, "blocks") && strcmp(order, "per_head"))
		return qkv_json_fail(&b->json, order_member.node, order_member.place,
			"%s, expected blocks or per_head", order);
	if (l->context.data && l->context.shape[1] != w.in)
		return qkv_part_fail(b->problem, &l->context, b->e,
			"%zu columns, expected %zu as W_QKV takes", l->context.shape[1], w.in);
	parts = doc->num_heads + 2 * doc->num_kv_heads;
	if (w.out % parts)
		return qkv_part_fail(b->problem, &w.part, b->e,
			"%zu columns of q, k and v, not divisible by %zu heads and 2 x %zu key/value heads",
			w.out, doc->num_heads, doc->num_kv_heads);
	l->d_k = l->d_v = w.out / parts;
	if (qkv_build_member(&bias_member, b, "b_QKV") || bias(&bias_part, b, &bias_member, w.out, 1))
		return -1;
	if (order && !strcmp(order, "per_head")) {
		if (doc->num_heads != doc->num_kv_heads)
			return qkv_json_fail(&b->json, order_member.node, order_member.place,
				"per_head with %zu heads and %zu key/value heads, expected as many",
				doc->num_heads, doc->num_kv_heads);
		step = 3 * l->d_k;
		q = 0, k = l->d_k, v = 2 * l->d_k;
	} else {
		step = l->d_k;
		q = 0, k = doc->num_heads * step, v = k + doc->num_kv_heads * step;
	}
	l->w_q = views(b, &w, &bias_part, doc->num_heads, q, step);
	l->w_k = views(b, &w, &bias_part, doc->num_kv_heads, k, step);
	l->w_v = views(b, &w, &bias_part, doc->num_kv_heads, v, step);
	return l->w_q && l->w_k && l->w_v ? 0 : -1;
}

/* a separate weight of count heads; *width is what each gets (0: not known yet), *out NULL where it is absent */
static int
separate(struct qkv_weight **out, size_t *width, struct qkv_build *b, const char *const names[2], size_t in,
	size_t count)
{
	struct qkv_member m, bias_member;
	struct oriented w;
	struct qkv_part bias_part;

	if (qkv_build_member(&m, b, names[0]) || weight(&w, b, &m, in, "heads d_k") ||
		qkv_build_member(&bias_member, b, names[1]) ||
		bias(&bias_part, b, &bias_member, w.out, w.part.data != NULL))
		return -1;
	if (!w.part.data)
		return 0;
	if (w.out % count)
		return qkv_part_fail(
			b->problem, &w.part, b->e, "%zu columns, not divisible by %zu heads", w.out, count);
	if (*width && w.out != *width * count)
		return qkv_part_fail(b->problem, &w.part, b->e,
			"%zu columns, expected %zu, %zu for each of %zu heads", w.out, *width * count, *width,
			count);
	*width = w.out / count;
	*out = views(b, &w, &bias_part, count, 0, *width);
	return *out ? 0 : -1;
}

static int
separates(struct qkv_build *b, struct qkv_layer *l, size_t d_context)
{
	static const char *const q[] = {"W_Q", "b_Q"}, *const k[] = {"W_K", "b_K"},
				 *const v[] = {"W_V", "b_V"};
	struct qkv_doc *doc = &b->problem->doc;

	if (qkv_build_heads(b, 0, 0, &l->x) ||
		separate(&l->w_q, &l->d_k, b, q, l->x.shape[1], doc->num_heads))
		return -1;
	if (!l->w_q)
		return qkv_build_missing(b, "W_Q", "beside embeddings, or W_QKV, or heads");
	if (separate(&l->w_k, &l->d_k, b, k, d_context, doc->num_kv_heads))
		return -1;
	if (!l->w_k)
		return qkv_build_missing(b, "W_K", "beside W_Q");
	return separate(&l->w_v, &l->d_v, b, v, d_context, doc->num_kv_heads);
}

/* weight c of the head objects into views[h]; *width as in separate */
static int
of_head(struct qkv_weight *view, size_t *width, struct qkv_build *b, const cJSON *node, const char *place,
	const char *const names[2], size_t in)
{
	struct qkv_member m, bias_member;
	struct oriented w;
	struct qkv_part bias_part;

	if (qkv_json_member(&m, &b->json, node, place, names[0]) || weight(&w, b, &m, in, "d_k") ||
		qkv_json_member(&bias_member, &b->json, node, place, names[1]) ||
		bias(&bias_part, b, &bias_member, w.out, w.part.data != NULL))
		return -1;
	if (!w.part.data)
		return 0;
	if (*width && w.out != *width)
		return qkv_part_fail(b->problem, &w.part, b->e,
			"%zu columns, expected %zu as in the heads before", w.out, *width);
	*width = w.out;
	*view = (struct qkv_weight){w.part.data, bias_part.data, w.rs, w.cs};
	return 0;
}

static int
head_objects(struct qkv_build *b, struct qkv_layer *l, const struct qkv_member *m, size_t d_context)
{
	static const char *const names[] = {"W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"};
	static const char *const q[] = {"W_Q", "b_Q"}, *const k[] = {"W_K", "b_K"},
				 *const v[] = {"W_V", "b_V"};
	struct qkv_arena *arena = &b->problem->arena;
	size_t n = 0, with_v = 0;

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

		if (!place)
			return -1;
		if (!cJSON_IsObject(c))
			return qkv_json_fail(&b->json, c, place, "%s, expected an object with W_Q, W_K, W_V",
				qkv_json_kind(&b->json, c));
		if (qkv_json_keys(&b->json, c, place, names, 6) ||
			of_head(&l->w_q[n], &l->d_k, b, c, place, q, l->x.shape[1]) ||
			of_head(&l->w_k[n], &l->d_k, b, c, place, k, d_context) ||
			of_head(&l->w_v[n], &l->d_v, b, c, place, v, d_context))
			return -1;
		if (!l->w_q[n].data || !l->w_k[n].data)
			return qkv_json_fail(&b->json, c, place, "no key \"%s\", expected it in each head",
				l->w_q[n].data ? "W_K" : "W_Q");
		with_v += l->w_v[n].data != NULL;
		if (with_v != 0 && with_v != n + 1)
			return qkv_json_fail(
				&b->json, c, place, "W_V in some heads only, expected it in all or none");
	}
	if (!with_v)
		l->w_v = NULL;
	return qkv_build_heads(b, n, n, &l->x);
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
	struct oriented w;
	struct qkv_part bias_part;

	if (qkv_build_member(&m, b, "W_O") ||
		weight(&w, b, &m, l->d_v * b->problem->doc.num_heads, "d_out") ||
		qkv_build_member(&bias_member, b, "b_O") ||
		bias(&bias_part, b, &bias_member, w.out, w.part.data != NULL))
		return -1;
	if (!w.part.data)
		return 0;
	l->d_out = w.out;
	l->w_o = (struct qkv_weight){w.part.data, bias_part.data, w.rs, w.cs};
	return 0;
}

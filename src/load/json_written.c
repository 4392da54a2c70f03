/*
 * A document that this tool has written, {"qkv":1,...}: ready alpha with the indices and settings that it had,
 * so that writing it again gives the same bytes.
 */
#include "load/json_build.h"

#include <string.h>

/* what the entry of a head says; head may be "mean" */
struct entry {
	size_t layer, head, d_k;
	const char *mask;
	int has_scale;
	double scale;
	struct qkv_part alpha;
};

static int
is_null(const struct qkv_member *m)
{
	return !m->node || cJSON_IsNull(m->node);
}

static int
read_entry(struct entry *en, struct qkv_build *b, const cJSON *node, const char *place)
{
	static const char *const names[] = {
		"layer", "head", "d_k", "scale", "mask", "alpha", "row_sums", "col_sums"};
	struct qkv_member m[6];
	const struct qkv_value *scale;

	*en = (struct entry){0};
	if (!cJSON_IsObject(node))
		return qkv_json_fail(
			&b->json, node, place, "%s, expected an object", qkv_json_kind(&b->json, node));
	if (qkv_json_keys(&b->json, node, place, names, 8))
		return -1;
	for (size_t i = 0; i < 6; i++) {
		if (qkv_json_member(&m[i], &b->json, node, place, names[i]))
			return -1;
		if (!m[i].node && strcmp(names[i], "d_k") && strcmp(names[i], "scale"))
			return qkv_json_fail(
				&b->json, node, place, "no key \"%s\", expected it in each head", names[i]);
	}
	if (cJSON_IsString(m[1].node) && !strcmp(m[1].node->valuestring, "mean"))
		en->head = QKV_MEAN;
	else if (qkv_json_count(&en->head, &b->json, &m[1], 0))
		return -1;
	if (qkv_json_count(&en->layer, &b->json, &m[0], 0) ||
		(!is_null(&m[2]) && qkv_json_count(&en->d_k, &b->json, &m[2], 1)) ||
		qkv_json_text(&en->mask, &b->json, &m[4]) ||
		qkv_json_tensor(&en->alpha, &b->json, &m[5], 2, 2, 0))
		return -1;
	if (is_null(&m[3]))
		return 0;
	scale = qkv_json_value(&b->json, m[3].node);
	if (scale->kind != QKV_VALUE_NUMBER)
		return qkv_json_fail(&b->json, m[3].node, m[3].place, "%s, expected a number or null",
			qkv_json_kind(&b->json, m[3].node));
	en->has_scale = 1;
	en->scale = scale->is.number;
	return 0;
}

/* the layer that an entry opens; num is the most heads that it can get */
static int
open_layer(struct qkv_build *b, struct qkv_layer *l, const struct entry *en, size_t num)
{
	struct qkv_arena *arena = &b->problem->arena;

	*l = (struct qkv_layer){.index = en->layer,
		.source = QKV_FROM_ALPHA,
		.at = en->alpha.at,
		.place = en->alpha.place,
		.d_k = en->d_k,
		.has_scale = en->has_scale,
		.scale = en->scale,
		.mask_name = en->mask};
	/* "matrix" says that there was one, not which */
	if (qkv_mask_parse(&l->mask, en->mask))
		l->mask.kind = QKV_MASK_NONE;
	if (b->settings->mask.kind)
		l->mask = b->settings->mask;
	if ((l->mask.kind == QKV_MASK_CAUSAL || l->mask.kind == QKV_MASK_WINDOW) &&
		b->problem->doc.n_q != b->problem->doc.n_k)
		return qkv_part_fail(b->problem, &en->alpha, b->e,
			"%zu x %zu, expected as many queries as keys under this mask", b->problem->doc.n_q,
			b->problem->doc.n_k);
	if (b->settings->mask.kind) {
		char name[64];

		qkv_mask_print(name, &l->mask);
		l->mask_name = qkv_arena_copy(arena, name, strlen(name), b->e);
	}
	l->alpha = qkv_arena_new(arena, num, sizeof *l->alpha, b->e);
	l->head_index = qkv_arena_new(arena, num, sizeof *l->head_index, b->e);
	return l->alpha && l->head_index && l->mask_name ? 0 : -1;
}

static int
add_entry(struct qkv_build *b, const struct entry *en, size_t *heads, size_t left)
{
	struct qkv_problem *p = b->problem;
	struct qkv_layer *l = p->num_layers ? &p->layers[p->num_layers - 1] : NULL;

	if (en->alpha.shape[0] != p->doc.n_q || en->alpha.shape[1] != p->doc.n_k)
		return qkv_part_fail(p, &en->alpha, b->e, "%zu x %zu, expected %zu x %zu as there are tokens",
			en->alpha.shape[0], en->alpha.shape[1], p->doc.n_q, p->doc.n_k);
	if (!l || l->index != en->layer) {
		if (l && en->layer < l->index)
			return qkv_part_fail(p, &en->alpha, b->e,
				"layer %zu after layer %zu, expected them in order", en->layer, l->index);
		l = &p->layers[p->num_layers];
		if (open_layer(b, l, en, left))
			return -1;
		p->num_layers++;
		*heads = 0;
	} else if (en->head <= l->head_index[*heads - 1] || l->head_index[*heads - 1] == QKV_MEAN) {
		return qkv_part_fail(p, &en->alpha, b->e,
			"a head that does not come after the one before, expected them in order");
	}
	if (en->head != QKV_MEAN && p->doc.num_heads && en->head >= p->doc.num_heads)
		return qkv_part_fail(
			p, &en->alpha, b->e, "head %zu of %zu, expected less", en->head, p->doc.num_heads);
	l->head_index[*heads] = en->head;
	l->alpha[(*heads)++] = en->alpha.data;
	if (en->head != QKV_MEAN && en->head >= p->doc.head_limit)
		p->doc.head_limit = en->head + 1;
	if (en->layer >= p->doc.num_layers)
		p->doc.num_layers = en->layer + 1;
	l->num_heads = *heads;
	return 0;
}

static int
add_heads(struct qkv_build *b, const struct qkv_member *heads)
{
	struct qkv_problem *p = b->problem;
	size_t n = 0, i = 0, in_layer = 0;

	for (const cJSON *c = cJSON_IsArray(heads->node) ? heads->node->child : NULL; c; c = c->next)
		n++;
	if (!n)
		return qkv_json_fail(
			&b->json, heads->node, heads->place, "no head, expected an array of at least one");
	p->layers = qkv_arena_new(&p->arena, n, sizeof *p->layers, b->e);
	if (!p->layers)
		return -1;
	for (const cJSON *c = heads->node->child; c; c = c->next, i++) {
		const char *place = qkv_arena_print(&p->arena, b->e, "%s[%zu]", heads->place, i);
		struct entry en;

		if (!place || read_entry(&en, b, c, place) || add_entry(b, &en, &in_layer, n - i))
			return -1;
	}
	return 0;
}

/* whether the strings of two lists are the same */
static int
same(const char *const *a, const char *const *b, size_t n)
{
	size_t i = 0;

	while (i < n && !strcmp(a[i], b[i]))
		i++;
	return i == n;
}

/* refuses options that the document contradicts, and what this tool never writes */
static int
check(const struct qkv_build *b, const cJSON *root, const struct qkv_member *polarity)
{
	const struct qkv_settings *s = b->settings;
	const struct qkv_doc *doc = &b->problem->doc;
	const char *layout = s->weight_layout == QKV_IN_OUT ? "in_out" : "out_in";

	if (!cJSON_IsString(polarity->node) || strcmp(polarity->node->valuestring, "attend"))
		return qkv_json_fail(
			&b->json, polarity->node, polarity->place, "another polarity, expected \"attend\"");
	if (s->scale.kind)
		return qkv_json_fail(
			&b->json, root, "--scale", "the document has ready alpha, expected none");
	if (s->num_heads && s->num_heads != doc->num_heads)
		return qkv_json_fail(&b->json, root, "--num-heads",
			"%zu heads, expected %zu as the document has", s->num_heads, doc->num_heads);
	if (s->num_kv_heads && s->num_kv_heads != doc->num_kv_heads)
		return qkv_json_fail(&b->json, root, "--num-kv-heads",
			"%zu heads, expected %zu as the document has", s->num_kv_heads, doc->num_kv_heads);
	if (s->weight_layout && doc->weight_layout && strcmp(layout, doc->weight_layout))
		return qkv_json_fail(&b->json, root, "--weight-layout", "%s, expected %s as the document has",
			layout, doc->weight_layout);
	return 0;
}

/* refuses a document of some queries or keys, whose sums are of all */
static int
refuse_partial(const struct qkv_build *b, const cJSON *root)
{
	static const char *const names[] = {"query_indices", "key_indices"};

	for (int i = 0; i < 2; i++) {
		struct qkv_member m;

		if (qkv_json_member(&m, &b->json, root, "", names[i]))
			return -1;
		if (m.node)
			return qkv_json_fail(&b->json, m.node, m.place,
				"only some %s were written, expected a document with all",
				i ? "keys" : "queries");
	}
	return 0;
}

int
qkv_build_written(struct qkv_build *b, const cJSON *root)
{
	static const char *const names[] = {"qkv", "doc", "query_tokens", "key_tokens", "num_heads",
		"num_kv_heads", "weight_layout", "mask_true", "heads"};
	struct qkv_doc *doc = &b->problem->doc;
	struct qkv_member m[9];
	size_t version = 0;

	if (refuse_partial(b, root) || qkv_json_keys(&b->json, root, "", names, 9))
		return -1;
	for (size_t i = 0; i < 9; i++) {
		if (qkv_json_member(&m[i], &b->json, root, "", names[i]))
			return -1;
		if (!m[i].node)
			return qkv_json_fail(&b->json, root, "",
				"no key \"%s\", expected it in a document that begins with \"qkv\"",
				names[i]);
	}
	if (qkv_json_count(&version, &b->json, &m[0], 0))
		return -1;
	if (version != 1)
		return qkv_json_fail(&b->json, m[0].node, m[0].place, "format %zu, expected 1", version);
	if (qkv_json_count(&doc->index, &b->json, &m[1], 0) ||
		qkv_json_texts(&doc->query_tokens, &doc->n_q, &b->json, &m[2]) ||
		qkv_json_texts(&doc->key_tokens, &doc->n_k, &b->json, &m[3]) ||
		(!is_null(&m[4]) && qkv_json_count(&doc->num_heads, &b->json, &m[4], 1)) ||
		(!is_null(&m[5]) && qkv_json_count(&doc->num_kv_heads, &b->json, &m[5], 1)) ||
		(!is_null(&m[6]) && qkv_json_text(&doc->weight_layout, &b->json, &m[6])))
		return -1;
	doc->self_attention = doc->n_q == doc->n_k && same(doc->query_tokens, doc->key_tokens, doc->n_q);
	doc->head_limit = doc->num_heads;
	if (check(b, root, &m[7]) || add_heads(b, &m[8]))
		return -1;
	doc->has_layers = doc->num_layers > 1;
	return 0;
}

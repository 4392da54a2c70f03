/* A document in JSON to a problem: its layers, and what they share. */
#include "load/json_build.h"

#include "base/mem.h"

#include <string.h>

/* sets *list to the strings of m, count of them, or checks that they are those that it has */
static int
same_tokens(struct qkv_build *b, const char *const **list, size_t count, const struct qkv_member *m,
	const char *what)
{
	const char *const *given;
	size_t n = 0;

	if (qkv_json_texts(&given, &n, &b->json, m))
		return -1;
	if (!given)
		return 0;
	if (n != count)
		return qkv_json_fail(&b->json, m->node, m->place,
			"%zu tokens, expected %zu, one for each of the %s", n, count, what);
	for (size_t i = 0; *list && i < n; i++)
		if (strcmp((*list)[i], given[i]))
			return qkv_json_fail(&b->json, m->node, m->place,
				"token %zu differs from the layers before, expected the same", i);
	*list = given;
	return 0;
}

int
qkv_build_tokens(struct qkv_build *b, const cJSON *node, const char *place)
{
	static const char *const names[] = {"tokens", "embeddings"};
	struct qkv_doc *doc = &b->problem->doc;
	struct qkv_member tokens, context, keys_of_it;

	if (qkv_json_member(&tokens, &b->json, node, place, "tokens") ||
		same_tokens(b, &doc->query_tokens, doc->n_q, &tokens, "queries") ||
		qkv_json_member(&context, &b->json, node, place, "context"))
		return -1;
	if (!context.node)
		return 0;
	if (!cJSON_IsObject(context.node))
		return qkv_json_fail(&b->json, context.node, context.place,
			"%s, expected an object with tokens and embeddings",
			qkv_json_kind(&b->json, context.node));
	/* embeddings belong to a layer */
	if (qkv_json_keys(&b->json, context.node, context.place, names, node == b->top ? 1 : 2) ||
		qkv_json_member(&keys_of_it, &b->json, context.node, context.place, "tokens") ||
		same_tokens(b, &doc->key_tokens, doc->n_k, &keys_of_it, "keys"))
		return -1;
	doc->self_attention = 0;
	return 0;
}

int
qkv_build_default_tokens(struct qkv_build *b)
{
	struct qkv_doc *doc = &b->problem->doc;
	size_t most = doc->n_q > doc->n_k ? doc->n_q : doc->n_k;
	const char **numbers = NULL;

	if (!doc->key_tokens && doc->self_attention)
		doc->key_tokens = doc->query_tokens;
	if (doc->query_tokens && doc->key_tokens)
		return 0;
	numbers = qkv_arena_new(&b->problem->arena, most, sizeof *numbers, b->e);
	if (!numbers)
		return -1;
	for (size_t i = 0; i < most; i++)
		if (!(numbers[i] = qkv_arena_print(&b->problem->arena, b->e, "%zu", i)))
			return -1;
	doc->query_tokens = doc->query_tokens ? doc->query_tokens : numbers;
	doc->key_tokens = doc->key_tokens ? doc->key_tokens : numbers;
	return 0;
}

/* the layer at b->node, as number index */
static int
add_layer(struct qkv_build *b, struct qkv_layer *l, size_t index)
{
	l->index = index;
	l->place = b->place;
	if (qkv_build_keys(b, b->node, b->place, 0) || qkv_build_layer(b, l))
		return -1;
	return (b->top && !index && qkv_build_tokens(b, b->top, "")) || qkv_build_tokens(b, b->node, b->place)
		? -1
		: 0;
}

static int
add_layers(struct qkv_build *b, const struct qkv_member *layers)
{
	struct qkv_problem *p = b->problem;
	size_t n = 0;

	if (!cJSON_IsArray(layers->node) || !layers->node->child)
		return qkv_json_fail(&b->json, layers->node, layers->place,
			"%s, expected an array of at least one problem",
			cJSON_IsArray(layers->node) ? "empty" : qkv_json_kind(&b->json, layers->node));
	for (const cJSON *c = layers->node->child; c; c = c->next)
		n++;
	p->layers = qkv_arena_new(&p->arena, n, sizeof *p->layers, b->e);
	if (!p->layers)
		return -1;
	p->num_layers = n;
	p->doc.has_layers = 1;
	b->node = layers->node->child;
	for (size_t i = 0; i < n; i++, b->node = b->node->next) {
		b->place = qkv_arena_print(&p->arena, b->e, "layers[%zu]", i);
		if (!b->place || add_layer(b, &p->layers[i], i))
			return -1;
	}
	return 0;
}

/* one layer, or ready alpha with an axis of layers */
static int
add_document(struct qkv_build *b)
{
	struct qkv_problem *p = b->problem;
	struct qkv_member v;
	size_t n = 1;

	b->place = "";
	if (qkv_build_keys(b, b->node, "", 0) || qkv_build_tensor(&b->alpha, b, "alpha", 2, 5) ||
		qkv_build_member(&v, b, "V"))
		return -1;
	if (b->alpha.rank > 3) {
		n = b->alpha.shape[0];
		p->doc.has_layers = 1;
		if (v.node)
			return qkv_json_fail(&b->json, v.node, v.place,
				"stands beside alpha of %zu layers, expected alpha of one", n);
	}
	p->layers = qkv_arena_new(&p->arena, n, sizeof *p->layers, b->e);
	if (!p->layers)
		return -1;
	p->num_layers = n;
	for (size_t i = 0; i < n; i++)
		if (add_layer(b, &p->layers[i], i))
			return -1;
	return 0;
}

static int
build(struct qkv_build *b)
{
	const cJSON *root = b->json.root;
	struct qkv_doc *doc = &b->problem->doc;
	struct qkv_member written, layers;
	int result;

	doc->self_attention = 1;
	if (qkv_json_member(&written, &b->json, root, "", "qkv") ||
		qkv_json_member(&layers, &b->json, root, "", "layers"))
		return -1;
	if (written.node)
		return qkv_build_written(b, root);
	if (layers.node) {
		b->top = root;
		result = qkv_build_keys(b, root, "", 1) || add_layers(b, &layers);
	} else {
		b->node = root;
		result = add_document(b);
	}
	if (result)
		return -1;
	if (!b->knows_kv)
		doc->num_kv_heads = 0;
	doc->self_attention &= doc->n_q == doc->n_k;
	doc->num_layers = b->problem->num_layers;
	return qkv_build_default_tokens(b);
}

int
qkv_problem_read(struct qkv_problem **out, size_t *at, const struct qkv_text *t, size_t index,
	const struct qkv_attached *attached, const struct qkv_settings *settings, struct qkv_notes *notes,
	struct qkv_err *e)
{
	struct qkv_problem *p = qkv_mem_new(1, sizeof *p, e);
	struct qkv_build b = {.problem = p, .settings = settings, .notes = notes, .e = e};
	int result;

	if (!p)
		return -1;
	p->text = t;
	p->doc.index = index;
	result = qkv_json_read(&b.json, at, t, settings, &p->arena, e) ||
		qkv_json_attach(&b.json, attached) || build(&b);
	qkv_json_close(&b.json);
	if (result)
		qkv_problem_free(p);
	else
		*out = p;
	return result ? -1 : 0;
}

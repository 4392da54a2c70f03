/* The keys of a problem, and how a layer comes to a member: its own, or one that it inherits from the document. */
#include "load/json_build.h"

#include <string.h>

/* one row a key: where it may stand, and whether layers inherit it from the document */
static const struct {
	const char *name;
	int layer, document, inherited; /* document: beside "layers" */
} keys[] = {
	{"tokens", 1, 1, 1},
	{"context", 1, 1, 0},
	{"num_heads", 1, 1, 1},
	{"num_kv_heads", 1, 1, 1},
	{"weight_layout", 1, 1, 1},
	{"qkv_layout", 1, 1, 1},
	{"mask", 1, 1, 1},
	{"key_mask", 1, 1, 1},
	{"scale", 1, 1, 1},
	{"segments", 1, 1, 1},
	{"layers", 0, 1, 0},
	{"embeddings", 1, 0, 0},
	{"W_Q", 1, 0, 0},
	{"W_K", 1, 0, 0},
	{"W_V", 1, 0, 0},
	{"W_O", 1, 0, 0},
	{"W_QKV", 1, 0, 0},
	{"b_Q", 1, 0, 0},
	{"b_K", 1, 0, 0},
	{"b_V", 1, 0, 0},
	{"b_O", 1, 0, 0},
	{"b_QKV", 1, 0, 0},
	{"heads", 1, 0, 0},
	{"Q", 1, 0, 0},
	{"K", 1, 0, 0},
	{"V", 1, 0, 0},
	{"scores", 1, 0, 0},
	{"alpha", 1, 0, 0},
	{"bias", 1, 0, 0},
};

enum { NUM_KEYS = sizeof keys / sizeof *keys };

int
qkv_build_keys(struct qkv_build *b, const cJSON *node, const char *place, int document)
{
	const char *names[NUM_KEYS];
	size_t n = 0;

	if (!cJSON_IsObject(node))
		return qkv_json_fail(
			&b->json, node, place, "%s, expected an object", qkv_json_kind(&b->json, node));
	for (size_t i = 0; i < NUM_KEYS; i++) {
		struct qkv_member m;

		if (document ? keys[i].document : keys[i].layer) {
			names[n++] = keys[i].name;
			continue;
		}
		if (qkv_json_member(&m, &b->json, node, place, keys[i].name))
			return -1;
		if (m.node)
			return qkv_json_fail(&b->json, m.node, m.place, "stands %s layers, expected it in %s",
				document ? "beside" : "within", document ? "each of them" : "the document");
	}
	return qkv_json_keys(&b->json, node, place, names, n);
}

int
qkv_build_member(struct qkv_member *m, struct qkv_build *b, const char *key)
{
	if (qkv_json_member(m, &b->json, b->node, b->place, key))
		return -1;
	for (size_t i = 0; !m->node && i < NUM_KEYS; i++)
		if (keys[i].inherited && !strcmp(keys[i].name, key))
			return qkv_json_member(m, &b->json, b->top, "", key);
	return 0;
}

int
qkv_build_tensor(struct qkv_part *part, struct qkv_build *b, const char *key, size_t least, size_t most)
{
	struct qkv_member m;

	return qkv_build_member(&m, b, key) ||
			qkv_json_tensor(part, &b->json, &m, least, most, !strcmp(key, "bias"))
		? -1
		: 0;
}

int
qkv_build_missing(struct qkv_build *b, const char *key, const char *why)
{
	return qkv_json_fail(&b->json, b->node, b->place, "no key \"%s\", expected it %s", key, why);
}

int
qkv_build_agree(
	struct qkv_build *b, size_t *fact, size_t value, const struct qkv_part *part, const char *what)
{
	if (*fact && *fact != value)
		return qkv_part_fail(b->problem, part, b->e, "%zu %s, expected %zu", value, what, *fact);
	*fact = value;
	return 0;
}

/* a head count that is asked for, by an option or by the document; 0: by none */
struct asked {
	size_t count;
	const char *name;
	const cJSON *node; /* in the document; NULL: an option */
};

static int
ask(struct asked *a, struct qkv_build *b, const char *key, const char *option, size_t by_option)
{
	struct qkv_member m;

	*a = (struct asked){0, key, NULL};
	if (qkv_build_member(&m, b, key) || qkv_json_count(&a->count, &b->json, &m, 1))
		return -1;
	a->node = m.node;
	if (by_option)
		*a = (struct asked){by_option, option, NULL};
	return 0;
}

/* fails where the document gives the count, or at the part that an option contradicts */
static int
fail_asked(struct qkv_build *b, const struct asked *a, const struct qkv_part *part, const char *what,
	size_t found)
{
	if (a->node)
		return qkv_json_fail(&b->json, a->node, a->name, "%zu, expected %zu, the %s of %s", a->count,
			found, what, part->place);
	return qkv_part_fail(
		b->problem, part, b->e, "%zu %s, expected %zu as %s says", found, what, a->count, a->name);
}

int
qkv_build_heads(struct qkv_build *b, size_t heads, const struct qkv_part *part, size_t kv_heads,
	const struct qkv_part *kv_part)
{
	struct qkv_doc *doc = &b->problem->doc;
	struct asked h, kv;
	int ready = heads > 0;

	if (ask(&h, b, "num_heads", "--num-heads", b->settings->num_heads) ||
		ask(&kv, b, "num_kv_heads", "--num-kv-heads", b->settings->num_kv_heads))
		return -1;
	if (heads && h.count && heads != h.count)
		return fail_asked(b, &h, part, "heads", heads);
	if (kv_heads && kv.count && kv_heads != kv.count)
		return fail_asked(b, &kv, kv_part, "key/value heads", kv_heads);
	heads = heads ? heads : h.count ? h.count : 1;
	if (qkv_build_agree(b, &doc->num_heads, heads, part, "heads (of this layer)"))
		return -1;
	doc->head_limit = heads;
	kv_heads = kv_heads ? kv_heads : kv.count ? kv.count : ready ? 0 : heads;
	if (!kv_heads)
		return 0;
	b->knows_kv = 1;
	if (heads % kv_heads)
		return qkv_part_fail(b->problem, kv_part, b->e,
			"%zu key/value heads for %zu heads, expected a number that divides it", kv_heads,
			heads);
	return qkv_build_agree(b, &doc->num_kv_heads, kv_heads, kv_part, "key/value heads (of this layer)");
}

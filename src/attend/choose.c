/* Which queries and keys are shown, and how a caption says what is left out. */
#include "attend/prepare.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

/* one side of a matrix: what there is, and what is asked for */
struct side {
	const char *name, *option;
	const char *const *tokens; /* (n,) */
	size_t n;
	const struct qkv_range *ranges;
	size_t num_ranges;
};

static int
has_token(const struct side *s, const char *token)
{
	size_t i = 0;

	while (i < s->n && strcmp(s->tokens[i], token))
		i++;
	return i < s->n;
}

static int
is_hidden(const struct qkv_attend_options *o, const char *token)
{
	for (size_t i = 0; i < o->num_hide_tokens; i++)
		if (!strcmp(o->hide_tokens[i], token))
			return 1;
	return 0;
}

/* fills c with the indices within the ranges whose tokens are not hidden */
static int
choose(struct qkv_choice *c, struct qkv_attend *a, const struct side *s, const struct qkv_attend_options *o,
	struct qkv_err *e)
{
	unsigned char *wanted = qkv_arena_new(&a->arena, s->n, sizeof *wanted, e);

	c->index = wanted ? qkv_arena_new(&a->arena, s->n, sizeof *c->index, e) : NULL;
	if (!c->index)
		return -1;
	memset(wanted, !s->num_ranges, s->n);
	for (const struct qkv_range *r = s->ranges; r < s->ranges + s->num_ranges; r++) {
		if (r->last >= s->n)
			return qkv_fail(e, QKV_EINPUT, "%s: --%s: no %s %zu, expected less than %zu",
				a->problem->text->name, s->option, s->name, r->first < s->n ? s->n : r->first,
				s->n);
		memset(wanted + r->first, 1, r->last - r->first + 1);
	}
	for (size_t i = 0; i < s->n; i++)
		if (wanted[i] && !is_hidden(o, s->tokens[i]))
			c->index[c->count++] = i;
	if (!c->count)
		return qkv_fail(e, QKV_EINPUT, "%s: --hide-tokens: no %s is left, expected at least one",
			a->problem->text->name, s->name);
	return 0;
}

/* says which of the tokens to hide are not there, and what the first may have meant */
static int
look_for(struct qkv_attend *a, const struct side *queries, const struct side *keys,
	const struct qkv_attend_options *o, struct qkv_err *e)
{
	for (size_t i = 0; i < o->num_hide_tokens; i++) {
		const char *token = o->hide_tokens[i], *nearest;

		if (has_token(queries, token) || has_token(keys, token) || a->num_absent++)
			continue;
		nearest = qkv_nearest(token, queries->tokens, queries->n);
		if (!nearest)
			nearest = qkv_nearest(token, keys->tokens, keys->n);
		a->absent = nearest ? qkv_arena_print(&a->arena, e, "'%s', did you mean '%s'", token, nearest)
				    : qkv_arena_print(&a->arena, e, "'%s'", token);
		if (!a->absent)
			return -1;
	}
	return 0;
}

/* ", without [CLS], [SEP] and 3 more" into text, if there is something to say */
static void
list_tokens(char text[128], const struct side *queries, const struct side *keys,
	const struct qkv_attend_options *o)
{
	size_t used = 0, room = 64, more = 0; /* bytes of tokens */

	text[0] = 0;
	for (size_t i = 0; i < o->num_hide_tokens; i++) {
		const char *token = o->hide_tokens[i];
		size_t length = strlen(token) + 2;

		if (!has_token(queries, token) && !has_token(keys, token))
			continue;
		if (!*token || length > room) {
			more++;
			continue;
		}
		room -= length;
		used += (size_t)snprintf(text + used, 128 - used, "%s%s", used ? ", " : ", without ", token);
	}
	if (used && more)
		snprintf(text + used, 128 - used, " and %zu more", more);
}

/* "10 of 12 tokens", or queries and keys, and which tokens they lack */
static int
describe(struct qkv_attend *a, const struct side *queries, const struct side *keys,
	const struct qkv_attend_options *o, struct qkv_err *e)
{
	char rows[64] = "", cols[64] = "", tokens[128];
	size_t n_q = a->queries.count, n_k = a->keys.count;

	if (n_q == queries->n && n_k == keys->n)
		return 0;
	if (n_q < queries->n)
		snprintf(rows, sizeof rows, "%zu of %zu %s", n_q, queries->n,
			a->is_square ? "tokens" : "queries");
	if (n_k < keys->n && !a->is_square)
		snprintf(cols, sizeof cols, "%s%zu of %zu keys", *rows ? ", " : "", n_k, keys->n);
	list_tokens(tokens, queries, keys, o);
	a->left_out = qkv_arena_print(&a->arena, e, "%s%s%s", rows, cols, tokens);
	return a->left_out ? 0 : -1;
}

int
qkv_attend_choose(struct qkv_attend *a, const struct qkv_attend_options *o, struct qkv_err *e)
{
	const struct qkv_doc *doc = &a->doc;
	struct side queries = {"query", "queries", doc->query_tokens, doc->n_q, o->queries, o->num_queries};
	struct side keys = {"key", "keys", doc->key_tokens, doc->n_k, o->keys, o->num_keys};

	if (choose(&a->queries, a, &queries, o, e) || choose(&a->keys, a, &keys, o, e) ||
		look_for(a, &queries, &keys, o, e))
		return -1;
	a->is_square = doc->self_attention && a->queries.count == a->keys.count &&
		!memcmp(a->queries.index, a->keys.index, a->keys.count * sizeof *a->keys.index);
	return describe(a, &queries, &keys, o, e);
}

size_t
qkv_choice_below(const struct qkv_choice *c, size_t limit)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->index[middle] < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

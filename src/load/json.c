/*
 * The tree of a document: cJSON over the skeleton, and what cJSON is lenient about made strict.
 *
 * The scanner has already refused trailing text, malformed numbers, raw control bytes, \u0000 and halves of
 * surrogate pairs; keys that come twice or differ in case are refused here, by own look-ups.
 */
#include "load/json.h"

#include "base/nearest.h"

#include <stdarg.h>
#include <string.h>

/* numbers the nodes in document order */
static void
enumerate(cJSON *node, size_t *next)
{
	node->valuedouble = (double)(*next)++;
	for (cJSON *child = node->child; child; child = child->next)
		enumerate(child, next);
}

int
qkv_json_read(struct qkv_json *j, size_t *at, const struct qkv_text *t, const struct qkv_settings *settings,
	struct qkv_arena *a, struct qkv_err *e)
{
	size_t count = 0;

	*j = (struct qkv_json){.text = t, .arena = a, .e = e};
	if (qkv_scan_read(&j->scan, at, t, settings, a, e))
		return -1;
	j->root = cJSON_ParseWithLength(j->scan.skeleton, j->scan.length);
	if (!j->root)
		return qkv_fail(
			e, QKV_EMEMORY, "out of memory, reading a document of %zu bytes", j->scan.length);
	enumerate(j->root, &count);
	return 0;
}

void
qkv_json_close(struct qkv_json *j)
{
	cJSON_Delete(j->root);
	qkv_scan_free(&j->scan);
}

const struct qkv_value *
qkv_json_value(const struct qkv_json *j, const cJSON *node)
{
	return &j->scan.values[(size_t)node->valuedouble];
}

/* the text that a node stands in */
static const struct qkv_text *
text_of(const struct qkv_json *j, const cJSON *node)
{
	const struct qkv_value *v = qkv_json_value(j, node);

	return v->file ? v->file : j->text;
}

int
qkv_json_fail(const struct qkv_json *j, const cJSON *node, const char *place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	qkv_text_fail_in(text_of(j, node), qkv_json_value(j, node)->at, place, j->e, format, args);
	va_end(args);
	return -1;
}

const char *
qkv_json_kind(const struct qkv_json *j, const cJSON *node)
{
	if (qkv_json_value(j, node)->kind == QKV_VALUE_TENSOR)
		return "an array of numbers";
	return cJSON_IsNumber(node)    ? "a number"
		: cJSON_IsString(node) ? "a string"
		: cJSON_IsArray(node)  ? "an array"
		: cJSON_IsObject(node) ? "an object"
		: cJSON_IsNull(node)   ? "null"
		: cJSON_IsTrue(node)   ? "true"
				       : "false";
}

int
qkv_json_keys(const struct qkv_json *j, const cJSON *object, const char *place, const char *const *names,
	size_t count)
{
	const char *colon = *place ? ": " : "";

	for (const cJSON *child = object->child; child; child = child->next) {
		size_t at = qkv_json_value(j, child)->key, i = 0;
		const char *nearest;

		while (i < count && strcmp(names[i], child->string))
			i++;
		nearest = i < count ? NULL : qkv_nearest(child->string, names, count);
		if (nearest)
			return qkv_text_fail(text_of(j, child), at, j->e,
				"%s%sunknown key \"%s\", expected perhaps \"%s\"", place, colon,
				child->string, nearest);
		if (i == count)
			return qkv_text_fail(text_of(j, child), at, j->e,
				"%s%sunknown key \"%s\", expected one that the manual names", place, colon,
				child->string);
		/* all keys before this one are known and different, so there are few */
		for (const cJSON *other = object->child; other != child; other = other->next)
			if (!strcmp(other->string, child->string))
				return qkv_text_fail(text_of(j, child), at, j->e,
					"%s%sthe key \"%s\" again, expected it once", place, colon,
					child->string);
	}
	return 0;
}

int
qkv_json_member(struct qkv_member *m, const struct qkv_json *j, const cJSON *object, const char *place,
	const char *key)
{
	const cJSON *child = cJSON_IsObject(object) ? object->child : NULL;

	while (child && strcmp(child->string, key))
		child = child->next;
	m->node = child;
	m->place = key;
	if (*place && child)
		m->place = qkv_arena_print(j->arena, j->e, "%s.%s", place, key);
	return m->place ? 0 : -1;
}

int
qkv_json_count(size_t *count, const struct qkv_json *j, const struct qkv_member *m, size_t least)
{
	double v;

	if (!m->node)
		return 0;
	if (!cJSON_IsNumber(m->node) || qkv_json_value(j, m->node)->kind != QKV_VALUE_NUMBER)
		return qkv_json_fail(
			j, m->node, m->place, "%s, expected an integer", qkv_json_kind(j, m->node));
	v = qkv_json_value(j, m->node)->is.number;
	if (!(v >= (double)least && v <= 2147483647.0) || (double)(size_t)v != v) {
		const char *text = j->text->data + qkv_json_value(j, m->node)->at;

		return qkv_json_fail(j, m->node, m->place, "%.*s, expected an integer from %zu to 2147483647",
			(int)strspn(text, "+-.0123456789eE"), text, least);
	}
	*count = (size_t)v;
	return 0;
}

int
qkv_json_text(const char **text, const struct qkv_json *j, const struct qkv_member *m)
{
	*text = NULL;
	if (!m->node)
		return 0;
	if (!cJSON_IsString(m->node))
		return qkv_json_fail(
			j, m->node, m->place, "%s, expected a string", qkv_json_kind(j, m->node));
	*text = qkv_arena_copy(j->arena, m->node->valuestring, strlen(m->node->valuestring), j->e);
	return *text ? 0 : -1;
}

int
qkv_json_texts(const char *const **list, size_t *count, const struct qkv_json *j, const struct qkv_member *m)
{
	const char **copies;
	size_t n = 0;

	*list = NULL;
	if (!m->node)
		return 0;
	if (!cJSON_IsArray(m->node))
		return qkv_json_fail(j, m->node, m->place,
			"%s, expected an array of strings such as [\"a\",\"b\"]", qkv_json_kind(j, m->node));
	for (const cJSON *c = m->node->child; c; c = c->next)
		n++;
	if (!n)
		return qkv_json_fail(j, m->node, m->place, "empty, expected at least one string");
	*list = copies = qkv_arena_new(j->arena, n, sizeof *copies, j->e);
	if (!copies)
		return -1;
	*count = n;
	n = 0;
	for (const cJSON *c = m->node->child; c; c = c->next, n++) {
		if (!cJSON_IsString(c))
			return qkv_text_fail(j->text, qkv_json_value(j, c)->at, j->e,
				"%s[%zu]: %s, expected a string", m->place, n, qkv_json_kind(j, c));
		copies[n] = qkv_arena_copy(j->arena, c->valuestring, strlen(c->valuestring), j->e);
		if (!copies[n])
			return -1;
	}
	return 0;
}

/* Which keys a query may see, what is added to its scores, and what they are multiplied by. */
#include "load/json_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* a part of (n_q, n_k), or of that for each head; shape[0] becomes 1 or H */
static int
fit(struct qkv_build *b, struct qkv_part *part)
{
	const struct qkv_doc *doc = &b->problem->doc;
	size_t axes = part->rank, rows = part->shape[axes - 2], cols = part->shape[axes - 1];
	size_t heads = axes == 3 ? part->shape[0] : 1;

	if (rows != doc->n_q || cols != doc->n_k)
		return qkv_part_fail(b->problem, part, b->e, "%zu x %zu, expected %zu x %zu, queries x keys",
			rows, cols, doc->n_q, doc->n_k);
	if (axes == 3 && heads != doc->num_heads)
		return qkv_part_fail(
			b->problem, part, b->e, "for %zu heads, expected %zu", heads, doc->num_heads);
	*part = (struct qkv_part){
		part->data, 3, {heads, rows, cols}, part->count, part->at, part->place, part->file};
	return 0;
}

/* what base64 may have brought into a mask; the scanner checks arrays */
static int
check_flags(struct qkv_build *b, const struct qkv_part *part)
{
	for (size_t i = 0; i < part->count; i++) {
		float x = part->data[i];
		char index[256];

		if (!(x < 0 || x > 1 || (x > 0 && x < 1)))
			continue;
		qkv_json_index(index, part, i);
		return qkv_part_fail(b->problem, part, b->e,
			"element %s is not 0 or 1, expected 1 where a query may attend "
			"(what is to be added to the scores goes into bias)",
			index);
	}
	return 0;
}

static int
mask(struct qkv_build *b, struct qkv_layer *l)
{
	const struct qkv_doc *doc = &b->problem->doc;
	struct qkv_member m = {NULL, "--mask"};
	const char *text = NULL;
	char name[64];

	l->mask = b->settings->mask;
	if (!l->mask.kind) {
		if (qkv_build_member(&m, b, "mask"))
			return -1;
		l->mask.kind = QKV_MASK_NONE;
		if (m.node && cJSON_IsString(m.node)) {
			if (qkv_json_text(&text, &b->json, &m))
				return -1;
			if (qkv_mask_parse(&l->mask, text))
				return qkv_json_fail(&b->json, m.node, m.place,
					"\"%s\", expected none, causal, causal-start, causal-end, "
					"window:LEFT,RIGHT, or a matrix of 0 and 1",
					text);
		} else if (m.node) {
			l->mask.kind = QKV_MASK_MATRIX;
			if (qkv_json_tensor(&l->mask_matrix, &b->json, &m, 2, 3, 0) ||
				check_flags(b, &l->mask_matrix) || fit(b, &l->mask_matrix))
				return -1;
		}
	}
	qkv_mask_print(name, &l->mask);
	l->mask_name = qkv_arena_copy(&b->problem->arena, name, strlen(name), b->e);
	if (!l->mask_name)
		return -1;
	if ((l->mask.kind == QKV_MASK_CAUSAL || l->mask.kind == QKV_MASK_WINDOW) && doc->n_q != doc->n_k)
		return qkv_json_fail(&b->json, m.node ? m.node : b->node, m.place,
			"%s with %zu queries and %zu keys, expected as many%s", name, doc->n_q, doc->n_k,
			l->mask.kind == QKV_MASK_WINDOW
				? ""
				: ", or causal-start or causal-end, which say where the triangle begins");
	return 0;
}

static int
scale(struct qkv_build *b, struct qkv_layer *l)
{
	struct qkv_scale s = b->settings->scale;
	struct qkv_member m;
	const char *text;

	if (qkv_build_member(&m, b, "scale"))
		return -1;
	if (l->source == QKV_FROM_ALPHA) {
		if (s.kind)
			return qkv_json_fail(
				&b->json, b->node, "--scale", "the document has ready alpha, expected none");
		return m.node
			? qkv_json_fail(&b->json, m.node, m.place, "stands beside ready alpha, expected none")
			: 0;
	}
	if (!s.kind && m.node && cJSON_IsString(m.node)) {
		if (qkv_json_text(&text, &b->json, &m))
			return -1;
		if ((strcmp(text, "auto") && strcmp(text, "none")) || qkv_scale_parse(&s, text))
			return qkv_json_fail(&b->json, m.node, m.place,
				"\"%s\", expected a number, \"auto\" or \"none\"", text);
	} else if (!s.kind && m.node) {
		if (!cJSON_IsNumber(m.node) || qkv_json_value(&b->json, m.node)->kind != QKV_VALUE_NUMBER)
			return qkv_json_fail(&b->json, m.node, m.place,
				"%s, expected a number, \"auto\" or \"none\"",
				qkv_json_kind(&b->json, m.node));
		s = (struct qkv_scale){QKV_SCALE_NUMBER, qkv_json_value(&b->json, m.node)->is.number};
	}
	if (s.kind != QKV_SCALE_NUMBER && !l->d_k)
		return qkv_json_fail(&b->json, m.node ? m.node : b->node, m.node ? m.place : b->place,
			"ready scores do not tell d_k, expected a scale: a number or \"none\"");
	l->scale = s.kind == QKV_SCALE_NUMBER ? s.number : 1 / sqrt((double)l->d_k);
	l->has_scale = 1;
	if (!isfinite((float)l->scale))
		return qkv_json_fail(&b->json, m.node ? m.node : b->node, m.node ? m.place : "--scale",
			"a scale that float32 cannot hold, expected less");
	return 0;
}

int
qkv_build_mask(struct qkv_build *b, struct qkv_layer *l)
{
	const struct qkv_doc *doc = &b->problem->doc;

	if (mask(b, l) || scale(b, l) || qkv_build_tensor(&l->key_mask, b, "key_mask", 1, 1) ||
		qkv_build_tensor(&l->bias, b, "bias", 2, 3))
		return -1;
	if (l->key_mask.data && l->key_mask.count != doc->n_k)
		return qkv_part_fail(b->problem, &l->key_mask, b->e, "%zu elements, expected %zu, one a key",
			l->key_mask.count, doc->n_k);
	if (l->key_mask.data && check_flags(b, &l->key_mask))
		return -1;
	if (!l->bias.data)
		return 0;
	if (l->source == QKV_FROM_ALPHA)
		return qkv_part_fail(b->problem, &l->bias, b->e, "stands beside ready alpha, expected none");
	return fit(b, &l->bias);
}

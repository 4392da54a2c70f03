/*
 * A weight in either orientation, and views of its heads.
 *
 * "in_out" is (d, width), Q = X W; "out_in" is (width, d), as PyTorch's Linear keeps it.
 */
#include "load/json_build.h"

#include <string.h>

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

int
qkv_build_weight(
	struct qkv_oriented *w, struct qkv_build *b, const struct qkv_member *m, size_t in, const char *width)
{
	const char **name = &b->problem->doc.weight_layout, *before = *name;
	enum qkv_layout l;

	*w = (struct qkv_oriented){.in = 0};
	if (qkv_json_tensor(&w->part, &b->json, m, 2, 2, 0) || layout(&l, b))
		return -1;
	if (!w->part.data)
		return 0;
	w->in = w->part.shape[l == QKV_OUT_IN];
	w->out = w->part.shape[l != QKV_OUT_IN];
	w->rs = l == QKV_OUT_IN ? 1 : w->out;
	w->cs = l == QKV_OUT_IN ? w->in : 1;
	w->outs = l == QKV_OUT_IN ? "rows" : "columns";
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

int
qkv_build_bias(struct qkv_part *part, struct qkv_build *b, const struct qkv_member *m, size_t length,
	int beside_weight)
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

struct qkv_weight *
qkv_build_views(struct qkv_build *b, const struct qkv_oriented *w, const struct qkv_part *bias_part,
	size_t count, size_t first, size_t step)
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

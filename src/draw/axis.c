/* Axes: the labels that fit, each centred on its cell. */
#include "draw/axis.h"

#include "base/mem.h"
#include "draw/glyph.h"

#include <stdio.h>
#include <string.h>

enum { MIN_EXTENT = 16 }; /* leaves room for a number beside labels of one letter */

int
qkv_axis_new(
	struct qkv_axis *a, const char *const *tokens, size_t n, size_t pool, size_t cell, struct qkv_err *e)
{
	size_t cells = (n + pool - 1) / pool;

	memset(a, 0, sizeof *a);
	a->n = n;
	a->tokens = tokens;
	a->pool = pool;
	a->cell = cell;
	a->step = cell < QKV_GLYPH_HEIGHT ? (QKV_GLYPH_HEIGHT + cell - 1) / cell : 1;
	a->extent = MIN_EXTENT;
	a->labels = qkv_mem_new((cells + a->step - 1) / a->step, sizeof *a->labels, e);
	if (!a->labels)
		return -1;
	for (size_t i = 0; i < n; i += a->step * pool) {
		struct qkv_label *l = &a->labels[a->count];
		char number[24];

		if (!tokens)
			snprintf(number, sizeof number, "%zu", i);
		if (qkv_label_new(l, tokens ? tokens[i] : number, QKV_LABEL_LIMIT, e))
			return -1;
		a->count++;
		if (a->extent < l->width)
			a->extent = l->width;
	}
	return 0;
}

static const char *
ordinal_ending(size_t k)
{
	static const char *const endings[] = {"th", "st", "nd", "rd"};

	return k % 100 / 10 == 1 || k % 10 > 3 ? endings[0] : endings[k % 10];
}

void
qkv_axis_note(const struct qkv_axis *a, const char *what, struct qkv_notes *notes)
{
	size_t k = a->step * a->pool;

	qkv_note_add(notes, QKV_NOTE_LABELS, a->n - a->count, "every %zu%s %s is drawn", k, ordinal_ending(k),
		what);
	for (size_t i = 0; i < a->count; i++) {
		const struct qkv_label *l = &a->labels[i];

		if (l->shortened)
			qkv_note_add(notes, QKV_NOTE_SHORTENED, 1, "token %zu, drawn %zu pixels long", i * k,
				l->width);
		qkv_note_add(notes, QKV_NOTE_GLYPH, l->missing, "U+%04lX in token %zu",
			(unsigned long)l->lacking, i * k);
	}
}

long
qkv_axis_place(const struct qkv_axis *a, size_t i)
{
	return (long)(i * a->step * a->cell + a->cell / 2) - QKV_GLYPH_HEIGHT / 2;
}

void
qkv_axis_free(struct qkv_axis *a)
{
	for (size_t i = 0; i < a->count; i++)
		qkv_label_free(&a->labels[i]);
	qkv_mem_free(a->labels);
}

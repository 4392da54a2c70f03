/*
 * Axes: the labels that fit, each centred on its cell. Where not all fit, the first, the last and the special tokens
 * come first, as far as they keep the distance, then every k-th cell that keeps it from those.
 */
#include "draw/axis.h"

#include "base/mem.h"
#include "draw/glyph.h"
#include "draw/piece.h"

#include <stdio.h>
#include <string.h>

enum { MIN_EXTENT = 16 }; /* leaves room for a number beside labels of one letter */

#define NOBODY ((size_t)-1)

/* whether a cell can have a label: none nearer than the step has one */
static int
is_free(const struct qkv_axis *a, const size_t *chosen, size_t cells, size_t cell)
{
	size_t first = cell < a->step ? 0 : cell - a->step + 1;

	for (size_t c = first; c < cells && c < cell + a->step; c++)
		if (chosen[c] != NOBODY)
			return 0;
	return 1;
}

static void
choose(struct qkv_axis *a, size_t *chosen, size_t cells, size_t i)
{
	if (!is_free(a, chosen, cells, i / a->pool))
		return;
	chosen[i / a->pool] = i;
	a->count++;
	a->has_special |= i % (a->pool * a->step) != 0;
}

/* the token that gives each of the cells a label, or NOBODY */
static void
choose_all(struct qkv_axis *a, size_t *chosen, size_t cells, const char *const *tokens)
{
	for (size_t c = 0; c < cells; c++)
		chosen[c] = NOBODY;
	if (tokens && a->pool * a->step > 1) {
		choose(a, chosen, cells, 0);
		choose(a, chosen, cells, a->n - 1);
		/* of a run of padding the first */
		for (size_t i = 1; i < a->n - 1; i++)
			if (qkv_piece_is_special(tokens[i]) && strcmp(tokens[i], tokens[i - 1]))
				choose(a, chosen, cells, i);
	}
	for (size_t c = 0; c < cells; c += a->step)
		choose(a, chosen, cells, c * a->pool);
}

void
qkv_axis_name(char name[QKV_AXIS_NAME], const struct qkv_axis *a, size_t i)
{
	if (!a->tokens)
		snprintf(name, QKV_AXIS_NAME, "%zu", i);
	else if (a->raw)
		snprintf(name, QKV_AXIS_NAME, "%s", a->tokens[i]);
	else
		qkv_piece_spell(name, QKV_AXIS_NAME, a->tokens[i], a->has_bytes);
}

static int
add_labels(struct qkv_axis *a, const size_t *chosen, size_t cells, struct qkv_err *e)
{
	char name[QKV_AXIS_NAME];

	a->labels = qkv_mem_new(a->count, sizeof *a->labels, e);
	a->of = a->labels ? qkv_mem_new(a->count, sizeof *a->of, e) : NULL;
	a->count = 0;
	if (!a->of)
		return -1;
	for (size_t c = 0; c < cells; c++) {
		struct qkv_label *l = &a->labels[a->count];

		if (chosen[c] == NOBODY)
			continue;
		qkv_axis_name(name, a, chosen[c]);
		if (qkv_label_new(l, name, QKV_LABEL_LIMIT, e))
			return -1;
		a->of[a->count++] = chosen[c];
		a->extent = a->extent < l->width ? l->width : a->extent;
	}
	return 0;
}

int
qkv_axis_new(struct qkv_axis *a, const char *const *tokens, size_t n, size_t pool, size_t cell, int raw,
	struct qkv_err *e)
{
	size_t cells = (n + pool - 1) / pool, *chosen = qkv_mem_new(cells, sizeof *chosen, e);
	int status;

	memset(a, 0, sizeof *a);
	if (!chosen)
		return -1;
	a->n = n;
	a->raw = raw;
	a->has_bytes = tokens && !raw && qkv_piece_has_bytes(tokens, n);
	a->tokens = tokens;
	a->pool = pool;
	a->cell = cell;
	a->step = cell < QKV_GLYPH_HEIGHT ? (QKV_GLYPH_HEIGHT + cell - 1) / cell : 1;
	a->extent = MIN_EXTENT;
	choose_all(a, chosen, cells, tokens);
	status = add_labels(a, chosen, cells, e);
	qkv_mem_free(chosen);
	return status;
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

	qkv_note_add(notes, QKV_NOTE_LABELS, a->n - a->count, "every %zu%s %s is drawn%s", k,
		ordinal_ending(k), what,
		a->has_special ? ", the last and special ones in place of their neighbours" : "");
	for (size_t i = 0; i < a->count; i++) {
		const struct qkv_label *l = &a->labels[i];

		if (l->shortened)
			qkv_note_add(notes, QKV_NOTE_SHORTENED, 1, "token %zu, drawn %zu pixels long",
				a->of[i], l->width);
		qkv_note_add(notes, QKV_NOTE_GLYPH, l->missing, "U+%04lX in token %zu",
			(unsigned long)l->lacking, a->of[i]);
	}
}

long
qkv_axis_place(const struct qkv_axis *a, size_t i)
{
	return (long)(a->of[i] / a->pool * a->cell + a->cell / 2) - QKV_GLYPH_HEIGHT / 2;
}

void
qkv_axis_free(struct qkv_axis *a)
{
	for (size_t i = 0; i < a->count; i++)
		qkv_label_free(&a->labels[i]);
	qkv_mem_free(a->labels);
	qkv_mem_free(a->of);
}

/*
 * Nested arrays of numbers, straight from the text into one float32 array.
 *
 * The first array of each depth sets the length that all others of that depth must have.
 */
#include "load/scan_state.h"

#include "base/mem.h"
#include "kern/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct lifting {
	struct qkv_scanner *s;
	struct qkv_tensor *t;
	enum qkv_cells cells;
	float *data;
	size_t room;
	const char *limit;   /* the array ends before */
	int known[QKV_RANK]; /* shape[depth] has been set */
};

/* the word at the current byte, if it is that one */
static int
word(struct qkv_scanner *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n))
		return 0;
	s->p += n;
	return 1;
}

/* a cell of a mask: 0, 1, false or true */
static int
flag(struct lifting *l, const struct qkv_frame *f)
{
	struct qkv_scanner *s = l->s;
	const char *start = s->p, *bad, *next;
	double v;

	if (word(s, "true") || word(s, "false")) {
		l->data[l->t->count++] = *start == 't';
		return 0;
	}
	next = qkv_number_read(&v, s->p, s->end, &bad);
	if (!next || (v != 0 && v != 1))
		return qkv_scanner_fail(s, f, s->p,
			"0, 1, false or true, where 1 may attend (what is to be added to the scores goes "
			"into bias)");
	l->data[l->t->count++] = v != 0;
	s->p = next;
	return 0;
}

/* one cell that the fast way leaves: "-inf" in a bias, or an error */
static int
odd(struct lifting *l, const struct qkv_frame *f)
{
	struct qkv_scanner *s = l->s;
	const char *bad, *next;
	double v;

	if (l->cells == QKV_CELLS_BIAS && word(s, "\"-inf\"")) {
		l->data[l->t->count++] = -INFINITY;
		return 0;
	}
	if (l->cells == QKV_CELLS_BIAS && s->p < s->end && *s->p == '"')
		return qkv_scanner_fail(s, f, s->p, "a number or \"-inf\"");
	next = qkv_number_read(&v, s->p, s->end, &bad);
	if (!next)
		return qkv_scanner_fail_number(s, f, bad);
	return qkv_scanner_fail(s, f, s->p, "a number that float32 can hold");
}

/* cells up to something that is no comma; f->index becomes their number */
static int
cells(struct lifting *l, struct qkv_frame *f)
{
	struct qkv_scanner *s = l->s;

	for (;;) {
		size_t n = 0;

		if (l->cells == QKV_CELLS_FLAG) {
			if (flag(l, f))
				return -1;
			n = 1;
		} else {
			float *out = l->data + l->t->count;
			size_t room = l->room - l->t->count;

			s->p = s->kern->read(out, room, 0, &n, s->p, s->end);
			if (!n)
				s->p = qkv_numbers_read(out, room, &n, s->p, s->end);
			l->t->count += n;
			if (!n) {
				if (odd(l, f))
					return -1;
				n = 1;
			}
		}
		f->index += n;
		qkv_scanner_space(s);
		if (s->p == s->end || *s->p != ',')
			return 0;
		s->p++;
		qkv_scanner_space(s);
	}
}

/* after the elements of an array: its end, and the same length as its sisters */
static int
close(struct lifting *l, const struct qkv_frame *f, size_t depth, size_t length, const char *start)
{
	struct qkv_scanner *s = l->s;

	if (s->p == s->end || *s->p != ']')
		return qkv_scanner_fail(s, f, s->p, "',' or ']'");
	s->p++;
	if (!l->known[depth]) {
		l->known[depth] = 1;
		l->t->shape[depth] = length;
	} else if (l->t->shape[depth] != length) {
		char found[48], expected[48];

		snprintf(found, sizeof found, "%zu elements", length);
		snprintf(expected, sizeof expected, "%zu as in the first", l->t->shape[depth]);
		return qkv_scanner_fail_found(s, f, start, found, expected);
	}
	return 0;
}

const char *
qkv_scanner_rows(float *out, size_t room, size_t *count, const struct qkv_scanner *s, enum qkv_cells cells,
	size_t cols, const char *p)
{
	const char *after = s->kern->read(out, room, cols, count, p, s->end);

	for (size_t i = 0; cells == QKV_CELLS_FLAG && i < *count; i++)
		if (out[i] != 0 && out[i] != 1) {
			*count = 0;
			return p;
		}
	return after;
}

/* reads whole items of an array in one go: of the outermost one after the first, or else rows; how many */
static size_t
items(struct lifting *l, size_t depth, size_t index)
{
	struct qkv_scanner *s = l->s;
	size_t *shape = l->t->shape + depth + 1, axes = l->t->rank - depth - 1, cells = 1, n = 0;

	if (!index || depth + 1 >= l->t->rank || s->p == s->end || *s->p != '[')
		return 0;
	for (size_t a = 0; a < axes; a++)
		cells *= shape[a];
	if (!cells)
		return 0;
	if (!depth && index == 1)
		n = qkv_scanner_split(l->data, l->t->count, l->room, s, l->cells, shape, axes, l->limit);
	if (!n && axes == 1)
		s->p = qkv_scanner_rows(
			l->data + l->t->count, l->room - l->t->count, &n, s, l->cells, *shape, s->p);
	l->t->count += n;
	return n / cells;
}

static int
level(struct lifting *l, const struct qkv_frame *f, size_t depth)
{
	struct qkv_scanner *s = l->s;
	struct qkv_frame item = {f, NULL, 0, 0, f->depth + 1};
	const char *start = s->p++;

	if (depth == QKV_RANK)
		return qkv_text_fail(s->text, (size_t)(start - s->text->data), s->e,
			"nesting deeper than %d in an array of numbers, expected less", QKV_RANK);
	qkv_scanner_space(s);
	if (s->p == s->end || *s->p == ']')
		return close(l, f, depth, 0, start);
	if (*s->p == '[' && (!l->t->rank || depth + 1 < l->t->rank)) {
		for (;;) {
			size_t n = items(l, depth, item.index);

			if (!n && (s->p == s->end || *s->p != '['))
				return qkv_scanner_fail(s, &item, s->p, "an array of numbers, as before it");
			if (!n && level(l, &item, depth + 1))
				return -1;
			item.index += n ? n : 1;
			qkv_scanner_space(s);
			if (s->p == s->end || *s->p != ',')
				return close(l, f, depth, item.index, start);
			s->p++;
			qkv_scanner_space(s);
		}
	}
	if (*s->p == '[')
		return qkv_scanner_fail(s, &item, s->p, "a number, as before it");
	if (l->t->rank && depth + 1 != l->t->rank)
		return qkv_scanner_fail(s, &item, s->p, "an array of numbers, as before it");
	l->t->rank = depth + 1;
	return cells(l, &item) ? -1 : close(l, f, depth, item.index, start);
}

int
qkv_scanner_tensor(struct qkv_scanner *s, const struct qkv_frame *f, enum qkv_cells kind)
{
	struct qkv_tensor *t = qkv_arena_new(s->arena, 1, sizeof *t, s->e);
	struct lifting l = {.s = s, .t = t, .cells = kind};
	struct qkv_value *v = t ? qkv_scanner_note(s) : NULL;
	size_t commas;

	if (!v)
		return -1;
	/* there is a comma between any two numbers, and no colon or brace among them */
	l.limit = qkv_scanner_commas(&commas, s);
	l.room = commas + 1;
	l.data = qkv_mem_floats(l.room, sizeof *l.data, s->e);
	if (!l.data)
		return -1;
	if (level(&l, f, 0)) {
		qkv_mem_free(l.data);
		return -1;
	}
	/* empty arrays alone have no number to set the rank */
	for (size_t d = t->rank; d < QKV_RANK && l.known[d]; d++)
		t->rank = d + 1;
	if (t->count) {
		t->data = qkv_arena_adopt(s->arena, l.data, s->e);
		if (!t->data)
			return -1;
	} else {
		qkv_mem_free(l.data);
	}
	v->kind = QKV_VALUE_TENSOR;
	v->is.tensor = t;
	return 0;
}

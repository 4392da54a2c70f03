/* One strict pass over a JSON document: structure here, arrays of numbers in scan_tensor.c, strings in scan_string.c. */
#include "load/scan_state.h"

#include "base/mem.h"
#include "kern/number.h"

#include <math.h>
#include <string.h>

static int value(struct qkv_scanner *s, const struct qkv_frame *f);

/* appends to the skeleton */
static int
keep(struct qkv_scanner *s, const char *text, size_t length)
{
	struct qkv_scan *out = s->out;

	if (s->dropping)
		return 0;
	if (length > out->room - out->length) {
		size_t room = 2 * (out->length + length) + 256;
		char *grown = qkv_mem_resize(out->skeleton, room, 1, s->e);

		if (!grown)
			return -1;
		out->skeleton = grown;
		out->room = room;
	}
	memcpy(out->skeleton + out->length, text, length);
	out->length += length;
	return 0;
}

static int
is_key(const struct qkv_frame *f, const char *name)
{
	return f->key && f->length == strlen(name) && !memcmp(f->key, name, f->length);
}

/* what an array under this key holds: one row a key with a matrix */
static enum qkv_cells
cells_of(const struct qkv_frame *f)
{
	static const struct {
		const char *key;
		enum qkv_cells cells;
	} rows[] = {
		{"embeddings", QKV_CELLS_NUMBER},
		{"W_Q", QKV_CELLS_NUMBER},
		{"W_K", QKV_CELLS_NUMBER},
		{"W_V", QKV_CELLS_NUMBER},
		{"W_O", QKV_CELLS_NUMBER},
		{"W_QKV", QKV_CELLS_NUMBER},
		{"b_Q", QKV_CELLS_NUMBER},
		{"b_K", QKV_CELLS_NUMBER},
		{"b_V", QKV_CELLS_NUMBER},
		{"b_O", QKV_CELLS_NUMBER},
		{"b_QKV", QKV_CELLS_NUMBER},
		{"Q", QKV_CELLS_NUMBER},
		{"K", QKV_CELLS_NUMBER},
		{"V", QKV_CELLS_NUMBER},
		{"scores", QKV_CELLS_NUMBER},
		{"alpha", QKV_CELLS_NUMBER},
		{"row_sums", QKV_CELLS_NUMBER},
		{"col_sums", QKV_CELLS_NUMBER},
		{"segments", QKV_CELLS_NUMBER},
		{"mask", QKV_CELLS_FLAG},
		{"key_mask", QKV_CELLS_FLAG},
		{"bias", QKV_CELLS_BIAS},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (is_key(f, rows[i].key))
			return rows[i].cells;
	return QKV_CELLS_NONE;
}

static int
string(struct qkv_scanner *s, const struct qkv_frame *f)
{
	const char *start = s->p;
	size_t at = (size_t)(start - s->text->data);
	struct qkv_value *v = qkv_scanner_note(s);

	if (!v || qkv_scan_string(&at, s->text, s->e))
		return -1;
	s->p = s->text->data + at;
	if (!is_key(f, "data"))
		return keep(s, start, (size_t)(s->p - start));
	v->kind = QKV_VALUE_TEXT;
	v->is.end = at;
	return keep(s, "\"\"", 2);
}

static int
number(struct qkv_scanner *s, const struct qkv_frame *f)
{
	struct qkv_value *v = qkv_scanner_note(s);
	const char *bad, *next;

	if (!v)
		return -1;
	next = qkv_number_read(&v->is.number, s->p, s->end, &bad);
	if (!next)
		return qkv_scanner_fail_number(s, f, bad);
	if (isinf(v->is.number))
		return qkv_scanner_fail(s, f, s->p, "a number that a double can hold");
	v->kind = QKV_VALUE_NUMBER;
	s->p = next;
	return keep(s, "0", 1);
}

static int
array(struct qkv_scanner *s, const struct qkv_frame *f)
{
	struct qkv_frame item = {f, NULL, 0, 0, f->depth + 1};

	if (!qkv_scanner_note(s) || keep(s, "[", 1))
		return -1;
	s->p++;
	qkv_scanner_space(s);
	if (s->p < s->end && *s->p == ']') {
		s->p++;
		return keep(s, "]", 1);
	}
	for (;; item.index++) {
		if (value(s, &item))
			return -1;
		qkv_scanner_space(s);
		if (s->p == s->end || (*s->p != ',' && *s->p != ']'))
			return qkv_scanner_fail(s, f, s->p, "',' or ']'");
		if (keep(s, s->p, 1))
			return -1;
		if (*s->p++ == ']')
			return 0;
		qkv_scanner_space(s);
	}
}

/* reads "key": and leaves the member's frame in f */
static int
key(struct qkv_scanner *s, struct qkv_frame *f)
{
	size_t at = (size_t)(s->p - s->text->data);

	if (s->p == s->end || *s->p != '"')
		return qkv_scanner_fail(s, f->up, s->p, "a key in quotes");
	if (qkv_scan_string(&at, s->text, s->e))
		return -1;
	f->key = s->p + 1;
	f->length = at - 1 - (size_t)(f->key - s->text->data);
	s->p = s->text->data + at;
	qkv_scanner_space(s);
	if (s->p == s->end || *s->p != ':')
		return qkv_scanner_fail(s, f, s->p, "':'");
	s->p++;
	qkv_scanner_space(s);
	return 0;
}

/* "key":value, into the skeleton unless the key is one of those that may hold anything */
static int
member(struct qkv_scanner *s, struct qkv_frame *f, int *first)
{
	int drops, result;

	if (key(s, f))
		return -1;
	drops = is_key(f, "meta") || (f->length && f->key[0] == '_');
	if (!drops && !s->dropping && memchr(f->key, '\\', f->length))
		return qkv_scanner_fail(s, f->up, f->key - 1, "a key without escapes");
	if (!drops && ((!*first && keep(s, ",", 1)) || keep(s, f->key - 1, f->length + 2) || keep(s, ":", 1)))
		return -1;
	s->key = (size_t)(f->key - 1 - s->text->data);
	s->dropping += drops;
	result = value(s, f);
	s->dropping -= drops;
	*first &= drops;
	return result;
}

static int
object(struct qkv_scanner *s, const struct qkv_frame *f)
{
	struct qkv_frame item = {f, NULL, 0, 0, f->depth + 1};
	int first = 1;

	if (!qkv_scanner_note(s) || keep(s, "{", 1))
		return -1;
	s->p++;
	qkv_scanner_space(s);
	if (s->p < s->end && *s->p == '}') {
		s->p++;
		return keep(s, "}", 1);
	}
	for (;;) {
		if (member(s, &item, &first))
			return -1;
		qkv_scanner_space(s);
		if (s->p == s->end || (*s->p != ',' && *s->p != '}'))
			return qkv_scanner_fail(s, f, s->p, "',' or '}'");
		if (*s->p++ == '}')
			return keep(s, "}", 1);
		qkv_scanner_space(s);
	}
}

static int
literal(struct qkv_scanner *s, const struct qkv_frame *f)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(s->end - s->p) < n || memcmp(s->p, words[i], n))
			continue;
		if (!qkv_scanner_note(s) || keep(s, words[i], n))
			return -1;
		s->p += n;
		return 0;
	}
	return qkv_scanner_fail(s, f, s->p, qkv_scanner_not_finite(s) ? qkv_not_finite : "a JSON value");
}

static int
value(struct qkv_scanner *s, const struct qkv_frame *f)
{
	enum qkv_cells cells;

	if (s->p == s->end)
		return qkv_scanner_fail(s, f, s->p, "a JSON value");
	if ((*s->p == '[' || *s->p == '{') && f->depth > QKV_DEPTH)
		return qkv_text_fail(s->text, (size_t)(s->p - s->text->data), s->e,
			"nesting deeper than %d, expected less", QKV_DEPTH);
	switch (*s->p) {
	case '{':
		return object(s, f);
	case '[':
		cells = s->dropping ? QKV_CELLS_NONE : cells_of(f);
		return cells == QKV_CELLS_NONE                               ? array(s, f)
			: qkv_scanner_tensor(s, f, cells) || keep(s, "0", 1) ? -1
									     : 0;
	case '"':
		return string(s, f);
	default:
		return *s->p == '-' || (*s->p >= '0' && *s->p <= '9') ? number(s, f) : literal(s, f);
	}
}

int
qkv_scan_read(struct qkv_scan *out, size_t *at, const struct qkv_text *t, const struct qkv_settings *settings,
	struct qkv_arena *a, struct qkv_err *e)
{
	struct qkv_scanner s = {.text = t,
		.threads = settings->threads,
		.arena = a,
		.e = e,
		.out = out,
		.p = t->data + *at,
		.end = t->data + t->size};
	struct qkv_frame root = {NULL, NULL, 0, 0, 1};
	int result;

	*out = (struct qkv_scan){0};
	if (qkv_kern_choose(&s.kern, settings->isa, e))
		return -1;
	if (s.p == s.end || *s.p != '{')
		return qkv_scanner_fail(&s, &root, s.p, "a problem, which begins with '{'");
	result = value(&s, &root);
	qkv_pool_free(s.pool);
	if (result)
		return -1;
	*at = (size_t)(s.p - t->data);
	return 0;
}

void
qkv_scan_free(struct qkv_scan *s)
{
	qkv_mem_free(s->values);
	qkv_mem_free(s->skeleton);
	*s = (struct qkv_scan){0};
}

/*
 * NPY, as the documentation of numpy.lib.format describes it:
 *
 *     0x93 NUMPY, major and minor version, length of the header (2 bytes little-endian in version 1.0, 4 in
 *     2.0 and 3.0), the header, the elements
 *
 * The header is a dictionary as Python writes it, {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, and
 * white space. Of Python's ways to write one, those are read that have no escapes, comments or arithmetic.
 */
#include "load/npy.h"

#include "load/dtype.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX = 8, DIGITS = 10 }; /* bytes of magic and version; digits of a length, at most */

struct header {
	const struct qkv_text *text;
	struct qkv_err *e;
	const char *p, *end; /* what is still to be read */
	const struct qkv_dtype *dtype;
	int big, fortran;
	struct qkv_tensor *t;
};

/* fails with what stands at h->p; -1 */
static int
fail(const struct header *h, const char *expected)
{
	char found[24];
	size_t n = 0, rest = (size_t)(h->end - h->p);

	while (n < rest && n + 1 < sizeof found && !strchr(" \t\r\n,:})", h->p[n]))
		n++;
	n += !n && rest;
	snprintf(found, sizeof found, "%.*s", (int)n, h->p);
	return qkv_text_fail(h->text, 0, h->e, "header: %s, expected %s",
		*found         ? found
			: rest ? "a byte 0"
			       : "it ends here",
		expected);
}

static void
space(struct header *h)
{
	while (h->p < h->end && *h->p && strchr(" \t\r\n\f", *h->p))
		h->p++;
}

/* reads a byte, and white space before it, if it is that one */
static int
has(struct header *h, char c)
{
	space(h);
	if (h->p == h->end || *h->p != c)
		return 0;
	h->p++;
	return 1;
}

static int
expect(struct header *h, char c)
{
	char expected[] = "' '";

	expected[1] = c;
	return has(h, c) ? 0 : fail(h, expected);
}

/* reads a word if it is that one */
static int
word(struct header *h, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(h->end - h->p) < n || memcmp(h->p, text, n))
		return 0;
	h->p += n;
	return 1;
}

/* reads a word in quotes, of either kind, if it is that one */
static int
quoted(struct header *h, const char *text)
{
	char quote = h->p < h->end ? *h->p : 0, whole[32] = "";

	snprintf(whole, sizeof whole, "%c%s%c", quote, text, quote);
	return (quote == '\'' || quote == '"') && word(h, whole);
}

static int
descr(struct header *h)
{
	/* '=' is the order of the machine that wrote it, which is taken to be like this one */
	static const char orders[] = "<>=";

	for (size_t i = 0; i < QKV_DTYPES; i++)
		for (const char *order = orders; *order; order++) {
			char name[4];

			snprintf(name, sizeof name, "%c%s", *order, qkv_dtypes[i].npy);
			if (*qkv_dtypes[i].npy && quoted(h, name)) {
				h->dtype = &qkv_dtypes[i];
				h->big = *order == '>';
				return 0;
			}
		}
	return fail(h, "'<f4', '<f8' or '<f2', or one of these with '>'");
}

static int
fortran_order(struct header *h)
{
	h->fortran = word(h, "True");
	return h->fortran || word(h, "False") ? 0 : fail(h, "True or False");
}

/* a length of the shape */
static int
axis(struct header *h)
{
	const char *start = h->p;
	size_t n = 0;

	while (h->p < h->end && *h->p >= '0' && *h->p <= '9')
		n = 10 * n + (size_t)(*h->p++ - '0');
	if (h->p == start || (*start == '0' && h->p > start + 1)) {
		h->p = start;
		return fail(h, "a length");
	}
	if (h->p > start + DIGITS) {
		h->p = start;
		return fail(h, "less, as memory can hold");
	}
	if (h->t->rank == QKV_RANK)
		return qkv_text_fail(h->text, 0, h->e, "more than %d axes, expected less", QKV_RANK);
	h->t->shape[h->t->rank++] = n;
	return 0;
}

static int
shape(struct header *h)
{
	if (expect(h, '('))
		return -1;
	while (!has(h, ')')) {
		if (axis(h))
			return -1;
		/* of a single length, it is the comma that makes a tuple */
		if (!has(h, ','))
			return h->t->rank == 1 ? expect(h, ',') : expect(h, ')');
	}
	return 0;
}

static int
dictionary(struct header *h)
{
	static const struct {
		const char *key;
		int (*read)(struct header *h);
	} keys[] = {{"descr", descr}, {"fortran_order", fortran_order}, {"shape", shape}};
	int seen[3] = {0}, last = 0;

	if (expect(h, '{'))
		return -1;
	while (!last && !has(h, '}')) {
		const char *start = h->p;
		size_t i = 0;

		while (i < 3 && !quoted(h, keys[i].key))
			i++;
		if (i == 3 || seen[i]) {
			h->p = start;
			return fail(h, "'descr', 'fortran_order' and 'shape', each once");
		}
		seen[i] = 1;
		if (expect(h, ':'))
			return -1;
		space(h);
		if (keys[i].read(h))
			return -1;
		last = !has(h, ',');
		if (last && expect(h, '}'))
			return -1;
	}
	for (size_t i = 0; i < 3; i++)
		if (!seen[i])
			return qkv_text_fail(h->text, 0, h->e,
				"header: no key '%s', expected descr, fortran_order and shape", keys[i].key);
	space(h);
	return h->p < h->end ? fail(h, "nothing but white space") : 0;
}

/* finds the header */
static int
find(struct header *h)
{
	const unsigned char *d = (const unsigned char *)h->text->data;
	size_t size = h->text->size, start, length = 0, least;

	if (size < PREFIX || memcmp(d, "\x93NUMPY", 6))
		return qkv_text_fail(
			h->text, 0, h->e, "not an NPY file, expected the bytes 0x93 NUMPY and a version");
	if (d[6] < 1 || d[6] > 3 || d[7])
		return qkv_text_fail(
			h->text, 0, h->e, "NPY version %d.%d, expected 1.0, 2.0 or 3.0", d[6], d[7]);
	start = least = d[6] == 1 ? PREFIX + 2 : PREFIX + 4;
	if (size >= start) {
		for (size_t i = start; i-- > PREFIX;)
			length = length << 8 | d[i];
		least += length;
	}
	if (size < least)
		return qkv_text_fail(
			h->text, 0, h->e, "%zu bytes, expected at least %zu for the header", size, least);
	h->p = h->text->data + start;
	h->end = h->p + length;
	return 0;
}

/* the number of elements, of which there are exactly as many in the file */
static int
count(const struct header *h)
{
	struct qkv_tensor *t = h->t;
	size_t size = (size_t)(h->text->data + h->text->size - h->end);

	t->count = 1;
	for (size_t d = 0; d < t->rank; d++) {
		if (t->shape[d] && t->count > SIZE_MAX / 8 / t->shape[d])
			return qkv_text_fail(
				h->text, 0, h->e, "more elements than memory can hold, expected less");
		t->count *= t->shape[d];
	}
	if (size == t->count * h->dtype->size)
		return 0;
	return qkv_text_fail(h->text, 0, h->e, "%zu bytes of data, expected %zu for %zu elements of %s", size,
		t->count * h->dtype->size, t->count, h->dtype->name);
}

/* the elements in C order, the last index first; `at` is where the file has the one of this index */
static void
convert(float *out, const struct header *h)
{
	const unsigned char *elements = (const unsigned char *)h->end;
	size_t index[QKV_RANK] = {0}, step[QKV_RANK], rank = h->t->rank, at = 0, size = 1;

	for (size_t i = 0; i < rank; i++) {
		size_t d = h->fortran ? i : rank - 1 - i;

		step[d] = size;
		size *= h->t->shape[d];
	}
	for (size_t i = 0; i < h->t->count; i++) {
		out[i] = qkv_dtype_read(h->dtype, elements + at * h->dtype->size, h->big);
		for (size_t d = rank; d--;) {
			at += step[d];
			if (++index[d] < h->t->shape[d])
				break;
			at -= step[d] * index[d];
			index[d] = 0;
		}
	}
}

int
qkv_npy_read(struct qkv_tensor *t, const struct qkv_text *text, struct qkv_arena *a, struct qkv_err *e)
{
	struct header h = {.text = text, .e = e, .t = t};
	float *data;

	*t = (struct qkv_tensor){0};
	if (find(&h) || dictionary(&h) || count(&h))
		return -1;
	if (h.dtype->size == sizeof(float) && !h.big && !h.fortran &&
		(uintptr_t)h.end % _Alignof(float) == 0) {
		t->data = (const void *)h.end;
		return 0;
	}
	data = qkv_arena_new(a, t->count, sizeof *data, e);
	if (!data)
		return -1;
	convert(data, &h);
	t->data = data;
	return 0;
}

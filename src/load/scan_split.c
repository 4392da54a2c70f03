/*
 * A large array of numbers, on all threads.
 *
 * It is cut before rows into pieces of about equal length. A comma stands between any two numbers, so the commas
 * before a piece say where its numbers go, if all is as it should be: each piece then ends with the bracket that
 * the next one begins with. Only pieces count before which that holds; the rest is read again by who reports errors.
 */
#include "load/scan_state.h"

#include <string.h>

enum { MOST = 64, LEAST = 4, SHORTEST = 1 << 18 }; /* pieces, and bytes of one */

/* pieces of SHORTEST bytes in which commas are counted */
struct count {
	const struct qkv_scanner *s;
	const char *begin;
	size_t commas[LEAST];
	const char *stop[LEAST];
};

static void
commas_task(void *arg, size_t index, size_t worker)
{
	struct count *c = arg;
	const char *begin = c->begin + index * SHORTEST;

	(void)worker;
	c->stop[index] = c->s->kern->commas(&c->commas[index], begin, begin + SHORTEST);
}

/* whether there is a pool, and work for it in size bytes */
static int
has_pool(struct qkv_scanner *s, size_t size)
{
	return size / SHORTEST >= LEAST && s->threads != 1 &&
		(s->pool || !qkv_pool_new(&s->pool, s->threads, s->e));
}

const char *
qkv_scanner_commas(size_t *count, struct qkv_scanner *s)
{
	struct count c = {.s = s};
	size_t rest = (size_t)(s->end - s->p);
	const char *end;

	/* first a piece of its own: most arrays are short */
	end = s->kern->commas(count, s->p, s->p + (rest < SHORTEST ? rest : SHORTEST));
	if (end - s->p < SHORTEST)
		return end;
	for (c.begin = end; has_pool(s, (size_t)(s->end - c.begin)); c.begin += LEAST * SHORTEST) {
		qkv_pool_run(s->pool, LEAST, commas_task, &c);
		for (size_t i = 0; i < LEAST; i++) {
			*count += c.commas[i];
			if (c.stop[i] < c.begin + (i + 1) * SHORTEST)
				return c.stop[i];
		}
	}
	end = s->kern->commas(&rest, c.begin, s->end);
	*count += rest;
	return end;
}

struct piece {
	const char *begin;   /* the bracket that opens its first row */
	size_t first, count; /* numbers before it and in it, by commas */
	int all;             /* it has been read to the beginning of the next one */
	size_t whole;        /* numbers up to the last item that ends in it; 0: none does */
	const char *after;   /* that item */
};

struct split {
	const struct qkv_scanner *s;
	enum qkv_cells cells;
	float *data;
	size_t axes;           /* of an item, the last one that of a row */
	size_t unit[QKV_RANK]; /* numbers of a row, of the array around it, ..., of an item */
	size_t num_pieces;
	struct piece piece[MOST + 1]; /* the last has only its beginning */
};

static const char *
skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* p after count times c, or NULL */
static const char *
expect(const char *p, const char *end, char c, size_t count)
{
	for (; p && count; count--) {
		p = skip_space(p, end);
		p = p < end && *p == c ? p + 1 : NULL;
	}
	return p;
}

/* the last of the brackets that open first after p, or end */
static const char *
find_row(const char *p, const char *end)
{
	const char *next;

	p = memchr(p, '[', (size_t)(end - p));
	if (!p)
		return end;
	while ((next = expect(p + 1, end, '[', 1)))
		p = next - 1;
	return p;
}

/* from the end of a row to the bracket of the next, number of them having been read before; marks where items end */
static const char *
cross(struct piece *piece, const struct split *d, const char *p, size_t number)
{
	const char *end = d->s->end;
	size_t closing = 0;

	while (closing + 1 < d->axes && number % d->unit[closing + 1] == 0)
		closing++;
	p = expect(p, end, ']', closing);
	if (p && closing + 1 == d->axes) {
		piece->whole = number;
		piece->after = p;
	}
	p = expect(expect(p, end, ',', 1), end, '[', closing + 1);
	return p ? p - 1 : NULL;
}

static void
count_task(void *arg, size_t index, size_t worker)
{
	struct split *d = arg;
	struct piece *piece = &d->piece[index];

	(void)worker;
	d->s->kern->commas(&piece->count, piece->begin, piece[1].begin);
}

static void
read_task(void *arg, size_t index, size_t worker)
{
	struct split *d = arg;
	struct piece *piece = &d->piece[index];
	size_t number = piece->first, last = number + piece->count, n = 1, room;
	const char *p = piece->begin;

	(void)worker;
	while (p && n && number < last) {
		room = last - number;
		/* no further than the array around the rows goes, or a longer one would pass for two */
		if (d->axes > 1 && room > d->unit[1] - number % d->unit[1])
			room = d->unit[1] - number % d->unit[1];
		p = qkv_scanner_rows(d->data + number, room, &n, d->s, d->cells, d->unit[0], p);
		number += n;
		if (n)
			p = cross(piece, d, p, number);
	}
	piece->all = number == last && p == piece[1].begin;
}

/* cuts the text up to end, of which the first row begins at begin */
static void
cut(struct split *d, const char *begin, const char *end)
{
	size_t size = (size_t)(end - begin), n = size / SHORTEST < MOST ? size / SHORTEST : MOST;

	d->num_pieces = 0;
	for (size_t i = 0; i < n; i++) {
		const char *row = i ? find_row(begin + size / n * i, end) : begin;

		if (!i || row > d->piece[d->num_pieces - 1].begin)
			d->piece[d->num_pieces++] = (struct piece){.begin = row};
	}
	d->piece[d->num_pieces].begin = end;
}

size_t
qkv_scanner_split(float *data, size_t count, size_t room, struct qkv_scanner *s, enum qkv_cells cells,
	const size_t *shape, size_t axes, const char *end)
{
	struct split d = {.s = s, .cells = cells, .data = data, .axes = axes};
	const char *first = expect(s->p, end, '[', axes); /* after the bracket of a row, if there is one */
	size_t number = count;

	if (!first || !has_pool(s, (size_t)(end - first)))
		return 0;
	for (size_t a = 0, unit = 1; a < axes; a++)
		d.unit[a] = unit *= shape[axes - 1 - a];
	cut(&d, first - 1, end);
	qkv_pool_run(s->pool, d.num_pieces, count_task, &d);
	for (size_t i = 0; i < d.num_pieces; i++) {
		d.piece[i].first = number;
		number += d.piece[i].count;
	}
	/* of its commas, some may stand behind the array, but the last number has none */
	d.piece[d.num_pieces - 1].count = room - d.piece[d.num_pieces - 1].first;
	qkv_pool_run(s->pool, d.num_pieces, read_task, &d);
	number = count;
	for (size_t i = 0, all = 1; i < d.num_pieces && all; all = d.piece[i++].all != 0)
		if (d.piece[i].whole) {
			number = d.piece[i].whole;
			s->p = d.piece[i].after;
		}
	return number - count;
}

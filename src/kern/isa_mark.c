/*
 * Where the numbers of a text are, compiled once per instruction set (see isa.h).
 *
 * 64 bytes at a time become words of 64 bits, one a class of bytes, in which shifts find where numbers
 * begin and end, and whether all stands in its order (Langdale and Lemire, "Parsing gigabytes of JSON per
 * second", 2019). What is not made of plain digits with a sign and a dot is marked as suspect.
 */
#include "kern/isa_read.h"

/* most blocks have no brackets and no white space */
INLINE struct classes
classify(const char *p)
{
	struct classes c = {0};
	bytes v[BLOCK / WIDTH];

	UNROLL
	for (size_t i = 0; i < BLOCK / WIDTH; i++) {
		memcpy(&v[i], p + i * WIDTH, WIDTH);
		c.digit |= gather((bytes)(v[i] - '0' < 10)) << i * WIDTH;
		c.zero |= gather((bytes)(v[i] == '0')) << i * WIDTH;
		c.dot |= gather((bytes)(v[i] == '.')) << i * WIDTH;
		c.minus |= gather((bytes)(v[i] == '-')) << i * WIDTH;
		c.comma |= gather((bytes)(v[i] == ',')) << i * WIDTH;
	}
	if (!~(c.digit | c.dot | c.minus | c.comma))
		return c;
	UNROLL
	for (size_t i = 0; i < BLOCK / WIDTH; i++) {
		c.open |= gather((bytes)(v[i] == '[')) << i * WIDTH;
		c.close |= gather((bytes)(v[i] == ']')) << i * WIDTH;
		c.white |= gather((bytes)((v[i] == ' ') | (v[i] == '\n') | (v[i] == '\t') | (v[i] == '\r')))
			<< i * WIDTH;
	}
	return c;
}

/* x a byte later */
INLINE uint64_t
next(uint64_t x, uint64_t before)
{
	return x << 1 | before >> 63;
}

/* where the runs end that x and *on are in, if they are: a sum carries a bit through a run of ones */
INLINE uint64_t
skip(uint64_t x, uint64_t run, uint64_t *on)
{
	uint64_t at = x | *on, past = run + (at & run);

	*on = past < run;
	return (at | past) & ~run;
}

/* the byte after each of x, white space left out */
INLINE uint64_t
follow(uint64_t x, uint64_t white, uint64_t *looking)
{
	uint64_t found = skip(x << 1, white, looking);

	*looking |= x >> 63;
	return found;
}

/* dots or ends of numbers in a block, the bytes after their ends, what makes one suspect, and what stands out of order */
struct marks {
	uint64_t point, end, suspect, wrong;
};

/* where numbers begin and end, all being in its order where brackets and white space are: numbers and commas take
 * turns; from row to row there are a bracket, a comma, a bracket */
INLINE uint64_t
order(struct marks *k, struct marking *m, const struct classes *c, uint64_t token, uint64_t within)
{
	uint64_t start = token & ~within, ended, closed;

	k->end = within & ~token;
	ended = follow(token, c->white, &m->ended) & ~token;
	closed = follow(c->close, c->white, &m->closed);
	k->wrong = (c->close & ~ended) | (c->comma & ~(ended | closed)) |
		((ended | closed) & ~(c->comma | c->close)) |
		(start ^ follow((c->comma & ended) | c->open, c->white, &m->number)) |
		(c->open ^ follow(c->comma & closed, c->white, &m->row));
	if (!m->cols)
		k->wrong |= c->close;
	return start;
}

INLINE struct marks
inspect(struct marking *m, const struct classes *c)
{
	uint64_t between = c->open | c->close | c->white, token = ~(c->comma | between);
	uint64_t within = next(token, m->token), start, zero;
	struct marks k;

	if (between | m->between >> 63) {
		start = order(&k, m, c, token, within);
	} else {
		/* the same, for numbers and commas alone */
		start = token & ~within;
		k.end = within & ~token;
		k.wrong = c->comma & ~within;
		m->ended = token >> 63;
		m->number = c->comma >> 63;
	}
	k.point = skip(start, token & ~c->dot, &m->whole);
	zero = ((start & ~c->minus) | next(c->minus, m->last.minus)) & c->zero;
	k.suspect = (token & ~(c->digit | c->dot | c->minus)) | (c->minus & ~start) | (c->dot & ~k.point) |
		(next(c->minus | c->dot, m->last.minus | m->last.dot) & ~c->digit) |
		(c->dot & ~next(c->digit, m->last.digit)) | (next(zero, m->zero) & c->digit);

	m->last = *c;
	m->between = between;
	m->token = token;
	m->zero = zero;
	return k;
}

/* counts rows that end in a block, or finds the first that has not the right length */
static uint64_t
count_rows(struct marking *m, uint64_t close, uint64_t end)
{
	for (; close; close &= close - 1, m->rows++) {
		uint64_t up_to = close ^ (close - 1);
		size_t numbers = m->numbers + m->ends + (size_t)__builtin_popcountll(end & up_to);

		if (numbers != (m->rows + 1) * m->cols)
			return close & -close;
	}
	return 0;
}

/* lists the ends of a block, eight at a time */
INLINE void
list(struct marking *m, const struct marks *k)
{
	uint32_t *to = m->end_at + m->ends, at = m->at;
	size_t count = (size_t)__builtin_popcountll(k->end);
	uint64_t end = k->end;

	for (size_t i = 0; i < count; i += 8) {
		UNROLL
		for (size_t j = i; j < i + 8; j++, end &= end - 1)
			to[j] = at + (uint32_t)__builtin_ctzll(end | (uint64_t)1 << 63);
	}
	if (count) {
		to[0] |= m->suspect;
		m->suspect = 0;
	}
	for (uint64_t rest = k->suspect; rest; rest &= rest - 1) {
		size_t i = (size_t)__builtin_popcountll(k->end & ((rest & -rest) - 1));

		*(i < count ? to + i : &m->suspect) |= SUSPECT;
	}
	m->ends += count;
}

void
ISA(mark)(struct marking *m, size_t blocks)
{
	if (m->ends)
		m->end_at[-1] = m->end_at[m->ends - 1];
	m->points[-1] = m->point;
	m->begin = m->at;
	m->numbers += m->ends;
	m->ends = 0;
	for (size_t b = 0; b < blocks && !m->over; b++, m->at += BLOCK) {
		struct classes c;
		struct marks k;
		uint64_t longer = 0;

		if (m->end - m->text - m->at < BLOCK || m->at > SUSPECT - 2 * BLOCK) {
			m->over = 1;
			return;
		}
		c = classify(m->text + m->at);
		k = inspect(m, &c);
		if (!m->at)
			k.suspect = ~(uint64_t)0; /* there is nothing before these numbers that can be read */
		if (m->cols && c.close) {
			longer = count_rows(m, c.close & (k.wrong - 1) & ~k.wrong, k.end);
			k.wrong |= longer;
		}
		if (k.wrong) {
			k.end &= k.wrong ^ (k.wrong - 1);
			k.suspect &= k.wrong ^ (k.wrong - 1);
			m->over = 1;
		}
		m->points[b] = m->point = k.point;
		list(m, &k);
		if (longer)
			/* a row is too long: the list ends with the row before */
			m->ends = m->rows * m->cols > m->numbers ? m->rows * m->cols - m->numbers : 0;
	}
}

const char *
ISA(commas)(size_t *count, const char *p, const char *end)
{
	*count = 0;
	for (; end - p >= BLOCK; p += BLOCK) {
		uint64_t commas = 0, stop = 0;

		UNROLL
		for (size_t i = 0; i < BLOCK; i += WIDTH) {
			bytes v;

			memcpy(&v, p + i, sizeof v);
			commas |= gather((bytes)(v == ',')) << i;
			stop |= gather((bytes)((v == ':') | (v == '}'))) << i;
		}
		if (stop) {
			*count += (size_t)__builtin_popcountll(commas & (stop ^ (stop - 1)));
			return p + __builtin_ctzll(stop);
		}
		*count += (size_t)__builtin_popcountll(commas);
	}
	for (; p < end && *p != ':' && *p != '}'; p++)
		*count += *p == ',';
	return p;
}

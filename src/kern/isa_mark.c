/* Where the numbers of a text are, compiled once per instruction set (see isa.h): lists of their ends, and rows counted. */
#include "kern/isa_inspect.h"

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

/* lists the ends of a block, six at a time, as blocks seldom have more */
INLINE void
list(struct marking *m, uint64_t end)
{
	uint32_t *to = m->end_at + m->ends, at = m->at;
	size_t count = (size_t)__builtin_popcountll(end);

	for (size_t i = 0; i < count; i += 6) {
		UNROLL
		for (size_t j = i; j < i + 6; j++, end &= end - 1)
			to[j] = at + (uint32_t)__builtin_ctzll(end | (uint64_t)1 << 63);
	}
	m->ends += count;
}

/* lists the numbers of a block that suspect has bytes of, or the bytes after; first: of the first end listed */
static void
list_suspects(struct marking *m, const struct marks *k, size_t first)
{
	if (m->suspect && m->ends > first) {
		m->suspect_at[m->suspects++] = (uint16_t)first;
		m->suspect = 0;
	}
	for (uint64_t rest = k->suspect; rest; rest &= rest - 1) {
		size_t i = first + (size_t)__builtin_popcountll(k->end & ((rest & -rest) - 1));

		if (i >= m->ends)
			m->suspect = 1;
		else if (!m->suspects || m->suspect_at[m->suspects - 1] != i)
			m->suspect_at[m->suspects++] = (uint16_t)i;
	}
}

/* a block that has brackets or ends it all: rows are counted, and nothing stays that comes after what is wrong */
static void
check_rows(struct marking *m, struct marks *k, size_t *limit)
{
	uint64_t longer;

	if (!m->cols) {
		k->wrong |= k->close;
	} else if ((longer = count_rows(m, k->close & (k->wrong - 1) & ~k->wrong, k->end))) {
		k->wrong |= longer;
		/* a row is too long: the list ends with the row before */
		*limit = m->rows * m->cols > m->numbers ? m->rows * m->cols - m->numbers : 0;
	}
	if (k->wrong) {
		k->end &= k->wrong ^ (k->wrong - 1);
		k->suspect &= k->wrong ^ (k->wrong - 1);
		m->over = 1;
	}
}

void
ISA(mark)(struct marking *m, size_t blocks)
{
	size_t left = (size_t)(m->end - m->text) - m->at, limit = SIZE_MAX;
	struct carry carry = m->carry;

	if (m->ends)
		m->end_at[-1] = m->end_at[m->ends - 1];
	m->points[-1] = m->points[(ptrdiff_t)(m->at - m->begin) / BLOCK - 1];
	m->begin = m->at;
	m->numbers += m->ends;
	m->ends = m->suspects = 0;
	if (left / BLOCK < blocks || m->at > UINT32_MAX / 2) {
		m->over = 1;
		blocks = left / BLOCK < blocks ? left / BLOCK : blocks;
	}
	for (size_t b = 0; b < blocks; b++, m->at += BLOCK) {
		struct marks k = m->at ? inspect_next(m->text + m->at, &carry) : inspect(m->text, &carry);
		size_t first = m->ends;

		if (k.close | k.wrong)
			check_rows(m, &k, &limit);
		m->points[b] = k.point;
		list(m, k.end);
		if (k.suspect || m->suspect)
			list_suspects(m, &k, first);
		if (k.wrong)
			break;
	}
	m->carry = carry;
	m->ends = m->ends < limit ? m->ends : limit;
}

const char *
ISA(commas)(size_t *count, const char *p, const char *end)
{
	*count = 0;
	for (; end - p >= BLOCK; p += BLOCK) {
		uint64_t commas = find(p, ','), stop = find(p, ':') | find(p, '}');

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

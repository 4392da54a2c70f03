/*
 * Many numbers from text, compiled once per instruction set (see isa.h).
 *
 * isa_mark.c lists where they are, and isa_convert.c, or isa_convert512.c, makes floats of them. What is suspect, or too
 * close to the middle between two floats, is left to qkv_numbers_read.
 */
#include "kern/isa_read.h"
#include "kern/number.h"

#if defined __SSE2__

/* reads number i of the list the slow way; whether it is one */
static int
read_suspect(float *out, const struct marking *m, size_t i)
{
	const char *end = m->text + m->end_at[i], *start = m->text + m->end_at[(ptrdiff_t)i - 1];
	size_t count;

	while (memchr(" \n\t\r,[]", *start, 7))
		start++;
	return qkv_numbers_read(out, 1, &count, start, end) == end && count;
}

/* reads the first count numbers of the lists; how many, up to one that is none */
static size_t
read_list(float *out, size_t count, struct marking *m)
{
	/* what ends in the first block has not enough before it */
	int fast = count >= GROUP && m->at > BLOCK;

	if (fast)
		ISA(convert)(out, m, count);
	for (size_t i = 0; i < count && !fast; i++)
		m->suspect_at[m->suspects++] = (uint16_t)i;
	for (size_t k = 0; k < m->suspects; k++) {
		size_t i = m->suspect_at[k];

		if (i < count && !read_suspect(out + i, m, i))
			count = i;
	}
	return count;
}

/* p, or the byte after the bracket that closes the row whose last number ends before p; NULL: it goes on */
static const char *
row_end(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p < end && *p == ']' ? p + 1 : NULL;
}

const char *
ISA(read)(float *out, size_t room, size_t cols, size_t *count, const char *text, const char *end)
{
	uint32_t ends[LISTED + 1];
	uint16_t suspects[3 * LISTED];
	uint64_t points[BLOCKS + 1];
	struct marking m = {.text = text,
		.end = end,
		.cols = cols,
		.carry = {.between = 1, .number = !cols, .row = cols != 0},
		.end_at = ends + 1,
		.suspect_at = suspects,
		.points = points + 1};
	size_t unit = cols ? cols : 1, left, read, rows;
	const char *after = text, *p;

	*count = points[0] = ends[0] = 0;
	/* what stands before a run is none of it */
	if (!cols && text < end && memchr(" \n\t\r", *text, 4))
		return text;
	/* short stretches first: a call may be for a few numbers only */
	for (size_t blocks = 1; !m.over; blocks = blocks < BLOCKS ? 2 * blocks : BLOCKS) {
		ISA(mark)(&m, blocks);
		left = room - m.numbers;
		read = read_list(out + m.numbers, m.ends < left ? m.ends : left, &m);
		m.over |= read < m.ends;
		rows = (m.numbers + read) / unit * unit;
		/* of the row after those that are counted, it is not known yet whether it ends there */
		if (cols && rows > (m.rows + 1) * cols)
			rows = (m.rows + 1) * cols;
		for (; rows > m.numbers; rows -= unit) {
			p = text + m.end_at[rows - 1 - m.numbers];
			if (cols)
				p = row_end(p, end);
			if (p) {
				*count = rows;
				after = p;
				break;
			}
		}
	}
	return after;
}

#else

/* without vectors that are known here, the strict reader is the fastest */
const char *
ISA(read)(float *out, size_t room, size_t cols, size_t *count, const char *text, const char *end)
{
	(void)out;
	(void)room;
	(void)cols;
	(void)end;
	*count = 0;
	return text;
}

#endif

/*
 * What stands in 64 bytes of an array of numbers, and whether it stands in its order (see isa_mark.c).
 *
 * The bytes become words of 64 bits, one a class, in which shifts find where numbers begin and end (Langdale and Lemire,
 * "Parsing gigabytes of JSON per second", 2019). What is not made of plain digits with a sign and a dot is suspect.
 */
#ifndef QKV_KERN_ISA_INSPECT_H
#define QKV_KERN_ISA_INSPECT_H

#include "kern/isa_read.h"

/* which of 64 bytes are c */
INLINE uint64_t
find(const char *p, char c)
{
	uint64_t found = 0;

	UNROLL
	for (size_t i = 0; i < BLOCK; i += WIDTH) {
		bytes v;

		memcpy(&v, p + i, WIDTH);
		found |= equal(v, c) << i;
	}
	return found;
}

struct classes {
	uint64_t digit, zero, dot, minus, comma, open, close, white;
};

/* most blocks have no brackets and no white space */
INLINE struct classes
classify(const char *p)
{
	struct classes c = {0};
	bytes v[BLOCK / WIDTH];

	UNROLL
	for (size_t i = 0; i < BLOCK / WIDTH; i++) {
		memcpy(&v[i], p + i * WIDTH, WIDTH);
		c.digit |= less(v[i] - '0', 10) << i * WIDTH;
		c.zero |= equal(v[i], '0') << i * WIDTH;
		c.dot |= equal(v[i], '.') << i * WIDTH;
		c.minus |= equal(v[i], '-') << i * WIDTH;
		c.comma |= equal(v[i], ',') << i * WIDTH;
	}
	if (!~(c.digit | c.dot | c.minus | c.comma))
		return c;
	UNROLL
	for (size_t i = 0; i < BLOCK / WIDTH; i++) {
		c.open |= equal(v[i], '[') << i * WIDTH;
		c.close |= equal(v[i], ']') << i * WIDTH;
		c.white |= gather((bytes)((v[i] == ' ') | (v[i] == '\n') | (v[i] == '\t') | (v[i] == '\r')))
			<< i * WIDTH;
	}
	return c;
}

/* x a byte later */
INLINE uint64_t
next(uint64_t x, uint64_t *carry)
{
	uint64_t later = x << 1 | *carry;

	*carry = x >> 63;
	return later;
}

/* where the runs end that x and *carry are in, if they are: a sum carries a bit through a run of ones */
INLINE uint64_t
skip(uint64_t x, uint64_t run, uint64_t *carry)
{
	uint64_t at = x | *carry, past = run + (at & run);

	*carry = past < run;
	return (at | past) & ~run;
}

/* in a block, dots or ends of numbers, the bytes after their ends, what makes one suspect, what is out of order, ']' */
struct marks {
	uint64_t point, end, suspect, wrong, close;
};

/*
 * What is out of order, white space left out: a number or a row that stands where none must follow, or something else
 * where one must. What may follow them is seen by what follows that, and by the lengths of rows. comma: a byte after them.
 */
INLINE uint64_t
find_wrong(const struct classes *c, uint64_t start, uint64_t comma, struct carry *y)
{
	uint64_t closed = skip(next(c->close, &y->close), c->white, &y->closed);
	uint64_t turn = next(c->comma & closed, &y->turn);
	uint64_t number = skip((comma & ~turn) | next(c->open, &y->open), c->white, &y->number);
	uint64_t row = skip(turn, c->white, &y->row);

	return (start ^ number) | (c->open ^ row);
}

/* how it is in any block that begins at p */
INLINE struct marks
inspect(const char *p, struct carry *y)
{
	struct classes c = classify(p);
	uint64_t between = c.open | c.close | c.white, token = ~(c.comma | between);
	/* all these are a byte after what they are called */
	uint64_t digit = next(c.digit, &y->digit), minus = next(c.minus, &y->minus);
	uint64_t dot = next(c.dot, &y->dot), comma = next(c.comma, &y->comma);
	uint64_t gap = next(between, &y->between);
	uint64_t start = token & (comma | gap), zero = next((start | minus) & c.zero, &y->zero);
	struct marks k = {.point = skip(start, token & ~c.dot, &y->whole), .end = ~(comma | gap | token)};

	k.close = c.close;
	k.suspect = (token & ~(c.digit | c.dot | c.minus)) | (c.minus & ~(comma | gap)) |
		((minus | dot) & ~c.digit) | (c.dot & ~(digit & k.point)) | (zero & c.digit);
	k.wrong = find_wrong(&c, start, comma, y);
	return k;
}

#if defined __SSSE3__

typedef int8_t signed_bytes __attribute__((vector_size(WIDTH)));

/* table[the four lowest bits of each of v], for ASCII */
INLINE bytes
look_up(const uint8_t table[16], bytes v)
{
	const __m128i t = _mm_loadu_si128((const void *)table);
#if defined __AVX512BW__
	return (bytes)_mm512_shuffle_epi8(_mm512_broadcast_i32x4(t), (__m512i)v);
#elif defined __AVX2__
	return (bytes)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t), (__m256i)v);
#else
	return (bytes)_mm_shuffle_epi8(t, (__m128i)v);
#endif
}

/*
 * Whether a block has only numbers of digits, signs and dots, and commas between, which most blocks have: what may follow
 * what, and no digit the first digit if that is zero. The four lowest bits of a byte say what it is.
 */
INLINE int
is_regular(const char *p)
{
	enum { DIGIT = 1, COMMA = 2, MINUS = 4, DOT = 8, ZERO = 16 };
#define ALL(digits, zero, comma, minus, dot)                                                                 \
	zero, digits, digits, digits, digits, digits, digits, digits, digits, digits, 0, 0, comma, minus,    \
		dot, 0
	static const uint8_t is[16] = {ALL(DIGIT | ZERO, DIGIT | ZERO, COMMA, MINUS, DOT)};
	static const uint8_t followers[16] = {
		ALL(DIGIT | COMMA | DOT, DIGIT | COMMA | DOT | ZERO, DIGIT | MINUS, DIGIT, DIGIT)};
	static const uint8_t starts[16] = {ALL(0, 0, ZERO, ZERO, 0)};
#undef ALL
	bytes regular = ~(bytes){0};

	UNROLL
	for (size_t i = 0; i < BLOCK; i += WIDTH) {
		bytes v[3], allowed, zeros;

		UNROLL
		for (size_t back = 0; back < 3; back++)
			memcpy(&v[back], p + i - back, WIDTH);
		allowed = look_up(is, v[0]) & look_up(followers, v[1]);
		zeros = allowed & look_up(starts, v[2]);
		regular &= (bytes)((signed_bytes)((allowed & 15) - zeros) > 0) & (bytes)(v[0] - ',' < 14);
	}
	return gather(regular) == ~(uint64_t)0 >> (64 - WIDTH);
}

#endif

/* the same for a block that has others before it */
INLINE struct marks
inspect_next(const char *p, struct carry *y)
{
#if defined __SSSE3__
	/* where the last block was not regular, its last bytes must be as if it had been */
	if (!(y->turn | y->between | y->zero) && is_regular(p)) {
		uint64_t comma = find(p, ','), dot = find(p, '.'), last = y->comma, whole = y->whole;
		struct marks k = {.point = skip(next(comma, &last), ~(comma | dot), &whole), .end = comma};

		if (!(dot & ~k.point)) {
			y->comma = last;
			y->whole = whole;
			y->zero = 0;
			y->stale = 1;
			return k;
		}
	}
	if (y->stale) {
		y->digit = p[-1] >= '0' && p[-1] <= '9';
		y->minus = p[-1] == '-';
		y->dot = p[-1] == '.';
		y->zero = p[-1] == '0' && (p[-2] == ',' || p[-2] == '-');
		y->stale = 0;
	}
#endif
	return inspect(p, y);
}

#endif

/* What the two files that read numbers share; nobody else includes this. */
#ifndef QKV_KERN_ISA_READ_H
#define QKV_KERN_ISA_READ_H

#include "kern/isa.h"

#if defined __SSE2__
#include <immintrin.h>
#endif

#define WIDTH (4 * LANES)

typedef uint8_t bytes __attribute__((vector_size(WIDTH)));

/* one bit a byte of ones, among zeros */
INLINE uint64_t
gather(bytes mask)
{
#if defined __AVX512BW__
	return _mm512_movepi8_mask((__m512i)mask);
#elif defined __AVX2__
	return (uint32_t)_mm256_movemask_epi8((__m256i)mask);
#elif defined __SSE2__
	return (uint32_t)_mm_movemask_epi8((__m128i)mask);
#else
	uint64_t sum = 0;

	for (size_t i = 0; i < WIDTH; i++)
		sum |= (uint64_t)(mask[i] & 1) << i;
	return sum;
#endif
}

enum {
	BLOCK = 64,
	BLOCKS = 64, /* of a stretch, at most */
	LISTED = BLOCK / 2 * BLOCKS +
		9 /* numbers have two bytes each with what follows; eight are listed at once */
};

/* set in the end of a number that must be read the slow way */
#define SUSPECT ((uint32_t)1 << 31)

/* of 64 bytes, which are what */
struct classes {
	uint64_t digit, zero, dot, minus, comma, open, close, white;
};

/* how far the marking of numbers is */
struct marking {
	const char *text, *end;
	uint32_t at;    /* offset of the next block */
	size_t cols;    /* numbers a row; 0: brackets end it all */
	size_t rows;    /* that have ended */
	size_t numbers; /* that were on earlier lists */
	int over;       /* nothing may follow what is on the lists */

	/* of the last stretch: */
	uint32_t begin; /* its offset */
	size_t ends;    /* numbers that end in it */
	uint32_t *
		end_at; /* (LISTED,): offsets of the bytes after them; before these, the last of the stretch before */
	uint64_t *
		points; /* (BLOCKS,): bits of their dots, or ends where there is none; before these, the block before */

	/* what a block leaves to the next one */
	struct classes last; /* of the block before, whose last byte counts */
	uint64_t token, between, zero, point;
	uint64_t whole; /* 1: a number goes on that has had no dot yet */
	/* 1 while only white space has come since: a number, the end of a row, what a number or a row must follow */
	uint64_t ended, closed, number, row;
	uint32_t suspect; /* what is to be set in the end of a number that goes on */
};

/* lists the numbers of some blocks; all that end before anything unexpected, or before the rest, of less than a block */
void ISA(mark)(struct marking *m, size_t blocks);

#endif

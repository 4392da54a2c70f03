/* What the files that read numbers share; nobody else includes this. */
#ifndef QKV_KERN_ISA_READ_H
#define QKV_KERN_ISA_READ_H

#include "kern/isa.h"

#if defined __SSE2__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#define WIDTH (4 * LANES)

typedef uint8_t bytes __attribute__((vector_size(WIDTH)));

/* one bit a byte: those of ones, among zeros; those that are c; those that are less than c */
INLINE uint64_t
gather(bytes mask)
{
#if defined __AVX512BW__
	return _mm512_movepi8_mask((__m512i)mask);
#elif defined __AVX2__
	return (uint32_t)_mm256_movemask_epi8((__m256i)mask);
#elif defined __SSE2__
	return (uint32_t)_mm_movemask_epi8((__m128i)mask);
#elif defined __aarch64__
	const bytes weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

	return (uint64_t)vaddv_u8(vget_low_u8((uint8x16_t)(mask & weights))) |
		(uint64_t)vaddv_u8(vget_high_u8((uint8x16_t)(mask & weights))) << 8;
#else
	uint64_t sum = 0;

	for (size_t i = 0; i < WIDTH; i++)
		sum |= (uint64_t)(mask[i] & 1) << i;
	return sum;
#endif
}

INLINE uint64_t
equal(bytes v, char c)
{
#if defined __AVX512BW__
	return _mm512_cmpeq_epi8_mask((__m512i)v, _mm512_set1_epi8(c));
#else
	return gather((bytes)(v == (uint8_t)c));
#endif
}

INLINE uint64_t
less(bytes v, uint8_t c)
{
#if defined __AVX512BW__
	return _mm512_cmplt_epu8_mask((__m512i)v, _mm512_set1_epi8((char)c));
#else
	return gather((bytes)(v < c));
#endif
}

enum {
	BLOCK = 64,
	BLOCKS = 64, /* of a stretch, at most */
	LISTED = BLOCK / 2 * BLOCKS +
		9 /* numbers have two bytes each with what follows; some are listed at once */
};

/* numbers that are made at once: as many as doubles in two vectors */
#define GROUP (WIDTH / 8)

/* what a block leaves to the next one, in the lowest bit */
struct carry {
	/* its last byte was that, the first digit, or white space or a bracket */
	uint64_t digit, minus, dot, comma, zero, between, open, close;
	uint64_t turn;  /* it was a comma after a row */
	uint64_t whole; /* a number goes on that has had no dot yet */
	/* only white space has come since a row, since what a number must follow, and since what a row must follow */
	uint64_t closed, number, row;
	int stale; /* the block was regular: the first five, but for comma, are to be found again */
};

/* how far the marking of numbers is */
struct marking {
	const char *text, *end;
	uint32_t at;    /* offset of the next block */
	size_t cols;    /* numbers a row; 0: brackets end it all */
	size_t rows;    /* that have ended */
	size_t numbers; /* that were on earlier lists */
	int over;       /* nothing may follow what is on the lists */
	struct carry carry;
	int suspect; /* a number goes on that must be read the slow way */

	/* of the last stretch */
	uint32_t begin; /* its offset */
	size_t ends, suspects;
	/* (LISTED,): offsets of the bytes after numbers; [-1]: the last one of the stretch before */
	uint32_t *end_at;
	/* (3 * LISTED,): which of them must be read the slow way, some perhaps thrice */
	uint16_t *suspect_at;
	/* (BLOCKS,): bits of dots, or of ends where there is none; [-1]: of the block before */
	uint64_t *points;
};

/* lists the numbers of some blocks; all that end before anything unexpected, or before the rest, of less than a block */
void ISA(mark)(struct marking *m, size_t blocks);

/* makes floats of the first count numbers on the lists, at least GROUP; lists those that stay in doubt as suspect */
void ISA(convert)(float *out, struct marking *m, size_t count);

#endif

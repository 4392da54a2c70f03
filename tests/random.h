/* For tests: numbers that are the same in every run. */
#ifndef QKV_TESTS_RANDOM_H
#define QKV_TESTS_RANDOM_H

#include <stdint.h>
#include <string.h>

/* xorshift64* (Vigna 2016) */
static inline uint32_t
random_bits(void)
{
	static uint64_t state = 1;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)(state * 0x2545f4914f6cdd1d >> 32);
}

static inline uint32_t
random_below(uint32_t limit)
{
	return (uint32_t)((uint64_t)random_bits() * limit >> 32);
}

/* the float of a pattern */
static inline float
from_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

#endif

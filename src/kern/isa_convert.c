/*
 * Floats from the digits of many numbers, for 16 and 32 bytes wide vectors (see isa.h).
 *
 * A number is made of the 16 or 32 bytes that end with it: its dot is closed up by taking what stands before it from
 * one byte earlier, and the digits are summed by pairs, fours and eights.
 */
#include "kern/isa_read.h"

#if defined __SSE2__ && !defined __AVX512BW__

#if defined __AVX2__
#define OP(name) _mm256_##name
typedef __m256i whole;
#else
#define OP(name) _mm_##name
typedef __m128i whole;
#endif

typedef uint64_t quads __attribute__((vector_size(WIDTH)));
typedef float floats __attribute__((vector_size(WIDTH / 2))); /* as many as there are doubles */

/* 0xff in the last n of 32 bytes at sliding + n */
static const uint8_t sliding[80] = {[32] = 0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff};

static const double tenths[32] = {1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11,
	1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18, 1e-19, 1e-20, 1e-21, 1e-22, 1e-23, 1e-24, 1e-25,
	1e-26, 1e-27, 1e-28, 1e-29, 1e-30, 1e-31};

/* 16 bytes from every other address */
INLINE bytes
collect(const void *const *p, size_t offset)
{
#define SIXTEEN(i) _mm_loadu_si128((const void *)((const char *)p[2 * (i)] + offset))
#if defined __AVX2__
	return (bytes)_mm256_inserti128_si256(_mm256_castsi128_si256(SIXTEEN(0)), SIXTEEN(1), 1);
#else
	return (bytes)SIXTEEN(0);
#endif
#undef SIXTEEN
}

/* v a byte later in each sixteen, after the last byte of what is before it */
INLINE bytes
later(bytes v, bytes before)
{
#if defined __SSSE3__
	return (bytes)OP(alignr_epi8)((whole)v, (whole)before, 15);
#else
	return (bytes)_mm_slli_si128((whole)v, 1) | (bytes)_mm_srli_si128((whole)before, 15);
#endif
}

/* digits by fours */
INLINE whole
fours(bytes v)
{
#if defined __SSSE3__
	whole pairs = OP(maddubs_epi16)((whole)v, OP(set1_epi16)(1 << 8 | 10));
#else
	whole tens = _mm_mullo_epi16(_mm_and_si128((whole)v, _mm_set1_epi16(255)), _mm_set1_epi16(10));
	whole pairs = _mm_add_epi16(tens, _mm_srli_epi16((whole)v, 8));
#endif

	return OP(madd_epi16)(pairs, OP(set1_epi32)(1 << 16 | 100));
}

/* integers below 2^52 as doubles */
INLINE dvec
to_double(quads q)
{
	return (dvec)(q | (uint64_t)0x433 << 52) - 0x1p52;
}

/* the number that sixteen digits make, by fours */
INLINE dvec
join(whole even, whole odd)
{
	whole eights = OP(madd_epi16)(OP(packs_epi32)(even, odd), OP(set1_epi32)(1 << 16 | 10000));

	return to_double((quads)eights & 0xffffffff) * 1e8 + to_double((quads)eights >> 32);
}

/* 1 in the lowest bit where one of the bytes of a number is 0xff, and the others are 0 */
INLINE quads
any(bytes even, bytes odd)
{
	const whole zero = (whole)(bytes){0};
	whole a = OP(sad_epu8)((whole)even, zero), b = OP(sad_epu8)((whole)odd, zero);

	return (quads)OP(unpacklo_epi64)(a, b) | (quads)OP(unpackhi_epi64)(a, b);
}

/* how far before the end of a number its dot is, if less than 32 bytes; 0: it has none */
INLINE uint32_t
to_point(const struct marking *m, uint32_t end)
{
	uint32_t at = end - m->begin + 64;
	uint64_t points;

	memcpy(&points, (const char *)(m->points - 1) + at / 8 - 7, sizeof points);
	return (uint32_t)__builtin_clzll(points << (7 - at % 8) | (uint64_t)1 << 32);
}

/*
 * GROUP numbers, each of less than 16 * windows bytes. Seven roundings at most lie between x and the exact number, so
 * x is within 8 units of the last place, and only where it is that near to the middle between two floats, 29 bits
 * further down, is it in doubt which float is nearest to the nearest double. These get bit 8 i + 4 of the result.
 */
INLINE uint64_t
convert(float *out, const struct marking *m, size_t first, size_t windows)
{
	const size_t outside = 32 - 16 * windows; /* of the 32 bytes */
	const uint32_t *end = m->end_at + first;
	const void *last[GROUP], *after[GROUP], *own[GROUP];
	bytes minus[2] = {{0}, {0}}, before[2] = {{0}, {0}};
	dvec scale = {0}, x = {0};
	floats y;
	ivec near;

	UNROLL
	for (size_t i = 0; i < GROUP; i++) {
		uint32_t e = end[i], size = e - end[i - 1] - 1;
		/* without a dot, it stands after the last digit */
		uint32_t back = to_point(m, e), decimals = back - (back != 0);

		last[i] = m->text + e + (back == 0) - 32 + outside;
		after[i] = sliding + outside + decimals;
		own[i] = sliding + outside + (size < 32 ? size : 32);
		scale[i] = tenths[decimals];
	}
	UNROLL
	for (size_t w = 0; w < windows; w++) {
		whole sums[2];

		UNROLL
		for (size_t odd = 0; odd < 2; odd++) {
			bytes behind = collect(after + odd, 16 * w), its = collect(own + odd, 16 * w);
			bytes v = collect(last + odd, 16 * w);

			bytes back = later(v, before[odd]);

			before[odd] = v;
			v = ((v & behind) | (back & ~behind)) - '0';
			minus[odd] |= (bytes)(v == (uint8_t)('-' - '0')) & its;
			sums[odd] = fours(v & its & (bytes)(v < 10));
		}
		x = x * 1e16 + join(sums[0], sums[1]);
	}
	x *= scale;
	near = (ivec)(((quads)x << 35) + ((uint64_t)(8 * 8) << 32)) <= INT32_MIN + 2 * 8 * 8;
	x = (dvec)((quads)x | any(minus[0], minus[1]) << 63);
	y = __builtin_convertvector(x, floats);
	memcpy(out, &y, sizeof y);
	return gather((bytes)near);
}

void
ISA(convert)(float *out, struct marking *m, size_t count)
{
	for (size_t next = 0; next < count; next += GROUP) {
		size_t first = next + GROUP <= count ? next : count - GROUP;
		const uint32_t *end = m->end_at + first;
		uint32_t longest = 0;
		uint64_t doubt;

		UNROLL
		for (size_t i = 0; i < GROUP; i++) {
			uint32_t size = end[i] - end[i - 1] - 1;

			longest = size > longest ? size : longest;
		}
		doubt = longest < 16 ? convert(out + first, m, first, 1) : convert(out + first, m, first, 2);
		if (!doubt && longest < 32)
			continue;
		for (size_t i = 0; i < GROUP; i++)
			if (doubt >> (8 * i + 4) & 1 || end[i] - end[i - 1] > 32)
				m->suspect_at[m->suspects++] = (uint16_t)(first + i);
	}
}

#endif

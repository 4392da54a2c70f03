/* Vectors of doubles, and masks of them: what compilers make poor code of is done by intrinsics. Part of isa_*.c. */
#ifndef QKV_KERN_ISA_DOUBLE_H
#define QKV_KERN_ISA_DOUBLE_H

#include "kern/isa.h"

#define STEP (LANES / 2) /* doubles in a vector */

/* added and subtracted again, it rounds to an integer, which its low bits are in between */
#define ROUNDER 0x1.8p52

#if defined __AVX512F__

/* a bit a lane; where it is set choose takes a, and add adds */
typedef __mmask8 mask;

INLINE mask
less(dvec a, dvec b)
{
	return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

INLINE dvec
choose(mask m, dvec a, dvec b)
{
	return _mm512_mask_blend_pd(m, b, a);
}

INLINE bits
add(mask m, bits v, int64_t n)
{
	return (bits)_mm512_mask_add_epi64((__m512i)v, m, (__m512i)v, _mm512_set1_epi64(n));
}

INLINE dvec
widen(const float *p)
{
	return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}

#else

/* all bits of a lane; where they are set choose takes a, and add adds */
typedef bits mask;

INLINE mask
less(dvec a, dvec b)
{
	return (mask)(a < b);
}

INLINE dvec
choose(mask m, dvec a, dvec b)
{
	return (dvec)((m & (bits)a) | (~m & (bits)b));
}

INLINE bits
add(mask m, bits v, int64_t n)
{
	return v + (m & (uint64_t)n);
}

INLINE dvec
widen(const float *p)
{
	hvec h;

	memcpy(&h, p, sizeof h);
	return __builtin_convertvector(h, dvec);
}

#endif

INLINE dvec
all(double x)
{
	return x - (dvec){0};
}

INLINE dvec
rounded(dvec v)
{
	return v + ROUNDER - ROUNDER;
}

#endif

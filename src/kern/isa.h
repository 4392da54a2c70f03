/*
 * Vectors, for the files that are compiled once per instruction set.
 *
 * These are isa_*.c. Each is compiled with -DQKV_ISA=NAME for every NAME
 * of the architecture (isas.h lists them) and the flags of that set:
 *
 *	avx512    -mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx2 -mfma -mbmi
 *	avx2      -mavx2 -mfma -mbmi
 *	neon      none
 *	portable  none
 *
 * The vectors are those of GCC and clang; of their size alone depends which instructions come out.
 */
#ifndef QKV_KERN_ISA_H
#define QKV_KERN_ISA_H

#include "kern/kern.h"

#include <stdint.h>
#include <string.h>

#if defined __AVX512F__ || defined __AVX2__
#include <immintrin.h>
#endif

/* ISA(softmax) is qkv_softmax_avx2 where QKV_ISA is avx2 */
#define ISA(noun) ISA_JOIN(noun, QKV_ISA)
#define ISA_JOIN(noun, isa) ISA_JOIN_EXPANDED(noun, isa)
#define ISA_JOIN_EXPANDED(noun, isa) qkv_##noun##_##isa
#define ISA_TEXT(isa) ISA_TEXT_EXPANDED(isa)
#define ISA_TEXT_EXPANDED(isa) #isa

#if defined __AVX512F__
#define LANES 16
#elif defined __AVX2__ && defined __FMA__
#define LANES 8
#else
#define LANES 4
#endif

/* f(w, 0), f(w, 1), ... for each lane, and for each of half of them */
#define FIRST_2(f, w) f(w, 0), f(w, 1)
#define FIRST_4(f, w) FIRST_2(f, w), f(w, 2), f(w, 3)
#define FIRST_8(f, w) FIRST_4(f, w), f(w, 4), f(w, 5), f(w, 6), f(w, 7)
#define FIRST_16(f, w)                                                                                       \
	FIRST_8(f, w), f(w, 8), f(w, 9), f(w, 10), f(w, 11), f(w, 12), f(w, 13), f(w, 14), f(w, 15)
#if LANES == 16
#define EACH_LANE FIRST_16
#define EACH_OF_HALF FIRST_8
#elif LANES == 8
#define EACH_LANE FIRST_8
#define EACH_OF_HALF FIRST_4
#else
#define EACH_LANE FIRST_4
#define EACH_OF_HALF FIRST_2
#endif

/* the lane w from lane l, w a power of two */
#define ACROSS(w, l) ((l) ^ (w))

/* the one place with typedefs of objects: an attribute reads badly anywhere else */
typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t ivec __attribute__((vector_size(4 * LANES)));
typedef double dvec __attribute__((vector_size(4 * LANES))); /* half as many, twice as wide */
typedef uint64_t bits __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef float hvec __attribute__((vector_size(2 * LANES))); /* half as many */
typedef int32_t hivec __attribute__((vector_size(2 * LANES)));
typedef uint16_t shorts __attribute__((vector_size(4 * LANES)));

/* a loop over what stays in registers */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE vec
load(const float *p)
{
	vec v;

	memcpy(&v, p, sizeof v);
	return v;
}

INLINE void
store(float *p, vec v)
{
	memcpy(p, &v, sizeof v);
}

INLINE vec
spread(float x)
{
	return x - (vec){0};
}

/* the first half of v in double, and the second */
INLINE dvec
lower(vec v)
{
	dvec d = {0};

	UNROLL
	for (int l = 0; l < LANES / 2; l++)
		d[l] = (double)v[l];
	return d;
}

INLINE dvec
upper(vec v)
{
	dvec d = {0};

	UNROLL
	for (int l = 0; l < LANES / 2; l++)
		d[l] = (double)v[LANES / 2 + l];
	return d;
}

#if defined __FMA__ || defined __ARM_FEATURE_FMA || defined __FP_FAST_FMAF

#define HAS_FMA 1

/* a * b + c with one rounding */
INLINE vec
fused(vec a, vec b, vec c)
{
	UNROLL
	for (int l = 0; l < LANES; l++)
		c[l] = __builtin_fmaf(a[l], b[l], c[l]);
	return c;
}

#else

#define HAS_FMA 0

INLINE vec
narrow(dvec l, dvec u)
{
	return __builtin_convertvector(__builtin_shufflevector(l, u, 0, 1, 2, 3), vec);
}

/*
 * a * b + c, to be rounded to float: the product of floats is exact in double, and so is the error of the
 * sum (Knuth's TwoSum). A sum that is not exact is moved to the neighbour with an odd last bit, which
 * the rounding to float cannot mistake for a tie (Boldo and Melquiond, "Emulation of a FMA", 2008).
 */
INLINE dvec
fused_wide(dvec a, dvec b, dvec c)
{
	dvec product = a * b, sum = product + c, back = sum - product;
	dvec error = (product - (sum - back)) + (c - back);
	bits inexact = (bits)(error != 0) & 1;
	bits beyond = ((bits)error ^ (bits)sum) >> 63;

	return (dvec)(((bits)sum - (beyond & inexact)) | inexact);
}

/* a * b + c with one rounding */
INLINE vec
fused(vec a, vec b, vec c)
{
	return narrow(fused_wide(lower(a), lower(b), lower(c)), fused_wide(upper(a), upper(b), upper(c)));
}

#endif

/* kern.c and the files compiled like this one */
int ISA(usable)(void);
extern const struct qkv_kern ISA(kern);
void ISA(scale)(float *x, float s, size_t n);
void ISA(add)(float *x, const float *y, size_t n);
void ISA(maximum)(float *max, const float *x, size_t ldx, float s, size_t rows, size_t n);
float ISA(magnitude)(const float *x, size_t ldx, size_t rows, size_t n);
void ISA(total)(double *sums, const double *x, size_t n);
size_t ISA(find)(const float *x, float value, size_t n);
void ISA(hide)(float *x, const float *allowed, size_t n);
void ISA(exponentials)(double *totals, double *means, float *x, size_t ldx, float s, const float *max,
	size_t rows, size_t n);
void ISA(normalise)(
	double *row_sums, double *cols, float *x, size_t ldx, const float *factor, size_t rows, size_t n);
double ISA(sum)(const float *x, size_t n);
void ISA(accumulate)(double *sums, const float *x, size_t n);
const char *ISA(read)(float *out, size_t room, size_t cols, size_t *count, const char *text, const char *end);
const char *ISA(commas)(size_t *count, const char *p, const char *end);
void ISA(show)(float *out, const float *x, size_t n);
void ISA(most)(float *out, const float *x, size_t n);
int ISA(reach)(float *low, float *high, const float *x, size_t n);
void ISA(index)(unsigned char *out, const float *x, size_t n, const struct qkv_ramp *r);
char *ISA(write)(char *out, const float *x, size_t n, const struct qkv_number_style *style);

#endif

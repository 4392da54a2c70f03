/*
 * Floats from the digits of many numbers, for vectors of 64 bytes (see isa.h): eight numbers at once.
 *
 * As in isa_convert.c a number is made of the 16 or 32 bytes that end with it. Which of these bytes are its own, and which
 * stand before its dot, are 16 bits a number and 16 bytes, the masks of four numbers one after another.
 */
#include "kern/isa_read.h"

#if defined __AVX512BW__

/* by the place of the dot among 16 and 32 bytes; there is none, or something else is wrong, where it seems to be at 1 */
static const double scales16[16] = {
	0, 1, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
static const double scales32[32] = {0, 1, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21,
	1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6,
	1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

/* 16 bytes before the ends of four numbers, and a distance */
INLINE __m512i
collect(const char *text, const uint32_t *end, size_t distance)
{
	const char *p = text - distance;
	__m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(p + end[0])));

	v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(p + end[1])), 1);
	v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(p + end[2])), 2);
	return _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(p + end[3])), 3);
}

/* the masks of two times four numbers as 16 bits each */
INLINE __m128i
pair(uint64_t lower, uint64_t upper)
{
	return _mm_set_epi64x((int64_t)upper, (int64_t)lower);
}

/* the bits up to and with the one that is set, if one is */
INLINE __m128i
up_to(__m128i bit)
{
	__m128i below = _mm_or_si128(bit, _mm_add_epi16(bit, _mm_set1_epi16(-1)));

	return _mm_maskz_mov_epi16(_mm_test_epi16_mask(bit, bit), below);
}

/* 16 bytes each of eight numbers */
struct window {
	__m512i v[2];
	__m128i own, dot;
};

INLINE struct window
look(const char *text, const uint32_t *end, size_t distance, __m256i own)
{
	const __m512i dot = _mm512_set1_epi8('.');
	struct window w = {{collect(text, end, distance), collect(text, end + 4, distance)},
		_mm256_cvtepi32_epi16(own), _mm_setzero_si128()};

	w.dot = _mm_and_si128(
		w.own, pair(_mm512_cmpeq_epi8_mask(w.v[0], dot), _mm512_cmpeq_epi8_mask(w.v[1], dot)));
	return w;
}

/* which of the numbers have a minus in the window */
INLINE __mmask8
find_minus(const struct window *w)
{
	const __m512i minus = _mm512_set1_epi8('-');

	return _mm_test_epi16_mask(
		w->own, pair(_mm512_cmpeq_epi8_mask(w->v[0], minus), _mm512_cmpeq_epi8_mask(w->v[1], minus)));
}

/* digits by fours: those of v, of which later is a byte behind, and takes its place before the dot */
INLINE __m512i
fours(__m512i v, __m512i later, __mmask64 before, __mmask64 own)
{
	__m512i digit = _mm512_sub_epi8(_mm512_mask_mov_epi8(v, before, later), _mm512_set1_epi8('0'));
	__mmask64 is = _mm512_mask_cmplt_epu8_mask(own, digit, _mm512_set1_epi8(10));
	__m512i pairs =
		_mm512_maddubs_epi16(_mm512_maskz_mov_epi8(is, digit), _mm512_set1_epi16(1 << 8 | 10));

	return _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 << 16 | 100));
}

/* the numbers 0, 4, 1, 5, ... that the digits of a window make; what is before it, and the bits before the dot */
INLINE __m512d
join(const struct window *w, const __m512i *previous, __m128i before)
{
	__m512i eights[2];
	__m512i sum;

	UNROLL
	for (int i = 0; i < 2; i++) {
		__mmask64 b = (uint64_t)(i ? _mm_extract_epi64(before, 1) : _mm_cvtsi128_si64(before));
		__mmask64 own = (uint64_t)(i ? _mm_extract_epi64(w->own, 1) : _mm_cvtsi128_si64(w->own));

		eights[i] = fours(w->v[i], _mm512_alignr_epi8(w->v[i], previous[i], 15), b, own);
	}
	sum = _mm512_madd_epi16(_mm512_packs_epi32(eights[0], eights[1]), _mm512_set1_epi32(1 << 16 | 10000));
	sum = _mm512_add_epi64(
		_mm512_mul_epu32(sum, _mm512_set1_epi64(100000000)), _mm512_srli_epi64(sum, 32));
	return _mm512_cvtepi64_pd(sum);
}

/* the places of single bits, 1 for none */
INLINE __m256i
places(__m256i bit)
{
	__m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(bit)), 23);

	return _mm256_and_si256(_mm256_sub_epi32(exponent, _mm256_set1_epi32(127)), _mm256_set1_epi32(31));
}

/* by which to multiply numbers that have their dot there */
INLINE __m512d
scale(__m256i place, int wide)
{
	if (wide)
		return _mm512_i32gather_pd(place, scales32, sizeof *scales32);
	return _mm512_permutex2var_pd(
		_mm512_loadu_pd(scales16), _mm512_cvtepu32_epi64(place), _mm512_loadu_pd(scales16 + 8));
}

/* eight numbers of less than 16 bytes, or of 32; the bits of those that may be too near to a middle (see isa_convert.c) */
INLINE uint32_t
convert(float *out, const char *text, const uint32_t *end, __m256i sizes, int wide)
{
	/* where eight numbers are in the order of join, and back */
	const __m256i joined = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	const __m256i natural = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
	const __m512i zero[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
	const __m256i width = _mm256_set1_epi32(wide ? 32 : 16);
	const __m512i nearest = _mm512_set1_epi64((int64_t)(((uint64_t)0x10000000 - 8) << 35));
	__m256i own = _mm256_sllv_epi32(_mm256_set1_epi32(-1), _mm256_sub_epi32(width, sizes));
	struct window tail = look(text, end, 16, wide ? _mm256_srli_epi32(own, 16) : own);
	__m256i dots = _mm256_cvtepu16_epi32(tail.dot);
	__mmask8 minus = find_minus(&tail);
	__m512d x;
	__m256 y;

	if (wide) {
		struct window head = look(text, end, 32, own);
		__m128i all = _mm_movm_epi16(_mm_test_epi16_mask(tail.dot, tail.dot));

		minus |= find_minus(&head);
		dots = _mm256_or_si256(_mm256_slli_epi32(dots, 16), _mm256_cvtepu16_epi32(head.dot));
		x = join(&head, zero, _mm_or_si128(all, up_to(head.dot)));
		x = _mm512_add_pd(
			_mm512_mul_pd(x, _mm512_set1_pd(1e16)), join(&tail, head.v, up_to(tail.dot)));
	} else {
		x = join(&tail, zero, up_to(tail.dot));
	}
	x = _mm512_mul_pd(x, scale(_mm256_permutexvar_epi32(joined, places(dots)), wide));
	y = _mm256_permutexvar_ps(natural, _mm512_cvtpd_ps(x));
	_mm256_storeu_ps(out, _mm256_mask_xor_ps(y, minus, y, _mm256_set1_ps(-0.0f)));
	return _mm512_cmple_epu64_mask(
		_mm512_sub_epi64(_mm512_slli_epi64(_mm512_castpd_si512(x), 35), nearest),
		_mm512_set1_epi64((int64_t)16 << 35));
}

void
ISA(convert)(float *out, struct marking *m, size_t count)
{
	for (size_t next = 0; next < count; next += GROUP) {
		size_t first = next + GROUP <= count ? next : count - GROUP;
		const uint32_t *end = m->end_at + first;
		uint32_t doubt;
		__m256i last = _mm256_loadu_si256((const void *)end);
		__m256i gap = _mm256_sub_epi32(last, _mm256_loadu_si256((const void *)(end - 1)));
		__m256i sizes = _mm256_add_epi32(gap, _mm256_set1_epi32(-1));
		int wide = _mm256_cmpgt_epu32_mask(sizes, _mm256_set1_epi32(15));
		__mmask8 longer = _mm256_cmpgt_epu32_mask(sizes, _mm256_set1_epi32(31));

		doubt = wide ? convert(out + first, m->text, end, sizes, 1)
			     : convert(out + first, m->text, end, sizes, 0);
		for (uint32_t i = 0; doubt | longer && i < GROUP; i++)
			if ((doubt >> (2 * (i % 4) + i / 4) | (uint32_t)longer >> i) & 1)
				m->suspect_at[m->suspects++] = (uint16_t)(first + i);
	}
}

#endif

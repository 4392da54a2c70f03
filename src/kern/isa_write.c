/*
 * Numbers to text, many at once, compiled once per instruction set (see isa.h).
 *
 * In three steps for a batch of numbers, which keeps the processor busier than three steps for each: a power of ten for
 * its exponent, its digits, its layout. About one in 10,000 is left to number_write.c.
 */
#include "kern/decimal.h"
#include "kern/isa_decimal.h"
#include "kern/number_layout.h"
#include "kern/number.h"

#include <math.h>

enum {
	BATCH = 128, /* what is kept of so many numbers stays in the nearest cache */
	ZEROS = 16,  /* as many in a row are worth a loop of their own */
};

/* numbers on their way to text */
struct batch {
	double power[BATCH];     /* y = |x| * power */
	int64_t layout[BATCH];   /* index in qkv_number_layouts */
	uint64_t text[2][BATCH]; /* "0", the nine digits, "0000.0": their first and last eight bytes */
};

/* as many numbers as fill a vector, from number i on */
INLINE void
convert(struct batch *b, size_t i, const float *x, double top)
{
	dvec power, n = magnitude(widen(x + i));
	bits layout;

	memcpy(&power, b->power + i, sizeof power);
	memcpy(&layout, b->layout + i, sizeof layout);
	n = top > 0 ? limited(n, power, top, &layout) : shortest(n, power, &layout);
	memcpy(b->layout + i, &layout, sizeof layout);
	to_text(&b->text[0][i], &b->text[1][i], n);
}

#if defined __AVX2__

/* number i of b */
INLINE char *
lay_out(char *out, const struct batch *b, size_t i, const struct qkv_number_layout *l)
{
	/* what digits must exceed to count; the first always does, the others around them never */
	const __m128i least =
		_mm_setr_epi8(127, 0, '0', '0', '0', '0', '0', '0', '0', '0', 127, 127, 127, 127, 127, 127);
	__m128i text = _mm_set_epi64x((int64_t)b->text[1][i], (int64_t)b->text[0][i]);
	__m128i row = _mm_loadu_si128((const __m128i *)(const void *)l->row);
	int digits = _mm_movemask_epi8(_mm_cmpgt_epi8(text, least));

	_mm_storeu_si128((__m128i *)(void *)out, _mm_shuffle_epi8(text, row));
	return qkv_number_layout_end(out, 31 - (size_t)__builtin_clz((unsigned)digits), l);
}

#else

INLINE char *
lay_out(char *out, const struct batch *b, size_t i, const struct qkv_number_layout *l)
{
	uint64_t text[] = {b->text[0][i] >> 8 | b->text[1][i] << 56, b->text[1][i] >> 8};
	uint64_t rest = (text[0] >> 8 | text[1] << 56) - 0x3030303030303030;
	char digits[16];

	memcpy(digits, text, sizeof digits);
	return qkv_number_layout_write(out, digits, rest ? 9 - (size_t)__builtin_clzll(rest) / 8 : 1, l);
}

#endif

static char *
write_exactly(char *out, float x, const struct qkv_number_style *style)
{
	if (style->nulls && !isfinite(x)) {
		memcpy(out, "null", 4);
		return out + 4;
	}
	return out + qkv_number_write_digits(out, x, style->digits);
}

/* BATCH numbers at most, a multiple of STEP; whether one has a minus */
static int
convert_all(struct batch *b, const float *x, size_t n, const struct qkv_number_style *style)
{
	uint32_t signs = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t e;

		memcpy(&e, x + i, sizeof e);
		signs |= e;
		e = e >> 23 & 255;
		b->power[i] = style->power[e];
		b->layout[i] = style->layout[e];
	}
	if (style->digits)
		for (size_t i = 0; i < n; i += STEP)
			convert(b, i, x, qkv_powers_of_ten[style->digits]);
	else
		for (size_t i = 0; i < n; i += STEP)
			convert(b, i, x, 0);
	return signs >> 31 != 0;
}

INLINE char *
join(char *out, const struct batch *b, const float *x, size_t n, const struct qkv_number_style *style,
	int signs)
{
	char separator = style->separator;

	for (size_t i = 0; i < n; i++) {
		if (b->layout[i] >= QKV_NUMBER_LAYOUTS) {
			out = write_exactly(out, x[i], style);
		} else {
			if (signs) {
				*out = '-';
				out += x[i] < 0;
			}
			out = lay_out(out, b, i, &qkv_number_layouts[b->layout[i]]);
		}
		*out++ = separator;
	}
	return out;
}

/* at most BATCH numbers */
static char *
write_batch(char *out, const float *x, size_t n, const struct qkv_number_style *style)
{
	size_t filled = (n + STEP - 1) / STEP * STEP;
	float last[BATCH];
	struct batch b;

	if (n < filled) {
		for (size_t i = 0; i < filled; i++)
			last[i] = i < n ? x[i] : 0;
		x = last;
	}
	return convert_all(&b, x, filled, style) ? join(out, &b, x, n, style, 1)
						 : join(out, &b, x, n, style, 0);
}

static size_t
leading_zeros(const float *x, size_t n)
{
	size_t i = 0;

	while (i < n && x[i] == 0)
		i++;
	return i;
}

static char *
write_zeros(char *out, size_t n, char separator)
{
	for (size_t i = 0; i < n; i++) {
		*out++ = '0';
		*out++ = separator;
	}
	return out;
}

char *
ISA(write)(char *out, const float *x, size_t n, const struct qkv_number_style *style)
{
	while (n) {
		size_t zeros = leading_zeros(x, n), count = zeros >= ZEROS ? zeros : n < BATCH ? n : BATCH;

		out = zeros >= ZEROS ? write_zeros(out, zeros, style->separator)
				     : write_batch(out, x, count, style);
		x += count;
		n -= count;
	}
	return out;
}

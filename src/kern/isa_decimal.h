/*
 * As many floats as doubles fill a vector, to nine decimal digits each. Part of isa_write.c.
 *
 * What number_write.c does, without a branch: |x| times a power of ten is y, and floats are 1 to 10 apart. The
 * shortest decimal is the multiple of ten nearest to y if it is within half of that, else the nearest integer. What is
 * so near to a limit that rounding might decide, and subnormals and powers of two, are left to number_write.c.
 */
#ifndef QKV_KERN_ISA_DECIMAL_H
#define QKV_KERN_ISA_DECIMAL_H

#include "kern/isa_double.h"

/* added to the layout of a number for number_write.c; beyond all of them */
#define EXACTLY 256

/* y is below 2^30, and rounded three times at most */
#define MARGIN 0x1p-20

INLINE dvec
magnitude(dvec v)
{
	return (dvec)((bits)v & INT64_MAX);
}

/* a * b + c, rounded once or twice: it is the same to what follows */
INLINE dvec
multiplied(dvec a, double b, dvec c)
{
#if HAS_FMA
	UNROLL
	for (int l = 0; l < STEP; l++)
		c[l] = __builtin_fma(a[l], b, c[l]);
	return c;
#else
	return a * b + c;
#endif
}

/* whether x is near to a tie or a limit, or subnormal, or 2^-126; zero is none of these */
INLINE mask
is_hard(dvec x, mask clear)
{
	return (mask)(~(clear & less(all(0x1p-126), x)) & less(all(0), x));
}

/* x to the shortest decimal that reads back, as an integer of nine digits */
INLINE dvec
shortest(dvec x, dvec power, bits *layout)
{
	const uint64_t binades = 0x7ff0000000000000, places = 24; /* of a float, and one for the half */
	dvec y = x * power, nearest = rounded(y), tens = (multiplied(y, 0.1, all(ROUNDER)) - ROUNDER) * 10, n;
	dvec binade = (dvec)((bits)x & binades);
	dvec reach = (dvec)((bits)binade - (places << 52)) * power, off = magnitude(y - tens);
	mask clear = (mask)(less(magnitude(y - nearest), all(0.5 - MARGIN)) &
		less(all(MARGIN), magnitude(off - reach)) & less(binade, x));
	mask eight, seven;

	n = choose(less(off, reach), tens, nearest);
	eight = less(n, all(1e8));
	seven = less(n, all(1e7));
	*layout = add(eight, add(seven, add(is_hard(x, clear), *layout, EXACTLY), -1), -1);
	n = choose(eight, n * 10, n);
	return choose(seven, n * 10, n);
}

/* x to so many digits that 10^digits is top, followed by zeros up to nine */
INLINE dvec
limited(dvec x, dvec power, double top, bits *layout)
{
	dvec y = x * power, nearest;
	mask low = less(y, all(top)), below;

	y = choose(low, y, y * 0.1);
	nearest = rounded(y);
	below = less(nearest, all(top));
	*layout = add(is_hard(x, less(magnitude(y - nearest), all(0.5 - MARGIN))), *layout, EXACTLY);
	*layout = add(low, add(below, *layout + 2, -1), -1);
	return choose(below, nearest, nearest * 0.1) * (1e9 / top);
}

/* n < 10^9 as "0", nine digits, "0000.0": first and last eight bytes. The first digit, then the others by halves */
INLINE void
to_text(uint64_t *head, uint64_t *tail, dvec n)
{
	/* a half less, all but the smallest step, and rounding goes down */
	dvec first = multiplied(n, 1e-8, all(-0.499999995)) + ROUNDER;
	dvec rest = multiplied(first - ROUNDER, -1e8, n);
	dvec upper = multiplied(rest, 1e-4, all(-0.49995)) + ROUNDER;
	dvec lower = multiplied(upper - ROUNDER, -1e4, rest) + ROUNDER;
	words pairs = (words)(((bits)upper & UINT32_MAX) | (bits)lower << 32), hundreds = pairs * 5243 >> 19;
	shorts ones = (shorts)((pairs << 16) - hundreds * ((100 << 16) - 1)), tens = ones * 103 >> 10;
	bits digits = (bits)((ones << 8) - tens * ((10 << 8) - 1)), text;

	text = (digits << 16) + ((bits)first << 8) + (0x3030303030303030 - ((uint64_t)0x4338 << 56));
	memcpy(head, &text, sizeof text);
	text = (digits >> 48) + 0x302e303030303030;
	memcpy(tail, &text, sizeof text);
}

#endif

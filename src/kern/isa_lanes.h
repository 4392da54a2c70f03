/*
 * Sums in lanes, for the files that are compiled once per instruction set.
 *
 * There are 16, element j in lane j % 16, whatever the vectors' width; then lanes l and l + 8 are added,
 * l and l + 4, l and l + 2, and the last two. An end shorter than 16 is filled up in a buffer.
 */
#ifndef QKV_KERN_ISA_LANES_H
#define QKV_KERN_ISA_LANES_H

#include "kern/isa.h"

#define STEP 16
#define HALF (LANES / 2)

INLINE dvec
load_double(const double *p)
{
	dvec v;

	memcpy(&v, p, sizeof v);
	return v;
}

INLINE void
store_double(double *p, dvec v)
{
	memcpy(p, &v, sizeof v);
}

INLINE double
add_up(dvec lanes[STEP / HALF])
{
	UNROLL
	for (size_t width = STEP / HALF / 2; width; width /= 2) {
		UNROLL
		for (size_t v = 0; v < width; v++)
			lanes[v] += lanes[v + width];
	}
#if HALF > 4
	lanes[0] += __builtin_shufflevector(lanes[0], lanes[0], EACH_OF_HALF(ACROSS, 4));
#endif
#if HALF > 2
	lanes[0] += __builtin_shufflevector(lanes[0], lanes[0], EACH_OF_HALF(ACROSS, 2));
#endif
	lanes[0] += __builtin_shufflevector(lanes[0], lanes[0], EACH_OF_HALF(ACROSS, 1));
	return lanes[0][0];
}

#endif

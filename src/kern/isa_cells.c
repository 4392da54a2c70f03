/*
 * What pictures do to rows of numbers, compiled once per instruction set (see isa.h).
 *
 * A number becomes an index in double, so that it is the same whatever the vectors' width. Ends shorter than a
 * vector are filled up in a buffer.
 */
#include "kern/isa_double.h"

#include <math.h>

typedef uint16_t octet __attribute__((vector_size(16)));
typedef uint8_t sixteen __attribute__((vector_size(16)));

enum { AT_ONCE = 64 }; /* numbers, a multiple of what any vector holds */

void
ISA(show)(float *out, const float *x, size_t n)
{
	size_t j = 0;

	/* x + (x - x) is x, or NaN where x is infinite */
	for (; n - j >= LANES; j += LANES)
		store(out + j, load(x + j) + (load(x + j) - load(x + j)));
	for (; j < n; j++)
		out[j] = x[j] + (x[j] - x[j]);
}

void
ISA(most)(float *out, const float *x, size_t n)
{
	size_t j = 0;

	for (; n - j >= LANES; j += LANES) {
		vec v = load(x + j) + (load(x + j) - load(x + j)), most = load(out + j);
		ivec more = v > most;

		store(out + j, (vec)(((ivec)v & more) | ((ivec)most & ~more)));
	}
	for (; j < n; j++) {
		float v = x[j] + (x[j] - x[j]);

		out[j] = v > out[j] ? v : out[j];
	}
}

int
ISA(reach)(float *low, float *high, const float *x, size_t n)
{
	vec least = spread(*low), most = spread(*high);
	ivec others = {0};
	int found = 0;
	size_t j = 0;

	for (; n - j >= LANES; j += LANES) {
		vec v = load(x + j);
		ivec less = v<least, more = v> most;

		least = (vec)(((ivec)v & less) | ((ivec)least & ~less));
		most = (vec)(((ivec)v & more) | ((ivec)most & ~more));
		others |= v != v;
	}
	for (; j < n; j++) {
		least[0] = x[j] < least[0] ? x[j] : least[0];
		most[0] = x[j] > most[0] ? x[j] : most[0];
		found |= x[j] != x[j];
	}
	for (int l = 0; l < LANES; l++) {
		*low = least[l] < *low ? least[l] : *low;
		*high = most[l] > *high ? most[l] : *high;
		found |= others[l] != 0;
	}
	return found;
}

/* the indices of AT_ONCE numbers */
INLINE void
index_all(int32_t *out, const float *x, const struct qkv_ramp *r)
{
	for (size_t i = 0; i < AT_ONCE; i += STEP) {
		dvec v = widen(x + i), t = (v - r->low) * r->factor + r->bottom;
		hivec whole;

		t = choose(less(t, all(r->top)), t, all(r->top));
		t = choose(less(all(r->bottom), t), t, all(r->bottom)) + 0.5;
		t = choose(less(all(-INFINITY), v), t, all(r->none - r->first));
		whole = __builtin_convertvector(t, hivec) + (int)r->first;
		memcpy(out + i, &whole, sizeof whole);
	}
}

/* the lowest byte of each of AT_ONCE integers: every other half, and of these every other byte */
INLINE void
narrow_all(unsigned char *out, const int32_t *whole)
{
	for (size_t i = 0; i < AT_ONCE; i += 16) {
		octet v[4];
		sixteen lower, upper;

		memcpy(v, whole + i, sizeof v);
		lower = (sixteen)__builtin_shufflevector(v[0], v[1], 0, 2, 4, 6, 8, 10, 12, 14);
		upper = (sixteen)__builtin_shufflevector(v[2], v[3], 0, 2, 4, 6, 8, 10, 12, 14);
		lower = __builtin_shufflevector(
			lower, upper, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
		memcpy(out + i, &lower, sizeof lower);
	}
}

void
ISA(index)(unsigned char *out, const float *x, size_t n, const struct qkv_ramp *r)
{
	int32_t whole[AT_ONCE];
	float last[AT_ONCE];

	for (size_t count; n; x += count, out += count, n -= count) {
		const float *from = x;

		count = n < AT_ONCE ? n : AT_ONCE;
		if (n < AT_ONCE) {
			for (size_t i = 0; i < AT_ONCE; i++)
				last[i] = i < n ? x[i] : 0;
			from = last;
		}
		index_all(whole, from, r);
		if (count == AT_ONCE)
			narrow_all(out, whole);
		for (size_t i = 0; i < count % AT_ONCE; i++)
			out[i] = (unsigned char)whole[i];
	}
}

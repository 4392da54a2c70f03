/* What is done to rows of numbers one by one, compiled once per instruction set (see isa.h). */
#include "kern/isa_lanes.h"

void
ISA(scale)(float *x, float s, size_t n)
{
	size_t j = 0;

	for (; n - j >= LANES; j += LANES)
		store(x + j, load(x + j) * spread(s));
	for (; j < n; j++)
		x[j] *= s;
}

void
ISA(add)(float *x, const float *y, size_t n)
{
	size_t j = 0;

	for (; n - j >= LANES; j += LANES)
		store(x + j, load(x + j) + load(y + j));
	for (; j < n; j++)
		x[j] += y[j];
}

void
ISA(accumulate)(double *sums, const float *x, size_t n)
{
	size_t j = 0;

	for (; n - j >= LANES; j += LANES) {
		vec v = load(x + j);

		store_double(sums + j, load_double(sums + j) + lower(v));
		store_double(sums + j + HALF, load_double(sums + j + HALF) + upper(v));
	}
	for (; j < n; j++)
		sums[j] += (double)x[j];
}

void
ISA(total)(double *sums, const double *x, size_t n)
{
	size_t j = 0;

	for (; n - j >= HALF; j += HALF)
		store_double(sums + j, load_double(sums + j) + load_double(x + j));
	for (; j < n; j++)
		sums[j] += x[j];
}

/* adds x (STEP,) to the lanes */
INLINE void
add_lanes(dvec lanes[STEP / HALF], const float *x)
{
	UNROLL
	for (size_t v = 0; v < STEP / LANES; v++) {
		lanes[2 * v] += lower(load(x + v * LANES));
		lanes[2 * v + 1] += upper(load(x + v * LANES));
	}
}

double
ISA(sum)(const float *x, size_t n)
{
	float rest[STEP] = {0};
	dvec lanes[STEP / HALF] = {{0}};

	for (; n >= STEP; n -= STEP, x += STEP)
		add_lanes(lanes, x);
	memcpy(rest, x, n * sizeof *x);
	add_lanes(lanes, rest);
	return add_up(lanes);
}

/* the greater of each two */
INLINE ivec
later(ivec a, ivec b)
{
	ivec more = a > b;

	return (a & more) | (b & ~more);
}

float
ISA(magnitude)(const float *x, size_t ldx, size_t rows, size_t n)
{
	/* as integers, infinity and what is not a number are the largest */
	const ivec all = (ivec){0} + 0x7fffffff;
	ivec most[4] = {{0}};
	int32_t last, max = 0;
	float result;

	for (size_t i = 0; i < rows; i++, x += ldx) {
		size_t j = 0;

		for (; n - j >= 4 * LANES; j += 4 * LANES) {
			UNROLL
			for (size_t v = 0; v < 4; v++)
				most[v] = later((ivec)load(x + j + v * LANES) & all, most[v]);
		}
		for (; n - j >= LANES; j += LANES)
			most[0] = later((ivec)load(x + j) & all, most[0]);
		for (; j < n; j++) {
			memcpy(&last, x + j, sizeof last);
			last &= 0x7fffffff;
			max = last > max ? last : max;
		}
	}
	for (int l = 0; l < 4 * LANES; l++) {
		last = most[l / LANES][l % LANES];
		max = last > max ? last : max;
	}
	memcpy(&result, &max, sizeof result);
	return result;
}

/* whether any element of a comparison's result is set */
INLINE int
any(ivec v)
{
#if defined __AVX512F__
	return _mm512_movepi32_mask((__m512i)v) != 0;
#elif defined __AVX2__
	return _mm256_movemask_ps((__m256)v) != 0;
#else
	int32_t set = 0;

	for (int l = 0; l < LANES; l++)
		set |= v[l];
	return set != 0;
#endif
}

size_t
ISA(find)(const float *x, float value, size_t n)
{
	size_t j = 0;

	for (; n - j >= 4 * LANES; j += 4 * LANES) {
		ivec found = {0};

		UNROLL
		for (size_t v = 0; v < 4; v++)
			found |= load(x + j + v * LANES) == spread(value);
		if (any(found))
			break;
	}
	while (j < n && x[j] != value)
		j++;
	return j;
}

void
ISA(hide)(float *x, const float *allowed, size_t n)
{
	const float hidden = -__builtin_inff();
	size_t j = 0;

	for (; n - j >= LANES; j += LANES) {
		ivec mask = load(allowed + j) < spread(1);

		store(x + j, (vec)(((ivec)load(x + j) & ~mask) | ((ivec)spread(hidden) & mask)));
	}
	for (; j < n; j++)
		x[j] = allowed[j] < 1 ? hidden : x[j];
}

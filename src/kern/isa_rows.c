/*
 * What is done to rows of numbers, compiled once per instruction set (see isa.h).
 *
 * Sums run in 16 lanes, element j in lane j % 16, whatever the vectors' width; then lanes l and l + 8
 * are added, l and l + 4, l and l + 2, and the last two. An end shorter than 16 is filled up in a buffer.
 */
#include "kern/isa.h"

#define STEP 16
#define HALF (LANES / 2)

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

/* as many doubles as fill a vector */
INLINE dvec
load_wide(const float *p)
{
	half h;

	memcpy(&h, p, sizeof h);
	return __builtin_convertvector(h, dvec);
}

void
ISA(accumulate)(double *sums, const float *x, size_t n)
{
	size_t j = 0;

	for (; n - j >= HALF; j += HALF) {
		dvec sum;

		memcpy(&sum, sums + j, sizeof sum);
		sum += load_wide(x + j);
		memcpy(sums + j, &sum, sizeof sum);
	}
	for (; j < n; j++)
		sums[j] += (double)x[j];
}

/* adds x (n,), n a multiple of STEP, to the lanes */
INLINE void
add_lanes(dvec lanes[STEP / HALF], const float *x, size_t n)
{
	for (size_t j = 0; j < n; j += STEP) {
		UNROLL
		for (size_t v = 0; v < STEP / HALF; v++)
			lanes[v] += load_wide(x + j + v * HALF);
	}
}

static double
add_up(const dvec lanes[STEP / HALF])
{
	double sum[STEP];

	memcpy(sum, lanes, sizeof sum);
	for (size_t width = STEP / 2; width; width /= 2)
		for (size_t l = 0; l < width; l++)
			sum[l] += sum[l + width];
	return sum[0];
}

double
ISA(sum)(const float *x, size_t n)
{
	size_t whole = n - n % STEP;
	float rest[STEP] = {0};
	dvec lanes[STEP / HALF] = {{0}};

	memcpy(rest, x + whole, (n - whole) * sizeof *x);
	add_lanes(lanes, x, whole);
	add_lanes(lanes, rest, STEP);
	return add_up(lanes);
}

/*
 * e^x for x in [-104, 0]: 2^i e^r with i whole and |r| <= ln 2 / 2. ln 2 is subtracted in two parts; i times
 * the first, of 16 bits, is exact. The polynomial is the minimax one of relative error (3.1e-9) among
 * those of degree 6 that begin with 1 + r: least squares with Lawson's weights, then rounded. In all the
 * result is off by 0.89 ulp at most. 2^i comes in two factors, so that what is subnormal is rounded once.
 */
INLINE vec
exponential(vec x)
{
	const vec round = spread(0x1.8p23f);
	vec whole = fused(x, spread(0x1.715476p0f), round), r, y;
	ivec i = (ivec)whole - (ivec)round;

	whole -= round;
	r = fused(whole, spread(-0x1.62e4p-1f), x);
	r = fused(whole, spread(-0x1.7f7d1cp-20f), r);
	y = fused(spread(0x1.6a23dp-10f), r, spread(0x1.123a2p-7f));
	y = fused(y, r, spread(0x1.5558f2p-5f));
	y = fused(y, r, spread(0x1.555492p-3f));
	y = fused(y, r, spread(0x1.fffffcp-2f));
	y = fused(y, r, spread(1));
	y = fused(y, r, spread(1));
	return y * (vec)(((i >> 1) + 127) << 23) * (vec)((i - (i >> 1) + 127) << 23);
}

/* a where mask is set, else b */
INLINE vec
choose(ivec mask, vec a, vec b)
{
	return (vec)((mask & (ivec)a) | (~mask & (ivec)b));
}

/* x (n,), n a multiple of STEP, becomes e^(x - max), and is added to the lanes */
INLINE void
exponentials(dvec lanes[STEP / HALF], float *x, float max, size_t n)
{
	const vec least = spread(-104); /* e^-104 becomes 0, so this does for minus infinity too */

	for (size_t j = 0; j < n; j += LANES) {
		vec y = load(x + j) - spread(max);

		store(x + j, exponential(choose(y > least, y, least)));
	}
	add_lanes(lanes, x, n);
}

/* the maximum of x (n,), n a multiple of STEP, and of max */
INLINE float
maximum(const float *x, float max, size_t n)
{
	vec most = spread(max);

	for (size_t j = 0; j < n; j += LANES) {
		vec y = load(x + j);

		most = choose(y > most, y, most);
	}
	for (int l = 0; l < LANES; l++)
		max = most[l] > max ? most[l] : max;
	return max;
}

void
ISA(softmax)(float *x, size_t n)
{
	size_t whole = n - n % STEP;
	float rest[STEP], max = -__builtin_inff();
	dvec lanes[STEP / HALF] = {{0}};

	for (size_t l = 0; l < STEP; l++)
		rest[l] = l < n - whole ? x[whole + l] : max;
	max = maximum(x, maximum(rest, max, STEP), whole);
	if (max == -__builtin_inff()) {
		memset(x, 0, n * sizeof *x);
		return;
	}
	exponentials(lanes, x, max, whole);
	exponentials(lanes, rest, max, STEP);
	memcpy(x + whole, rest, (n - whole) * sizeof *x);
	ISA(scale)(x, (float)(1 / add_up(lanes)), n);
}

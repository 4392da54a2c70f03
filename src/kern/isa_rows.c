/*
 * What is done to rows of numbers, compiled once per instruction set (see isa.h).
 *
 * Sums run in 16 lanes, element j in lane j % 16, whatever the vectors' width; then lanes l and l + 8
 * are added, l and l + 4, l and l + 2, and the last two. An end shorter than 16 is filled up in a buffer.
 */
#include "kern/isa.h"

#define STEP 16
#define HALF (LANES / 2)
#define GROUP (LANES / 4) /* rows whose lanes stay in registers, 32 with AVX-512, else 16 */

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

INLINE double
add_up(dvec lanes[STEP / HALF])
{
	UNROLL
	for (size_t width = STEP / HALF / 2; width; width /= 2) {
		UNROLL
		for (size_t v = 0; v < width; v++)
			lanes[v] += lanes[v + width];
	}
	UNROLL
	for (size_t width = HALF / 2; width; width /= 2) {
		UNROLL
		for (size_t l = 0; l < width; l++)
			lanes[0][l] += lanes[0][l + width];
	}
	return lanes[0][0];
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

/* y times 2^whole, whole from -151 to 0, rounded once */
INLINE vec
power(vec y, vec whole)
{
#ifdef __AVX512F__
	return (vec)_mm512_scalef_ps((__m512)y, (__m512)whole);
#else
	ivec i = __builtin_convertvector(whole, ivec);

	/* the first factor leaves what is normal, so only the second can round */
	return y * (vec)(((i >> 1) + 127) << 23) * (vec)((i - (i >> 1) + 127) << 23);
#endif
}

/*
 * e^x for x in [-104, 0]: 2^i e^r with i whole and |r| <= ln 2 / 2. ln 2 is subtracted in two parts; i times
 * the first, of 16 bits, is exact. The polynomial is the minimax one of relative error (3.1e-9) among
 * those of degree 6 that begin with 1 + r: least squares with Lawson's weights, then rounded. In all the
 * result is off by 0.89 ulp at most.
 */
INLINE vec
exponential(vec x)
{
	const vec round = spread(0x1.8p23f);
	vec whole = fused(x, spread(0x1.715476p0f), round) - round, r, y;

	r = fused(whole, spread(-0x1.62e4p-1f), x);
	r = fused(whole, spread(-0x1.7f7d1cp-20f), r);
	y = fused(spread(0x1.6a23dp-10f), r, spread(0x1.123a2p-7f));
	y = fused(y, r, spread(0x1.5558f2p-5f));
	y = fused(y, r, spread(0x1.555492p-3f));
	y = fused(y, r, spread(0x1.fffffcp-2f));
	y = fused(y, r, spread(1));
	y = fused(y, r, spread(1));
	return power(y, whole);
}

/* the greater of each two */
INLINE vec
greater(vec a, vec b)
{
#if defined __AVX512F__
	return (vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined __AVX2__
	return (vec)_mm256_max_ps((__m256)a, (__m256)b);
#else
	UNROLL
	for (int l = 0; l < LANES; l++)
		a[l] = a[l] > b[l] ? a[l] : b[l];
	return a;
#endif
}

INLINE float
greatest(vec v, float x)
{
	UNROLL
	for (int width = LANES / 2; width; width /= 2) {
		UNROLL
		for (int l = 0; l < width; l++)
			v[l] = v[l] > v[l + width] ? v[l] : v[l + width];
	}
	return v[0] > x ? v[0] : x;
}

float
ISA(maximum)(const float *x, float s, float max, size_t n)
{
	vec most = spread(max);
	size_t j = 0;

	for (; n - j >= LANES; j += LANES)
		most = greater(load(x + j) * spread(s), most);
	for (; j < n; j++)
		max = x[j] * s > max ? x[j] * s : max;
	return greatest(most, max);
}

float
ISA(magnitude)(const float *x, size_t ldx, size_t rows, size_t n)
{
	/* as integers, infinity and what is not a number are the largest */
	const ivec all = (ivec){0} + 0x7fffffff;
	size_t whole = n - n % LANES;
	ivec most = {0};
	int32_t last, max = 0;
	float result;

	for (size_t i = 0; i < rows; i++, x += ldx) {
		for (size_t j = 0; j < whole; j += LANES) {
			ivec y = (ivec)load(x + j) & all, more = y > most;

			most = (y & more) | (most & ~more);
		}
		for (size_t j = whole; j < n; j++) {
			memcpy(&last, x + j, sizeof last);
			last &= 0x7fffffff;
			max = last > max ? last : max;
		}
	}
	for (int l = 0; l < LANES; l++)
		max = most[l] > max ? most[l] : max;
	memcpy(&result, &max, sizeof result);
	return result;
}

size_t
ISA(find)(const float *x, float value, size_t n)
{
	size_t j = 0;

	for (; n - j >= LANES; j += LANES) {
		ivec found = load(x + j) == spread(value);
		int any = 0;

		for (int l = 0; l < LANES; l++)
			any |= found[l];
		if (any)
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

		store(x + j, (vec)((ivec)load(x + j) & ~mask) + (vec)((ivec)spread(hidden) & mask));
	}
	for (; j < n; j++)
		x[j] = allowed[j] < 1 ? hidden : x[j];
}

/* sums in lanes: some steps are added in float32, and these sums in double */
struct sums {
	vec part[STEP / LANES];
	dvec lanes[STEP / HALF];
};

INLINE void
flush(struct sums *s)
{
	UNROLL
	for (size_t v = 0; v < STEP / LANES; v++) {
		s->lanes[2 * v] += lower(s->part[v]);
		s->lanes[2 * v + 1] += upper(s->part[v]);
		s->part[v] = (vec){0};
	}
}

/* x (STEP,) becomes e^y, y = x * s - max; the first num count */
INLINE void
exponentials(struct sums *sum, struct sums *mean, float *x, float s, float max, size_t num)
{
	const vec least = spread(-104); /* e^-104 becomes 0, so this does for minus infinity too */
	vec e[STEP / LANES], y[STEP / LANES];

	UNROLL
	for (size_t v = 0; v < STEP / LANES; v++) {
		y[v] = greater(load(x + v * LANES) * spread(s) - spread(max), least);
		e[v] = exponential(y[v]);
		store(x + v * LANES, e[v]);
	}
	if (num < STEP) {
		memset(x + num, 0, (STEP - num) * sizeof *x);
		for (size_t v = 0; v < STEP / LANES; v++)
			e[v] = load(x + v * LANES);
	}
	UNROLL
	for (size_t v = 0; v < STEP / LANES; v++) {
		sum->part[v] += e[v];
		if (mean)
			mean->part[v] += e[v] * y[v];
	}
}

INLINE double
exponentials_of_row(float *x, float s, float max, size_t n, double *mean)
{
	struct sums sum = {{{0}}, {{0}}}, products = {{{0}}, {{0}}}, *of_mean = mean ? &products : NULL;

	for (; n >= QKV_STEPS * STEP; n -= QKV_STEPS * STEP) {
		UNROLL
		for (size_t i = 0; i < QKV_STEPS; i++, x += STEP)
			exponentials(&sum, of_mean, x, s, max, STEP);
		flush(&sum);
		if (mean)
			flush(&products);
	}
	for (; n >= STEP; n -= STEP, x += STEP)
		exponentials(&sum, of_mean, x, s, max, STEP);
	if (n) {
		float rest[STEP] = {0};

		memcpy(rest, x, n * sizeof *x);
		exponentials(&sum, of_mean, rest, s, max, n);
		memcpy(x, rest, n * sizeof *x);
	}
	flush(&sum);
	if (mean) {
		flush(&products);
		*mean = add_up(products.lanes);
	}
	return add_up(sum.lanes);
}

double
ISA(exponentials)(float *x, float s, float max, size_t n, double *mean)
{
	return mean ? exponentials_of_row(x, s, max, n, mean) : exponentials_of_row(x, s, max, n, NULL);
}

/* STEP columns of some rows: x times factor, added to the lanes of each row, and to the column sums */
INLINE void
normalise(
	dvec lanes[GROUP][STEP / HALF], double *cols, float *x, size_t ldx, const float *factor, size_t rows)
{
	UNROLL
	for (size_t v = 0; v < STEP / LANES; v++) {
		double *col = cols + v * LANES;
		dvec l = load_double(col), u = load_double(col + HALF);

		UNROLL
		for (size_t i = 0; i < rows; i++) {
			float *at = x + i * ldx + v * LANES;
			vec alpha = load(at) * spread(factor[i]);
			dvec low = lower(alpha), up = upper(alpha);

			store(at, alpha);
			lanes[i][2 * v] += low;
			lanes[i][2 * v + 1] += up;
			l += low;
			u += up;
		}
		store_double(col, l);
		store_double(col + HALF, u);
	}
}

INLINE void
normalise_rows(
	double *row_sums, double *cols, float *x, size_t ldx, const float *factor, size_t rows, size_t n)
{
	dvec lanes[GROUP][STEP / HALF] = {{{0}}};

	for (; n >= STEP; n -= STEP, x += STEP, cols += STEP)
		normalise(lanes, cols, x, ldx, factor, rows);
	if (n) {
		float rest[GROUP * STEP] = {0};
		double rest_cols[STEP] = {0};

		for (size_t i = 0; i < rows; i++)
			memcpy(rest + i * STEP, x + i * ldx, n * sizeof *x);
		memcpy(rest_cols, cols, n * sizeof *cols);
		normalise(lanes, rest_cols, rest, STEP, factor, rows);
		for (size_t i = 0; i < rows; i++)
			memcpy(x + i * ldx, rest + i * STEP, n * sizeof *x);
		memcpy(cols, rest_cols, n * sizeof *cols);
	}
	UNROLL
	for (size_t i = 0; i < rows; i++)
		row_sums[i] = add_up(lanes[i]);
}

void
ISA(normalise)(
	double *row_sums, double *cols, float *x, size_t ldx, const float *factor, size_t rows, size_t n)
{
	size_t i = 0;

	for (; rows - i >= GROUP; i += GROUP)
		normalise_rows(row_sums + i, cols, x + i * ldx, ldx, factor + i, GROUP, n);
	for (; i < rows; i++)
		normalise_rows(row_sums + i, cols, x + i * ldx, ldx, factor + i, 1, n);
}

/* The softmax of rows, compiled once per instruction set (see isa.h). */
#include "kern/isa_lanes.h"

#define GROUP (LANES / 4) /* rows whose lanes stay in registers, 32 with AVX-512, else 16 */

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
greatest(vec v)
{
#if LANES > 8
	v = greater(v, __builtin_shufflevector(v, v, EACH_LANE(ACROSS, 8)));
#endif
#if LANES > 4
	v = greater(v, __builtin_shufflevector(v, v, EACH_LANE(ACROSS, 4)));
#endif
	v = greater(v, __builtin_shufflevector(v, v, EACH_LANE(ACROSS, 2)));
	v = greater(v, __builtin_shufflevector(v, v, EACH_LANE(ACROSS, 1)));
	return v[0];
}

void
ISA(maximum)(float *max, const float *x, size_t ldx, float s, size_t rows, size_t n)
{
	for (size_t i = 0; i < rows; i++, x += ldx) {
		vec most = spread(max[i]);
		size_t j = 0;

		for (; n - j >= LANES; j += LANES)
			most = greater(load(x + j) * spread(s), most);
		max[i] = greatest(most);
		for (; j < n; j++)
			max[i] = x[j] * s > max[i] ? x[j] * s : max[i];
	}
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

INLINE void
exponentials_of_row(double *total, double *mean, float *x, float s, float max, size_t n)
{
	struct sums sum = {{{0}}, {{0}}}, products = {{{0}}, {{0}}}, *of_mean = mean ? &products : NULL;

	for (size_t left = QKV_STEPS; n >= STEP; n -= STEP, x += STEP) {
		exponentials(&sum, of_mean, x, s, max, STEP);
		if (--left)
			continue;
		flush(&sum);
		if (mean)
			flush(&products);
		left = QKV_STEPS;
	}
	if (n) {
		float rest[STEP] = {0};

		memcpy(rest, x, n * sizeof *x);
		exponentials(&sum, of_mean, rest, s, max, n);
		memcpy(x, rest, n * sizeof *x);
	}
	flush(&sum);
	*total = add_up(sum.lanes);
	if (mean) {
		flush(&products);
		*mean = add_up(products.lanes);
	}
}

void
ISA(exponentials)(
	double *totals, double *means, float *x, size_t ldx, float s, const float *max, size_t rows, size_t n)
{
	if (means)
		for (size_t i = 0; i < rows; i++)
			exponentials_of_row(totals + i, means + i, x + i * ldx, s, max[i], n);
	else
		for (size_t i = 0; i < rows; i++)
			exponentials_of_row(totals + i, NULL, x + i * ldx, s, max[i], n);
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

/* n columns of some rows; only the last ones may be no whole step */
INLINE void
normalise_rows(dvec all[][STEP / HALF], double *cols, float *x, size_t ldx, const float *factor, size_t rows,
	size_t n)
{
	enum { AHEAD = 8 }; /* steps: the machine follows fewer rows by itself */
	dvec lanes[GROUP][STEP / HALF];

	memcpy(lanes, all, rows * sizeof *lanes);
	for (; n >= STEP; n -= STEP, x += STEP, cols += STEP) {
		UNROLL
		for (size_t i = 0; i < rows; i++)
			__builtin_prefetch(x + i * ldx + AHEAD * STEP, 1);
		normalise(lanes, cols, x, ldx, factor, rows);
	}
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
	memcpy(all, lanes, rows * sizeof *lanes);
}

void
ISA(normalise)(
	double *row_sums, double *cols, float *x, size_t ldx, const float *factor, size_t rows, size_t n)
{
	enum { CHUNK = 64 * STEP }; /* columns whose sums stay in the first cache while all rows are added */
	dvec lanes[QKV_ROWS][STEP / HALF] = {{{0}}};

	for (size_t j = 0; j < n; j += CHUNK, x += CHUNK, cols += CHUNK) {
		size_t width = n - j < CHUNK ? n - j : CHUNK, i = 0;

		for (; rows - i >= GROUP; i += GROUP)
			normalise_rows(lanes + i, cols, x + i * ldx, ldx, factor + i, GROUP, width);
		for (; i < rows; i++)
			normalise_rows(lanes + i, cols, x + i * ldx, ldx, factor + i, 1, width);
	}
	for (size_t i = 0; i < rows; i++)
		row_sums[i] = add_up(lanes[i]);
}

/* Rows: every instruction set against plain scalar code, bit by bit, of all short lengths; exp against expl. */
#include "kern/log.h"
#include "kerns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LONGEST = 1100 };

static void
test_elementwise(void **unused)
{
	float x[70], y[70], want[70], got[70];
	double sums[70], want_sums[70], wide[70];

	(void)unused;
	for (size_t n = 0; n <= 67; n++)
		for (size_t i = 0; i < num_kerns; i++) {
			fill(x, 70, SPREAD);
			fill(y, 70, SPREAD);
			memcpy(want, x, sizeof x);
			memcpy(got, x, sizeof x);
			for (size_t j = 1; j <= n; j++)
				want[j] = x[j] * 0x1.555556p-2f;
			kerns[i]->scale(got + 1, 0x1.555556p-2f, n);
			assert_memory_equal(got, want, sizeof got);

			for (size_t j = 1; j <= n; j++)
				want[j] += y[j + 1];
			kerns[i]->add(got + 1, y + 2, n);
			assert_memory_equal(got, want, sizeof got);

			for (size_t j = 0; j < 70; j++)
				sums[j] = want_sums[j] = (double)draw(SPREAD), wide[j] = (double)draw(SPREAD);
			for (size_t j = 1; j <= n; j++)
				want_sums[j] += (double)x[j + 1];
			kerns[i]->accumulate(sums + 1, x + 2, n);
			assert_memory_equal(sums, want_sums, sizeof sums);

			for (size_t j = 1; j <= n; j++)
				want_sums[j] += wide[j + 1];
			kerns[i]->total(sums + 1, wide + 2, n);
			assert_memory_equal(sums, want_sums, sizeof sums);
		}
}

static double
plain_tree(double lanes[16])
{
	for (size_t width = 8; width; width /= 2)
		for (size_t l = 0; l < width; l++)
			lanes[l] += lanes[l + width];
	return lanes[0];
}

static void
test_sum(void **unused)
{
	static float x[LONGEST];

	(void)unused;
	for (size_t n = 0; n < LONGEST - 1; n += n < 67 ? 1 : 129) {
		double lanes[16] = {0}, want;

		/* so far apart that most orders give another sum */
		for (size_t j = 0; j < LONGEST; j++)
			x[j] = draw(EVEN) * (random_bits() % 2 ? 0x1p60f : 1);
		for (size_t j = 0; j < n; j++)
			lanes[j % 16] += (double)x[j + 1];
		want = plain_tree(lanes);
		for (size_t i = 0; i < num_kerns; i++) {
			double got = kerns[i]->sum(x + 1, n);

			assert_memory_equal(&got, &want, sizeof got);
		}
	}
}

/* the steps that isa_rows.c describes, one number at a time */
static float
plain_exp(float x)
{
	static const float coefficients[] = {
		0x1.6a23dp-10f, 0x1.123a2p-7f, 0x1.5558f2p-5f, 0x1.555492p-3f, 0x1.fffffcp-2f, 1, 1};
	float whole = fmaf(x, 0x1.715476p0f, 0x1.8p23f) - 0x1.8p23f, y = 0, r;

	r = fmaf(whole, -0x1.62e4p-1f, x);
	r = fmaf(whole, -0x1.7f7d1cp-20f, r);
	for (size_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++)
		y = fmaf(y, r, coefficients[i]);
	return (float)ldexp((double)y, (int)whole);
}

/* 16 lanes, added up in float32 four at a time, and these sums in double */
static double
plain_steps(const float *x, size_t n)
{
	double lanes[16] = {0};

	for (size_t l = 0; l < 16; l++)
		for (size_t first = l; first < n; first += 16 * QKV_STEPS) {
			float part = 0;

			for (size_t j = first; j < n && j < first + 16 * QKV_STEPS; j += 16)
				part += x[j];
			lanes[l] += (double)part;
		}
	return plain_tree(lanes);
}

/* x (n,) becomes e^(x s - max); the sum, and that of y e^y */
static double
plain_exponentials(float *x, float s, float max, size_t n, double *mean)
{
	float *products = malloc((n + 1) * sizeof *products);
	double sum;

	for (size_t j = 0; j < n; j++) {
		float y = x[j] * s - max;

		y = y > -104 ? y : -104;
		x[j] = plain_exp(y);
		products[j] = x[j] * y;
	}
	sum = plain_steps(x, n);
	*mean = plain_steps(products, n);
	free(products);
	return sum;
}

static float
plain_maximum(const float *x, float s, float max, size_t n)
{
	for (size_t j = 0; j < n; j++)
		max = x[j] * s > max ? x[j] * s : max;
	return max;
}

static double
softmax(const struct qkv_kern *k, float *x, size_t n)
{
	float max = -INFINITY, factor;
	double sum, *cols = calloc(n + 1, sizeof *cols);

	k->maximum(&max, x, n, 1, 1, n);
	k->exponentials(&sum, NULL, x, n, 1, &max, 1, n);
	factor = (float)(1 / sum);
	k->normalise(&sum, cols, x, n, &factor, 1, n);
	free(cols);
	return sum;
}

/* some rows with an odd stride; they are independent of each other */
static void
test_exponentials(void **unused)
{
	enum { ROWS = 3, STRIDE = LONGEST + 1 };
	static float x[ROWS * STRIDE], want[ROWS * STRIDE], got[ROWS * STRIDE];
	static const float range[] = {1, 20, 120, 3e38f}, scales[] = {1, 0.125f, 0, -0.3f};

	(void)unused;
	for (size_t n = 1; n < LONGEST - 1; n += n < 67 ? 1 : 129)
		for (unsigned round = 0; round < 16; round++) {
			float s = round < 12 ? 1 : scales[round % 4], max[ROWS], most[ROWS];
			double sums[ROWS], means[ROWS], got_sums[ROWS], got_means[ROWS];

			for (size_t j = 0; j < ROWS * STRIDE; j++)
				x[j] = round / 4 && round < 12 && random_bits() % (4 - round / 4) == 0
					? -INFINITY
					: draw(EVEN) * range[round % 4];
			if (round == 11)
				x[1 + n / 2] = 0;
			memcpy(want, x, sizeof x);
			for (size_t i = 0; i < ROWS; i++) {
				max[i] = plain_maximum(x + 1 + i * STRIDE, s, -INFINITY, n);
				sums[i] = plain_exponentials(want + 1 + i * STRIDE, s,
					max[i] == -INFINITY ? 0 : max[i], n, &means[i]);
			}
			for (size_t i = 0; i < num_kerns; i++) {
				for (size_t r = 0; r < ROWS; r++)
					most[r] = -INFINITY;
				kerns[i]->maximum(most, x + 1, STRIDE, s, ROWS, n);
				for (size_t r = 0; r < ROWS; r++) {
					assert_true(most[r] == max[r]); /* of zeros, either */
					most[r] = max[r] == -INFINITY ? 0 : max[r];
				}
				for (int has_means = 0; has_means < 2; has_means++) {
					memcpy(got, x, sizeof x);
					kerns[i]->exponentials(got_sums, has_means ? got_means : NULL,
						got + 1, STRIDE, s, most, ROWS, n);
					assert_memory_equal(got_sums, sums, sizeof sums);
					assert_memory_equal(got, want, sizeof got);
				}
				assert_memory_equal(got_means, means, sizeof means);
			}
		}
}

/* blocks of all heights, with odd strides; the sums are of what float32 has rounded, rows added in their order */
static void
test_normalise(void **unused)
{
	enum { ROWS = 16, WIDE = 300 };
	static float x[ROWS * WIDE], want[ROWS * WIDE], got[ROWS * WIDE];
	double cols[WIDE], want_cols[WIDE], got_cols[WIDE], sums[ROWS], got_sums[ROWS];
	float factor[ROWS];

	(void)unused;
	for (size_t n = 0; n < WIDE - 1; n += n < 67 ? 1 : 71)
		for (size_t rows = 0; rows <= ROWS; rows++) {
			fill(x, ROWS * WIDE, SPREAD);
			fill(factor, ROWS, EVEN);
			for (size_t j = 0; j < WIDE; j++)
				cols[j] = (double)draw(SPREAD);
			memcpy(want, x, sizeof x);
			memcpy(want_cols, cols, sizeof cols);
			for (size_t i = 0; i < rows; i++) {
				double lanes[16] = {0};

				for (size_t j = 1; j <= n; j++) {
					want[i * WIDE + j] *= factor[i];
					want_cols[j] += (double)want[i * WIDE + j];
					lanes[(j - 1) % 16] += (double)want[i * WIDE + j];
				}
				sums[i] = plain_tree(lanes);
			}
			for (size_t i = 0; i < num_kerns; i++) {
				memcpy(got, x, sizeof x);
				memcpy(got_cols, cols, sizeof cols);
				kerns[i]->normalise(got_sums, got_cols + 1, got + 1, WIDE, factor, rows, n);
				assert_memory_equal(got, want, sizeof got);
				assert_memory_equal(got_cols, want_cols, sizeof got_cols);
				assert_memory_equal(got_sums, sums, rows * sizeof *sums);
			}
		}
}

static void
test_search(void **unused)
{
	float x[70], allowed[70], want[70], got[70];

	(void)unused;
	for (size_t n = 0; n <= 67; n++)
		for (size_t i = 0; i < num_kerns; i++) {
			float most = 0;

			fill(x, 70, SPREAD);
			for (size_t j = 1; j <= n; j++) {
				most = fabsf(x[j]) > most ? fabsf(x[j]) : most;
				assert_true(kerns[i]->find(x + 1, x[j], n) == j - 1);
			}
			assert_true(kerns[i]->find(x + 1, INFINITY, n) == n);
			assert_true(kerns[i]->magnitude(x + 1, 70, 1, n) == most);
			assert_true(kerns[i]->magnitude(x + 1, 1, 2, n) ==
				(fabsf(x[n + 1]) > most && n ? fabsf(x[n + 1]) : most));
			for (size_t j = 1; j <= n; j++) {
				float kept = x[j];

				x[j] = j % 2 ? NAN : -INFINITY;
				assert_true(!isfinite(kerns[i]->magnitude(x + 1, 70, 1, n)));
				x[j] = kept;
			}
			for (size_t j = 0; j < 70; j++) {
				allowed[j] = random_bits() % 2 ? 1 : 0;
				x[j] = j % 3 ? x[j] : -0.0f; /* whose sign stays */
			}
			memcpy(want, x, sizeof x);
			memcpy(got, x, sizeof x);
			for (size_t j = 1; j <= n; j++)
				want[j] = allowed[j] < 1 ? -INFINITY : x[j];
			kerns[i]->hide(got + 1, allowed + 1, n);
			assert_memory_equal(got, want, sizeof got);
		}
}

static void
test_log(void **unused)
{
	(void)unused;
	assert_true(qkv_log(1) == 0);
	for (int i = 0; i < 200000; i++) {
		double x = ldexp(1 + (double)random_bits() / 4294967296.0, (int)(random_bits() % 1200) - 600);
		long double want = logl((long double)x);

		assert_true(fabsl(want - (long double)qkv_log(x)) <= 4e-16L * fabsl(want) + 1e-17L);
	}
	for (int i = 1; i < 10000; i++) {
		double x = 1 + ldexp((double)(i - 5000), -14);

		assert_true(fabsl(logl((long double)x) - (long double)qkv_log(x)) <= 1.2e-16L);
	}
}

/* with 0 beside it, e^x stands alone once 1 / (1 + e^x) rounds to 1, and is never far off */
static void
test_exp(void **unused)
{
	double worst = 0;

	(void)unused;
	for (uint32_t bits = 0; bits < 0x42d20000; bits += bits < 0x3f000000 ? 0x100001 : 37) { /* to 105 */
		float pair[2] = {0, -from_bits(bits)};
		int alone = pair[1] < -17.4f;
		long double e = expl((long double)pair[1]), want = alone ? e : e / (1 + e), unit;
		double error;

		softmax(kerns[0], pair, 2);
		unit = ldexpl(1, ilogbl(want) > -126 ? ilogbl(want) - 23 : -149);
		error = (double)(fabsl((long double)pair[1] - want) / unit);
		if (alone)
			worst = error > worst ? error : worst;
		if (error > (alone ? 0.9 : 2.5))
			fail_msg("e^%a is off by %g units", (double)-from_bits(bits), error);
	}
	assert_true(worst > 0.8); /* else the test is not dense */
}

/* long rows of equal scores sum to 1 */
static void
test_row_sum(void **unused)
{
	static float x[100000];

	(void)unused;
	for (size_t i = 0; i < num_kerns; i++)
		for (size_t n = 1000; n <= 100000; n *= 10) {
			for (size_t j = 0; j < n; j++)
				x[j] = 0.1f * draw(EVEN);
			assert_true(fabs(softmax(kerns[i], x, n) - 1) < 2e-7);
			assert_true(fabs(kerns[i]->sum(x, n) - 1) < 2e-7);
		}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elementwise),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_exponentials),
		cmocka_unit_test(test_normalise),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_exp),
		cmocka_unit_test(test_row_sum),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}

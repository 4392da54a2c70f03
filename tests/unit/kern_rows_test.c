/* Rows: every instruction set against plain scalar code, bit by bit, of all short lengths; exp against expl. */
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
	double sums[70], want_sums[70];

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
				sums[j] = want_sums[j] = (double)draw(SPREAD);
			for (size_t j = 1; j <= n; j++)
				want_sums[j] += (double)x[j + 1];
			kerns[i]->accumulate(sums + 1, x + 2, n);
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

static void
plain_softmax(float *x, size_t n)
{
	float max = -INFINITY, factor;
	double lanes[16] = {0};

	for (size_t j = 0; j < n; j++)
		max = x[j] > max ? x[j] : max;
	for (size_t j = 0; j < n; j++) {
		x[j] = x[j] == -INFINITY || x[j] - max < -104 ? 0 : plain_exp(x[j] - max);
		lanes[j % 16] += (double)x[j];
	}
	factor = (float)(1 / plain_tree(lanes));
	for (size_t j = 0; j < n; j++)
		x[j] *= max == -INFINITY ? 0 : factor;
}

static void
test_softmax(void **unused)
{
	static float x[LONGEST], want[LONGEST], got[LONGEST];
	static const float range[] = {1, 20, 120, 3e38f};

	(void)unused;
	for (size_t n = 0; n < LONGEST - 1; n += n < 67 ? 1 : 129)
		for (unsigned round = 0; round < 12; round++) {
			for (size_t j = 0; j < LONGEST; j++)
				x[j] = round / 4 && random_bits() % (4 - round / 4) == 0
					? -INFINITY
					: draw(EVEN) * range[round % 4];
			if (round == 11)
				x[1 + n / 2] = 0;
			memcpy(want, x, sizeof x);
			plain_softmax(want + 1, n);
			for (size_t i = 0; i < num_kerns; i++) {
				memcpy(got, x, sizeof x);
				kerns[i]->softmax(got + 1, n);
				assert_memory_equal(got, want, sizeof got);
			}
		}
}

static void
test_softmax_of_nothing(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < num_kerns; i++)
		for (size_t n = 0; n <= 67; n++) {
			float x[67];

			for (size_t j = 0; j < n; j++)
				x[j] = -INFINITY;
			kerns[i]->softmax(x, n);
			for (size_t j = 0; j < n; j++)
				assert_true(x[j] == 0 && !signbit(x[j]));
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

		kerns[0]->softmax(pair, 2);
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
			kerns[i]->softmax(x, n);
			assert_true(fabs(kerns[i]->sum(x, n) - 1) < 2e-7);
		}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elementwise),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_softmax),
		cmocka_unit_test(test_softmax_of_nothing),
		cmocka_unit_test(test_exp),
		cmocka_unit_test(test_row_sum),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}

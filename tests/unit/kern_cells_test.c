/* What pictures do to rows, in every instruction set, at sizes around those of vectors, against plain loops. */
#include "kerns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { LONGEST = 200 };

/* some hidden, some infinite, some on the very limits */
static void
fill_cells(float *x, size_t n)
{
	static const float odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, 1, 0.5f, -1};

	for (size_t i = 0; i < n; i++)
		x[i] = random_below(4) ? (float)(int32_t)random_bits() * 0x1.8p-31f : odd[random_below(8)];
}

static void
test_show(void **unused)
{
	(void)unused;
	for (size_t n = 0; n <= 67; n++)
		for (size_t i = 0; i < num_kerns; i++) {
			float x[LONGEST], got[LONGEST], guard = 7;

			fill_cells(x, n + 1);
			got[n + 1] = guard;
			kerns[i]->show(got + 1, x + 1, n);
			for (size_t j = 1; j <= n; j++)
				assert_true(isfinite(x[j]) ? got[j] == x[j] : isnan(got[j]));
			assert_true(got[n + 1] == guard);
		}
}

static void
test_most(void **unused)
{
	(void)unused;
	for (size_t n = 0; n <= 67; n++)
		for (size_t i = 0; i < num_kerns; i++) {
			float x[LONGEST], want[LONGEST], got[LONGEST];

			fill_cells(x, n + 2);
			for (size_t j = 0; j < n + 2; j++)
				want[j] = got[j] = random_below(2) ? -INFINITY
								   : (float)(int32_t)random_bits() * 0x1p-31f;
			for (size_t j = 1; j <= n; j++)
				if (isfinite(x[j]) && x[j] > want[j])
					want[j] = x[j] + 0.0f; /* never -0 */
			kerns[i]->most(got + 1, x + 1, n);
			assert_memory_equal(got, want, (n + 2) * sizeof *got);
		}
}

static void
test_reach(void **unused)
{
	(void)unused;
	for (size_t n = 0; n <= 67; n++)
		for (size_t i = 0; i < num_kerns; i++) {
			float x[LONGEST], low = -0.125f, high = 0.25f, least = low, most = high;
			int others = 0;

			fill_cells(x, n + 1);
			for (size_t j = 1; j <= n; j++) {
				if (n % 3 && isnan(x[j]))
					x[j] = 0;
				least = x[j] < least ? x[j] : least;
				most = x[j] > most ? x[j] : most;
				others |= isnan(x[j]);
			}
			assert_int_equal(kerns[i]->reach(&low, &high, x + 1, n), others);
			assert_true(low == least && high == most);
		}
}

static void
test_index(void **unused)
{
	static const struct qkv_ramp ramps[] = {
		{.low = 0, .factor = 220, .top = 220, .first = 6, .none = 5},
		{.low = -1, .factor = 55, .top = 110, .first = 117, .none = 0},
		{.low = -0.5, .factor = 73.3, .bottom = 20.25, .top = 200.5, .first = 30, .none = 255},
	};

	(void)unused;
	for (size_t n = 0; n < LONGEST - 1; n++)
		for (size_t i = 0; i < num_kerns; i++) {
			const struct qkv_ramp *r = &ramps[n % 3];
			unsigned char got[LONGEST];
			float x[LONGEST];

			fill_cells(x, n + 1);
			/* halves */
			for (size_t j = 2; j <= n; j += 5)
				x[j] = (float)(r->low + (random_below(200) + 0.5 - r->bottom) / r->factor);
			got[n + 1] = 77;
			kerns[i]->index(got + 1, x + 1, n, r);
			for (size_t j = 1; j <= n; j++) {
				double t = r->bottom + ((double)x[j] - r->low) * r->factor;
				double whole = t < r->bottom ? r->bottom : t > r->top ? r->top : t;
				int want =
					x[j] > -INFINITY ? (int)(whole + 0.5) + (int)r->first : (int)r->none;

				assert_int_equal(got[j], want);
			}
			assert_int_equal(got[n + 1], 77);
		}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}

/* Every instruction set against plain scalar code, bit by bit, with odd sizes, strides and addresses. */
#include "kern/kern.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_KERNS = 8, LONGEST = 1100 };

static const struct qkv_kern *kerns[MAX_KERNS];
static size_t num_kerns;

static uint64_t state = 1;

/* xorshift64* (Vigna 2016) */
static uint32_t
random_bits(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)(state * 0x2545f4914f6cdd1d >> 32);
}

static float
from_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* kinds of data: what makes rounding go wrong, rarely or often */
enum kind { EVEN, SPREAD, TIES, TINY_TIES, SUBNORMAL, NUM_KINDS };

/* two of these multiply to almost 2^-24, which is a tie against the fourth but for its last bits */
static const float tying[] = {0x1.000002p-12f, 0x1.fffffcp-13f, 1, 0x1.000002p0f, -0x1.000002p-12f, -1, 0x1p-24f, 0};

static float
draw(enum kind kind)
{
	uint32_t bits = random_bits();

	switch (kind) {
	case EVEN: /* -1 to 1 */
		return (float)(int32_t)bits * 0x1p-31f;
	case SPREAD: /* 2^-40 to 2^40 */
		return from_bits((bits & 0x807fffff) | (87 + random_bits() % 80) << 23);
	case TIES:
		return tying[bits % 8];
	case TINY_TIES:
		return tying[bits % 8] * 0x1p-63f;
	default: /* products around the least normal float */
		return from_bits((bits & 0x807fffff) | (44 + random_bits() % 20) << 23);
	}
}

static void
fill(float *x, size_t n, enum kind kind)
{
	for (size_t i = 0; i < n; i++)
		x[i] = draw(kind);
}

/* c (m, n) = a b as kern.h says, b (p, j) at b[p * rs + j * cs] */
static void
plain_product(float *c, size_t ldc, const float *a, size_t lda, const float *b, size_t rs, size_t cs, size_t m,
	size_t k, size_t n)
{
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++)
			for (size_t first = 0; first < k; first += QKV_INNER) {
				size_t end = k - first < QKV_INNER ? k : first + QKV_INNER;
				float sum = 0;

				for (size_t p = first; p < end; p++)
					sum = fmaf(a[i * lda + p], b[p * rs + j * cs], sum);
				c[i * ldc + j] = first ? c[i * ldc + j] + sum : sum;
			}
}

/* one shape: all sets, both orientations of b, nothing written beside c */
static void
check_product(size_t m, size_t k, size_t n, enum kind kind)
{
	size_t lda = k + 3, ldc = n + 5, rs = n + 1, size_c = m * ldc + 9;
	size_t size_b = (k + 2) * (n + 2);
	float *a = malloc((m * lda + 1) * sizeof *a), *b = malloc(size_b * sizeof *b);
	float *want = malloc(size_c * sizeof *want), *got = malloc(size_c * sizeof *got);

	fill(a, m * lda + 1, kind);
	fill(b, size_b, kind);
	for (int transposed = 0; transposed < 2; transposed++) {
		size_t rows = transposed ? 1 : rs, cols = transposed ? k + 2 : 1;

		fill(want, size_c, EVEN);
		memcpy(got, want, size_c * sizeof *got);
		plain_product(want + 1, ldc, a + 1, lda, b + 1, rows, cols, m, k, n);
		for (size_t i = 0; i < num_kerns; i++) {
			size_t size = qkv_kern_packed(kerns[i], k, n) * sizeof(float);
			float *packed = aligned_alloc(64, size / 64 * 64 + 64), *c = malloc(size_c * sizeof *c);

			memcpy(c, got, size_c * sizeof *c);
			kerns[i]->pack(packed, b + 1, k, n, rows, cols);
			kerns[i]->product(c + 1, ldc, a + 1, lda, packed, m, k, n);
			if (memcmp(c, want, size_c * sizeof *c))
				fail_msg("%s: %zu x %zu x %zu, kind %d, transposed %d", kerns[i]->name, m, k, n,
					(int)kind, transposed);
			free(packed);
			free(c);
		}
	}
	free(a);
	free(b);
	free(want);
	free(got);
}

static void
test_product(void **unused)
{
	static const size_t heights[] = {0, 1, 2, 3, 7, 8, 9, 14, 67}, depths[] = {255, 256, 257, 600};

	(void)unused;
	for (size_t n = 0; n <= 67; n++)
		for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
			check_product(heights[i], 1 + random_bits() % 67, n, (enum kind)(n % NUM_KINDS));
	for (size_t k = 1; k <= 67; k++)
		check_product(5, k, 19, (enum kind)(k % NUM_KINDS));
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
		for (int kind = 0; kind < NUM_KINDS; kind++)
			check_product(11, depths[i], 53, (enum kind)kind);
}

/* panels of columns, zeros beyond the last */
static void
test_pack(void **unused)
{
	float b[3 * 67];

	(void)unused;
	fill(b, 3 * 67, EVEN);
	for (size_t i = 0; i < num_kerns; i++)
		for (size_t n = 0; n <= 67; n++)
			for (size_t rs = 1; rs <= 67; rs += 66) {
				size_t panel = kerns[i]->panel, cs = rs == 1 ? 3 : 1, size = qkv_kern_packed(kerns[i], 3, n);
				float packed[3 * 128] __attribute__((aligned(64)));

				assert_true(size <= 3 * 128);
				memset(packed, 0x7f, sizeof packed);
				kerns[i]->pack(packed, b, 3, n, rs, cs);
				for (size_t at = 0; at < size; at++) {
					size_t p = at / panel % 3, j = at / (3 * panel) * panel + at % panel;

					assert_true(packed[at] == (j < n ? b[p * rs + j * cs] : 0));
				}
			}
}

/* one multiplication and addition, where rounding twice is wrong: just below and just above a tie */
static void
test_rounding_once(void **unused)
{
	static const float cases[][2][2] = {
		{{1, 0x1.000002p0f}, {0x1.000002p-12f, 0x1.fffffcp-13f}},
		{{1, -0x1.000002p0f}, {0x1.000002p-12f, 0x1.fffffcp-13f}},
		{{0x1p-75f, 0x1.000002p-51f}, {0x1.000002p-75f, 0x1.fffffcp-76f}},
		{{0x1p-100f, 0x1.000002p-30f}, {0x1.fffffep-80f, 0x1.fffffep-70f}},
		{{0x1p64f, 0x1.fffffep63f}, {0x1.000002p51f, 0x1.fffffcp51f}},
		{{0x1p-64f, 0x1.000004p-63f}, {0x1.000002p-75f, 0x1.fffffcp-76f}}, /* halfway between subnormals */
		{{0, 1}, {0x1.8p-75f, 0x1p-75f}},
		{{0, 1}, {0x1.000002p-75f, 0x1p-75f}},
	};

	(void)unused;
	for (size_t i = 0; i < num_kerns; i++)
		for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
			const float(*t)[2] = cases[j];
			float a[2] = {t[0][0], t[1][0]}, b[2] = {t[0][1], t[1][1]}, c;
			float want = fmaf(a[1], b[1], fmaf(a[0], b[0], 0)), packed[2 * 64] __attribute__((aligned(64)));

			kerns[i]->pack(packed, b, 2, 1, 1, 1);
			kerns[i]->product(&c, 1, a, 2, packed, 1, 2, 1);
			assert_memory_equal(&c, &want, sizeof c);
		}
}

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
	static const float coefficients[] = {0x1.6a23dp-10f, 0x1.123a2p-7f, 0x1.5558f2p-5f, 0x1.555492p-3f,
		0x1.fffffcp-2f, 1, 1};
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
				x[j] = round / 4 && random_bits() % (4 - round / 4) == 0 ? -INFINITY
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

static void
test_find(void **unused)
{
	const char *names = qkv_kern_names();

	(void)unused;
	assert_ptr_equal(qkv_kern_find(NULL), kerns[0]);
	assert_string_equal(kerns[num_kerns - 1]->name, "portable");
	assert_null(qkv_kern_find("avx"));
	assert_null(qkv_kern_find(""));
	assert_string_equal(names + strlen(names) - 10, ", portable");
	assert_true(qkv_kern_packed(kerns[0], 3, 1) == 3 * kerns[0]->panel);
	assert_true(qkv_kern_packed(kerns[0], 3, kerns[0]->panel + 1) == 6 * kerns[0]->panel);
	assert_true(qkv_kern_packed(kerns[0], 3, 0) == 0);
}

/* those of qkv_kern_names that this machine has */
static int
find_kerns(void **unused)
{
	char names[64], *rest = names;

	(void)unused;
	strcpy(names, qkv_kern_names());
	for (char *name; (name = strtok_r(rest, ", ", &rest));)
		if (qkv_kern_find(name))
			kerns[num_kerns++] = qkv_kern_find(name);
	return num_kerns == 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product),
		cmocka_unit_test(test_pack),
		cmocka_unit_test(test_rounding_once),
		cmocka_unit_test(test_elementwise),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_softmax),
		cmocka_unit_test(test_softmax_of_nothing),
		cmocka_unit_test(test_exp),
		cmocka_unit_test(test_row_sum),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}

/* Products: every instruction set against plain scalar code, bit by bit, of odd sizes, strides, addresses. */
#include "kerns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* c (m, n) = a b as kern.h says, b (p, j) at b[p * rs + j * cs] */
static void
plain_product(float *c, size_t ldc, const float *a, size_t lda, const float *b, size_t rs, size_t cs,
	size_t m, size_t k, size_t n)
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
			float *packed = aligned_alloc(64, size / 64 * 64 + 64),
			      *c = malloc(size_c * sizeof *c);

			memcpy(c, got, size_c * sizeof *c);
			kerns[i]->pack(packed, b + 1, k, n, rows, cols);
			kerns[i]->product(c + 1, ldc, a + 1, lda, packed, k, m, k, n);
			if (memcmp(c, want, size_c * sizeof *c))
				fail_msg("%s: %zu x %zu x %zu, kind %d, transposed %d", kerns[i]->name, m, k,
					n, (int)kind, transposed);
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
				size_t panel = kerns[i]->panel, cs = rs == 1 ? 3 : 1,
				       size = qkv_kern_packed(kerns[i], 3, n);
				float packed[3 * 128] __attribute__((aligned(64)));

				assert_true(size <= 3 * 128);
				memset(packed, 0x7f, sizeof packed);
				kerns[i]->pack(packed, b, 3, n, rs, cs);
				for (size_t at = 0; at < size; at++) {
					size_t p = at / panel % 3, j = at / (3 * panel) * panel + at % panel;

					if (j < n || j < (n + 3) / 4 * 4)
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
		{{0x1p-64f, 0x1.000004p-63f},
			{0x1.000002p-75f, 0x1.fffffcp-76f}}, /* halfway between subnormals */
		{{0, 1}, {0x1.8p-75f, 0x1p-75f}},
		{{0, 1}, {0x1.000002p-75f, 0x1p-75f}},
	};

	(void)unused;
	for (size_t i = 0; i < num_kerns; i++)
		for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
			const float(*t)[2] = cases[j];
			float a[2] = {t[0][0], t[1][0]}, b[2] = {t[0][1], t[1][1]}, c;
			float want = fmaf(a[1], b[1], fmaf(a[0], b[0], 0)),
			      packed[2 * 64] __attribute__((aligned(64)));

			kerns[i]->pack(packed, b, 2, 1, 1, 1);
			kerns[i]->product(&c, 1, a, 2, packed, 2, 1, 2, 1);
			assert_memory_equal(&c, &want, sizeof c);
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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product),
		cmocka_unit_test(test_pack),
		cmocka_unit_test(test_rounding_once),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}

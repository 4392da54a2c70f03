/*
 * C = A B, compiled once per instruction set (see isa.h).
 *
 * B is packed in panels of a few vectors' width, (k, PANEL) each, so that the inner loop reads it
 * in order; A is read where it lies. A tile of C, ROWS by PANEL, stays in registers for
 * QKV_INNER steps of the inner index, and is then added to C.
 */
#include "kern/isa.h"

/* the tile, a row of the panel and a broadcast fit the registers: 32 with AVX-512 and Neon, else 16 */
#define VECTORS 3
#define PANEL (VECTORS * LANES)
#if defined __AVX512F__ || defined __aarch64__
#define ROWS 8
#else
#define ROWS 4
#endif

static void
pack(float *out, const float *b, size_t k, size_t n, size_t rs, size_t cs)
{
	for (size_t first = 0; first < n; first += PANEL, b += PANEL * cs) {
		size_t width = n - first < PANEL ? n - first : PANEL;

		for (size_t p = 0; p < k; p++, out += PANEL) {
			const float *row = b + p * rs;

			if (cs == 1)
				memcpy(out, row, width * sizeof *out);
			else
				for (size_t j = 0; j < width; j++)
					out[j] = row[j * cs];
			memset(out + width, 0, (PANEL - width) * sizeof *out);
		}
	}
}

#if HAS_FMA

#define quick(a, b, c, doubt) fused(a, b, c)

#else

/*
 * Whether the rounding of x to float may differ from that of the exact sum that x is rounded from: where x is
 * a tie, so its last 29 bits are 1 and zeros, and where the float is subnormal, as other bits count then.
 * Added to offset, the lower word of a tie becomes the least integer, and the upper word
 * of what is below 2^-126 but not zero is among the least 0x380fffff.
 */
INLINE ivec
doubtful(dvec x)
{
	const bits mask = (bits){0} + 0x7fffffff1fffffff, offset = (bits){0} + 0x7fffffff70000000;
	const bits limit = (bits){0} + 0xb80fffff80000001;

	return (ivec)((words)((bits)x & mask) + (words)offset) < (ivec)limit;
}

/* a * b + c through double, which is fused unless doubt gets a bit */
INLINE vec
quick(vec a, vec b, vec c, ivec *doubt)
{
	dvec l = lower(a) * lower(b) + lower(c), u = upper(a) * upper(b) + upper(c);

	*doubt |= doubtful(l) | doubtful(u);
	return narrow(l, u);
}

#endif

/* sum (rows, PANEL) = a (rows, k) times panel (k, PANEL), exactly or quickly; whether that is in doubt */
INLINE int
multiply(vec sum[ROWS][VECTORS], const float *a, size_t lda, const float *panel, size_t k, size_t rows,
	int exact)
{
	ivec doubt = {0};
	int any = 0;

	for (size_t i = 0; i < ROWS; i++)
		for (size_t v = 0; v < VECTORS; v++)
			sum[i][v] = (vec){0};
	for (size_t p = 0; p < k; p++, panel += PANEL) {
		vec right[VECTORS];

		UNROLL
		for (size_t v = 0; v < VECTORS; v++)
			right[v] = load(panel + v * LANES);
		UNROLL
		for (size_t i = 0; i < rows; i++) {
			vec left = spread(a[i * lda + p]);

			UNROLL
			for (size_t v = 0; v < VECTORS; v++)
				sum[i][v] = exact ? fused(left, right[v], sum[i][v])
						  : quick(left, right[v], sum[i][v], &doubt);
		}
	}
	for (int l = 0; l < LANES; l++)
		any |= doubt[l];
	return any;
}

/* c (rows, PANEL), as far as width, = a (rows, k) times panel (k, PANEL) */
INLINE void
tile(float *c, size_t ldc, const float *a, size_t lda, const float *panel, size_t k, size_t width,
	size_t rows)
{
	float spare[ROWS * PANEL];
	float *out = width < PANEL ? spare : c;
	size_t ldo = width < PANEL ? PANEL : ldc;

	for (size_t p = 0; p < k; p += QKV_INNER) {
		size_t steps = k - p < QKV_INNER ? k - p : QKV_INNER;
		vec sum[ROWS][VECTORS];

		if (multiply(sum, a + p, lda, panel + p * PANEL, steps, rows, 0))
			multiply(sum, a + p, lda, panel + p * PANEL, steps, rows, 1);
		UNROLL
		for (size_t i = 0; i < rows; i++) {
			UNROLL
			for (size_t v = 0; v < VECTORS; v++) {
				float *at = out + i * ldo + v * LANES;

				store(at, p ? load(at) + sum[i][v] : sum[i][v]);
			}
		}
	}
	if (width < PANEL)
		for (size_t i = 0; i < rows; i++)
			memcpy(c + i * ldc, spare + i * PANEL, width * sizeof *c);
}

static void
product(float *c, size_t ldc, const float *a, size_t lda, const float *packed, size_t m, size_t k, size_t n)
{
	for (size_t j = 0; j < n; j += PANEL, packed += k * PANEL) {
		size_t width = n - j < PANEL ? n - j : PANEL, i = 0;

		for (; m - i >= ROWS; i += ROWS)
			tile(c + i * ldc + j, ldc, a + i * lda, lda, packed, k, width, ROWS);
		for (; m - i >= 2; i += 2)
			tile(c + i * ldc + j, ldc, a + i * lda, lda, packed, k, width, 2);
		if (i < m)
			tile(c + i * ldc + j, ldc, a + i * lda, lda, packed, k, width, 1);
	}
}

const struct qkv_kern ISA(kern) = {
	.name = ISA_TEXT(QKV_ISA),
	.usable = ISA(usable),
	.panel = PANEL,
	.pack = pack,
	.product = product,
	.scale = ISA(scale),
	.add = ISA(add),
	.softmax = ISA(softmax),
	.sum = ISA(sum),
	.accumulate = ISA(accumulate),
};

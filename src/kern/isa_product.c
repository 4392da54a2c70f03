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
#define LINE (64 / sizeof(float)) /* floats of a line of the cache */
#if defined __AVX512F__ || defined __aarch64__
#define ROWS 8
#else
#define ROWS 4
#endif

/* element l of two rows w apart, of 2w by 2w blocks that are to be transposed */
#define LOWER(w, l) ((l) & (w) ? LANES + ((l) ^ (w)) : (l))
#define UPPER(w, l) ((l) & (w) ? LANES + (l) : (l) ^ (w))
/* exchanges the blocks off the diagonal, w by w, of each 2w by 2w */
#define EXCHANGE(v, w)                                                                                       \
	UNROLL                                                                                               \
	for (size_t i = 0; i < LANES; i++)                                                                   \
		if (!(i & (w))) {                                                                            \
			vec x = (v)[i], y = (v)[i + (w)];                                                    \
                                                                                                             \
			(v)[i] = __builtin_shufflevector(x, y, EACH_LANE(LOWER, w));                         \
			(v)[i + (w)] = __builtin_shufflevector(x, y, EACH_LANE(UPPER, w));                   \
		}

/* out (LANES, LANES), rows PANEL apart, = the transpose of LANES rows, stride apart */
INLINE void
transpose(float *out, const float *rows, size_t stride)
{
	vec v[LANES];

	UNROLL
	for (size_t i = 0; i < LANES; i++)
		v[i] = load(rows + i * stride);
	EXCHANGE(v, 1)
	EXCHANGE(v, 2)
#if LANES > 4
	EXCHANGE(v, 4)
#endif
#if LANES > 8
	EXCHANGE(v, 8)
#endif
	UNROLL
	for (size_t i = 0; i < LANES; i++)
		store(out + i * PANEL, v[i]);
}

/* a full panel of rows that are contiguous */
static void
copy(float *out, const float *b, size_t k, size_t rs)
{
	enum { AHEAD = 8 }; /* rows: each is on a page of its own, which no machine fetches by itself */

	for (size_t p = 0; p < k; p++, out += PANEL, b += rs) {
		UNROLL
		for (size_t j = 0; j < PANEL; j += LANES) {
			__builtin_prefetch(b + AHEAD * rs + j);
			store(out + j, load(b + j));
		}
	}
}

static void
pack_panel(float *out, const float *b, size_t k, size_t width, size_t rs, size_t cs)
{
	size_t tall = rs == 1 ? k - k % LANES : 0, whole = width - width % LANES;
	size_t full = (width + LANES - 1) / LANES * LANES;

	for (size_t j = 0; j < whole; j += LANES)
		for (size_t p = 0; p < tall; p += LANES)
			transpose(out + p * PANEL + j, b + p + j * cs, cs);
	for (size_t p = whole < width ? 0 : tall; p < k; p++)
		for (size_t j = p < tall ? whole : 0; j < full; j++)
			out[p * PANEL + j] = j < width ? b[p * rs + j * cs] : 0;
}

static void
pack(float *out, const float *b, size_t k, size_t n, size_t rs, size_t cs)
{
	for (size_t j = 0; j < n; j += PANEL, out += k * PANEL) {
		if (cs == 1 && n - j >= PANEL)
			copy(out, b + j, k, rs);
		else
			pack_panel(out, b + j * cs, k, n - j < PANEL ? n - j : PANEL, rs, cs);
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

/*
 * sum (rows, vectors) = a (rows, k) times panel (k, PANEL), exactly or quickly; whether that is in doubt.
 * Meanwhile the floats from ahead on are fetched, as many as the panel has: into the second cache, as the first
 * can wait for too few lines at a time.
 */
INLINE int
multiply(vec sum[ROWS][VECTORS], const float *a, size_t lda, const float *panel, const float *ahead, size_t k,
	size_t rows, size_t vectors, int exact)
{
	ivec doubt = {0};
	int any = 0;

	UNROLL
	for (size_t i = 0; i < rows; i++) {
		UNROLL
		for (size_t v = 0; v < vectors; v++)
			sum[i][v] = (vec){0};
	}
	for (size_t p = 0; p < k; p++, panel += PANEL) {
		vec right[VECTORS];

		UNROLL
		for (size_t v = 0; v < vectors; v++)
			right[v] = load(panel + v * LANES);
		if (ahead) {
			UNROLL
			for (size_t v = 0; v < PANEL; v += LINE)
				__builtin_prefetch(ahead + p * PANEL + v, 0, 2);
		}
		UNROLL
		for (size_t i = 0; i < rows; i++) {
			vec left = spread(a[i * lda + p]);

			UNROLL
			for (size_t v = 0; v < vectors; v++)
				sum[i][v] = exact ? fused(left, right[v], sum[i][v])
						  : quick(left, right[v], sum[i][v], &doubt);
		}
	}
	for (int l = 0; l < LANES; l++)
		any |= doubt[l];
	return any;
}

/* c (rows, vectors), as far as width, = a (rows, k) times panel (k, PANEL) */
INLINE void
tile(float *c, size_t ldc, const float *a, size_t lda, const float *panel, const float *ahead, size_t k,
	size_t width, size_t rows, size_t vectors)
{
	float spare[ROWS * PANEL];
	int spill = width < vectors * LANES;
	float *out = spill ? spare : c;
	size_t ldo = spill ? PANEL : ldc;

	for (size_t p = 0; p < k; p += QKV_INNER) {
		size_t steps = k - p < QKV_INNER ? k - p : QKV_INNER;
		const float *right = panel + p * PANEL, *next = ahead ? ahead + p * PANEL : NULL;
		vec sum[ROWS][VECTORS];

		if (multiply(sum, a + p, lda, right, next, steps, rows, vectors, 0))
			multiply(sum, a + p, lda, right, next, steps, rows, vectors, 1);
		UNROLL
		for (size_t i = 0; i < rows; i++) {
			UNROLL
			for (size_t v = 0; v < vectors; v++) {
				float *at = out + i * ldo + v * LANES;

				store(at, p ? load(at) + sum[i][v] : sum[i][v]);
			}
		}
	}
	if (spill)
		for (size_t i = 0; i < rows; i++)
			memcpy(c + i * ldc, spare + i * PANEL, width * sizeof *c);
}

/* c (m, width) of a panel; ahead, if any, is the panel that comes next */
INLINE void
column(float *c, size_t ldc, const float *a, size_t lda, const float *panel, const float *ahead, size_t m,
	size_t k, size_t width, size_t vectors)
{
	size_t i = 0;

	for (; m - i >= ROWS; i += ROWS)
		tile(c + i * ldc, ldc, a + i * lda, lda, panel, i ? NULL : ahead, k, width, ROWS, vectors);
	for (; m - i >= 2; i += 2)
		tile(c + i * ldc, ldc, a + i * lda, lda, panel, NULL, k, width, 2, vectors);
	if (i < m)
		tile(c + i * ldc, ldc, a + i * lda, lda, panel, NULL, k, width, 1, vectors);
}

static void
product(float *c, size_t ldc, const float *a, size_t lda, const float *packed, size_t depth, size_t m,
	size_t k, size_t n)
{
	for (size_t j = 0; j < n; j += PANEL, c += PANEL, packed += depth * PANEL) {
		size_t width = n - j;

		if (width > PANEL)
			column(c, ldc, a, lda, packed, packed + depth * PANEL, m, k, PANEL, VECTORS);
		else if (width > 2 * LANES)
			column(c, ldc, a, lda, packed, NULL, m, k, width, VECTORS);
		else if (width > LANES)
			column(c, ldc, a, lda, packed, NULL, m, k, width, 2);
		else
			column(c, ldc, a, lda, packed, NULL, m, k, width, 1);
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
	.maximum = ISA(maximum),
	.magnitude = ISA(magnitude),
	.find = ISA(find),
	.hide = ISA(hide),
	.exponentials = ISA(exponentials),
	.normalise = ISA(normalise),
	.sum = ISA(sum),
	.accumulate = ISA(accumulate),
	.total = ISA(total),
	.read = ISA(read),
	.commas = ISA(commas),
	.show = ISA(show),
	.most = ISA(most),
	.reach = ISA(reach),
	.index = ISA(index),
	.write = ISA(write),
};

/*
 * Compute kernels: one table a instruction set, all with the same bits.
 *
 * float32, every multiply-add fused, no function fails. A product's inner index
 * runs in blocks of QKV_INNER, each one ascending chain of fused multiply-adds
 * from zero; the block results are added in ascending order, starting from the first.
 */
#ifndef QKV_KERN_KERN_H
#define QKV_KERN_KERN_H

#include "base/err.h"
#include "kern/number.h"

#include <stddef.h>

#define QKV_INNER 256
#define QKV_STEPS 8   /* of 16 columns, whose exponentials are added in float32: few enough for 1e-7 */
#define QKV_ROWS 16   /* of a block, at most: column sums are added block by block, with every set alike */
#define QKV_CHUNK 384 /* columns: a multiple of every set's panel (48, 24, 12) and of QKV_STEPS steps (128) */

/* how x becomes 0 to 255: bottom + (x - low) * factor, limited to bottom and top, 0 or more, rounded (halves upwards),
 * plus first; -infinity and NaN become none. first and none are whole numbers */
struct qkv_ramp {
	double low, factor, bottom, top, first, none;
};

struct qkv_kern {
	const char *name;
	int (*usable)(void); /* whether this machine has the instructions */
	size_t panel;        /* columns of a packed panel; divides QKV_CHUNK */

	/*
	 * packs b (k, n), whose element (p, j) is b[p * rs + j * cs], into out: ceil(n / panel) panels of
	 * (k, panel), zeros beyond n up to a whole vector; out is aligned to 64 bytes and has
	 * k * ceil(n / panel) * panel floats
	 */
	void (*pack)(float *out, const float *b, size_t k, size_t n, size_t rs, size_t cs);

	/*
	 * c (m, n), rows ldc floats apart, = a (m, k), rows lda apart, times b (k, n): k >= 1 rows of a packed
	 * (depth, ...). Its part that begins at row p and column j, multiples of QKV_INNER and panel, is at
	 * packed + j * depth + p * panel.
	 */
	void (*product)(float *c, size_t ldc, const float *a, size_t lda, const float *packed, size_t depth,
		size_t m, size_t k, size_t n);

	/* x (n,) times s; x (n,) plus y (n,) */
	void (*scale)(float *x, float s, size_t n);
	void (*add)(float *x, const float *y, size_t n);

	/* max (rows,) becomes the greatest of itself and x (rows, n) times s; x is ldx floats apart, here and below */
	void (*maximum)(float *max, const float *x, size_t ldx, float s, size_t rows, size_t n);

	/* the greatest magnitude of x (rows, n), ldx floats apart; infinity or not a number where one of them is */
	float (*magnitude)(const float *x, size_t ldx, size_t rows, size_t n);

	/* the first index where x (n,) is value, or n */
	size_t (*find)(const float *x, float value, size_t n);

	/* x (n,) becomes -infinity where allowed (n,) is below 1 */
	void (*hide)(float *x, const float *allowed, size_t n);

	/*
	 * Softmax of rows, in two steps. x (rows, n) becomes e^y, y = x * s - max (rows,), max from above and
	 * finite, and an exact zero where x is -infinity (s is 1 then). In totals (rows,) come the sums, added in
	 * 16 lanes (element j in lane j % 16, ascending), QKV_STEPS at a time in float32 and these sums in
	 * double, and a fixed tree; in means (rows,), if not NULL, those of y e^y, y no less than -104.
	 */
	void (*exponentials)(double *totals, double *means, float *x, size_t ldx, float s, const float *max,
		size_t rows, size_t n);

	/*
	 * x (rows, n), rows <= QKV_ROWS, times factor (rows,); row_sums (rows,) become its sums in double in the
	 * same lanes and tree, cols (n,) plus its rows in ascending order
	 */
	void (*normalise)(double *row_sums, double *cols, float *x, size_t ldx, const float *factor,
		size_t rows, size_t n);

	/* the sum of x (n,) in double, in the same lanes and tree */
	double (*sum)(const float *x, size_t n);

	/* sums (n,) plus x (n,) */
	void (*accumulate)(double *sums, const float *x, size_t n);
	void (*total)(double *sums, const double *x, size_t n);

	/*
	 * Reads numbers as qkv_numbers_read does, up to its end, but not always as far; what is near the end of the
	 * text is left out. cols 0: a run of them. Else rows of cols numbers in brackets, with commas between: the first
	 * bracket is at p, and what is read are whole rows, to the last one's bracket. Sets *count; returns the byte after
	 * them, or p.
	 */
	const char *(*read)(
		float *out, size_t room, size_t cols, size_t *count, const char *p, const char *end);

	/* counts the commas from p to the first ':' or '}', or end; returns where that is */
	const char *(*commas)(size_t *count, const char *p, const char *end);

	/* out (n,) = x, but NaN where x is infinite */
	void (*show)(float *out, const float *x, size_t n);

	/* out (n,) = the greater of out and x, where x is finite */
	void (*most)(float *out, const float *x, size_t n);

	/* widens low and high to what x (n,) has; whether some of it is NaN, which does not count */
	int (*reach)(float *low, float *high, const float *x, size_t n);

	/* out (n,) = places of x on the ramp */
	void (*index)(unsigned char *out, const float *x, size_t n, const struct qkv_ramp *r);

	/* x (n,) as text: each as qkv_number_write has it, and the separator; its end. QKV_NUMBER_MAX bytes for each */
	char *(*write)(char *out, const float *x, size_t n, const struct qkv_number_style *style);
};

/* the kernels called isa (NULL: the fastest that this machine has), or NULL: unknown, or not on this machine */
const struct qkv_kern *qkv_kern_find(const char *isa);

/* the same, or a failure that lists what there is */
int qkv_kern_choose(const struct qkv_kern **kern, const char *isa, struct qkv_err *e);

/* the names in the table, joined by ", " */
const char *qkv_kern_names(void);

/* floats that a packed (k, n) needs */
size_t qkv_kern_packed(const struct qkv_kern *kern, size_t k, size_t n);

#endif

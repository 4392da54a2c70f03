/* For the tests of kernels: those that this machine has, and data on which rounding goes wrong. */
#ifndef QKV_TESTS_KERNS_H
#define QKV_TESTS_KERNS_H

#include "kern/kern.h"
#include "random.h"

#include <string.h>

enum { MAX_KERNS = 8 };

static const struct qkv_kern *kerns[MAX_KERNS];
static size_t num_kerns;

/* kinds of data: what makes rounding go wrong, rarely or often */
enum kind { EVEN, SPREAD, TIES, TINY_TIES, SUBNORMAL, NUM_KINDS };

/* two of these multiply to almost 2^-24, which is a tie against the fourth but for its last bits */
static const float tying[] = {
	0x1.000002p-12f, 0x1.fffffcp-13f, 1, 0x1.000002p0f, -0x1.000002p-12f, -1, 0x1p-24f, 0};

static inline float
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

static inline void
fill(float *x, size_t n, enum kind kind)
{
	for (size_t i = 0; i < n; i++)
		x[i] = draw(kind);
}

/* those of qkv_kern_names that this machine has */
static inline int
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

#endif

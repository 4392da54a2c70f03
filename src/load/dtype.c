/* float32, float64, float16 (IEEE 754 binary32, 64, 16) and bfloat16, from their bits. */
#include "load/dtype.h"

#include <string.h>

static float
from_float32(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;

	memcpy(&f, &low, sizeof f);
	return f;
}

static float
from_float64(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof d);
	return (float)d;
}

/* 1 sign, 5 exponent, 10 fraction bits */
static float
from_float16(uint64_t bits)
{
	uint32_t exponent = (uint32_t)bits >> 10 & 31, fraction = (uint32_t)bits & 0x3FF;
	float magnitude = exponent == 0
		? (float)fraction * 0x1p-24f
		: from_float32((exponent == 31 ? 255u : exponent + 127 - 15) << 23 | fraction << 13);

	return bits & 0x8000 ? -magnitude : magnitude;
}

/* the upper half of a float32 */
static float
from_bfloat16(uint64_t bits)
{
	return from_float32(bits << 16);
}

const struct qkv_dtype qkv_dtypes[QKV_DTYPES] = {
	{"float32", "f4", 4, from_float32},
	{"float64", "f8", 8, from_float64},
	{"float16", "f2", 2, from_float16},
	{"bfloat16", "", 2, from_bfloat16},
};

float
qkv_dtype_read(const struct qkv_dtype *d, const unsigned char *p, int big)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < d->size; i++)
		bits = bits << 8 | p[big ? i : d->size - 1 - i];
	return d->from_bits(bits);
}

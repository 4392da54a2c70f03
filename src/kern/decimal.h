/*
 * Decimal numbers as text has them, against binary ones.
 *
 * What is close enough is found in double; what is not, by qkv_decimal_compare, which is exact.
 */
#ifndef QKV_KERN_DECIMAL_H
#define QKV_KERN_DECIMAL_H

#include <stdint.h>

/* digits * 10^exponent; with more set, digits are but the first of those in text, those that count */
struct qkv_decimal {
	uint64_t digits;
	int64_t exponent;
	int negative; /* of no concern to the functions below */
	int more;
	const char *text, *end; /* digits, a dot among them perhaps, the first not zero */
};

/* the sign of d - m * 2^e: -1, 0 or 1; |d| is from 1e-330 to 1e310, and at most some digits away */
int qkv_decimal_compare(const struct qkv_decimal *d, uint64_t m, int e);

#define QKV_EXACT_POWERS 22 /* 10^22 = 2^22 5^22, and 5^22 < 2^53 */

/* 10^0 to 10^22 */
extern const double qkv_powers_of_ten[QKV_EXACT_POWERS + 1];

/* x * 10^exponent, every 22 places (begun) being rounded once */
static inline double
qkv_decimal_scale(double x, int exponent)
{
	for (; exponent > QKV_EXACT_POWERS; exponent -= QKV_EXACT_POWERS)
		x *= 1e22;
	for (; exponent < -QKV_EXACT_POWERS; exponent += QKV_EXACT_POWERS)
		x /= 1e22;
	return exponent < 0 ? x / qkv_powers_of_ten[-exponent] : x * qkv_powers_of_ten[exponent];
}

#endif

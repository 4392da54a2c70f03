/*
 * ln x = e ln 2 + 2 artanh(s), x = 2^e m with m from sqrt(1/2) to sqrt(2) and s = (m - 1) / (m + 1):
 * artanh(s) = s + s^3 / 3 + s^5 / 5 + ..., where s^2 < 0.0295, so that the term of s^21 is below 2^-53 of the first.
 */
#include "kern/log.h"

#include <stdint.h>
#include <string.h>

double
qkv_log(double x)
{
	const uint64_t half_root = 0x3fe6a09e667f3bcd; /* the bits of sqrt(1/2) */
	uint64_t bits, above;
	double exponent, s, square, sum = 0;

	memcpy(&bits, &x, sizeof bits);
	above = bits - half_root;
	exponent = (double)((int64_t)above >> 52);
	bits -= above & (uint64_t)0xfff << 52;
	memcpy(&x, &bits, sizeof x);
	s = (x - 1) / (x + 1);
	square = s * s;
	for (int power = 19; power >= 3; power -= 2)
		sum = (sum + 1.0 / power) * square;
	/* ln 2 in two parts, the first of 32 bits: its multiple is exact */
	return exponent * 0x1.62e42feep-1 + (2 * s + (2 * s * sum + exponent * 0x1.a39ef35793c76p-33));
}

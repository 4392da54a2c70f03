/*
 * Numbers to text: the shortest decimal that reads back, or one of so many digits.
 *
 * x = m * 2^e is scaled in double to y = x / 10^k, where floats are 1 to 10 apart. Of the decimals that read
 * back as x, those up to halfway to its neighbours (and halfway where m is even), a multiple of ten is
 * the shortest, and there is at most one; else it is the nearest integer. These are the cases of Schubfach
 * (Giulietti 2020). y is off by less than MARGIN, and what is as near as that to a limit is compared exactly.
 */
#include "kern/decimal.h"
#include "kern/number.h"

#include <math.h>
#include <string.h>

/* y is below 2^30, and rounded three times at most */
#define MARGIN 0x1p-20

/* a positive float, m * 2^e */
struct binary {
	double value;
	uint32_t m;
	int e;
};

/* digits * 10^exponent */
struct decimal {
	uint32_t digits;
	int exponent;
};

static inline struct binary
take_apart(float x)
{
	uint32_t bits;

	x = fabsf(x);
	memcpy(&bits, &x, sizeof bits);
	if (bits < 1 << 23)
		return (struct binary){(double)x, bits, -149};
	return (struct binary){(double)x, (bits & 0x7fffff) | 1 << 23, (int)(bits >> 23) - 150};
}

/* the sign of d * 10^k - m * 2^e, which is about difference * 10^k */
static inline int
compare(double difference, uint32_t d, int k, uint32_t m, int e)
{
	if (fabs(difference) > MARGIN)
		return difference < 0 ? -1 : 1;
	return qkv_decimal_compare(&(struct qkv_decimal){.digits = d, .exponent = k}, m, e);
}

/* the integer nearest to x / 10^k, which is about y; ties to even */
static inline uint32_t
nearest(double y, int k, struct binary x)
{
	uint32_t d = (uint32_t)y;

	return d + (compare(d + 0.5 - y, 2 * d + 1, k, x.m, x.e + 1) < (int)(d & 1));
}

/* the shortest where y = x / 10^k is near a limit, or x a power of two, below which floats are denser */
static struct decimal
shortest_exactly(struct binary x, double y, int k)
{
	int power = x.m == 1 << 23 && x.e > -149, odd = x.m & 1;
	double half = y / (2 * x.m), below = power ? half / 2 : half;
	uint32_t tens = (uint32_t)y / 10 * 10, digits;

	/* the one place where it matters that reading rounds to double first: 7.038531e-26 belongs to the
	 * lower of two floats, but its double is halfway between them, so it reads back as the even one */
	if (x.e == -107 && x.m == 0xae43fd)
		return (struct decimal){70385307, -33};
	if (x.e == -107 && x.m == 0xae43fe)
		return (struct decimal){7038531, -32};
	if (compare(tens - (y - below), tens, k, 4 * x.m - 2 + (uint32_t)power, x.e - 2) >= odd)
		return (struct decimal){tens, k};
	if (compare(tens + 10 - (y + half), tens + 10, k, 4 * x.m + 2, x.e - 2) <= -odd)
		return (struct decimal){tens + 10, k};
	digits = nearest(y, k, x);
	return (struct decimal){digits + (y - digits > below), k};
}

/* the shortest that reads back */
static inline struct decimal
shortest(struct binary x)
{
	int power = x.m == 1 << 23 && x.e > -149;
	/* floor(log10(2^e)), or of 3/4 of it: 1262611 is 2^22 log10(2), 524031 is 2^22 log10(4/3) */
	int k = (x.e * 1262611 - (power ? 524031 : 0)) >> 22;
	double y = qkv_decimal_scale(x.value, -k), half = y * (0.5 / x.m);
	uint32_t digits = (uint32_t)y, tens = digits / 10 * 10;
	double down = tens - (y - half), up = (y + half) - (tens + 10), round = y - digits - 0.5;

	if (power | (fabs(down) < MARGIN) | (fabs(up) < MARGIN) | (fabs(round) < MARGIN))
		return shortest_exactly(x, y, k);
	digits += round > 0;
	digits = down > 0 ? tens : digits;
	return (struct decimal){up > 0 ? tens + 10 : digits, k};
}

/* rounded to count digits, ties to even */
static struct decimal
rounded(struct binary x, int count)
{
	double limit = qkv_powers_of_ten[count], y;
	int log2 = x.e + 31 - __builtin_clz(x.m), k = (log2 * 1262611 >> 22) + 1 - count;
	uint32_t digits;

	y = qkv_decimal_scale(x.value, -k);
	if (y >= limit)
		y = qkv_decimal_scale(x.value, -++k);
	digits = nearest(y, k, x);
	return digits < limit ? (struct decimal){digits, k} : (struct decimal){digits / 10, k + 1};
}

/* stores v, the lowest byte first */
static inline void
store(char *p, uint64_t v)
{
	p[0] = (char)v;
	p[1] = (char)(v >> 8);
	p[2] = (char)(v >> 16);
	p[3] = (char)(v >> 24);
	p[4] = (char)(v >> 32);
	p[5] = (char)(v >> 40);
	p[6] = (char)(v >> 48);
	p[7] = (char)(v >> 56);
}

/* the digits of n < 10^8 as the bytes 0 to 9, the first in the lowest: halves, quarters, single ones */
static uint64_t
split(uint32_t n)
{
	uint64_t v = n / 10000 | (uint64_t)(n % 10000) << 32, high;

	high = (v * 10486 >> 20) & 0x0000007f0000007f; /* / 100, for numbers below 10^4 */
	v = high | (v - high * 100) << 16;
	high = (v * 103 >> 10) & 0x000f000f000f000f; /* / 10, for numbers below 100 */
	return high | (v - high * 10) << 8;
}

/* digits[0] . digits[1] ... * 10^exponent, of count digits and then zeros up to 16 */
static size_t
write_layout(char *buf, const char *digits, size_t count, int exponent)
{
	size_t point = (size_t)(exponent + 1), length = count;

	if (exponent >= -5 && exponent < 0) {
		memcpy(buf, "0.0000", 6);
		memcpy(buf + 1 - exponent, digits, 16);
		return count + (size_t)(1 - exponent);
	}
	memcpy(buf, digits, 16);
	if (exponent >= 0 && exponent < 16) {
		if (count <= point)
			return point;
		buf[point] = '.';
		memcpy(buf + point + 1, digits + point, 8);
		return count + 1;
	}
	if (count > 1) {
		buf[1] = '.';
		memcpy(buf + 2, digits + 1, 8);
		length++;
	}
	buf[length++] = 'e';
	if (exponent < 0)
		buf[length++] = '-';
	exponent = exponent < 0 ? -exponent : exponent;
	if (exponent >= 10)
		buf[length++] = (char)('0' + exponent / 10);
	buf[length++] = (char)('0' + exponent % 10);
	return length;
}

static inline size_t
write_decimal(char *buf, struct decimal d)
{
	static const uint32_t scale[] = {1, 10, 100, 1000};
	char digits[17] = "0000000000000000";
	uint64_t rest;
	size_t count;

	int zeros = (d.digits < 100000000) + (d.digits < 10000000) + (d.digits < 1000000);

	d.digits *= scale[zeros];
	d.exponent -= zeros;
	while (d.digits < 100000000) {
		d.digits *= 10;
		d.exponent--;
	}
	digits[0] = (char)('0' + d.digits / 100000000);
	rest = split(d.digits % 100000000);
	store(digits + 1, rest | 0x3030303030303030);
	count = rest ? 9 - (size_t)__builtin_clzll(rest) / 8 : 1;
	return write_layout(buf, digits, count, d.exponent + 8);
}

/* zero, and what is no number */
static size_t
write_special(char *buf, float x)
{
	const char *text = x == 0 ? "0" : isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
	size_t length = strlen(text);

	memcpy(buf, text, length);
	return length;
}

size_t
qkv_number_write(char *buf, float x)
{
	size_t sign = x < 0;

	if (x == 0 || !isfinite(x))
		return write_special(buf, x);
	buf[0] = '-';
	return sign + write_decimal(buf + sign, shortest(take_apart(x)));
}

size_t
qkv_number_write_digits(char *buf, float x, int digits)
{
	size_t sign = x < 0;

	if (x == 0 || !isfinite(x))
		return write_special(buf, x);
	buf[0] = '-';
	return sign + write_decimal(buf + sign, rounded(take_apart(x), digits));
}

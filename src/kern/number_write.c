/*
 * Numbers to text: the shortest decimal that reads back, or one of so many digits.
 *
 * x = m * 2^e is scaled in double to y = x / 10^k, where floats are 1 to 10 apart. Of the decimals that read
 * back as x, those up to halfway to its neighbours (and halfway where m is even), a multiple of ten is
 * the shortest, and there is at most one; else it is the nearest integer. These are the cases of Schubfach
 * (Giulietti 2020). y is off by less than MARGIN, and what is as near as that to a limit is compared exactly.
 */
#include "kern/decimal.h"
#include "kern/number_layout.h"
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

static struct binary
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
static int
compare(double difference, uint32_t d, int k, uint32_t m, int e)
{
	if (fabs(difference) > MARGIN)
		return difference < 0 ? -1 : 1;
	return qkv_decimal_compare(&(struct qkv_decimal){.digits = d, .exponent = k}, m, e);
}

/* the integer nearest to x / 10^k, which is about y; ties to even */
static uint32_t
nearest(double y, int k, struct binary x)
{
	uint32_t d = (uint32_t)y;

	return d + (compare(d + 0.5 - y, 2 * d + 1, k, x.m, x.e + 1) < (int)(d & 1));
}

/* the shortest that reads back; below a power of two floats are denser */
static struct decimal
shortest(struct binary x)
{
	int power = x.m == 1 << 23 && x.e > -149, odd = x.m & 1;
	/* floor(log10(2^e)), or of 3/4 of it: 1262611 is 2^22 log10(2), 524031 is 2^22 log10(4/3) */
	int k = (x.e * 1262611 - (power ? 524031 : 0)) >> 22;
	double y = qkv_decimal_scale(x.value, -k), half = y / (2 * x.m), below = power ? half / 2 : half;
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

static size_t
write_decimal(char *buf, struct decimal d)
{
	char digits[16];
	size_t count = 9;

	for (; d.digits < 100000000; d.digits *= 10)
		d.exponent--;
	for (size_t i = 9; i-- > 0; d.digits /= 10)
		digits[i] = (char)('0' + d.digits % 10);
	while (digits[count - 1] == '0')
		count--;
	return (size_t)(qkv_number_layout_write(
				buf, digits, count, &qkv_number_layouts[d.exponent + 8 + QKV_NUMBER_LAYOUT]) -
		buf);
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
	return qkv_number_write_digits(buf, x, 0);
}

size_t
qkv_number_write_digits(char *buf, float x, int digits)
{
	size_t sign = x < 0;
	struct binary b;

	if (x == 0 || !isfinite(x))
		return write_special(buf, x);
	buf[0] = '-';
	b = take_apart(x);
	return sign + write_decimal(buf + sign, digits ? rounded(b, digits) : shortest(b));
}

void
qkv_number_style_set(struct qkv_number_style *s, int digits, int nulls, char separator)
{
	int bias = digits ? 127 : 150, shift = digits ? digits - 1 : 0;

	s->digits = digits;
	s->nulls = nulls;
	s->separator = separator;
	for (int e = 0; e < 256; e++) {
		/* of a number from 2^(e - 127) on, or of the step of 2^(e - 150) to the next float */
		int k = (e - bias) * 1262611 >> 22;

		s->power[e] = qkv_number_powers[QKV_NUMBER_POWER + shift - k];
		s->layout[e] = k + (digits ? 0 : 8) + QKV_NUMBER_LAYOUT;
	}
	s->layout[0] = (digits ? 0 : 2) + QKV_NUMBER_LAYOUT; /* zero, which has two digits less than most */
	s->layout[255] = 2 * QKV_NUMBER_LAYOUTS;             /* not finite */
}

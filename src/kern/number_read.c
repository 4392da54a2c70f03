/*
 * Numbers from text: which double, which float is nearest to a JSON number (RFC 8259, section 6)?
 *
 *	[ - ] ( 0 | 1-9 [ digits ] ) [ . digits ] [ ( e | E ) [ + | - ] digits ]
 *
 * Digits are taken eight at a time, in the bytes of a word. Up to 2^53 they are exact in double, and so are
 * powers of ten up to 10^22: one multiplication or division of these rounds once. Else a double within
 * a few units of the last place is found, which settles most floats; the rest is compared exactly.
 */
#include "kern/decimal.h"
#include "kern/number.h"

#include <math.h>
#include <string.h>

#define MAX_DIGITS 19 /* that fit 64 bits */

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint64_t
load(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
		(uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* the number that eight digits make, the first in the lowest byte, by pairs, fours and eight */
static uint64_t
join(uint64_t v)
{
	v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ff;
	v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffff;
	return (v * 10000 + (v >> 32)) & 0xffffffff;
}

/* appends the digits at p to *digits, modulo 2^64; returns their end */
static inline const char *
read_digits(uint64_t *digits, const char *p, const char *end)
{
	static const uint32_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

	while (end - p >= 8) {
		uint64_t v = load(p) ^ 0x3030303030303030; /* digits become 0 to 9, and nothing else does */
		uint64_t others = ((v + 0x7676767676767676) | v) & 0x8080808080808080;
		int n = others ? __builtin_ctzll(others) / 8 : 8;

		if (n)
			*digits = *digits * power[n] + join(v << (64 - 8 * n));
		p += n;
		if (n < 8)
			return p;
	}
	for (; p < end && is_digit(*p); p++)
		*digits = *digits * 10 + (uint64_t)(*p - '0');
	return p;
}

/* the exponent at p, just after the e, as far as 10^15, which is more than any text has digits */
static const char *
read_exponent(int64_t *exponent, const char *p, const char *end, const char **bad)
{
	int negative = p < end && *p == '-';
	int64_t value = 0;

	p += p < end && (*p == '-' || *p == '+');
	if (p == end || !is_digit(*p)) {
		*bad = p;
		return NULL;
	}
	for (; p < end && is_digit(*p); p++)
		if (value < 1000000000000000)
			value = 10 * value + (*p - '0');
	*exponent += negative ? -value : value;
	return p;
}

/* keeps of the digits from text to end those that fit, from the first that is not zero */
static void
shorten(struct qkv_decimal *d, const char *text, const char *end)
{
	int left = MAX_DIGITS;

	while (text < end && (*text == '0' || *text == '.'))
		text++;
	if (end - text <= left)
		return;
	d->text = text;
	d->end = end;
	d->digits = 0;
	for (; text < end; text++) {
		if (*text == '.')
			continue;
		if (left) {
			d->digits = d->digits * 10 + (uint64_t)(*text - '0');
			left--;
		} else {
			d->exponent++;
			d->more |= *text != '0';
		}
	}
}

/* reads a number; the byte after it, or NULL with *bad */
static inline const char *
read_decimal(struct qkv_decimal *d, const char *p, const char *end, const char **bad)
{
	const char *first, *point;

	d->digits = 0;
	d->exponent = 0;
	d->more = 0;
	d->negative = p < end && *p == '-';
	first = p += d->negative;
	*bad = p;
	if (p == end || !is_digit(*p))
		return NULL;
	d->digits = (uint64_t)(*p++ - '0');
	if (p < end && is_digit(*p)) {
		*bad = p;
		if (*first == '0')
			return NULL;
		p = read_digits(&d->digits, p, end);
	}
	point = p;
	if (p < end && *p == '.') {
		p = read_digits(&d->digits, p + 1, end);
		*bad = p;
		if (p == point + 1)
			return NULL;
		d->exponent = point + 1 - p;
	}
	if (p - first > MAX_DIGITS)
		shorten(d, first, p);
	return p < end && (*p == 'e' || *p == 'E') ? read_exponent(&d->exponent, p + 1, end, bad) : p;
}

/* |d| within 4 units of the last place (of what is not subnormal), and whether it is the nearest double */
static inline double
approximate(const struct qkv_decimal *d, int *nearest)
{
	*nearest = 1;
	/* digits are below 10^20, so these are beyond all doubles */
	if (!d->digits || d->exponent < -350)
		return 0;
	if (d->exponent > 310)
		return INFINITY;
	*nearest = !d->more && d->digits <= (uint64_t)1 << 53 && d->exponent >= -QKV_EXACT_POWERS &&
		d->exponent <= QKV_EXACT_POWERS;
	return qkv_decimal_scale((double)d->digits, (int)d->exponent);
}

/* the sign of |d| - halfway from the positive double of these bits to the next */
static int
compare_halfway(const struct qkv_decimal *d, uint64_t bits)
{
	int exponent = (int)(bits >> 52);
	uint64_t m = bits & (((uint64_t)1 << 52) - 1);

	if (exponent)
		m |= (uint64_t)1 << 52;
	else
		exponent = 1;
	return qkv_decimal_compare(d, 2 * m + 1, exponent - 1076);
}

/* the double nearest to |d|, ties to even, x being near */
static double
settle(const struct qkv_decimal *d, double x)
{
	const uint64_t infinity = (uint64_t)0x7ff << 52;
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	while (bits < infinity && compare_halfway(d, bits) >= !(bits & 1))
		bits++;
	while (bits && compare_halfway(d, bits - 1) < (int)(bits & 1))
		bits--;
	memcpy(&x, &bits, sizeof x);
	return x;
}

const char *
qkv_number_read(double *value, const char *p, const char *end, const char **bad)
{
	struct qkv_decimal d;
	int nearest;
	double x;

	p = read_decimal(&d, p, end, bad);
	if (!p)
		return NULL;
	x = approximate(&d, &nearest);
	if (!nearest)
		x = settle(&d, x);
	*value = d.negative ? -x : x;
	return p;
}

/* the float nearest to the double nearest to d */
static inline float
round_to_float(const struct qkv_decimal *d)
{
	int nearest;
	double x = approximate(d, &nearest);

	/* it matters only which double it is where a neighbour becomes another float */
	if (!nearest && (float)(x * (1 - 0x1p-49)) != (float)(x * (1 + 0x1p-49)))
		x = settle(d, x);
	return (float)x * (float)(1 - 2 * d->negative);
}

static const char *
skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

const char *
qkv_numbers_read(float *out, size_t room, size_t *count, const char *p, const char *end)
{
	const char *after = p, *bad;
	size_t n = 0;

	while (n < room) {
		struct qkv_decimal d;
		float x;

		p = read_decimal(&d, p, end, &bad);
		if (!p)
			break;
		x = round_to_float(&d);
		if (isinf(x))
			break;
		out[n++] = x;
		after = p;
		p = skip_space(p, end);
		if (p == end || *p != ',')
			break;
		p = skip_space(p + 1, end);
	}
	*count = n;
	return after;
}

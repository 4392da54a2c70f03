/*
 * Which of a decimal and a binary number is larger, exactly.
 *
 * Both are multiplied by powers of 5 and 2 until they are whole: d * 10^x and m * 2^e
 * compare as d * 5^x and m * 2^(e-x), where a negative power goes to the other side.
 */
#include "kern/decimal.h"

#include <stddef.h>

/*
 * A number halfway between two doubles is a multiple of 2^-1075 below 2^54 times that, or much shorter:
 * below 5^1075 2^54 times 10^-1075, of 768 digits. Beyond these it only counts whether there is anything.
 */
#define MAX_DIGITS 768

/* 769 digits, and 5^1100 times 54 bits, have under 2700 bits; shifted they are as long as the other side */
#define WORDS 96

/* word[0] + word[1] * 2^32 + ..., length words, of which the last is not zero */
struct whole {
	size_t length;
	uint32_t word[WORDS];
};

const double qkv_powers_of_ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* n = n * factor + addend */
static void
multiply(struct whole *n, uint32_t factor, uint32_t addend)
{
	uint64_t carry = addend;

	for (size_t i = 0; i < n->length; i++) {
		carry += (uint64_t)n->word[i] * factor;
		n->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		n->word[n->length++] = (uint32_t)carry;
}

static void
multiply_by_power_of_5(struct whole *n, int64_t power)
{
	for (; power >= 13; power -= 13)
		multiply(n, 1220703125, 0); /* 5^13, the largest below 2^32 */
	for (; power > 0; power--)
		multiply(n, 5, 0);
}

static void
shift(struct whole *n, int64_t bits)
{
	size_t words = (size_t)bits / 32;

	multiply(n, (uint32_t)1 << bits % 32, 0);
	for (size_t i = n->length; words && i-- > 0;)
		n->word[i + words] = n->word[i];
	for (size_t i = 0; i < words; i++)
		n->word[i] = 0;
	n->length += words;
}

static void
set(struct whole *n, uint64_t value)
{
	n->word[0] = (uint32_t)value;
	n->word[1] = (uint32_t)(value >> 32);
	n->length = n->word[1] ? 2 : n->word[0] != 0;
}

/* all digits of d, as far as they count; returns their exponent */
static int64_t
set_digits(struct whole *n, const struct qkv_decimal *d)
{
	int64_t exponent = d->exponent;
	uint64_t digits = d->digits;
	const char *p = d->text;
	int left = MAX_DIGITS;

	set(n, digits);
	if (!d->more)
		return exponent;
	for (; digits; p++) /* n has these already */
		if (*p != '.') {
			digits /= 10;
			left--;
		}
	for (; p < d->end && left; p++)
		if (*p != '.') {
			multiply(n, 10, (uint32_t)(*p - '0'));
			exponent--;
			left--;
		}
	for (; p < d->end; p++)
		if (*p != '.' && *p != '0') {
			multiply(n, 10, 1);
			return exponent - 1;
		}
	return exponent;
}

static int
compare(const struct whole *a, const struct whole *b)
{
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	for (size_t i = a->length; i-- > 0;)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

int
qkv_decimal_compare(const struct qkv_decimal *d, uint64_t m, int e)
{
	struct whole left, right;
	int64_t exponent = set_digits(&left, d), bits = e - exponent;

	set(&right, m);
	multiply_by_power_of_5(exponent > 0 ? &left : &right, exponent > 0 ? exponent : -exponent);
	shift(bits < 0 ? &left : &right, bits < 0 ? -bits : bits);
	return compare(&left, &right);
}

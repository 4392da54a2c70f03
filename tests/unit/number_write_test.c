/* The text of a float: exactly which, against a search by printf, and that it reads back. */
#include "kerns.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 700 };

/* the text of x, checked to write within its length and QKV_NUMBER_MAX; digits 0: the shortest */
static const char *
text_of(float x, int digits)
{
	static char buf[QKV_NUMBER_MAX + 1];
	size_t length;

	buf[QKV_NUMBER_MAX] = '#';
	length = digits ? qkv_number_write_digits(buf, x, digits) : qkv_number_write(buf, x);
	assert_true(length < QKV_NUMBER_MAX && buf[QKV_NUMBER_MAX] == '#');
	buf[length] = 0;
	return buf;
}

static void
test_table(void **unused)
{
	static const struct {
		float x;
		int digits;
		const char *text;
	} cases[] = {
		{0, 0, "0"},
		{-0.0f, 0, "0"},
		{0, 3, "0"},
		{-0.0f, 9, "0"},
		{1, 0, "1"},
		{-1, 0, "-1"},
		{0.01f, 0, "0.01"},
		{1.0f / 3, 0, "0.33333334"},
		{0.1f, 0, "0.1"},
		{0.5f, 0, "0.5"},
		{1e-5f, 0, "0.00001"},
		{1.5e-5f, 0, "0.000015"},
		{9.999999e-6f, 0, "9.999999e-6"},
		{1e-6f, 0, "1e-6"},
		{1e-7f, 0, "1e-7"},
		{1.5e-7f, 0, "1.5e-7"},
		{-1.5e-10f, 0, "-1.5e-10"},
		{10, 0, "10"},
		{100000, 0, "100000"},
		{123456.5f, 0, "123456.5"},
		{16777216, 0, "16777216"},
		{1e15f, 0, "1000000000000000"},
		{9.999999e15f, 0, "9999999000000000"},
		{1e16f, 0, "1e16"},
		{1.5e16f, 0, "1.5e16"},
		{3.4028235e38f, 0, "3.4028235e38"},
		{-3.4028235e38f, 0, "-3.4028235e38"},
		{1.17549435e-38f, 0, "1.1754944e-38"},
		{1e-45f, 0, "1e-45"},
		{1.01e-43f, 0, "1.01e-43"},
		{7.0385307e-26f, 0, "7.0385307e-26"},
		{-7.0385307e-26f, 0, "-7.0385307e-26"},
		{7.0385313e-26f, 0, "7.038531e-26"},
		{1e-23f, 9, "1e-23"},
		{8388608.5f, 0, "8388608"},
		{INFINITY, 0, "inf"},
		{-INFINITY, 0, "-inf"},
		{NAN, 0, "nan"},
		{-NAN, 0, "nan"},
		{INFINITY, 5, "inf"},
		{-INFINITY, 1, "-inf"},
		{NAN, 2, "nan"},
		{1.0f / 3, 4, "0.3333"},
		{2.0f / 3, 4, "0.6667"},
		{0.1f, 9, "0.100000001"},
		{0.125f, 2, "0.12"},
		{0.375f, 2, "0.38"},
		{2.5f, 1, "2"},
		{3.5f, 1, "4"},
		{-0.5f, 1, "-0.5"},
		{9.5f, 1, "10"},
		{0.96f, 1, "1"},
		{99999.96f, 6, "100000"},
		{999999.96f, 6, "1000000"},
		{123456792, 3, "123000000"},
		{1, 9, "1"},
		{0.00000999996f, 4, "0.00001"},
		{9.9999996e15f, 3, "1e16"},
		{1e-45f, 9, "1.40129846e-45"},
		{1e-45f, 1, "1e-45"},
		{3.4028235e38f, 9, "3.40282347e38"},
		{3.4028235e38f, 1, "3e38"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = text_of(cases[i].x, cases[i].digits);

		if (strcmp(text, cases[i].text))
			fail_msg("%a in %d digits is %s, expected %s", (double)cases[i].x, cases[i].digits,
				text, cases[i].text);
	}
}

/* every so many of all patterns read back, the sign too */
static void
test_reads_back(void **unused)
{
	(void)unused;
	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1009) {
		float x = from_bits((uint32_t)bits), got;
		char buf[QKV_NUMBER_MAX];
		size_t length, count;

		if (!isfinite(x))
			continue;
		length = qkv_number_write(buf, x);
		if (qkv_numbers_read(&got, 1, &count, buf, buf + length) != buf + length || count != 1 ||
			(memcmp(&got, &x, sizeof x) && x != 0))
			fail_msg("%.*s, expected %a", (int)length, buf, (double)x);
	}
}

/* text becomes that of printf's d.ddde+-dd in our layout */
static void
lay_out(char *text, const char *printed)
{
	char digits[32];
	int exponent = atoi(strchr(printed, 'e') + 1), n = 0;

	if (*printed == '-')
		*text++ = *printed++;
	for (; *printed != 'e'; printed++)
		if (*printed != '.')
			digits[n++] = *printed;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (exponent < -5 || exponent > 15)
		sprintf(text, "%c%s%.*se%d", digits[0], n > 1 ? "." : "", n - 1, digits + 1, exponent);
	else if (exponent < 0)
		sprintf(text, "0.%.*s%.*s", -exponent - 1, "0000", n, digits);
	else if (n <= exponent + 1)
		sprintf(text, "%.*s%.*s", n, digits, exponent + 1 - n, "0000000000000000");
	else
		sprintf(text, "%.*s.%.*s", exponent + 1, digits, n - exponent - 1, digits + exponent + 1);
}

/* the first precision at which printf's text, to the nearest double and float, is x again */
static void
test_shortest(void **unused)
{
	(void)unused;
	for (uint64_t bits = 1; bits <= UINT32_MAX; bits += 40009) {
		float x = from_bits((uint32_t)bits);
		char printed[32], want[48];
		int digits = 0;

		if (!isfinite(x))
			continue;
		do
			sprintf(printed, "%.*e", digits++, (double)x);
		while ((float)strtod(printed, NULL) != x);
		lay_out(want, printed);
		assert_string_equal(text_of(x, 0), want);
	}
}

/* below a power of two floats are denser, so the shortest need not be the nearest of its length */
static void
test_powers_of_two(void **unused)
{
	(void)unused;
	for (int e = -149; e < 128; e++) {
		float x = ldexpf(1, e);
		char printed[32], want[48];
		int digits = 0;

		do
			sprintf(printed, "%.*e", digits++, (double)x);
		while ((float)strtod(printed, NULL) != x);
		lay_out(want, printed);
		assert_true((float)strtod(text_of(x, 0), NULL) == x);
		assert_true(strlen(text_of(x, 0)) <= strlen(want));
	}
}

static void
test_digits(void **unused)
{
	(void)unused;
	for (uint64_t bits = 1; bits <= UINT32_MAX; bits += 50021)
		for (int digits = 1; digits <= 9; digits++) {
			float x = from_bits((uint32_t)bits);
			char printed[32], want[48];

			if (!isfinite(x))
				continue;
			sprintf(printed, "%.*e", digits - 1, (double)x);
			lay_out(want, printed);
			assert_string_equal(text_of(x, digits), want);
		}
}

/* numbers of few bits, which are often just between two decimals */
static void
test_ties(void **unused)
{
	(void)unused;
	for (int e = -12; e < 24; e++)
		for (int m = 1; m < 4096; m += 2)
			for (int digits = 1; digits <= 9; digits++) {
				float x = ldexpf((float)m, e);
				char printed[32], want[48];

				sprintf(printed, "%.*e", digits - 1, (double)x);
				lay_out(want, printed);
				assert_string_equal(text_of(x, digits), want);
			}
}

static void
test_locale(void **unused)
{
	(void)unused;
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		skip();
	assert_string_equal(text_of(1.5f, 0), "1.5");
	assert_string_equal(text_of(1.5f, 9), "1.5");
	setlocale(LC_ALL, "C");
}

/* what a list of floats is to become, number by number; its length */
static size_t
list_of(char *text, const float *x, size_t n, int digits, int nulls)
{
	char *p = text;

	for (size_t i = 0; i < n; i++) {
		const char *one = nulls && !isfinite(x[i]) ? "null" : text_of(x[i], digits);

		p += sprintf(p, "%s;", one);
	}
	return (size_t)(p - text);
}

/* x (n,) by every instruction set, in the shortest form and with every number of digits */
static void
check_list(const float *x, size_t n)
{
	static char want[LONGEST * QKV_NUMBER_MAX + 1], got[LONGEST * QKV_NUMBER_MAX + 1];

	for (int digits = 0; digits <= 9; digits++) {
		int nulls = digits & 1;
		size_t length = list_of(want, x, n, digits, nulls);
		struct qkv_number_style style;

		qkv_number_style_set(&style, digits, nulls, ';');
		for (size_t i = 0; i < num_kerns; i++) {
			size_t at = 0;

			got[n * QKV_NUMBER_MAX] = '#';
			if (kerns[i]->write(got, x, n, &style) == got + length &&
				!memcmp(got, want, length)) {
				assert_true(got[n * QKV_NUMBER_MAX] == '#');
				continue;
			}
			while (got[at] == want[at])
				at++;
			fail_msg("%s, %zu numbers in %d digits: after %.*s comes %.20s, expected %.20s",
				kerns[i]->name, n, digits, at < 20 ? (int)at : 20,
				want + at - (at < 20 ? at : 20), got + at, want + at);
		}
	}
}

/* any pattern, or a number as others would write it: some digits, a power of two, zero, half a power of ten */
static float
any(uint32_t kind)
{
	uint32_t r = random_bits();

	switch (kind % 6) {
	case 0:
		return from_bits(r);
	case 1:
		return (float)(r % 100000) / (float)(1 + r % 7 * 1000);
	case 2:
		return from_bits(r & 0xff800000);
	case 3:
		return r & 64 ? 0 : -0.0f;
	case 4:
		return ldexpf((float)(r & 0xfff), (int)(r >> 12 & 63) - 40);
	default:
		return (float)r * 0x1p-32f;
	}
}

static void
test_lists(void **unused)
{
	float x[LONGEST + 1];

	(void)unused;
	for (size_t n = 0; n <= 67; n++)
		for (uint32_t kind = 0; kind < 7; kind++) {
			for (size_t i = 0; i < n; i++)
				x[i + 1] = any(kind < 6 ? kind : random_bits());
			check_list(x + 1, n);
		}
	for (int round = 0; round < 40; round++) {
		for (size_t i = 0; i < LONGEST; i++)
			x[i] = any(random_bits());
		check_list(x, LONGEST);
	}
}

/* runs of zeros, as causal masks leave them, of every length and place */
static void
test_zeros(void **unused)
{
	float x[160];

	(void)unused;
	for (size_t first = 0; first < 40; first += 3)
		for (size_t zeros = 0; zeros < 120; zeros += 7) {
			for (size_t i = 0; i < 160; i++)
				x[i] = i >= first && i < first + zeros ? 0 : 0.1f * (float)i;
			check_list(x, 160);
		}
}

/* where reading through double tells neighbours apart, and numbers just between two decimals */
static void
test_limits(void **unused)
{
	float x[512];

	(void)unused;
	for (uint32_t i = 0; i < 512; i++)
		x[i] = from_bits(0x15ae43fd - 256 + i);
	check_list(x, 512);
	for (int e = -12; e < 24; e++) {
		for (int m = 0; m < 512; m++)
			x[m] = ldexpf((float)(2 * m + 3585), e);
		check_list(x, 512);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_reads_back),
		cmocka_unit_test(test_shortest),
		cmocka_unit_test(test_powers_of_two),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_locale),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}

/* Which double and which float a text becomes, against strtod, and where what is no number ends. */
#include "kern/number.h"
#include "random.h"

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

/* text, followed by other bytes, becomes what strtod says, and the nearest float of that */
static void
check(const char *text)
{
	size_t size = strlen(text), count;
	double want = strtod(text, NULL), got = -1;
	float small = -1, want_small = (float)want;
	const char *bad, *after;

	for (size_t pad = 0; pad <= 16; pad += 16) { /* what is at the very end is read byte by byte */
		char *buf = malloc(size + pad);

		memcpy(buf, text, size);
		memset(buf + size, ']', pad);
		after = qkv_number_read(&got, buf, buf + size + pad, &bad);
		if (after != buf + size || memcmp(&got, &want, sizeof got))
			fail_msg("%s: %a, expected %a", text, got, want);
		after = qkv_numbers_read(&small, 1, &count, buf, buf + size + pad);
		if (isinf(want_small)) {
			if (count || after != buf)
				fail_msg("%s: %a, expected to stop", text, (double)small);
		} else if (count != 1 || after != buf + size || memcmp(&small, &want_small, sizeof small)) {
			fail_msg("%s: %a, expected %a", text, (double)small, (double)want_small);
		}
		free(buf);
	}
}

static void
test_hard(void **unused)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"-0.0",
		"0e5",
		"-0E-5",
		"0e99999999999",
		"0.000e-99999999999999999999",
		"0.5",
		"1E+2",
		"1e0",
		"1e-0",
		"12345678",
		"123456789",
		"1234567.8",
		"12345678.12345678",
		"0.12345678901234567890123",
		"1e-999999999999",
		"1e999999999999",
		"1e99999999999999999999999",
		"1e999",
		"1e39",
		"-1e39",
		"1e308",
		"1e309",
		"1e-323",
		"1e-324",
		"1e-330",
		"1e-400",
		"1e22",
		"1e23",
		"9007199254740992e22",
		"9007199254740993e22",
		"9007199254740993",
		"9007199254740994",
		"9007199254740995",
		"18446744073709551615",
		"18446744073709551616",
		"9999999999999999999",
		"99999999999999999999",
		"340282356779733661637539395458142568447",
		"340282356779733661637539395458142568448",
		"3.4028235677973362e38",
		"3.4028235677973366e38",
		"3.4028234663852886e38",
		"3.4028235e38",
		"1.7976931348623157e308",
		"1.7976931348623158e308",
		"1.7976931348623159e308",
		"17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797"
		"7587207096330"
		"28641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176"
		"4475730270069"
		"855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
		"2.2250738585072011e-308",
		"2.2250738585072012e-308",
		"2.2250738585072014e-308",
		"4.9406564584124654e-324",
		"2.4703282292062327e-324",
		"2.4703282292062328e-324",
		"1.4e-45",
		"7e-46",
		"7.006492321624085e-46",
		"7.0064923216240853e-46",
		"7.0064923216240854e-46",
		"7.0064923216240862e-46",
		"1.1754943508222875e-38",
		"1.1754942807573643e-38",
		"1.1754942e-38",
		"7.038531e-26",
		"7.0385307e-26",
		"1.00000005960464477539",
		"1.000000059604644775390625",
		"1.0000000596046447753906250000000001",
		"1.00000017881393432617187499",
		"1.00000017881393432617187499999999999999999999",
		"8388608.5",
		"8388609.5",
		"0.00000000000000000000000000000000000000000000000000000000000000000000000000000000012345e80",
		"1000000000000000000000000000000000000000000000000000000000000000000000000000000000000e-80",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		check(texts[i]);
}

static void
random_digits(char **p, uint32_t count)
{
	while (count--)
		*(*p)++ = (char)('0' + random_below(10));
}

static void
test_random(void **unused)
{
	(void)unused;
	for (int i = 0; i < 300000; i++) {
		char text[160], *p = text;
		uint32_t whole = random_below(3) ? random_below(3) : random_below(40);

		if (random_below(2))
			*p++ = '-';
		*p++ = (char)('0' + random_below(10));
		if (p[-1] != '0')
			random_digits(&p, whole);
		if (random_below(4)) {
			*p++ = '.';
			for (uint32_t zeros = random_below(8) ? 0 : random_below(60); zeros; zeros--)
				*p++ = '0';
			random_digits(&p, 1 + (random_below(2) ? random_below(18) : random_below(40)));
		}
		*p = 0;
		if (random_below(3) == 0)
			sprintf(p, "%c%s%u", random_below(2) ? 'e' : 'E',
				random_below(2)           ? "-"
					: random_below(2) ? "+"
							  : "",
				random_below(random_below(2) ? 360 : 50));
		check(text);
	}
}

/* all digits of halfway between neighbours, and of a little less and more; and some of them */
static void
check_halfway(long double halfway)
{
	char text[1400];
	size_t size;

	if (isinf(halfway) || halfway == 0)
		return;
	size = (size_t)sprintf(text, "%.780Le", halfway);
	check(text);
	for (size_t at = 1 + random_below(770); at > 30; at = at * 2 / 3) {
		char was = text[at];

		text[at] = was == '9' ? '8' : (char)(was + 1); /* '.' is before all of them */
		check(text);
		text[at] = was;
	}
	/* further digits that are zeros, and a last one that is not */
	memmove(text + 782 + 100, text + 782, size - 782 + 1);
	memset(text + 782, '0', 100);
	check(text);
	text[782 + 99] = '1';
	check(text);
	for (int digits = 5; digits < 22; digits++) {
		sprintf(text, "%.*Le", digits, halfway);
		check(text);
	}
}

static void
test_halfway(void **unused)
{
	(void)unused;
	for (int i = 0; i < 600; i++) {
		uint64_t bits = (uint64_t)random_below(i % 3 ? 0x7fefffff : 0x00200000) << 32 |
			random_below(0xffffffff);
		uint32_t few = random_below(i % 3 ? 0x7f7fffff : 0x01000000);
		double x, next;
		float y, next_float;

		memcpy(&x, &bits, sizeof x);
		memcpy(&y, &few, sizeof y);
		next = nextafter(x, INFINITY);
		next_float = nextafterf(y, INFINITY);
		check_halfway(((long double)x + (long double)next) / 2);
		check_halfway(((long double)y + (long double)next_float) / 2);
	}
}

/* what is no number: the byte that is wrong */
static void
test_malformed(void **unused)
{
	static const struct {
		const char *text;
		size_t bad;
	} cases[] = {
		{"", 0},
		{"-", 1},
		{"+1", 0},
		{"00", 1},
		{"01.5", 1},
		{"-00.0", 2},
		{"00e0", 1},
		{"-012345678901234", 2},
		{"1.", 2},
		{"1.]", 2},
		{".5", 0},
		{"-.5", 1},
		{"2.e3", 2},
		{"1e", 2},
		{"1E+", 3},
		{"1e-,", 3},
		{"1e+-1", 3},
		{"0.5e.", 4},
		{"123456789012.x", 13},
		{"NaN", 0},
		{"nan", 0},
		{"Infinity", 0},
		{"-Infinity", 1},
		{"inf", 0},
		{" 1", 0},
		{"]", 0},
		{"\"1\"", 0},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = cases[i].text, *bad = NULL;
		double value;
		float out;
		size_t count = 7;

		if (qkv_number_read(&value, text, text + strlen(text), &bad) || bad != text + cases[i].bad)
			fail_msg("%s: byte %td, expected %zu", text, bad - text, cases[i].bad);
		assert_ptr_equal(qkv_numbers_read(&out, 1, &count, text, text + strlen(text)), text);
		assert_int_equal(count, 0);
	}
}

/* what ends a number, whatever it is, is left to the caller */
static void
test_end(void **unused)
{
	static const char *const texts[] = {
		"0x10", "1_000", "5-3", "7e1.5", "1.5.5", "3 4", "2\0003", "12\377\27745678"};
	static const size_t ends[] = {1, 1, 1, 3, 3, 1, 1, 2};

	(void)unused;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *bad;
		double value;

		assert_ptr_equal(qkv_number_read(&value, texts[i], texts[i] + strlen(texts[i]), &bad),
			texts[i] + ends[i]);
	}
}

static void
test_runs(void **unused)
{
	static const struct {
		const char *text;
		size_t room, count, after;
	} cases[] = {
		{"1,2,3]", 9, 3, 5},
		{"1 ,\t2\n,\r 3 ]", 9, 3, 10},
		{"1,2,3", 2, 2, 3},
		{"1,2,3", 0, 0, 0},
		{"1,2,", 9, 2, 3},
		{"1,2,]", 9, 2, 3},
		{"1,,2", 9, 1, 1},
		{"1,2 3", 9, 2, 3},
		{"1,02,3", 9, 1, 1},
		{"1, 1e39,3", 9, 1, 1},
		{"1, -1e999", 9, 1, 1},
		{"1,null", 9, 1, 1},
		{"[1]", 9, 0, 0},
		{" 1", 9, 0, 0},
		{"1.5,-2.25e1, 3.000,4", 9, 4, 20},
	};
	static const float values[] = {1.5f, -22.5f, 3, 4};
	float out[9];

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = cases[i].text;
		size_t count;
		const char *after = qkv_numbers_read(out, cases[i].room, &count, text, text + strlen(text));

		if (count != cases[i].count || after != text + cases[i].after)
			fail_msg("\"%s\": %zu numbers up to byte %td", text, count, after - text);
	}
	assert_memory_equal(out, values, sizeof values);
}

static void
test_locale(void **unused)
{
	const char *text = "1.5,2.25", *bad;
	double value;
	float out[2];
	size_t count;

	(void)unused;
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		skip();
	assert_ptr_equal(qkv_number_read(&value, text, text + 8, &bad), text + 3);
	assert_true(value == 1.5);
	assert_ptr_equal(qkv_numbers_read(out, 2, &count, text, text + 8), text + 8);
	assert_true(out[0] == 1.5f && out[1] == 2.25f);
	setlocale(LC_ALL, "C");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hard),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_halfway),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

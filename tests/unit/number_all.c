/*
 * All floats: is what qkv_number_write writes the shortest that reads back, and the closest of these? And do lists
 * of them become the same by every instruction set?
 *
 * Too long for every day (some minutes): `make test-all-floats`. The patterns are shared out among a
 * process a processor. Negative ones differ by a sign, which is looked at now and then; of the numbers of
 * digits that can be asked for, each pattern is written in one.
 */
#include "kerns.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE = 1 << 16, INFINITE = 0x7f800000 };

/* digits * 10^exponent as a float, the way our reader sees it */
static float
value(uint32_t digits, int exponent)
{
	char text[32], *p = text + sizeof text;
	unsigned size = (unsigned)abs(exponent);
	float x = NAN;
	size_t count;

	*--p = (char)('0' + size % 10);
	*--p = (char)('0' + size / 10);
	if (exponent < 0)
		*--p = '-';
	*--p = 'e';
	do
		*--p = (char)('0' + digits % 10);
	while (digits /= 10);
	qkv_numbers_read(&x, 1, &count, p, text + sizeof text);
	return x;
}

/* takes digits and exponent out of text, without zeros at the end */
static uint32_t
take_apart(int *exponent, const char *text, size_t length)
{
	uint64_t digits = 0;
	int places = 0, dot = 0;

	for (; length && *text != 'e'; text++, length--)
		if (*text == '.') {
			dot = 1;
		} else {
			digits = 10 * digits + (uint64_t)(*text - '0');
			places += dot;
		}
	*exponent = -places;
	if (length) {
		int negative = text[1] == '-', size = 0;

		for (text += 1 + negative, length -= 1 + (size_t)negative; length; text++, length--)
			size = 10 * size + *text - '0';
		*exponent += negative ? -size : size;
	}
	while (digits % 10 == 0) {
		digits /= 10;
		++*exponent;
	}
	return (uint32_t)digits;
}

/* x / 10^exponent, within 1e-9 for what is below 1e9 */
static long double
scaled(float x, int exponent)
{
	long double y = (long double)x, power = 1;

	for (int i = abs(exponent); i; i--)
		power *= 10;
	return exponent < 0 ? y * power : y / power;
}

/* what is wrong with the text of a positive float, or NULL */
static const char *
fault(float x, const char *text, size_t length, int signs)
{
	char negative[QKV_NUMBER_MAX];
	size_t count;
	uint32_t digits;
	int exponent;
	long double off;
	float back;

	if (qkv_numbers_read(&back, 1, &count, text, text + length) != text + length || back != x)
		return "does not read back";
	digits = take_apart(&exponent, text, length);
	if (digits >= 10 &&
		(value(digits / 10, exponent + 1) == x || value(digits / 10 + 1, exponent + 1) == x))
		return "is not the shortest";
	off = scaled(x, exponent) - digits;
	if ((off > 0.5L + 1e-9L && value(digits + 1, exponent) == x) ||
		(off < -0.5L - 1e-9L && value(digits - 1, exponent) == x))
		return "is not the closest";
	if (signs &&
		(qkv_number_write(negative, -x) != length + 1 || *negative != '-' ||
			memcmp(negative + 1, text, length)))
		return "differs when negative";
	return NULL;
}

/* writes AT_ONCE patterns one by one, and as a list by every instruction set; the number of faults */
static int
run_block(uint32_t first, int digits)
{
	static char want[AT_ONCE * QKV_NUMBER_MAX], got[AT_ONCE * QKV_NUMBER_MAX];
	static float x[AT_ONCE];
	struct qkv_number_style style;
	char *end = want;
	int faults = 0;

	for (uint32_t i = 0; i < AT_ONCE; i++) {
		const char *text;
		size_t length;

		x[i] = from_bits(first + i);
		length = qkv_number_write_digits(end, x[i], digits);
		text = first + i && !digits ? fault(x[i], end, length, i % 61 == 0) : NULL;
		if (text && ++faults < 20)
			printf("%08x %a: %s\n", first + i, (double)x[i], text);
		end += length;
		*end++ = ',';
	}
	qkv_number_style_set(&style, digits, 0, ',');
	for (size_t i = 0; i < num_kerns; i++)
		if (kerns[i]->write(got, x, AT_ONCE, &style) != got + (end - want) ||
			memcmp(got, want, (size_t)(end - want))) {
			printf("%08x and after, in %d digits, by %s: differ\n", first, digits,
				kerns[i]->name);
			faults++;
		}
	return faults;
}

/* the patterns of one process of many; whether there are faults */
static int
run(uint32_t process, uint32_t processes)
{
	int faults = 0;

	for (uint32_t block = process; block < INFINITE / AT_ONCE; block += processes) {
		faults += run_block(block * AT_ONCE, 0);
		faults += run_block(block * AT_ONCE, 1 + (int)(block % 9));
	}
	fflush(stdout);
	return faults > 0;
}

int
main(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t processes = processors > 0 ? (uint32_t)processors : 1;
	int failed = find_kerns(NULL), status;

	for (uint32_t i = 0; i < processes; i++) {
		pid_t child = fork();

		if (child < 0)
			return perror("fork"), 1;
		if (!child)
			_exit(run(i, processes));
	}
	while (wait(&status) > 0)
		failed |= status;
	puts(failed ? "failed" : "all floats are written as they should be");
	return failed != 0;
}

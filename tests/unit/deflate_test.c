/* Deflate: a plain reader of RFC 1951 gets back what went in, whatever the runs, blocks and codes. */
#include "draw/deflate.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 2300000 };

static unsigned char stream[2 * MOST], in[MOST], back[MOST + 258];
static size_t stream_size;

static void
gather(void *to, const unsigned char *data, size_t size)
{
	(void)to;
	memcpy(stream + stream_size, data, size);
	stream_size += size;
}

/* ---- the reader ---- */

static size_t at; /* in bits */

static unsigned
read_bits(unsigned n)
{
	unsigned v = 0;

	for (unsigned i = 0; i < n; i++, at++)
		v |= (unsigned)(stream[at / 8] >> at % 8 & 1) << i;
	return v;
}

/* one symbol of the code that lengths (n,) describe: the codes of each length follow those of the one before */
static unsigned
read_symbol(const unsigned *lengths, unsigned n)
{
	unsigned code = 0, first = 0;

	for (unsigned l = 1; l < 16; l++) {
		unsigned count = 0;

		code = code << 1 | read_bits(1);
		first <<= 1;
		for (unsigned i = 0; i < n; i++)
			if (lengths[i] == l && first + count++ == code)
				return i;
		first += count;
	}
	fail_msg("no such code before bit %zu", at);
	return 0;
}

static void
read_lengths(unsigned *lengths, unsigned n)
{
	static const unsigned order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	unsigned own[19] = {0}, num = read_bits(4) + 4;

	for (unsigned i = 0; i < num; i++)
		own[order[i]] = read_bits(3);
	for (unsigned i = 0; i < n;) {
		unsigned s = read_symbol(own, 19);
		unsigned zeros = s == 17 ? read_bits(3) + 3 : s == 18 ? read_bits(7) + 11 : 0;

		assert_true(s != 16 && i + zeros <= n);
		if (s < 16)
			lengths[i++] = s;
		while (zeros--)
			lengths[i++] = 0;
	}
}

/* reads a block, adding to back (size,); the new size */
static size_t
read_block(size_t size)
{
	static const unsigned base[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51,
		59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
	static const unsigned extra[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
	unsigned lengths[288], n = read_bits(5) + 257, s;

	assert_int_equal(read_bits(5), 0);
	read_lengths(lengths, n + 1);
	assert_int_equal(lengths[n], 1);
	while ((s = read_symbol(lengths, n)) != 256) {
		unsigned run = s < 256 ? 1 : base[s - 257] + read_bits(extra[s - 257]);

		assert_true(size + run <= MOST && (run < 258 || s == 285));
		if (s > 256)
			assert_int_equal(read_bits(1), 0);
		for (; run; run--, size++)
			back[size] = s < 256 ? (unsigned char)s : back[size - 1];
	}
	return size;
}

/* in (size,) goes through, in pieces, and comes back */
static void
check(size_t size)
{
	unsigned low = 1, high = 0, last;
	struct qkv_deflate *d;
	struct qkv_err e;
	size_t got = 0;

	stream_size = 0;
	assert_int_equal(qkv_deflate_new(&d, gather, NULL, (int)random_below(4), &e), 0);
	for (size_t i = 0, n; i < size; i += n) {
		n = 1 + random_below(random_below(2) ? 100 : 100000);
		n = n < size - i ? n : size - i;
		qkv_deflate_add(d, in + i, n);
	}
	qkv_deflate_end(d);
	qkv_deflate_free(d);
	at = 0;
	assert_int_equal(read_bits(8), 0x78);
	assert_int_equal(read_bits(8), 0x01);
	do {
		last = read_bits(1);
		assert_int_equal(read_bits(2), 2);
		got = read_block(got);
	} while (!last);
	assert_int_equal(got, size);
	assert_memory_equal(back, in, size);
	for (size_t i = 0; i < size; i++) {
		low = (low + in[i]) % 65521;
		high = (high + low) % 65521;
	}
	at = (at + 7) / 8;
	assert_int_equal(at + 4, stream_size);
	assert_int_equal((unsigned)stream[at] << 8 | stream[at + 1], high);
	assert_int_equal((unsigned)stream[at + 2] << 8 | stream[at + 3], low);
}

/* ---- the tests ---- */

static void
test_sizes(void **unused)
{
	static const size_t sizes[] = {
		0, 1, 2, 3, 4, 258, 259, 260, 65535, 65536, 65537, 131072, 131080, 200000};

	(void)unused;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		memset(in, 255, sizes[i]);
		check(sizes[i]);
		for (size_t j = 0; j < sizes[i]; j++)
			in[j] = (unsigned char)(random_bits() >> 24);
		check(sizes[i]);
	}
}

/* more blocks than are made in one go, whoever makes them */
static void
test_many_blocks(void **unused)
{
	(void)unused;
	for (int i = 0; i < 4; i++) {
		memset(in, i, MOST);
		for (size_t j = 0; j < 20000; j++)
			in[random_below(MOST)] = (unsigned char)random_bits();
		check(MOST);
	}
}

/* runs of every length, and bytes between them */
static void
test_runs(void **unused)
{
	size_t size = 0;

	(void)unused;
	for (size_t run = 1; run < 600; run++) {
		memset(in + size, (int)(run % 5), run);
		size += run;
		in[size++] = (unsigned char)run;
	}
	check(size);
}

/* few values, as pictures have them: often the same, or one of two */
static void
test_pictures(void **unused)
{
	(void)unused;
	for (unsigned kinds = 1; kinds < 9; kinds++) {
		for (size_t i = 0; i < 100000; i++)
			in[i] = i && random_below(kinds) == 0 ? in[i - 1]
							      : (unsigned char)(random_below(kinds) * 30);
		check(100000);
	}
}

/* counts that double ask for codes longer than there can be: shorter ones still are a whole code */
static void
test_limit(void **unused)
{
	(void)unused;
	for (unsigned limit = 5; limit <= 15; limit++)
		for (size_t n = 2; n <= 30; n++) {
			uint32_t count[30], longest = 0, kraft = 0;
			uint8_t lengths[30];

			for (size_t i = 0; i < n; i++)
				count[i] = i % 7 == 6 ? 0 : 1u << (i < 24 ? i : 24);
			qkv_huffman_lengths(lengths, count, n, limit);
			for (size_t i = 0; i < n; i++) {
				assert_int_equal(lengths[i] > 0, count[i] > 0);
				longest = lengths[i] > longest ? lengths[i] : longest;
				kraft += lengths[i] ? 1u << (limit - lengths[i]) : 0;
			}
			assert_true(longest <= limit);
			assert_int_equal(kraft, 1u << limit);
		}
}

/* the example of RFC 1951, 3.2.2: lengths 3, 3, 3, 3, 3, 2, 4, 4 */
static void
test_codes(void **unused)
{
	static const uint8_t lengths[] = {3, 3, 3, 3, 3, 2, 4, 4};
	static const uint16_t turned[] = {2, 6, 1, 5, 3, 0, 7, 15};
	uint16_t codes[8];

	(void)unused;
	qkv_huffman_codes(codes, lengths, 8);
	assert_memory_equal(codes, turned, sizeof codes);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_many_blocks),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Labels: a table of tokens and what stands where. */
#include "draw/label.h"

#include "base/mem.h"
#include "draw/glyph.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#define BOX QKV_GLYPH_BOX

static const struct {
	const char *text;
	size_t width, missing;
	struct qkv_spot spots[16];
} table[] = {
	{"ab", 16, 0, {{'a', 0}, {'b', 8}}},
	{"\xEB\x82\x98\xEB\x8A\x94", 32, 0, {{0xB098, 0}, {0xB294, 16}}},
	{"a\xE4\xB8\x89"
	 "b",
		32, 0, {{'a', 0}, {0x4E09, 8}, {'b', 24}}},
	/* nothing to see */
	{"", 8, 0, {{0x2205, 0}}},
	{" ", 8, 0, {{0x2423, 0}}},
	{"   ", 24, 0, {{0x2423, 0}, {0x2423, 8}, {0x2423, 16}}},
	{" the", 32, 0, {{0x2423, 0}, {'t', 8}, {'h', 16}, {'e', 24}}},
	{"a ", 16, 0, {{'a', 0}, {0x2423, 8}}},
	{"a b", 24, 0, {{'a', 0}, {'b', 16}}},
	{"\xC2\xA0", 16, 1, {{0xA0, 0}}},
	/* controls */
	{"a\nb", 32, 0, {{'a', 0}, {'\\', 8}, {'n', 16}, {'b', 24}}},
	{"\t\r", 32, 0, {{'\\', 0}, {'t', 8}, {'\\', 16}, {'r', 24}}},
	{"\x01", 32, 0, {{'\\', 0}, {'x', 8}, {'0', 16}, {'1', 24}}},
	{"\x7F\xC2\x9F", 64, 0,
		{{'\\', 0}, {'x', 8}, {'7', 16}, {'f', 24}, {'\\', 32}, {'x', 40}, {'9', 48}, {'f', 56}}},
	/* marks and joiners */
	{"e\xCC\x81x", 16, 0, {{0xE9, 0}, {'x', 8}}},
	{"q\xCC\x81x", 16, 0, {{'q', 0}, {0x301, 0}, {'x', 8}}},
	{"\xCC\x81", 8, 0, {{0x301, 0}}},
	{"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", 16, 0, {{0xD55C, 0}}},
	{"\xE2\x80\x8B", 16, 0, {{0x200B | BOX, 0}}},
	{"\xE2\x9D\xA4\xEF\xB8\x8F", 16, 0, {{0x2764, 0}}},
	/* not in the font */
	{"\xF0\x9F\x98\x80", 16, 1, {{0x1F600, 0}}},
	{"\xF0\xA0\x80\x80\xF0\xA0\x80\x80", 32, 2, {{0x20000, 0}, {0x20000, 16}}},
	{"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9", 32, 2, {{0x1F468, 0}, {0x1F469, 16}}},
	/* no markup */
	{"<s>", 24, 0, {{'<', 0}, {'s', 8}, {'>', 16}}},
	/* right to left: letters, a point, between others */
	{"\xD7\xA9\xD7\x9C", 16, 0, {{0x5DC, 0}, {0x5E9, 8}}},
	{"\xD7\xA9\xD6\xB8", 8, 0, {{0x5E9, 0}, {0x5B8, 0}}},
	{"a\xD9\x85"
	 "b\xEF\xBB\xBC",
		32, 0, {{'a', 0}, {0xFEE1, 8}, {'b', 16}, {0xFEFC, 24}}},
	/* joined: meem, lam, kaf; a ligature; a non-joiner between two letters */
	{"\xD9\x85\xD9\x84\xD9\x83", 24, 0, {{0xFEDA, 0}, {0xFEE0, 8}, {0xFEE3, 16}}},
	{"\xD9\x84\xD8\xA7", 8, 0, {{0xFEFB, 0}}},
	{"\xD9\x85\xE2\x80\x8C\xD9\x85", 16, 0, {{0xFEE1, 0}, {0xFEE1, 8}}},
	/* what is invisible and not part of a character */
	{"\xEF\xBB\xBF"
	 "a",
		24, 0, {{0xFEFF | BOX, 0}, {'a', 16}}},
	{"a\xE2\x80\xAE"
	 "b",
		32, 0, {{'a', 0}, {0x202E | BOX, 8}, {'b', 24}}},
	{"a\xE2\x80\x8F\xE2\x81\xA6", 40, 0, {{'a', 0}, {0x200F | BOX, 8}, {0x2066 | BOX, 24}}},
	{"a\xD8\x9C", 24, 0, {{'a', 0}, {0x61C | BOX, 8}}},
	{"a\xE2\x80\x8B"
	 "b\xC2\xAD",
		48, 0, {{'a', 0}, {0x200B | BOX, 8}, {'b', 24}, {0xAD | BOX, 32}}},
	{"a\xE2\x80\x8C"
	 "b",
		16, 0, {{'a', 0}, {'b', 8}}},
};

static void
tokens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct qkv_err e;
		struct qkv_label l;
		size_t count = 0;

		while (count < 16 && table[i].spots[count].code)
			count++;
		assert_int_equal(qkv_label_new(&l, table[i].text, QKV_LABEL_LIMIT, &e), 0);
		if (l.count != count || l.width != table[i].width || l.missing != table[i].missing ||
			l.shortened || memcmp(l.spots, table[i].spots, count * sizeof *l.spots))
			fail_msg("row %zu: %zu spots, %zu wide, %zu missing", i, l.count, l.width, l.missing);
		qkv_label_free(&l);
	}
}

static void
shortening(void **state)
{
	/* unit, how often it is repeated, whether that is shortened, spots that remain, width */
	static const struct {
		const char *unit;
		size_t times;
		int shortened;
		size_t count, width;
	} cases[] = {
		{"a", 24, 0, 24, 192}, {"a", 25, 1, 24, 192}, {"a", 300, 1, 24, 192},
		{"\xEB\x82\x98", 12, 0, 12, 192}, {"\xEB\x82\x98", 13, 1, 12, 184},
		{"e\xCC\x81", 300, 1, 24, 192}, {"q\xCC\x81", 300, 1, 47, 192}, {"\xD7\xA9", 25, 1, 24, 192},
		{"\n", 300, 1, 23, 184}, {"\xF0\x9F\x98\x80", 300, 1, 12, 184},
		{"\xE2\x80\x8B", 300, 1, 12, 184},
		{"\xCC\x81", 300, 1, 256, 16}, /* marks without end over one place */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct qkv_err e;
		struct qkv_label l;
		char text[2000] = "";

		for (size_t k = 0; k < cases[i].times; k++)
			strcat(text, cases[i].unit);
		assert_int_equal(qkv_label_new(&l, text, QKV_LABEL_LIMIT, &e), 0);
		if (l.shortened != cases[i].shortened || l.count != cases[i].count ||
			l.width != cases[i].width)
			fail_msg("case %zu: %zu spots, %zu wide, shortened %d", i, l.count, l.width,
				l.shortened);
		if (l.shortened) {
			int left = cases[i].unit[0] == '\xD7'; /* where the text ends */

			assert_int_equal(l.spots[left ? 0 : l.count - 1].code, 0x2026);
			assert_int_equal(l.spots[l.count - 1].x + 8, l.width);
			assert_string_equal(l.text + strlen(l.text) - 3, "\xE2\x80\xA6");
		}
		qkv_label_free(&l);
	}
}

/* every glyph lies inside its label, whatever the bytes */
static void
any_bytes(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[64];
		size_t length = (size_t)round % 60;
		struct qkv_err e;
		struct qkv_label l;

		for (size_t i = 0; i < length; i++) {
			seed = seed * 1664525u + 1013904223u;
			text[i] = (char)(seed >> 24 ? seed >> 24 : 1);
		}
		text[length] = 0;
		assert_int_equal(qkv_label_new(&l, text, QKV_LABEL_LIMIT, &e), 0);
		assert_true(l.width > 0 && l.width <= QKV_LABEL_LIMIT && l.count > 0);
		for (size_t i = 0; i < l.count; i++) {
			struct qkv_glyph g;

			qkv_glyph_get(&g, l.spots[i].code);
			assert_true(l.spots[i].x + g.width <= l.width);
		}
		qkv_label_free(&l);
	}
}

/* logical order, letters as they were, escapes for what is boxed by choice */
static void
texts(void **state)
{
	static const struct {
		const char *token, *text;
	} cases[] = {
		{"", "\xE2\x88\x85"},
		{" a\n",
			"\xE2\x90\xA3"
			"a\\n"},
		{"\xD9\x85\xD9\x84\xD9\x83", "\xD9\x85\xD9\x84\xD9\x83"},
		{"a\xE2\x80\x8B", "a\\u200b"},
		{"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
		{"\xF3\xA0\x80\x81", "\\ue0001"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct qkv_err e;
		struct qkv_label l;

		assert_int_equal(qkv_label_new(&l, cases[i].token, QKV_LABEL_LIMIT, &e), 0);
		assert_string_equal(l.text, cases[i].text);
		qkv_label_free(&l);
	}
}

static void
no_memory(void **state)
{
	struct qkv_err e;
	struct qkv_label l;

	(void)state;
	for (size_t nth = 1; nth <= 2; nth++) {
		qkv_mem_fail_at(nth);
		assert_int_equal(qkv_label_new(&l, "a", QKV_LABEL_LIMIT, &e), -1);
		qkv_mem_fail_at(0);
		assert_int_equal(e.status, QKV_EMEMORY);
		qkv_label_free(&l);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens),
		cmocka_unit_test(shortening),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(texts),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Scripts: what a character is, composition, joining and order. */
#include "draw/script.h"

#include "draw/glyph.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void
kinds(void **state)
{
	static const struct {
		enum qkv_char_kind kind;
		uint32_t codes[16];
	} table[] = {
		{QKV_CHAR_PLAIN,
			{' ', 'a', 0xE9, 0x5D0, 0x645, 0x915, 0x1100, 0xAC00, 0x2423, 0x1F600, 0x10FFFF}},
		{QKV_CHAR_MARK,
			{0x300, 0x301, 0x36F, 0x5B8, 0x64E, 0x93E, 0x93F, 0x94D, 0xE31, 0x1161, 0x11A8,
				0x20DD, 0x3099}},
		{QKV_CHAR_JOINER, {0x180B, 0x200C, 0x200D, 0xFE00, 0xFE0F, 0xE0100, 0xE01EF}},
		{QKV_CHAR_INVISIBLE,
			{0xAD, 0x61C, 0x200B, 0x200E, 0x202E, 0x2060, 0x2066, 0x3164, 0xFEFF, 0xE0001,
				0xE0041}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		for (const uint32_t *code = table[i].codes; *code; code++)
			if (qkv_char_kind(*code) != table[i].kind)
				fail_msg("U+%04X is of kind %d", *code, qkv_char_kind(*code));
}

static void
columns(void **state)
{
	(void)state;
	assert_int_equal(qkv_char_columns('a'), 1);
	assert_int_equal(qkv_char_columns(0x5D0), 1);
	assert_int_equal(qkv_char_columns(0xAC00), 2);
	assert_int_equal(qkv_char_columns(0x4E09), 2);
	assert_int_equal(qkv_char_columns(0x1F600), 2);
	assert_int_equal(qkv_char_columns(0x301), 0);
	assert_int_equal(qkv_char_columns(0x200D), 0);
	assert_int_equal(qkv_char_columns('\n'), 0);
}

/* texts and their composed forms */
static void
composition(void **state)
{
	static const struct {
		const char *text;
		uint32_t codes[8];
	} table[] = {
		{"e\xCC\x81", {0xE9}},
		{"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", {0xD55C}},
		{"\xED\x95\x98\xE1\x86\xAB", {0xD55C}},
		{"\xE3\x81\x8B\xE3\x82\x99", {0x304C}},
		/* marks out of their canonical order: dot below, dot above */
		{"d\xCC\x87\xCC\xA3", {0x1E0D, 0x307}},
		{"x\xCC\x81", {'x', 0x301}},
		{"a\xFF\xC3", {'a', 0xFFFD, 0xFFFD}},
		{"", {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		uint32_t codes[QKV_SCRIPT_ROOM];
		const char *rest;
		size_t count = qkv_script_read(codes, &rest, table[i].text), expected = 0;

		while (table[i].codes[expected])
			expected++;
		assert_int_equal(count, expected);
		assert_memory_equal(codes, table[i].codes, count * sizeof *codes);
		assert_int_equal(*rest, 0);
	}
}

static void
long_texts_are_read_in_part(void **state)
{
	/* becomes three codes that do not compose again */
	static const char hebrew[] = "\xEF\xAC\xAC";
	uint32_t codes[QKV_SCRIPT_ROOM];
	char text[3 * 1000 + 1] = "";
	const char *rest;
	size_t count;

	(void)state;
	for (int i = 0; i < 1000; i++)
		memcpy(text + 3 * i, hebrew, 4);
	count = qkv_script_read(codes, &rest, text);
	assert_int_equal(count, 3 * (rest - text) / 3);
	assert_true(count < QKV_SCRIPT_ROOM && *rest);
}

static void
joining_and_order(void **state)
{
	static const struct {
		uint32_t codes[8], seen[8];
	} table[] = {
		{{'a', 'b'}, {'a', 'b'}},
		{{0x5E9, 0x5DC}, {0x5DC, 0x5E9}},
		/* a point stays behind its letter */
		{{0x5E9, 0x5B8, 0x5DC}, {0x5DC, 0x5E9, 0x5B8}},
		{{'(', 0x5D0, ')', 'a'}, {'a', '(', 0x5D0, ')'}},
		{{'a', ' ', 0x5D0, 0x5D1}, {'a', ' ', 0x5D1, 0x5D0}},
		/* digits run to the right */
		{{0x5D0, ' ', '1', '2'}, {'1', '2', ' ', 0x5D0}},
		/* meem, lam, kaf: initial, medial, final */
		{{0x645, 0x644, 0x643}, {0xFEDA, 0xFEE0, 0xFEE3}},
		/* a ligature of lam and alef, and what is left of the alef */
		{{0x644, 0x627}, {0xFEFB, 0xFEFF}},
		/* a box has no direction, whatever it stands for */
		{{'a', 0x202E | QKV_GLYPH_BOX, 'b'}, {'a', 0x202E | QKV_GLYPH_BOX, 'b'}},
		{{0x5D0, 0x202E | QKV_GLYPH_BOX, 0x5D1}, {0x5D1, 0x202E | QKV_GLYPH_BOX, 0x5D0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		uint32_t codes[8];
		struct qkv_err e;
		size_t count = 0;
		int seen[8];

		memcpy(codes, table[i].codes, sizeof codes);
		while (codes[count])
			count++;
		assert_int_equal(qkv_script_join(codes, count, &e), 0);
		assert_int_equal(qkv_script_order(seen, codes, count, &e), 0);
		for (size_t k = 0; k < count; k++)
			if (codes[seen[k]] != table[i].seen[k])
				fail_msg("row %zu: U+%04X in place %zu", i, codes[seen[k]], k);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(columns),
		cmocka_unit_test(composition),
		cmocka_unit_test(long_texts_are_read_in_part),
		cmocka_unit_test(joining_and_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pieces: what they spell, in vocabularies of bytes and others. */
#include "draw/piece.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define G "\xC4\xA0"                   /* U+0120, a space of GPT-2 */
#define LOWER "\xE2\x96\x81"           /* U+2581, a space of SentencePiece */
#define EAT "\xC3\xAB\xC2\xA8\xC2\xB9" /* the letters of the bytes of U+BA39 */

static void
spelling(void **state)
{
	static const struct {
		const char *token;
		int has_bytes;
		const char *text;
	} table[] = {
		{"play", 1, "play"},
		{G "the", 1, " the"},
		{EAT, 1, "\xEB\xA8\xB9"},
		{G EAT, 1, " \xEB\xA8\xB9"},
		{"\xC4\x8A", 1, "\n"},
		{"<|endoftext|>", 1, "<|endoftext|>"},
		/* half a character stays as it is written */
		{"\xC3\xAB\xC2\xA8", 1, "\xC3\xAB\xC2\xA8"},
		{"\xC3\xB0\xC5\x81", 1, "\xC3\xB0\xC5\x81"},
		{"\xC4\x80", 1, "\xC4\x80"}, /* the byte 0 */
		/* no bytes */
		{EAT, 0, EAT},
		{G "the", 0, G "the"},
		{LOWER "the", 0, " the"},
		{LOWER "the", 1, " the"},
		{"the</w>", 1, "the "},
		{"\xEB\xA8\xB9", 1, "\xEB\xA8\xB9"},
		{LOWER LOWER, 0, "  "},
		{"the</w>", 0, "the "},
		{"</w>", 0, " "},
		{"</w>a", 0, "</w>a"},
		{"##ing", 0, "##ing"},
		{"", 0, ""},
		{"", 1, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char text[64];

		qkv_piece_spell(text, sizeof text, table[i].token, table[i].has_bytes);
		if (strcmp(text, table[i].text))
			fail_msg("row %zu: %s", i, text);
	}
}

static void
long_tokens_are_cut_between_characters(void **state)
{
	char text[16];

	(void)state;
	qkv_piece_spell(text, sizeof text,
		"\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9", 0);
	assert_string_equal(text, "\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9");
	qkv_piece_spell(
		text, sizeof text - 1, "\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9", 0);
	assert_string_equal(text, "\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9\xEB\xA8\xB9");
	qkv_piece_spell(text, sizeof text, "aaaaaaaaaaaaaaaaaaaaaaaa", 1);
	assert_string_equal(text, "aaaaaaaaaaaaaaa");
}

/* every byte has a letter of its own */
static void
all_bytes(void **state)
{
	static const char *const letters[] = {"\xC4\x80", "\xC4\xA0", "!", "~", "\xC4\xA1", "\xC4\xA2",
		"\xC5\x82", "\xC2\xA1", "\xC2\xAC", "\xC5\x83", "\xC2\xAE", "\xC3\xBF"};
	static const unsigned char bytes[] = {
		0, ' ', '!', '~', 0x7F, 0x80, 0xA0, 0xA1, 0xAC, 0xAD, 0xAE, 0xFF};

	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++) {
		/* behind a first byte of two the byte is a whole character if it is 0x80 to 0xBF */
		char token[8] = "\xC3\x83", text[8], expected[3] = {'\xC3', (char)bytes[i], 0};
		int is_whole = bytes[i] >= 0x80 && bytes[i] <= 0xBF;

		strcat(token, letters[i]);
		qkv_piece_spell(text, sizeof text, token, 1);
		assert_string_equal(text, is_whole ? expected : token);
	}
}

static void
vocabularies(void **state)
{
	static const char *const gpt2[] = {"The", G "cat", "."};
	static const char *const korean[] = {"\xC3\xAB\xC4\xA4\xC4\xBA", EAT};
	static const char *const parts[] = {"\xC3\xB0\xC5\x81", "\xC4\xB4", "\xC2\xA9", "\xC4\x8A"};
	static const char *const llama[] = {LOWER "the", "\xC3\xAB"};
	static const char *const bert[] = {"[CLS]", "caf\xC3\xA9", "\xC3\xA0"};
	static const char *const mixed[] = {"play", "##ing", G "the", LOWER "the", "the</w>"};
	static const char *const added[] = {"\xEB\xA8\xB9", EAT};
	static const char *const czech[] = {"\xC4\x8D"
					    "as",
		"m\xC3\xA1"};

	(void)state;
	assert_true(qkv_piece_has_bytes(gpt2, 3));
	assert_true(qkv_piece_has_bytes(korean, 2));
	assert_true(qkv_piece_has_bytes(parts, 4));
	assert_false(qkv_piece_has_bytes(llama, 2));
	assert_false(qkv_piece_has_bytes(bert, 3));
	/* what cannot be bytes is a token of its own, and changes no other */
	assert_true(qkv_piece_has_bytes(mixed, 5));
	assert_true(qkv_piece_has_bytes(added, 2));
	assert_false(qkv_piece_has_bytes(czech, 2));
	assert_false(qkv_piece_has_bytes(NULL, 0));
}

static void
specials(void **state)
{
	static const char *const yes[] = {"[CLS]", "[SEP]", "<s>", "</s>", "<|endoftext|>", "<unk>"};
	static const char *const no[] = {"", "[", "]", "[]", "<>", "<0x0A>", "a<b", "[a] ", "[a b]", "cls"};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(qkv_piece_is_special(yes[i]));
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(qkv_piece_is_special(no[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spelling),
		cmocka_unit_test(long_tokens_are_cut_between_characters),
		cmocka_unit_test(all_bytes),
		cmocka_unit_test(vocabularies),
		cmocka_unit_test(specials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

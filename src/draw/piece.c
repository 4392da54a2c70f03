/*
 * Pieces of words. GPT-2 and its kin write a piece as bytes, each as a letter: those that are visible in Latin-1 as
 * themselves, the others in order from U+0100 on, so that a space is U+0120 (bytes_to_unicode of openai/gpt-2,
 * src/encoder.py). SentencePiece writes a space as U+2581; the pieces of GPT's first version end in </w> where a word
 * does. A space becomes a space, which labels make visible.
 */
#include "draw/piece.h"

#include "base/utf8.h"

#include <string.h>

enum {
	FIRST_OTHER = 0x100, /* the letter of byte 0 */
	LETTER_OF_SPACE = 0x120,
	LETTER_OF_NEWLINE = 0x10A,
	LOWER_ONE_EIGHTH = 0x2581,
};

static int
is_own_letter(unsigned byte)
{
	return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD && byte <= 0xFF);
}

/* the byte that a letter stands for, or -1 */
static int
byte_of(uint32_t code)
{
	uint32_t other = FIRST_OTHER;

	if (code < FIRST_OTHER)
		return is_own_letter(code) ? (int)code : -1;
	for (unsigned byte = 0; byte < 256; byte++)
		if (!is_own_letter(byte) && other++ == code)
			return (int)byte;
	return -1;
}

/* the bytes that token spells, up to size; how many, or -1: a letter is none of a byte */
static int
read_bytes(char *out, size_t size, const char *token)
{
	const char *end = token + strlen(token);
	size_t count = 0;

	while (token < end && count < size) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, token, end);
		int byte = length ? byte_of(code) : -1;

		if (byte < 0)
			return -1;
		out[count++] = (char)byte;
		token += length;
	}
	return (int)count;
}

/* the length of the whole characters that count bytes begin with; *high: whether one is not of ASCII */
static size_t
whole(int *high, const char *bytes, size_t count)
{
	size_t at = 0;

	*high = 0;
	while (at < count) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, bytes + at, bytes + count);

		if (!length || !code)
			break;
		*high |= code >= 0x80;
		at += length;
	}
	return at;
}

int
qkv_piece_has_bytes(const char *const *tokens, size_t n)
{
	int is_sure = 0;

	for (size_t i = 0; i < n; i++) {
		char bytes[256];
		int count = read_bytes(bytes, sizeof bytes, tokens[i]), high;

		if (count < 0)
			continue;
		is_sure |= (whole(&high, bytes, (size_t)count) == (size_t)count && high) ||
			memchr(bytes, ' ', (size_t)count) || memchr(bytes, '\n', (size_t)count);
	}
	return is_sure;
}

static void
spell_spaces(char *out, size_t size, const char *token)
{
	const char *end = token + strlen(token);
	size_t used = 0;

	while (token < end) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, token, end);

		length = length ? length : 1;
		if (used + length >= size)
			break;
		if (code == LOWER_ONE_EIGHTH || !strcmp(token, "</w>")) {
			out[used++] = ' ';
			token += code == LOWER_ONE_EIGHTH ? length : strlen(token);
			continue;
		}
		memcpy(out + used, token, length);
		used += length;
		token += length;
	}
	out[used] = 0;
}

void
qkv_piece_spell(char *out, size_t size, const char *token, int has_bytes)
{
	int count = has_bytes ? read_bytes(out, size - 1, token) : -1, high;

	if (count >= 0 && whole(&high, out, (size_t)count) == (size_t)count) {
		out[count] = 0;
		/* in ASCII alone a token looks the same in every vocabulary */
		if (strncmp(out, token, (size_t)count) != 0)
			return;
	}
	spell_spaces(out, size, token);
}

int
qkv_piece_is_special(const char *token)
{
	size_t length = strlen(token);
	int is_square = token[0] == '[' && length > 2 && token[length - 1] == ']';
	int is_angular = token[0] == '<' && length > 2 && token[length - 1] == '>';

	/* <0x0A> and the like are bytes of text */
	return (is_square || is_angular) && strncmp(token, "<0x", 3) && strcspn(token, " \n") == length;
}

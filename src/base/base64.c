/* Base64 as of RFC 4648, section 4: 24 bits in four characters, '=' filling the last group. */
#include "base/base64.h"

#include <stdint.h>

/* the value of a character, or 64 */
static uint32_t
value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint32_t)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint32_t)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0') + 52;
	return c == '+' ? 62 : c == '/' ? 63 : 64;
}

int
qkv_base64_read(unsigned char *out, size_t *length, const char *text, size_t size, size_t *bad)
{
	size_t padding = !size || text[size - 1] != '=' ? 0 : size < 2 || text[size - 2] != '=' ? 1 : 2;
	size_t n = 0;

	for (size_t i = 0; i < size; i += 4) {
		uint32_t group = 0, rest = i + 4 >= size ? (uint32_t)padding : 0;

		for (size_t j = i; j < i + 4; j++) {
			uint32_t v = j < size ? value(text[j]) : 64;

			if (j + rest >= i + 4)
				v = 0;
			if (v == 64) {
				*bad = j < size ? j : size;
				return -1;
			}
			group = group << 6 | v;
		}
		/* bits that no byte holds must be zero, or two texts would mean the same data */
		if (rest && group & (rest == 1 ? 0xFFu : 0xFFFFu)) {
			*bad = i + 3 - rest;
			return -1;
		}
		for (uint32_t j = 0; j < 3 - rest; j++)
			out[n++] = (unsigned char)(group >> (16 - 8 * j));
	}
	*length = n;
	return 0;
}

size_t
qkv_base64_write(char *out, const unsigned char *data, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *p = out;

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t group = (uint32_t)data[i] << 16;

		group |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
		group |= left > 2 ? data[i + 2] : 0;
		*p++ = letters[group >> 18];
		*p++ = letters[group >> 12 & 63];
		*p++ = left > 1 ? letters[group >> 6 & 63] : '=';
		*p++ = left > 2 ? letters[group & 63] : '=';
	}
	return (size_t)(p - out);
}

/* UTF-8 as of RFC 3629. */
#include "base/utf8.h"

size_t
qkv_utf8_read(uint32_t *code, const char *p, const char *end)
{
	static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)p;
	size_t length = u[0] < 0x80 ? 1
		: u[0] < 0xC2       ? 0
		: u[0] < 0xE0       ? 2
		: u[0] < 0xF0       ? 3
		: u[0] < 0xF5       ? 4
				    : 0;
	uint32_t c;

	if (length == 0 || length > (size_t)(end - p))
		return 0;
	c = length == 1 ? u[0] : u[0] & (0x7Fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((u[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3Fu);
	}
	if (c < smallest[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
		return 0;
	*code = c;
	return length;
}

size_t
qkv_utf8_write(char buf[4], uint32_t code)
{
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	if (length == 1) {
		buf[0] = (char)code;
		return 1;
	}
	for (size_t i = length; --i;) {
		buf[i] = (char)(0x80 | (code & 0x3F));
		code >>= 6;
	}
	buf[0] = (char)((0xF00 >> length & 0xFF) | code);
	return length;
}

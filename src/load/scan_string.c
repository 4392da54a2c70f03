/* Strings of JSON, checked byte by byte: valid UTF-8, no raw control bytes, whole surrogate pairs, no NUL. */
#include "load/scan.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* how many of the bytes at p need no look: neither quote, backslash, control nor beyond ASCII */
static size_t
plain(const char *p, const char *end)
{
	const uint64_t ones = UINT64_MAX / 255, high = ones * 0x80;
	size_t n = 0;

	for (; (size_t)(end - p) - n >= 8; n += 8) {
		uint64_t w, quote, slash;

		memcpy(&w, p + n, 8);
		quote = w ^ ones * '"';
		slash = w ^ ones * '\\';
		/* per byte: beyond ASCII, below space, or zero after the exclusive or */
		if ((w | (w - ones * ' ') | (quote - ones) | (slash - ones)) & high)
			break;
	}
	return n;
}

/* the value of the four hexadecimal digits at p, or -1 */
static int32_t
hex(const char *p, const char *end)
{
	int32_t v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];
		int digit = c >= '0' && c <= '9' ? c - '0'
			: c >= 'a' && c <= 'f'   ? c - 'a' + 10
			: c >= 'A' && c <= 'F'   ? c - 'A' + 10
						 : -1;

		if (digit < 0)
			return -1;
		v = v * 16 + digit;
	}
	return v;
}

/* checks the escape at p, a backslash; its length, or 0 with *wrong said */
static size_t
escape(const char *p, const char *end, const char **wrong)
{
	int32_t code, low;

	*wrong = "an escape that JSON does not know, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t "
		 "\\uXXXX";
	if (end - p < 2)
		return 0;
	if (p[1] != 'u')
		return p[1] && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
	code = hex(p + 2, end);
	if (code < 0)
		return 0;
	*wrong = "a NUL escape, expected a character that text can hold";
	if (code == 0)
		return 0;
	if (code < 0xD800 || code > 0xDFFF)
		return 6;
	*wrong = "half a surrogate pair, expected \\uD800-\\uDBFF and then \\uDC00-\\uDFFF";
	if (code > 0xDBFF || end - p < 12 || p[6] != '\\' || p[7] != 'u')
		return 0;
	low = hex(p + 8, end);
	return low >= 0xDC00 && low <= 0xDFFF ? 12 : 0;
}

int
qkv_scan_string(size_t *at, const struct qkv_text *t, struct qkv_err *e)
{
	const char *p = t->data + *at + 1, *end = t->data + t->size, *wrong;
	uint32_t code;
	size_t n;

	for (;;) {
		p += plain(p, end);
		if (p == end)
			return qkv_text_fail(t, t->size, e, "the text ends within a string, expected '\"'");
		if (*p == '"')
			break;
		if (*p == '\\') {
			n = escape(p, end, &wrong);
			if (!n)
				return qkv_text_fail(t, (size_t)(p - t->data), e, "%s", wrong);
		} else if (!*p) {
			return qkv_text_fail(t, (size_t)(p - t->data), e,
				"byte 0 in a string, expected a character that text can hold");
		} else if ((unsigned char)*p < ' ') {
			return qkv_text_fail(t, (size_t)(p - t->data), e,
				"raw control byte 0x%02X in a string, expected \\u%04X", (unsigned)*p,
				(unsigned)*p);
		} else {
			n = qkv_utf8_read(&code, p, end);
			if (!n)
				return qkv_text_fail(t, (size_t)(p - t->data), e,
					"byte 0x%02X in a string is not UTF-8, expected UTF-8",
					(unsigned)(unsigned char)*p);
		}
		p += n;
	}
	*at = (size_t)(p - t->data) + 1;
	return 0;
}

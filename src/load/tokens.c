/* Tokens in a text file: one a line, which ends with LF or CRLF; the last one may lack its end. */
#include "load/attached.h"

#include "base/utf8.h"

#include <limits.h>
#include <string.h>

static int
check(const struct qkv_text *t, const char *p, const char *end, struct qkv_err *e)
{
	while (p < end) {
		uint32_t code;
		size_t n = qkv_utf8_read(&code, p, end), at = (size_t)(p - t->data);

		if (!n)
			return qkv_text_fail(t, at, e, "byte 0x%02X is not UTF-8, expected UTF-8",
				(unsigned)(unsigned char)*p);
		if (!code)
			return qkv_text_fail(t, at, e, "byte 0, expected a character that text can hold");
		p += n;
	}
	return 0;
}

int
qkv_tokens_read(const char *const **tokens, size_t *count, const struct qkv_text *t, struct qkv_arena *a,
	struct qkv_err *e)
{
	const char *start = t->data, *end = t->data + t->size, *next;
	const char **list;
	size_t n = 0;

	if (t->size >= 3 && !memcmp(start, "\xEF\xBB\xBF", 3))
		start += 3;
	if (start == end)
		return qkv_text_fail(t, 0, e, "empty, expected tokens, one a line");
	if (check(t, start, end, e))
		return -1;
	for (const char *p = start; p < end; p = next ? next + 1 : end, n++)
		next = memchr(p, '\n', (size_t)(end - p));
	if (n > INT_MAX)
		return qkv_text_fail(t, 0, e, "%zu tokens, expected at most %d", n, INT_MAX);
	list = qkv_arena_new(a, n, sizeof *list, e);
	for (size_t i = 0; list && i < n; i++, start = next < end ? next + 1 : end) {
		size_t length;

		next = memchr(start, '\n', (size_t)(end - start));
		next = next ? next : end;
		length = (size_t)(next - start);
		length -= next < end && length && next[-1] == '\r';
		list[i] = qkv_arena_copy(a, start, length, e);
		if (!list[i])
			return -1;
	}
	*tokens = list;
	*count = n;
	return list ? 0 : -1;
}

/* The scanner's messages, and the list of values that it keeps. */
#include "load/scan_state.h"

#include "base/mem.h"

#include <string.h>

void
qkv_scanner_space(struct qkv_scanner *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
		s->p++;
}

/* writes the place that f stands for, "layers[2].W_Q[0][1]", at the end of buf[room]; returns where it begins */
static char *
place(char *buf, size_t room, const struct qkv_frame *f)
{
	char *p = buf + room - 1;

	*p = 0;
	for (; f && f->up; f = f->up) {
		char digits[24];
		size_t n = 0, i = f->index;

		if (f->key) {
			if (f->length + 1 > (size_t)(p - buf))
				break;
			p -= f->length;
			memcpy(p, f->key, f->length);
			if (f->up->up)
				*--p = '.';
			continue;
		}
		do
			digits[n++] = (char)('0' + i % 10);
		while (i /= 10);
		if (n + 2 > (size_t)(p - buf))
			break;
		*--p = ']';
		for (size_t j = 0; j < n; j++)
			*--p = digits[j];
		*--p = '[';
	}
	return p;
}

int
qkv_scanner_fail_found(struct qkv_scanner *s, const struct qkv_frame *f, const char *at, const char *found,
	const char *expected)
{
	char buf[256];
	const char *where = place(buf, sizeof buf, f);

	return qkv_text_fail(s->text, (size_t)(at - s->text->data), s->e, "%s%s%s, expected %s", where,
		*where ? ": " : "", found, expected);
}

int
qkv_scanner_fail(struct qkv_scanner *s, const struct qkv_frame *f, const char *at, const char *expected)
{
	char found[64] = "the text ends here";
	size_t n = 0, rest = (size_t)(s->end - at);

	if (rest && (*at == '[' || *at == '{'))
		return qkv_scanner_fail_found(s, f, at, *at == '[' ? "an array" : "an object", expected);
	/* what stands there, up to something that ends a word */
	while (n < rest && n < 40 && (!n || !strchr(" \t\r\n,]}:", at[n])))
		n++;
	while (n > 1 && n < rest && ((unsigned char)at[n] & 0xC0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++)
		found[i] = at[i] ? at[i] : '?';
	if (n)
		found[n] = 0;
	return qkv_scanner_fail_found(s, f, at, found, expected);
}

const char qkv_not_finite[] = "a finite number (JSON has no NaN or Infinity; only a bias may be \"-inf\")";

/* whether what stands at s->p is what other languages write for a number that is not finite */
int
qkv_scanner_not_finite(const struct qkv_scanner *s)
{
	const char *p = s->p < s->end && *s->p == '-' ? s->p + 1 : s->p;

	return s->end - p >= 3 &&
		(!memcmp(p, "NaN", 3) || !memcmp(p, "nan", 3) || !memcmp(p, "Inf", 3) ||
			!memcmp(p, "inf", 3));
}

int
qkv_scanner_fail_number(struct qkv_scanner *s, const struct qkv_frame *f, const char *bad)
{
	if (qkv_scanner_not_finite(s))
		return qkv_scanner_fail(s, f, s->p, qkv_not_finite);
	return bad == s->p ? qkv_scanner_fail(s, f, bad, "a number")
			   : qkv_scanner_fail(s, f, bad, "the rest of a number, or what follows one");
}

/* remembers a value that begins at the current byte, NULL when memory ends; dropped ones are not kept */
struct qkv_value *
qkv_scanner_note(struct qkv_scanner *s)
{
	struct qkv_scan *out = s->out;

	if (s->dropping)
		return &s->dropped;
	if (out->num_values == out->room_values) {
		size_t room = out->room_values ? 2 * out->room_values : 64;
		struct qkv_value *grown = qkv_mem_resize(out->values, room, sizeof *grown, s->e);

		if (!grown)
			return NULL;
		out->values = grown;
		out->room_values = room;
	}
	out->values[out->num_values] =
		(struct qkv_value){.at = (size_t)(s->p - s->text->data), .key = s->key};
	return &out->values[out->num_values++];
}

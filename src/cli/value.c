/* Reading the values of options: whole texts only, nothing rounded, cut or guessed. */
#include "cli/value.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_INDEX 999999999 /* of a layer or head; nine digits never overflow */

/* reads the digits at *p, which moves behind them; 0, or -1: none, or beyond most */
static int
read_digits(size_t *number, const char **p, size_t most)
{
	const char *start = *p;
	size_t n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p) {
		n = 10 * n + (size_t)(**p - '0');
		if (n > most)
			return -1;
	}
	*number = n;
	return *p == start ? -1 : 0;
}

static int
read_count(size_t *number, const char *text, size_t most)
{
	return read_digits(number, &text, most) || *text || !*number ? -1 : 0;
}

/* which of the choices the length bytes at text are, from 1; 0: none */
static size_t
find_choice(const char *choices, const char *text, size_t length)
{
	const char *choice;
	size_t n, number = 0;

	while ((choice = qkv_choice_next(&n, &choices)) != NULL) {
		number++;
		if (n == length && !memcmp(choice, text, n))
			return number;
	}
	return 0;
}

static int
read_stages(unsigned *stages, const char *choices, const char *text)
{
	*stages = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		size_t choice = find_choice(choices, text, length);

		if (!choice)
			return -1;
		*stages |= 1u << (choice - 1);
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

/* [LAYER.]FIRST[-LAST] */
static int
read_range(struct qkv_range *range, const char **p, int heads)
{
	range->layer = QKV_ANY;
	if (read_digits(&range->first, p, MOST_INDEX))
		return -1;
	if (heads && **p == '.') {
		range->layer = range->first;
		++*p;
		if (read_digits(&range->first, p, MOST_INDEX))
			return -1;
	}
	range->last = range->first;
	if (**p != '-')
		return 0;
	++*p;
	return read_digits(&range->last, p, MOST_INDEX) || range->last < range->first ? -1 : 0;
}

/* reads a list into new ranges; 1: not such a list, -1: memory ended */
static int
read_ranges(struct qkv_range **ranges, size_t *number, const char *text, int heads, struct qkv_err *e)
{
	size_t count = 1;

	for (const char *p = text; *p; p++)
		count += *p == ',';
	*ranges = qkv_mem_new(count, sizeof **ranges, e);
	if (!*ranges)
		return -1;
	*number = count;
	for (size_t i = 0; i < count; i++) {
		if (read_range(*ranges + i, &text, heads) || *text != (i + 1 < count ? ',' : 0))
			return 1;
		text++;
	}
	return 0;
}

/* the character that a backslash and c stand for, 0: none */
static char
unescaped(char c)
{
	static const char letters[] = "tnr,\\", plain[] = "\t\n\r,\\";
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? plain[at - letters] : 0;
}

/* reads texts separated by commas, with escapes; 1: a wrong escape, -1: memory ended */
static int
read_tokens(const char ***tokens, size_t *number, const char *text, struct qkv_err *e)
{
	size_t count = 1, size = strlen(text) + 1;
	char *p;

	for (const char *q = text; *q; q++)
		count += *q == ',';
	*tokens = qkv_mem_new(count * sizeof **tokens + size, 1, e);
	if (!*tokens)
		return -1;
	p = (char *)(*tokens + count);
	*number = 0;
	(*tokens)[(*number)++] = p;
	for (; *text; text++, p++) {
		*p = *text == ',' ? 0 : *text;
		if (*text == ',')
			(*tokens)[(*number)++] = p + 1;
		else if (*text == '\\' && !(*p = unescaped(*++text)))
			return 1;
	}
	return 0;
}

/* a number is what a scale may be, but for its words */
static int
read_number(struct qkv_scale *number, const char *text)
{
	return qkv_scale_parse(number, text) || !strcmp(text, "auto") || !strcmp(text, "none") ||
		!isfinite((float)number->number);
}

static int
is_utf8(const char *text)
{
	const char *end = text + strlen(text);
	uint32_t code;

	for (size_t length; text < end; text += length)
		if (!(length = qkv_utf8_read(&code, text, end)))
			return 0;
	return 1;
}

void
qkv_value_free(struct qkv_opt_value *v)
{
	qkv_mem_free(v->ranges);
	qkv_mem_free(v->tokens);
}

void
qkv_value_expected(char *text, size_t size, const struct qkv_opt *o)
{
	const char *choices = o->choices, *choice;
	size_t length, used = 0;

	switch (o->kind) {
	case QKV_KIND_COUNT:
		snprintf(text, size, "a whole number from 1 to %zu", o->most);
		return;
	case QKV_KIND_INDICES:
		snprintf(text, size, "indices such as 0,3-5");
		return;
	case QKV_KIND_HEADS:
		snprintf(text, size, "indices such as 0,3-5 or 4.11");
		return;
	case QKV_KIND_TOKENS:
		snprintf(text, size,
			"tokens such as [CLS],[SEP], with \\, for a comma and \\\\ for a backslash");
		return;
	case QKV_KIND_NUMBER:
		snprintf(text, size, "a number");
		return;
	case QKV_KIND_TEXT:
		snprintf(text, size, "a text in UTF-8");
		return;
	case QKV_KIND_FILE:
		snprintf(text, size, "the name of a file");
		return;
	default:
		break;
	}
	text[0] = 0;
	while ((choice = qkv_choice_next(&length, &choices)) != NULL && used < size)
		used += (size_t)snprintf(text + used, size - used, "%s%.*s",
			!used              ? ""
				: *choices ? ", "
					   : " or ",
			(int)length, choice);
}

int
qkv_value_read(struct qkv_opt_value *v, const struct qkv_opt *o, const char *text, struct qkv_err *e)
{
	char expected[160];
	int bad = 0;

	qkv_value_free(v);
	*v = (struct qkv_opt_value){.text = text};
	switch (o->kind) {
	case QKV_KIND_FLAG:
		break;
	case QKV_KIND_COUNT:
		bad = read_count(&v->number, text, o->most);
		break;
	case QKV_KIND_CHOICE:
		v->number = find_choice(o->choices, text, strlen(text));
		bad = !v->number;
		break;
	case QKV_KIND_STAGES:
		bad = read_stages(&v->stages, o->choices, text);
		break;
	case QKV_KIND_INDICES:
	case QKV_KIND_HEADS:
		bad = read_ranges(&v->ranges, &v->number, text, o->kind == QKV_KIND_HEADS, e);
		if (bad < 0)
			return -1;
		break;
	case QKV_KIND_TOKENS:
		bad = read_tokens(&v->tokens, &v->number, text, e);
		if (bad < 0)
			return -1;
		break;
	case QKV_KIND_MASK:
		bad = qkv_mask_parse(&v->mask, text);
		break;
	case QKV_KIND_SCALE:
		bad = qkv_scale_parse(&v->scale, text);
		break;
	case QKV_KIND_NUMBER:
		bad = read_number(&v->scale, text);
		break;
	case QKV_KIND_TEXT:
		bad = !is_utf8(text);
		break;
	case QKV_KIND_FILE:
		bad = !*text;
		break;
	}
	if (!bad)
		return 0;
	qkv_value_expected(expected, sizeof expected, o);
	return qkv_fail(e, QKV_EUSAGE, "--%s: '%s', expected %s", o->name, text, expected);
}

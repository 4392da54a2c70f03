/* Text on its way to a sink. */
#include "write/out.h"

#include "base/mem.h"
#include "kern/number.h"

#include <string.h>

enum { ROOM = 65536 };

int
qkv_out_open(struct qkv_out *o, struct qkv_sink *s, int precision, struct qkv_err *e)
{
	*o = (struct qkv_out){.sink = s, .precision = precision};
	o->buffer = qkv_mem_new(ROOM, 1, e);
	return o->buffer ? 0 : -1;
}

void
qkv_out_close(struct qkv_out *o)
{
	qkv_mem_free(o->buffer);
}

static void
spill(struct qkv_out *o)
{
	if (!o->failed && o->used && o->sink->write(o->sink, o->buffer, o->used, &o->err))
		o->failed = 1;
	o->used = 0;
}

/* room for size bytes, at most ROOM, at the end of the buffer */
static char *
room(struct qkv_out *o, size_t size)
{
	if (size > ROOM - o->used)
		spill(o);
	return o->buffer + o->used;
}

void
qkv_out_bytes(struct qkv_out *o, const char *data, size_t size)
{
	while (size) {
		size_t n = size < ROOM ? size : ROOM;

		memcpy(room(o, n), data, n);
		o->used += n;
		data += n;
		size -= n;
	}
}

void
qkv_out_text(struct qkv_out *o, const char *text)
{
	qkv_out_bytes(o, text, strlen(text));
}

void
qkv_out_char(struct qkv_out *o, char c)
{
	*room(o, 1) = c;
	o->used++;
}

void
qkv_out_count(struct qkv_out *o, size_t n)
{
	char digits[24];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	qkv_out_bytes(o, digits + at, sizeof digits - at);
}

void
qkv_out_float(struct qkv_out *o, float x)
{
	char *p = room(o, QKV_NUMBER_MAX);

	o->used += o->precision ? qkv_number_write_digits(p, x, o->precision) : qkv_number_write(p, x);
}

int
qkv_out_check(const struct qkv_out *o, struct qkv_err *e)
{
	if (o->failed)
		*e = o->err;
	return o->failed ? -1 : 0;
}

int
qkv_out_flush(struct qkv_out *o, struct qkv_err *e)
{
	spill(o);
	return qkv_out_check(o, e);
}

/* Text on its way to a sink. */
#include "write/out.h"

#include "base/mem.h"

#include <string.h>

enum {
	ROOM = 65536,
	WHOLE = 16384, /* as many bytes as this go to the sink without being copied first */
	AT_ONCE = 512, /* numbers */
};

int
qkv_out_open(struct qkv_out *o, struct qkv_sink *s, const struct qkv_kern *kern,
	const struct qkv_number_style *style, struct qkv_err *e)
{
	*o = (struct qkv_out){.sink = s, .room = ROOM, .kern = kern, .style = style};
	o->buffer = qkv_mem_new(ROOM, 1, e);
	return o->buffer ? 0 : -1;
}

void
qkv_out_close(struct qkv_out *o)
{
	qkv_mem_free(o->buffer);
}

static void
write_out(struct qkv_out *o, const char *data, size_t size)
{
	if (!o->failed && size && o->sink->write(o->sink, data, size, &o->err))
		o->failed = 1;
}

/* makes room for size bytes, at most ROOM */
static void
make_room(struct qkv_out *o, size_t size)
{
	char *grown = NULL;

	if (o->sink) {
		write_out(o, o->buffer, o->used);
	} else if (!o->failed) {
		grown = qkv_mem_resize(o->buffer, 2 * (o->used + size), 1, &o->err);
		o->failed = !grown;
	}
	if (grown) {
		o->buffer = grown;
		o->room = 2 * (o->used + size);
	} else {
		o->used = 0;
	}
}

/* room for size bytes, at most ROOM, at the end of the buffer */
static inline char *
room(struct qkv_out *o, size_t size)
{
	if (size > o->room - o->used)
		make_room(o, size);
	return o->buffer + o->used;
}

void
qkv_out_bytes(struct qkv_out *o, const char *data, size_t size)
{
	if (o->sink && size >= WHOLE) {
		write_out(o, o->buffer, o->used);
		o->used = 0;
		write_out(o, data, size);
		return;
	}
	while (size) {
		size_t n = size < ROOM ? size : ROOM;

		memcpy(room(o, n), data, n);
		o->used += n;
		data += n;
		size -= n;
	}
}

void
qkv_out_again(struct qkv_out *o, size_t from, size_t size)
{
	char *p = room(o, size);

	if (o->failed)
		return;
	memcpy(p, o->buffer + from, size);
	o->used += size;
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
	qkv_out_floats(o, &x, 1);
}

void
qkv_out_floats(struct qkv_out *o, const float *x, size_t n)
{
	size_t left = n;

	for (size_t some; left; x += some, left -= some) {
		char *p;

		some = left < AT_ONCE ? left : AT_ONCE;
		p = room(o, some * QKV_NUMBER_MAX);
		o->used += (size_t)(o->kern->write(p, x, some, o->style) - p);
	}
	o->used -= n > 0;
}

void
qkv_out_doubles(struct qkv_out *o, const double *x, size_t n)
{
	float narrow[AT_ONCE];

	for (size_t some; n; x += some, n -= some) {
		some = n < AT_ONCE ? n : AT_ONCE;
		for (size_t i = 0; i < some; i++)
			narrow[i] = (float)x[i];
		qkv_out_floats(o, narrow, some);
		if (n > some)
			qkv_out_char(o, o->style->separator);
	}
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
	write_out(o, o->buffer, o->used);
	o->used = 0;
	return qkv_out_check(o, e);
}

void
qkv_out_move(struct qkv_out *o, struct qkv_out *from)
{
	if (from->failed && !o->failed) {
		o->failed = 1;
		o->err = from->err;
	}
	qkv_out_bytes(o, from->buffer, from->used);
	from->used = 0;
}

int
qkv_outs_reserve(struct qkv_outs *o, size_t count, size_t room, const struct qkv_out *like, struct qkv_err *e)
{
	struct qkv_out *grown = count > o->count ? qkv_mem_resize(o->of, count, sizeof *grown, e) : o->of;

	if (!grown)
		return -1;
	for (o->of = grown; o->count < count; o->count++)
		if (qkv_out_open(&o->of[o->count], NULL, like->kern, like->style, e))
			return -1;
	for (size_t i = 0; i < count; i++) {
		struct qkv_out *one = &o->of[i];
		char *buffer = room > one->room ? qkv_mem_resize(one->buffer, room, 1, e) : one->buffer;

		if (!buffer)
			return -1;
		one->buffer = buffer;
		one->room = room > one->room ? room : one->room;
	}
	return 0;
}

void
qkv_outs_close(struct qkv_outs *o)
{
	for (size_t i = 0; i < o->count; i++)
		qkv_out_close(&o->of[i]);
	qkv_mem_free(o->of);
}

/* Memory that is given back all at once: chunks to cut small pieces from, and whatever was adopted. */
#include "base/arena.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 16384, ALIGN = 16 };

struct qkv_chunk {
	struct qkv_chunk *next;
	void *adopted;
	size_t used, room; /* bytes of the rest */
	_Alignas(ALIGN) char rest[];
};

static struct qkv_chunk *
add(struct qkv_arena *a, size_t room, struct qkv_err *e)
{
	struct qkv_chunk *c = room > SIZE_MAX - sizeof *c ? NULL : qkv_mem_new(1, sizeof *c + room, e);

	if (!c)
		return NULL;
	c->room = room;
	c->next = a->first;
	a->first = c;
	return c;
}

void *
qkv_arena_new(struct qkv_arena *a, size_t count, size_t size, struct qkv_err *e)
{
	struct qkv_chunk *c = a->first;
	size_t bytes;

	if (count > (SIZE_MAX - ALIGN) / size) {
		qkv_fail(e, QKV_EMEMORY, "out of memory, needing %zu elements of %zu bytes", count, size);
		return NULL;
	}
	bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
	if (!c || bytes > c->room - c->used)
		c = add(a, bytes > ROOM ? bytes : ROOM, e);
	if (!c)
		return NULL;
	c->used += bytes;
	return c->rest + c->used - bytes;
}

void *
qkv_arena_adopt(struct qkv_arena *a, void *p, struct qkv_err *e)
{
	struct qkv_chunk *c = add(a, 0, e);

	if (c)
		c->adopted = p;
	else
		qkv_mem_free(p);
	return c ? p : NULL;
}

char *
qkv_arena_copy(struct qkv_arena *a, const char *text, size_t length, struct qkv_err *e)
{
	char *p = qkv_arena_new(a, length + 1, 1, e);

	if (p)
		memcpy(p, text, length);
	return p;
}

char *
qkv_arena_print(struct qkv_arena *a, struct qkv_err *e, const char *format, ...)
{
	va_list args;
	int length;
	char *p;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	p = qkv_arena_new(a, (size_t)length + 1, 1, e);
	if (!p)
		return NULL;
	va_start(args, format);
	vsnprintf(p, (size_t)length + 1, format, args);
	va_end(args);
	return p;
}

void
qkv_arena_free(struct qkv_arena *a)
{
	struct qkv_chunk *next;

	for (struct qkv_chunk *c = a->first; c; c = next) {
		next = c->next;
		qkv_mem_free(c->adopted);
		qkv_mem_free(c);
	}
	a->first = NULL;
}

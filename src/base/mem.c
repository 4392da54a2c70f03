/* The only allocator. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* how many allocations still succeed before all fail, plus one; 0: no limit */
static size_t fail_at;

void
qkv_mem_fail_at(size_t nth)
{
	fail_at = nth;
}

static int
refused(void)
{
	if (fail_at > 1)
		fail_at--;
	else if (fail_at == 1)
		return 1;
	return 0;
}

static void *
checked(void *p, size_t count, size_t size, struct qkv_err *e)
{
	if (!p)
		qkv_fail(e, QKV_EMEMORY, "out of memory, needing %zu elements of %zu bytes", count, size);
	return p;
}

void *
qkv_mem_new(size_t count, size_t size, struct qkv_err *e)
{
	int can = count <= SIZE_MAX / size && !refused();

	return checked(can ? calloc(count ? count : 1, size) : NULL, count, size, e);
}

void *
qkv_mem_floats(size_t count, size_t size, struct qkv_err *e)
{
	void *p = NULL;

	if (count > (SIZE_MAX - 64) / size || refused() || posix_memalign(&p, 64, count ? count * size : 1))
		p = NULL;
	return checked(p, count, size, e);
}

void *
qkv_mem_resize(void *p, size_t count, size_t size, struct qkv_err *e)
{
	int can = count <= SIZE_MAX / size && !refused();

	return checked(can ? realloc(p, count ? count * size : 1) : NULL, count, size, e);
}

void *
qkv_mem_hook(size_t size)
{
	return refused() ? NULL : malloc(size ? size : 1);
}

void
qkv_mem_free(void *p)
{
	free(p);
}

/* The only allocator. */
#define _DEFAULT_SOURCE /* for madvise */

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* from the size of PAGE on, numbers are asked to lie in pages as large as a table of addresses has them */
enum { PAGE = 2 << 20, LINE = 64 };

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
	size_t bytes = count <= SIZE_MAX / 2 / size ? count * size : 0;

	if (count > SIZE_MAX / 2 / size || refused() ||
		posix_memalign(&p, bytes < PAGE ? LINE : PAGE, bytes ? bytes : 1))
		p = NULL;
#ifdef MADV_HUGEPAGE
	if (p && bytes >= PAGE)
		madvise(p, bytes, MADV_HUGEPAGE);
#endif
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

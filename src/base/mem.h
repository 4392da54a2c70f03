/* The only allocator: overflow-checked, zeroed, and able to fail on purpose in tests. */
#ifndef QKV_BASE_MEM_H
#define QKV_BASE_MEM_H

#include "base/err.h"

/* count zeroed elements of size bytes (at least one byte); NULL with e filled when memory ends */
void *qkv_mem_new(size_t count, size_t size, struct qkv_err *e);

/* as qkv_mem_new, aligned to 64 bytes and not zeroed: for numbers */
void *qkv_mem_floats(size_t count, size_t size, struct qkv_err *e);

/* p with room for count elements; the old block stands when NULL is returned */
void *qkv_mem_resize(void *p, size_t count, size_t size, struct qkv_err *e);

void qkv_mem_free(void *p);

/* the plain forms, for libraries that bring hooks; size 0 is fine */
void *qkv_mem_hook(size_t size);

/* lets the nth allocation from now fail (1: the next), and all after it; 0: none */
void qkv_mem_fail_at(size_t nth);

#endif

/* Memory that is given back all at once. */
#ifndef QKV_BASE_ARENA_H
#define QKV_BASE_ARENA_H

#include "base/err.h"

struct qkv_arena {
	struct qkv_chunk *first;
};

/* count zeroed elements of size bytes; NULL with e filled when memory ends */
void *qkv_arena_new(struct qkv_arena *a, size_t count, size_t size, struct qkv_err *e);

/* takes over p, which base/mem gave, and frees it at once if it fails; p, or NULL with e filled */
void *qkv_arena_adopt(struct qkv_arena *a, void *p, struct qkv_err *e);

/* a NUL-terminated copy of length bytes */
char *qkv_arena_copy(struct qkv_arena *a, const char *text, size_t length, struct qkv_err *e);

/* formatted text */
char *qkv_arena_print(struct qkv_arena *a, struct qkv_err *e, const char *format, ...) QKV_PRINTF(3, 4);

void qkv_arena_free(struct qkv_arena *a);

#endif

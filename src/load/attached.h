/* Files in place of keys of a document: arrays in NPY, and tokens. */
#ifndef QKV_LOAD_ATTACHED_H
#define QKV_LOAD_ATTACHED_H

#include "load/scan.h"

struct qkv_attached {
	struct qkv_attached *next; /* which wins where it has the same key */
	const char *key;
	struct qkv_text text;
	struct qkv_tensor tensor;
	const char *const *tokens; /* (num_tokens,), in place of a tensor; NULL: there is one */
	size_t num_tokens;
};

/* the lines of text, copied */
int qkv_tokens_read(const char *const **tokens, size_t *count, const struct qkv_text *text,
	struct qkv_arena *a, struct qkv_err *e);

#endif

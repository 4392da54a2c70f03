/*
 * One strict pass over a JSON document (RFC 8259) that lifts the numbers out.
 *
 * Arrays of numbers under the keys that hold matrices become float32 arrays at once, single numbers
 * become doubles, and the texts of tensors are left where they stand. What remains is a small
 * document of the same structure, the skeleton, with 0 or "" in their places; meta and keys that
 * begin with "_" are checked and dropped.
 */
#ifndef QKV_LOAD_SCAN_H
#define QKV_LOAD_SCAN_H

#include "base/arena.h"
#include "load/text.h"
#include "qkv.h"

enum { QKV_RANK = 8, QKV_DEPTH = 64 }; /* axes of a tensor, and nesting of a document, at most */

struct qkv_tensor {
	const float *data;
	size_t rank, shape[QKV_RANK], count;
};

enum qkv_value_kind { QKV_VALUE_PLAIN, QKV_VALUE_NUMBER, QKV_VALUE_TENSOR, QKV_VALUE_TEXT };

/* a value of the document, in the order in which they begin; those within a lifted array do not count */
struct qkv_value {
	size_t at;                   /* offset of its first byte */
	size_t key;                  /* of a member: offset of the quote that opens its key */
	const struct qkv_text *file; /* that it was attached from; NULL: it stands in the document */
	enum qkv_value_kind kind;
	union {
		double number;
		const struct qkv_tensor *tensor;
		size_t end; /* of a text: offset after its closing quote */
	} is;
};

struct qkv_scan {
	struct qkv_value *values;
	size_t num_values, room_values;
	char *skeleton;
	size_t length, room;
};

/*
 * Scans the document that begins at *at (a '{'; else it fails) and sets *at after its '}', with the instruction
 * set and the threads of the settings. Tensors go into the arena. After success or failure, free s.
 */
int qkv_scan_read(struct qkv_scan *s, size_t *at, const struct qkv_text *t,
	const struct qkv_settings *settings, struct qkv_arena *a, struct qkv_err *e);

void qkv_scan_free(struct qkv_scan *s);

/* checks the string that begins at *at with a quote, and sets *at after its end */
int qkv_scan_string(size_t *at, const struct qkv_text *t, struct qkv_err *e);

#endif

/* The bytes of an input, and the words for a place in them. */
#ifndef QKV_LOAD_TEXT_H
#define QKV_LOAD_TEXT_H

#include "base/err.h"

#include <stdarg.h>

struct qkv_text {
	char *name; /* as messages call it */
	const char *data;
	size_t size;
	char *owned; /* to be freed, or NULL */
	int mapped;
	int no_lines; /* messages name it without line and column */
};

/* maps a regular file, reads anything else ("-": standard input) to its end */
int qkv_text_open(struct qkv_text *t, const char *path, struct qkv_err *e);

/* borrows bytes */
int qkv_text_borrow(struct qkv_text *t, const char *name, const char *data, size_t size, struct qkv_err *e);

void qkv_text_close(struct qkv_text *t);

/* fails with "NAME:LINE:COLUMN: ", counted in bytes from 1, of the byte at offset at, before the message; -1 */
int qkv_text_fail(const struct qkv_text *t, size_t at, struct qkv_err *e, const char *format, ...)
	QKV_PRINTF(4, 5);

/* the same with the words for a place in the document ("": none) before the message; -1 */
int qkv_text_fail_in(const struct qkv_text *t, size_t at, const char *place, struct qkv_err *e,
	const char *format, va_list args);

#endif

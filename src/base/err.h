/* Errors and warnings: how a function says what went wrong. */
#ifndef QKV_BASE_ERR_H
#define QKV_BASE_ERR_H

#include "qkv.h"

#if defined __GNUC__
#define QKV_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define QKV_PRINTF(text, first)
#endif

/* fills e (control bytes become '?', what is too long ends in "..."); always -1 */
int qkv_fail(struct qkv_err *e, enum qkv_status status, const char *format, ...) QKV_PRINTF(3, 4);

/* puts text, formatted, before the message that e holds already; always -1 */
int qkv_fail_prefix(struct qkv_err *e, const char *format, ...) QKV_PRINTF(2, 3);

/* adds count warnings of a kind; the text says where the first is, and is kept once */
void qkv_note_add(struct qkv_notes *n, enum qkv_note_kind kind, size_t count, const char *format, ...)
	QKV_PRINTF(4, 5);

/* adds those that came later */
void qkv_notes_join(struct qkv_notes *n, const struct qkv_notes *later);

#endif

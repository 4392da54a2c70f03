/*
 * Text on its way to a sink, through one buffer.
 *
 * The first failure is kept, and nothing is written after it: formatting code need not look at every step.
 */
#ifndef QKV_WRITE_OUT_H
#define QKV_WRITE_OUT_H

#include "base/err.h"

struct qkv_out {
	struct qkv_sink *sink;
	char *buffer;
	size_t used;
	int precision; /* significant digits; 0: the shortest that reads back */
	int failed;
	struct qkv_err err;
};

int qkv_out_open(struct qkv_out *o, struct qkv_sink *s, int precision, struct qkv_err *e);
void qkv_out_close(struct qkv_out *o);

void qkv_out_bytes(struct qkv_out *o, const char *data, size_t size);
void qkv_out_text(struct qkv_out *o, const char *text);
void qkv_out_char(struct qkv_out *o, char c);
void qkv_out_count(struct qkv_out *o, size_t n);
void qkv_out_float(struct qkv_out *o, float x);

/* 0, or -1 with e filled if anything has failed */
int qkv_out_check(const struct qkv_out *o, struct qkv_err *e);

/* hands what is buffered to the sink, and checks */
int qkv_out_flush(struct qkv_out *o, struct qkv_err *e);

#endif

/*
 * Text on its way to a sink, through one buffer.
 *
 * The first failure is kept, and nothing is written after it: formatting code need not look at every step. Without a
 * sink the buffer grows, until its text is moved to another.
 */
#ifndef QKV_WRITE_OUT_H
#define QKV_WRITE_OUT_H

#include "kern/kern.h"

struct qkv_out {
	struct qkv_sink *sink; /* NULL: none */
	char *buffer;
	size_t used, room;
	const struct qkv_kern *kern;          /* NULL, like style: no numbers will come */
	const struct qkv_number_style *style; /* borrowed */
	int failed;
	struct qkv_err err;
};

int qkv_out_open(struct qkv_out *o, struct qkv_sink *s, const struct qkv_kern *kern,
	const struct qkv_number_style *style, struct qkv_err *e);
void qkv_out_close(struct qkv_out *o);

void qkv_out_bytes(struct qkv_out *o, const char *data, size_t size);
void qkv_out_text(struct qkv_out *o, const char *text);
void qkv_out_char(struct qkv_out *o, char c);
void qkv_out_count(struct qkv_out *o, size_t n);
void qkv_out_float(struct qkv_out *o, float x);

/* x (n,), separated as the style has it; the same of double as float32 */
void qkv_out_floats(struct qkv_out *o, const float *x, size_t n);
void qkv_out_doubles(struct qkv_out *o, const double *x, size_t n);

/* what a text without a sink has from a place on, size bytes, once more at its end */
void qkv_out_again(struct qkv_out *o, size_t from, size_t size);

/* moves the text of one without a sink to the end of o */
void qkv_out_move(struct qkv_out *o, struct qkv_out *from);

/* 0, or -1 with e filled if anything has failed */
int qkv_out_check(const struct qkv_out *o, struct qkv_err *e);

/* hands what is buffered to the sink, and checks */
int qkv_out_flush(struct qkv_out *o, struct qkv_err *e);

/* texts of blocks that are formatted side by side, each in its slot */
struct qkv_outs {
	struct qkv_out *of; /* (count,) */
	size_t count;
};

enum { QKV_CELL_TEXT = 16 }; /* bytes of a weight and of what separates it, at most */

/* has at least count of them, each with room for so many bytes, for numbers as like has them */
int qkv_outs_reserve(
	struct qkv_outs *o, size_t count, size_t room, const struct qkv_out *like, struct qkv_err *e);
void qkv_outs_close(struct qkv_outs *o);

#endif

/* The output formats: which one is meant, what it can do, and the consumer that writes it. */
#ifndef QKV_CLI_FORMAT_H
#define QKV_CLI_FORMAT_H

#include "cli/opt.h"

/* what the consumers of all formats are made with */
struct qkv_show {
	struct qkv_write_options write;
	struct qkv_draw_options draw;
	struct qkv_notes *notes;
};

/* the format that -f, the ending of -o or neither says; 0, or -1 where the name or an option does not go with it */
int qkv_format_choose(const struct qkv_format **f, const struct qkv_options *o, struct qkv_err *e);

/* the consumer that writes f to s, borrowed */
int qkv_format_make(struct qkv_consumer **c, const struct qkv_format *f, struct qkv_sink *s,
	const struct qkv_show *show, struct qkv_err *e);

/* whether a file of the format holds several documents under these options */
int qkv_format_holds_docs(const struct qkv_format *f, const struct qkv_options *o);

/* whether sums of columns are written or drawn */
int qkv_format_shows_col_sums(const struct qkv_format *f, const struct qkv_options *o);

/* what the options say to the consumers */
struct qkv_show qkv_format_show(const struct qkv_options *o, struct qkv_notes *notes);

#endif

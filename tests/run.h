/* For tests of the whole path: a text in, the text of a writer out. */
#ifndef QKV_TESTS_RUN_H
#define QKV_TESTS_RUN_H

#include "qkv.h"

#include "base/mem.h"
#include "base/sink.h"

#include <string.h>

typedef int
qkv_writer(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o, struct qkv_err *e);

struct run {
	struct qkv_settings settings;
	struct qkv_attend_options attend;
	struct qkv_write_options write;
	qkv_writer *writer;       /* NULL: JSON */
	const char *const *files; /* (6,): keys and files that join the text, up to NULL; NULL: none */
	struct qkv_notes notes;
	struct qkv_err err;
	struct qkv_memory_sink out; /* what was written, NUL-terminated if all went well */
};

/* opens text, NULL: no document, with the files beside it; what there is of a reader is to be freed in any case */
static inline int
run_open(struct qkv_reader **reader, struct run *r, const char *text, size_t size)
{
	if (text ? qkv_reader_open_text(reader, "in.json", text, size, &r->err)
		 : qkv_reader_open(reader, NULL, &r->err))
		return -1;
	for (size_t i = 0; r->files && i < 6 && r->files[i]; i += 2)
		if (qkv_reader_attach(*reader, r->files[i], r->files[i + 1], &r->err))
			return -1;
	return 0;
}

/* runs every document of text through attend and the writer into r->out (limit bytes at most); 0 or -1 */
static inline int
run_bytes(struct run *r, const char *text, size_t size, size_t limit)
{
	struct qkv_reader *reader = NULL;
	struct qkv_consumer *c = NULL;
	int got = -1;

	qkv_memory_sink_init(&r->out, limit);
	if (run_open(&reader, r, text, size) ||
		(r->writer ? r->writer : qkv_json_new)(&c, &r->out.sink, &r->write, &r->err))
		goto end;
	for (;;) {
		struct qkv_problem *p = NULL;
		struct qkv_attend *a = NULL;
		int failed;

		got = qkv_reader_next(&p, reader, &r->settings, &r->notes, &r->err);
		if (got <= 0)
			break;
		failed = qkv_attend_open(&a, p, &r->attend, &r->err) ||
			qkv_attend_run(a, c, &r->notes, &r->err);
		qkv_attend_free(a);
		qkv_problem_free(p);
		if (failed) {
			got = -1;
			break;
		}
	}
	if (!got)
		got = r->out.sink.write(&r->out.sink, "", limit == (size_t)-1, &r->err);
end:
	if (c)
		c->free(c);
	qkv_reader_free(reader);
	return got;
}

static inline int
run_text(struct run *r, const char *text)
{
	return run_bytes(r, text, text ? strlen(text) : 0, (size_t)-1);
}

static inline void
run_free(struct run *r)
{
	qkv_memory_sink_free(&r->out);
}

#endif

/* The documents of an input one after another: one, or several that each begin on a new line. */
#include "load/problem.h"

#include "base/mem.h"

#include <string.h>

struct qkv_reader {
	struct qkv_text text;
	size_t at;    /* of what has not been read */
	size_t index; /* of the next document */
};

/* whether the text is in another encoding than UTF-8, by its byte order mark or by NUL bytes */
static const char *
foreign(const struct qkv_text *t)
{
	const char *d = t->data;

	if (t->size >= 2 && (!memcmp(d, "\xFF\xFE", 2) || !memcmp(d, "\xFE\xFF", 2) || (!d[0] != !d[1])))
		return "UTF-16";
	return NULL;
}

/* skips white space; whether a line ended in it */
static int
space(struct qkv_reader *r)
{
	int lines = 0;

	for (; r->at < r->text.size && strchr(" \n\t\r", r->text.data[r->at]) && r->text.data[r->at]; r->at++)
		lines += r->text.data[r->at] == '\n';
	return lines;
}

static int
begin(struct qkv_reader *r, struct qkv_err *e)
{
	const char *encoding = foreign(&r->text);

	if (encoding)
		return qkv_text_fail(&r->text, 0, e, "text in %s, expected UTF-8", encoding);
	if (r->text.size >= 3 && !memcmp(r->text.data, "\xEF\xBB\xBF", 3))
		r->at = 3;
	space(r);
	if (r->at == r->text.size)
		return qkv_text_fail(&r->text, r->at, e, "empty input, expected a problem in JSON");
	return 0;
}

static int
opened(struct qkv_reader **out, struct qkv_reader *r, int failed, struct qkv_err *e)
{
	if (!failed && begin(r, e)) {
		qkv_text_close(&r->text);
		failed = -1;
	}
	if (failed)
		qkv_mem_free(r);
	else
		*out = r;
	return failed;
}

int
qkv_reader_open(struct qkv_reader **out, const char *path, struct qkv_err *e)
{
	struct qkv_reader *r = qkv_mem_new(1, sizeof *r, e);

	return r ? opened(out, r, qkv_text_open(&r->text, path, e), e) : -1;
}

int
qkv_reader_open_text(
	struct qkv_reader **out, const char *name, const char *text, size_t size, struct qkv_err *e)
{
	struct qkv_reader *r = qkv_mem_new(1, sizeof *r, e);

	return r ? opened(out, r, qkv_text_borrow(&r->text, name, text, size, e), e) : -1;
}

int
qkv_reader_more(const struct qkv_reader *r)
{
	return r->at < r->text.size;
}

int
qkv_reader_next(struct qkv_problem **p, struct qkv_reader *r, const struct qkv_settings *s,
	struct qkv_notes *notes, struct qkv_err *e)
{
	struct qkv_problem *read;
	int lines;

	if (!qkv_reader_more(r))
		return 0;
	if (qkv_problem_read(&read, &r->at, &r->text, r->index, s, notes, e))
		return -1;
	lines = space(r);
	if (qkv_reader_more(r) && (!lines || r->text.data[r->at] != '{')) {
		qkv_problem_free(read);
		return qkv_text_fail(&r->text, r->at, e,
			"text after the document, expected nothing, or another that begins with "
			"'{' on a new line");
	}
	r->index++;
	*p = read;
	return 1;
}

void
qkv_reader_free(struct qkv_reader *r)
{
	if (!r)
		return;
	qkv_text_close(&r->text);
	qkv_mem_free(r);
}

/*
 * The documents of an input one after another: one, or several that each begin on a new line; or a single empty one
 * where there is no input but attached files.
 */
#include "load/problem.h"

#include "base/mem.h"
#include "load/npy.h"

#include <string.h>

struct qkv_reader {
	struct qkv_text text;
	size_t at;    /* of what has not been read */
	size_t index; /* of the next document */
	struct qkv_arena arena;
	struct qkv_attached *attached;
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

/* an empty document, which messages call name */
static int
open_nothing(struct qkv_text *t, const char *name, struct qkv_err *e)
{
	int failed = qkv_text_borrow(t, name, "{}", 2, e);

	t->no_lines = 1;
	return failed;
}

int
qkv_reader_open(struct qkv_reader **out, const char *path, struct qkv_err *e)
{
	struct qkv_reader *r = qkv_mem_new(1, sizeof *r, e);

	if (r && !path)
		return opened(out, r, open_nothing(&r->text, "no document", e), e);
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
qkv_reader_attach(struct qkv_reader *r, const char *key, const char *path, struct qkv_err *e)
{
	struct qkv_attached *a = qkv_arena_new(&r->arena, 1, sizeof *a, e), **last = &r->attached;

	if (!a || !(a->key = qkv_arena_copy(&r->arena, key, strlen(key), e)) ||
		qkv_text_open(&a->text, path, e))
		return -1;
	while (*last)
		last = &(*last)->next;
	*last = a;
	/* without a document, the first file gives its name to what is wrong with all of them together */
	if (r->text.no_lines && last == &r->attached) {
		qkv_text_close(&r->text);
		if (open_nothing(&r->text, a->text.name, e))
			return -1;
	}
	if (!strcmp(key, "tokens"))
		return qkv_tokens_read(&a->tokens, &a->num_tokens, &a->text, &r->arena, e);
	a->text.no_lines = 1;
	return qkv_npy_read(&a->tensor, &a->text, &r->arena, e);
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
	if (qkv_problem_read(&read, &r->at, &r->text, r->index, r->attached, s, notes, e))
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
	for (struct qkv_attached *a = r->attached; a; a = a->next)
		qkv_text_close(&a->text);
	qkv_arena_free(&r->arena);
	qkv_text_close(&r->text);
	qkv_mem_free(r);
}

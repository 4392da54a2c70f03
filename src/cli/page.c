/*
 * Output files of one run that end side by side.
 *
 * A picture has most of its work when it ends. Such pages wait for each other, and end on a thread each; meanwhile what
 * they write stays in memory, since only one file is written at a time.
 */
#include "cli/page.h"

#include "base/mem.h"

static int
write_page(struct qkv_sink *s, const void *data, size_t size, struct qkv_err *e)
{
	struct qkv_page *p = (struct qkv_page *)s;

	if (p->waits)
		return p->text.sink.write(&p->text.sink, data, size, e);
	if (!p->file && qkv_files_add(&p->file, p->files, p->name, e))
		return -1;
	return p->file->write(p->file, data, size, e);
}

struct qkv_page *
qkv_page_new(struct qkv_files *files, size_t room, struct qkv_err *e)
{
	struct qkv_page *p = qkv_mem_new(1, sizeof *p + room + 1, e);

	if (!p)
		return NULL;
	p->sink.write = write_page;
	p->files = files;
	qkv_memory_sink_init(&p->text, (size_t)-1);
	return p;
}

static int
end_doc(struct qkv_page *p, struct qkv_err *e)
{
	int in_doc = p->in_doc;

	p->in_doc = 0;
	return in_doc ? p->inner->doc_end(p->inner, e) : 0;
}

int
qkv_page_end(struct qkv_page *p, struct qkv_notes *notes, struct qkv_err *e)
{
	int failed = end_doc(p, e);

	qkv_notes_join(notes, &p->notes);
	p->notes = (struct qkv_notes){0};
	return failed;
}

void
qkv_page_free(struct qkv_page *p)
{
	if (!p)
		return;
	if (p->inner)
		p->inner->free(p->inner);
	qkv_memory_sink_free(&p->text);
	qkv_mem_free(p);
}

static void
end_waiting(void *arg, size_t index, size_t worker)
{
	struct qkv_page *p = ((struct qkv_pages *)arg)->waiting[index];

	(void)worker;
	p->err.status = QKV_OK;
	end_doc(p, &p->err);
}

/* writes what a page that waited has made */
static int
flush(struct qkv_page *p, struct qkv_err *e)
{
	if (p->err.status != QKV_OK) {
		*e = p->err;
		return -1;
	}
	p->waits = 0;
	return write_page(&p->sink, p->text.data, p->text.size, e);
}

int
qkv_pages_end(struct qkv_pages *pages, struct qkv_notes *notes, struct qkv_err *e)
{
	int failed = 0;

	if (pages->count)
		qkv_pool_run(pages->pool, pages->count, end_waiting, pages);
	for (size_t i = 0; i < pages->count; i++) {
		struct qkv_page *p = pages->waiting[i];

		failed = failed || flush(p, e);
		qkv_notes_join(notes, &p->notes);
		qkv_page_free(p);
	}
	pages->count = 0;
	return failed ? -1 : 0;
}

int
qkv_pages_take(struct qkv_pages *pages, struct qkv_page *p, struct qkv_notes *notes, struct qkv_err *e)
{
	int failed;

	if (p->waits) {
		pages->waiting[pages->count++] = p;
		return pages->count < QKV_PAGES_WAITING && pages->count < qkv_pool_size(pages->pool)
			? 0
			: qkv_pages_end(pages, notes, e);
	}
	failed = qkv_pages_end(pages, notes, e) || qkv_page_end(p, notes, e);
	qkv_page_free(p);
	return failed ? -1 : 0;
}

void
qkv_pages_free(struct qkv_pages *pages)
{
	for (size_t i = 0; i < pages->count; i++)
		qkv_page_free(pages->waiting[i]);
	qkv_pool_free(pages->pool);
}

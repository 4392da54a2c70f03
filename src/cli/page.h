/* Output files of one run that end side by side. */
#ifndef QKV_CLI_PAGE_H
#define QKV_CLI_PAGE_H

#include "base/pool.h"
#include "base/sink.h"

/* an output file: what is written to it, and what of the document it shows */
struct qkv_page {
	struct qkv_sink sink; /* of inner; opens the file when something is written */
	struct qkv_files *files;
	struct qkv_sink *file; /* NULL: not open yet */
	struct qkv_consumer *inner;
	struct qkv_doc doc;
	struct qkv_notes notes; /* of inner */
	int in_doc;             /* inner has begun a document that it has not ended */
	int waits;              /* what is written stays in text until it is its turn */
	size_t cells;           /* that it holds */
	struct qkv_memory_sink text;
	struct qkv_err err; /* why it failed to end */
	char name[];        /* of the file */
};

/* a page whose name has room for so many characters */
struct qkv_page *qkv_page_new(struct qkv_files *files, size_t room, struct qkv_err *e);

/* ends the document, if it has begun; notes get what it noted */
int qkv_page_end(struct qkv_page *p, struct qkv_notes *notes, struct qkv_err *e);

void qkv_page_free(struct qkv_page *p);

/* pages that hold their cells while they wait: so many, of no more cells than pictures have unless asked to */
enum { QKV_PAGES_WAITING = 8, QKV_PAGE_CELLS = 2048 * 2048 };

struct qkv_pages {
	struct qkv_pool *pool; /* NULL: none shall wait */
	struct qkv_page *waiting[QKV_PAGES_WAITING];
	size_t count;
};

/* takes p: ends and frees it, or lets it wait until there is one for each worker; then all end, each on a thread, and
 * are written and freed in order */
int qkv_pages_take(struct qkv_pages *pages, struct qkv_page *p, struct qkv_notes *notes, struct qkv_err *e);

/* the same with those that wait */
int qkv_pages_end(struct qkv_pages *pages, struct qkv_notes *notes, struct qkv_err *e);

void qkv_pages_free(struct qkv_pages *pages);

#endif

/*
 * Which file does a matrix go to?
 *
 * Matrices come in order, so those of one file are consecutive. Where the expanded name
 * changes, the consumer of the last file ends its document, and a new one begins its own:
 * the same document, with the counts of what that file will show.
 */
#include "cli/output.h"

#include "base/mem.h"
#include "cli/page.h"

#include <stdio.h>
#include <string.h>

#define INDEX_MAX 24 /* characters of an index */

static const struct field {
	const char *name; /* without braces */
	enum qkv_field bit;
} fields[] = {
	{"doc", QKV_FIELD_DOC},
	{"layer", QKV_FIELD_LAYER},
	{"head", QKV_FIELD_HEAD},
};

enum { FIELDS = sizeof fields / sizeof *fields };

struct output {
	struct qkv_consumer base;
	struct qkv_output to;
	struct qkv_page *page; /* takes what comes; NULL: none yet */
	struct qkv_pages pages;
	const struct qkv_doc *doc;
	struct qkv_matrix matrix; /* as the inner consumer sees it */
};

/* the field whose name stands at p, up to a brace, or NULL */
static const struct field *
find_field(const char *p)
{
	for (size_t i = 0; i < FIELDS; i++) {
		size_t n = strlen(fields[i].name);

		if (!strncmp(p, fields[i].name, n) && p[n] == '}')
			return &fields[i];
	}
	return NULL;
}

int
qkv_output_fields(unsigned *found, const char *name, struct qkv_err *e)
{
	*found = 0;
	for (const char *p = name; *p; p++) {
		const struct field *f;

		if (*p != '{' && *p != '}')
			continue;
		if (p[1] == *p) {
			p++;
			continue;
		}
		f = *p == '{' ? find_field(p + 1) : NULL;
		if (!f)
			return qkv_fail(e, QKV_EUSAGE,
				"--output: '%s' has a wrong field at '%s', expected {doc}, {layer} or "
				"{head}, "
				"or {{ and }} for braces",
				name, p);
		*found |= f->bit;
		p += strlen(f->name) + 1;
	}
	return 0;
}

/* writes an index with zeros to the width of limit - 1; its length */
static size_t
write_index(char *out, size_t index, size_t limit)
{
	int width = snprintf(NULL, 0, "%zu", limit ? limit - 1 : 0);

	return (size_t)snprintf(out, INDEX_MAX, "%0*zu", width, index);
}

static size_t
write_field(char *out, enum qkv_field field, const struct qkv_doc *doc, size_t layer, size_t head)
{
	if (field == QKV_FIELD_DOC)
		return write_index(out, doc->index, 1);
	if (field == QKV_FIELD_LAYER)
		return write_index(out, layer, doc->num_layers);
	if (head == QKV_MEAN || head == QKV_NONE)
		return (size_t)snprintf(out, INDEX_MAX, "%s", head == QKV_MEAN ? "mean" : "output");
	return write_index(out, head, doc->head_limit);
}

/* the name of a matrix's file into out, where a field may take INDEX_MAX characters */
static void
expand(char *out, const struct qkv_output *to, const struct qkv_doc *doc, size_t layer, size_t head)
{
	for (const char *p = to->name; *p; p++) {
		const struct field *f = *p == '{' && to->fields ? find_field(p + 1) : NULL;

		if (f) {
			out += write_field(out, f->bit, doc, layer, head);
			p += strlen(f->name) + 1;
			continue;
		}
		*out++ = *p;
		if (*p == '{' || *p == '}')
			p++;
	}
	*out = 0;
}

/* begins the document on a page that shows the matrices of one head, one layer, or all */
static int
page_begin(struct qkv_page *p, const struct output *o, size_t layer, size_t head, struct qkv_err *e)
{
	p->doc = *o->doc;
	if (o->to.fields & (QKV_FIELD_LAYER | QKV_FIELD_HEAD)) {
		while (p->doc.shown->layer != layer)
			p->doc.shown++;
		p->doc.shown_layers = 1;
		p->doc.shown_heads = p->doc.shown->matrices;
	}
	if (o->to.fields & QKV_FIELD_HEAD) {
		unsigned stages = o->to.stages & ~(1u << QKV_OUTPUT);

		p->doc.shown_heads = head == QKV_NONE;
		for (; stages && head != QKV_NONE; stages &= stages - 1)
			p->doc.shown_heads++;
	}
	p->in_doc = 1;
	return p->inner->doc_begin(p->inner, &p->doc, e);
}

/* is done with the page, if there is one */
static int
finish(struct output *o, struct qkv_err *e)
{
	struct qkv_page *p = o->page;

	o->page = NULL;
	return p ? qkv_pages_take(&o->pages, p, o->to.show.notes, e) : 0;
}

/* turns to the page that a matrix belongs to */
static int
turn_to(struct output *o, size_t layer, size_t head, struct qkv_err *e)
{
	size_t room = strlen(o->to.name);
	struct qkv_show show = o->to.show;
	struct qkv_page *p;

	for (const char *brace = o->to.name; (brace = strchr(brace, '{')) != NULL; brace++)
		room += INDEX_MAX;
	p = qkv_page_new(o->to.files, room, e);
	if (!p)
		return -1;
	p->waits = o->pages.pool && qkv_pool_size(o->pages.pool) > 1;
	show.notes = &p->notes;
	expand(p->name, &o->to, o->doc, layer, head);
	if (o->page && !strcmp(p->name, o->page->name)) {
		qkv_page_free(p);
		return o->page->in_doc ? 0 : page_begin(o->page, o, layer, head, e);
	}
	if (finish(o, e) || qkv_format_make(&p->inner, o->to.format, &p->sink, &show, e)) {
		qkv_page_free(p);
		return -1;
	}
	o->page = p;
	return page_begin(p, o, layer, head, e);
}

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct output *o = (struct output *)c;

	o->doc = doc;
	if ((o->to.fields & (QKV_FIELD_LAYER | QKV_FIELD_HEAD)) == QKV_FIELD_HEAD && doc->shown_layers > 1)
		return qkv_fail(e, QKV_EINPUT,
			"--output: '%s' would be written once for each of %zu layers, expected {layer} in it",
			o->to.name, doc->shown_layers);
	return 0;
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct output *o = (struct output *)c;

	if (turn_to(o, m->layer, m->head, e))
		return -1;
	o->matrix = *m;
	o->matrix.doc = &o->page->doc;
	o->page->cells += m->rows * m->cols;
	o->page->waits &= o->page->cells <= QKV_PAGE_CELLS;
	return o->page->inner->matrix_begin(o->page->inner, &o->matrix, e);
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct output *o = (struct output *)c;
	struct qkv_block block = *b;

	block.matrix = &o->matrix;
	return o->page->inner->rows(o->page->inner, &block, e);
}

static void
ahead(struct qkv_consumer *c, const struct qkv_block *b)
{
	struct output *o = (struct output *)c;
	struct qkv_block block = *b;

	block.matrix = &o->matrix;
	if (o->page->inner->ahead)
		o->page->inner->ahead(o->page->inner, &block);
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct output *o = (struct output *)c;

	return o->page->inner->matrix_end(o->page->inner, col_sums, e);
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	struct output *o = (struct output *)c;

	/* one file without fields goes on with the next document */
	if (!o->to.fields && o->page)
		return qkv_page_end(o->page, o->to.show.notes, e);
	return finish(o, e) || qkv_pages_end(&o->pages, o->to.show.notes, e) ? -1 : 0;
}

static void
output_free(struct qkv_consumer *c)
{
	struct output *o = (struct output *)c;

	if (!o)
		return;
	qkv_page_free(o->page);
	qkv_pages_free(&o->pages);
	qkv_mem_free(o);
}

int
qkv_output_new(struct qkv_consumer **c, const struct qkv_output *output, struct qkv_err *e)
{
	struct output *o = qkv_mem_new(1, sizeof *o, e);

	*c = &o->base;
	if (!o)
		return -1;
	o->base = (struct qkv_consumer){
		.wants = output->format->traits & QKV_TRAIT_PICTURE ? QKV_WANTS_HIDDEN : 0,
		.doc_begin = doc_begin,
		.matrix_begin = matrix_begin,
		.rows = rows,
		.matrix_end = matrix_end,
		.doc_end = doc_end,
		.free = output_free,
		.ahead = ahead};
	o->to = *output;
	/* where there may be several pictures */
	return output->format->traits & QKV_TRAIT_PICTURE &&
			output->fields & (QKV_FIELD_LAYER | QKV_FIELD_HEAD)
		? qkv_pool_new(&o->pages.pool, output->threads, e)
		: 0;
}

/*
 * NPY 1.0, as the documentation of numpy.lib.format describes it: a header that Python can read, padded with spaces
 * so that the elements begin at a multiple of 64 bytes, and the elements, float32 little-endian in C order.
 *
 * The axes are heads x rows x columns, or layers x heads x rows x columns where the input has layers, in a file of
 * one head or layer too: so their number depends on the input alone.
 */
#include "write/out.h"

#include "base/mem.h"
#include "load/dtype.h"

#include <stdio.h>
#include <string.h>

enum { PREFIX = 10, ALIGN = 64 }; /* bytes before the header; what the elements are aligned to */

struct npy {
	struct qkv_consumer consumer;
	struct qkv_out out;
	const struct qkv_doc *doc;
	int begun; /* the header is written */
};

/* refuses layers that are no array together */
static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct npy *w = (struct npy *)c;
	const struct qkv_shown *first = doc->shown;

	for (const struct qkv_shown *l = first; l < first + doc->shown_layers; l++)
		if (l->matrices != first->matrices || l->cols != first->cols)
			return qkv_fail(e, QKV_EINPUT,
				"layer %zu shows %zu matrices of %zu columns, layer %zu shows %zu of %zu, "
				"expected the same of all layers in an array, or {layer} in -o FILE",
				first->layer, first->matrices, first->cols, l->layer, l->matrices, l->cols);
	w->doc = doc;
	w->begun = 0;
	return 0;
}

static void
write_header(struct npy *w, const struct qkv_matrix *m)
{
	char text[4 * ALIGN], layers[32] = "";
	size_t length;

	if (w->doc->has_layers)
		snprintf(layers, sizeof layers, "%zu, ", w->doc->shown_layers);
	length = (size_t)snprintf(text, sizeof text,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (%s%zu, %zu, %zu), }", layers,
		w->doc->shown_heads, m->rows, m->cols);
	while ((PREFIX + length + 1) % ALIGN)
		text[length++] = ' ';
	text[length++] = '\n';
	qkv_out_bytes(&w->out, "\x93NUMPY\x01\x00", 8);
	qkv_out_char(&w->out, (char)(length & 0xFF));
	qkv_out_char(&w->out, (char)(length >> 8));
	qkv_out_bytes(&w->out, text, length);
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct npy *w = (struct npy *)c;

	if (!w->begun)
		write_header(w, m);
	w->begun = 1;
	return qkv_out_check(&w->out, e);
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct npy *w = (struct npy *)c;
	size_t rows_at_once = b->stride == b->matrix->cols ? b->rows : 1;

	for (size_t i = 0; i < b->rows; i += rows_at_once)
		qkv_out_bytes(&w->out, (const char *)(b->data + i * b->stride),
			rows_at_once * b->matrix->cols * sizeof *b->data);
	return qkv_out_check(&w->out, e);
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	(void)col_sums;
	return qkv_out_check(&((struct npy *)c)->out, e);
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	return qkv_out_flush(&((struct npy *)c)->out, e);
}

static void
close(struct qkv_consumer *c)
{
	struct npy *w = (struct npy *)c;

	if (!w)
		return;
	qkv_out_close(&w->out);
	qkv_mem_free(w);
}

int
qkv_npy_new(struct qkv_consumer **c, struct qkv_sink *s, struct qkv_err *e)
{
	struct npy *w = qkv_mem_new(1, sizeof *w, e);

	if (!w)
		return -1;
	w->consumer =
		(struct qkv_consumer){0, doc_begin, matrix_begin, rows, matrix_end, doc_end, close, NULL};
	if (qkv_out_open(&w->out, s, NULL, NULL, e)) {
		qkv_mem_free(w);
		return -1;
	}
	*c = &w->consumer;
	return 0;
}

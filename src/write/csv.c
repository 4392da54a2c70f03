/*
 * CSV as of RFC 4180 (with LF), and TSV with backslash escapes.
 *
 * Wide: layer,head,query,token,KEY...,row_sum; a line a query, and after each head of alpha a margin line with the
 * column sums and their total. Long: doc,layer,head,query,key,query_token,key_token,alpha; a line a cell.
 */
#include "write/out.h"

#include "base/mem.h"

#include <string.h>

enum { AT_ONCE = 64 }; /* numbers of a long table */

struct csv {
	struct qkv_consumer consumer;
	struct qkv_write_options options;
	struct qkv_number_style style;
	struct qkv_out out;
	struct qkv_outs slots; /* rows of blocks before their turn */
	const struct qkv_doc *doc;
	const struct qkv_matrix *m;
	const char *const *labels; /* of the rows */
	const size_t *index;       /* of the rows; NULL: 0, 1, ... */
	char comma;
	int begun; /* something has been written */
};

/* whether a reader could take a plain field for something else */
static int
needs_quotes(const char *text)
{
	return strpbrk(text, ",\"\r\n") || !text[strspn(text, " ")];
}

static void
quoted(struct qkv_out *o, const char *text)
{
	qkv_out_char(o, '"');
	for (; *text; text++) {
		if (*text == '"')
			qkv_out_char(o, '"');
		qkv_out_char(o, *text);
	}
	qkv_out_char(o, '"');
}

/* with the backslash escapes of TSV */
static void
escaped(struct qkv_out *o, const char *text)
{
	static const char plain[] = "\t\n\r\\", letters[] = "tnr\\";

	for (; *text; text++) {
		const char *at = strchr(plain, *text);

		if (at)
			qkv_out_char(o, '\\');
		qkv_out_char(o, at ? letters[at - plain] : *text);
	}
}

static void
label(const struct csv *w, struct qkv_out *o, const char *text)
{
	if (w->options.tsv)
		escaped(o, text);
	else if (needs_quotes(text))
		quoted(o, text);
	else
		qkv_out_text(o, text);
}

static void
head_name(struct qkv_out *o, size_t head)
{
	if (head == QKV_MEAN)
		qkv_out_text(o, "mean");
	else if (head != QKV_NONE)
		qkv_out_count(o, head);
}

/* what number i of those shown is called */
static size_t
called(const size_t *index, size_t i)
{
	return index ? index[i] : i;
}

static int
has_sums(const struct csv *w)
{
	return w->m->stage == QKV_ALPHA && !w->options.bare;
}

static int
is_by_key(const struct qkv_matrix *m)
{
	return m->stage >= QKV_SCORES && m->stage <= QKV_ALPHA;
}

/* joins the words by the separator */
static void
words(struct csv *w, const char *const *list)
{
	for (; *list; list++) {
		qkv_out_text(&w->out, *list);
		if (list[1])
			qkv_out_char(&w->out, w->comma);
	}
}

static void
header(struct csv *w)
{
	static const char *const of_cells[] = {
		"doc", "layer", "head", "query", "key", "query_token", "key_token", NULL};
	static const char *const of_queries[] = {"layer", "head", "query", "token", NULL};
	static const char *const of_keys[] = {"layer", "head", "key", "token", NULL};
	const struct qkv_matrix *m = w->m;

	if (w->options.layout_long) {
		words(w, of_cells);
		qkv_out_char(&w->out, w->comma);
		qkv_out_text(&w->out, qkv_stage_names[m->stage]);
		qkv_out_char(&w->out, '\n');
		return;
	}
	words(w, m->stage == QKV_K || m->stage == QKV_V ? of_keys : of_queries);
	for (size_t j = 0; j < m->cols; j++) {
		qkv_out_char(&w->out, w->comma);
		if (is_by_key(m) && w->options.header == QKV_HEADER_LABELS) {
			label(w, &w->out, w->doc->key_tokens[j]);
			continue;
		}
		if (is_by_key(m))
			qkv_out_char(&w->out, 'k');
		qkv_out_count(&w->out, is_by_key(m) ? called(w->doc->key_index, j) : j);
	}
	if (has_sums(w) && !w->options.no_row_sums) {
		qkv_out_char(&w->out, w->comma);
		qkv_out_text(&w->out, "row_sum");
	}
	qkv_out_char(&w->out, '\n');
}

/* layer,head, of the matrix */
static void
prefix(const struct csv *w, struct qkv_out *o)
{
	qkv_out_count(o, w->m->layer);
	qkv_out_char(o, w->comma);
	head_name(o, w->m->head);
	qkv_out_char(o, w->comma);
}

static void
wide_row(const struct csv *w, struct qkv_out *o, const struct qkv_block *b, size_t i)
{
	if (!w->options.bare) {
		prefix(w, o);
		qkv_out_count(o, called(w->index, b->row + i));
		qkv_out_char(o, w->comma);
		label(w, o, w->labels[b->row + i]);
		qkv_out_char(o, w->comma);
	}
	qkv_out_floats(o, b->data + i * b->stride, w->m->cols);
	if (has_sums(w) && !w->options.no_row_sums) {
		qkv_out_char(o, w->comma);
		qkv_out_float(o, (float)b->row_sums[i]);
	}
	qkv_out_char(o, '\n');
}

/* what the lines of a row have in common is made for the first */
static void
long_row(const struct csv *w, struct qkv_out *o, const struct qkv_block *b, size_t i)
{
	char numbers[AT_ONCE * QKV_NUMBER_MAX], *number = numbers;
	size_t row = o->used, token = 0, row_size = 0, token_size = 0;

	for (size_t j = 0; j < w->m->cols; j++) {
		size_t left = w->m->cols - j, length;

		if (j % AT_ONCE == 0) {
			number = numbers;
			o->kern->write(numbers, b->data + i * b->stride + j, left < AT_ONCE ? left : AT_ONCE,
				o->style);
		}
		length = (size_t)((char *)memchr(number, '\n', QKV_NUMBER_MAX) + 1 - number);
		if (j) {
			qkv_out_again(o, row, row_size);
		} else {
			qkv_out_count(o, w->doc->index);
			qkv_out_char(o, w->comma);
			prefix(w, o);
			qkv_out_count(o, called(w->index, b->row + i));
			qkv_out_char(o, w->comma);
			row_size = o->used - row;
		}
		qkv_out_count(o, called(w->doc->key_index, j));
		qkv_out_char(o, w->comma);
		if (j) {
			qkv_out_again(o, token, token_size);
		} else {
			token = o->used;
			label(w, o, w->labels[b->row + i]);
			qkv_out_char(o, w->comma);
			token_size = o->used - token;
		}
		label(w, o, w->doc->key_tokens[j]);
		qkv_out_char(o, w->comma);
		qkv_out_bytes(o, number, length);
		number += length;
	}
}

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct csv *w = (struct csv *)c;

	if (w->doc && !w->options.layout_long)
		return qkv_fail(e, QKV_EINPUT, "a second document for a wide table, expected one");
	w->doc = doc;
	return qkv_outs_reserve(&w->slots, doc->slots, doc->slot_rows * doc->n_k * QKV_CELL_TEXT, &w->out, e);
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct csv *w = (struct csv *)c;
	int heads = w->options.header != QKV_HEADER_NONE && !w->options.bare;
	int keys = m->stage == QKV_K || m->stage == QKV_V;

	if (w->options.layout_long && !is_by_key(m))
		return qkv_fail(e, QKV_EUSAGE, "stage %s has no keys for a long table, expected a wide one",
			qkv_stage_names[m->stage]);
	w->m = m;
	w->labels = keys ? w->doc->key_tokens : w->doc->query_tokens;
	w->index = keys ? w->doc->key_index : w->doc->query_index;
	if (!w->begun && w->options.bom)
		qkv_out_text(&w->out, "\xEF\xBB\xBF");
	if (!w->begun && heads)
		header(w);
	w->begun = 1;
	return qkv_out_check(&w->out, e);
}

static void
ahead(struct qkv_consumer *c, const struct qkv_block *b)
{
	struct csv *w = (struct csv *)c;

	for (size_t i = 0; i < b->rows; i++) {
		if (w->options.layout_long)
			long_row(w, &w->slots.of[b->slot], b, i);
		else
			wide_row(w, &w->slots.of[b->slot], b, i);
	}
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct csv *w = (struct csv *)c;

	qkv_out_move(&w->out, &w->slots.of[b->slot]);
	return qkv_out_check(&w->out, e);
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct csv *w = (struct csv *)c;

	if (w->options.layout_long || !has_sums(w) || w->options.no_col_sums || !col_sums)
		return 0;
	prefix(w, &w->out);
	qkv_out_char(&w->out, w->comma);
	qkv_out_text(&w->out, "col_sum");
	qkv_out_char(&w->out, w->comma);
	qkv_out_doubles(&w->out, col_sums, w->m->cols + !w->options.no_row_sums);
	qkv_out_char(&w->out, '\n');
	return qkv_out_check(&w->out, e);
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	return qkv_out_flush(&((struct csv *)c)->out, e);
}

static void
close(struct qkv_consumer *c)
{
	struct csv *w = (struct csv *)c;

	if (!w)
		return;
	qkv_out_close(&w->out);
	qkv_outs_close(&w->slots);
	qkv_mem_free(w);
}

int
qkv_csv_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o, struct qkv_err *e)
{
	struct csv *w = qkv_mem_new(1, sizeof *w, e);
	const struct qkv_kern *kern;

	if (!w)
		return -1;
	w->consumer =
		(struct qkv_consumer){0, doc_begin, matrix_begin, rows, matrix_end, doc_end, close, ahead};
	w->options = *o;
	w->comma = o->tsv ? '\t' : ',';
	qkv_number_style_set(&w->style, o->precision, 0, o->layout_long ? '\n' : w->comma);
	if (qkv_kern_choose(&kern, o->isa, e) || qkv_out_open(&w->out, s, kern, &w->style, e)) {
		qkv_mem_free(w);
		return -1;
	}
	*c = &w->consumer;
	return 0;
}

/*
 * JSON, one compact line a document (or a head):
 *
 *     {"qkv":1,"doc":0,"query_tokens":[...],...,"heads":[{"layer":0,"head":0,...,"alpha":[[...]],"row_sums":[...],
 *     "col_sums":[...]}]}
 *
 * Stages of the same head stand in one entry, under their names; a value that is not finite is null.
 */
#include "write/out.h"

#include "base/mem.h"

#include <string.h>

struct json {
	struct qkv_consumer consumer;
	struct qkv_write_options options;
	struct qkv_number_style style;
	struct qkv_out out;
	struct qkv_outs slots; /* rows of blocks before their turn */
	const struct qkv_doc *doc;
	struct qkv_matrix m; /* the one being written; rows 0: none yet */
	int in_entry, entries;
	double *row_sums; /* (n_q,) */
};

static void
string(struct json *w, const char *text)
{
	static const char hex[] = "0123456789ABCDEF", plain[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";

	qkv_out_char(&w->out, '"');
	for (; *text; text++) {
		const char *at = strchr(plain, *text);

		if (at) {
			qkv_out_char(&w->out, '\\');
			qkv_out_char(&w->out, letters[at - plain]);
		} else if ((unsigned char)*text < ' ') {
			qkv_out_text(&w->out, "\\u00");
			qkv_out_char(&w->out, hex[*text >> 4]);
			qkv_out_char(&w->out, hex[*text & 15]);
		} else {
			qkv_out_char(&w->out, *text);
		}
	}
	qkv_out_char(&w->out, '"');
}

static void
strings(struct json *w, const char *key, const char *const *list, size_t count)
{
	qkv_out_text(&w->out, key);
	for (size_t i = 0; i < count; i++) {
		qkv_out_char(&w->out, i ? ',' : '[');
		string(w, list[i]);
	}
	qkv_out_char(&w->out, ']');
}

/* a count, null where it is 0 */
static void
known(struct json *w, const char *key, size_t n)
{
	qkv_out_text(&w->out, key);
	if (n)
		qkv_out_count(&w->out, n);
	else
		qkv_out_text(&w->out, "null");
}

static void
sums(struct json *w, const char *key, const double *x, size_t count)
{
	qkv_out_text(&w->out, key);
	qkv_out_char(&w->out, '[');
	qkv_out_doubles(&w->out, x, count);
	qkv_out_char(&w->out, ']');
}

/* what the tokens shown are called, where some are left out */
static void
indices(struct json *w, const char *key, const size_t *index, size_t count)
{
	if (!index)
		return;
	qkv_out_text(&w->out, key);
	for (size_t i = 0; i < count; i++) {
		qkv_out_char(&w->out, i ? ',' : '[');
		qkv_out_count(&w->out, index[i]);
	}
	qkv_out_char(&w->out, ']');
}

static void
begin_object(struct json *w)
{
	const struct qkv_doc *d = w->doc;

	qkv_out_text(&w->out, "{\"qkv\":1,\"doc\":");
	qkv_out_count(&w->out, d->index);
	strings(w, ",\"query_tokens\":", d->query_tokens, d->n_q);
	strings(w, ",\"key_tokens\":", d->key_tokens, d->n_k);
	indices(w, ",\"query_indices\":", d->query_index, d->n_q);
	indices(w, ",\"key_indices\":", d->key_index, d->n_k);
	known(w, ",\"num_heads\":", d->num_heads);
	known(w, ",\"num_kv_heads\":", d->num_kv_heads);
	qkv_out_text(&w->out, ",\"weight_layout\":");
	if (d->weight_layout)
		string(w, d->weight_layout);
	else
		qkv_out_text(&w->out, "null");
	qkv_out_text(&w->out, ",\"mask_true\":\"attend\",\"heads\":[");
	w->entries = 0;
}

static void
end_object(struct json *w)
{
	qkv_out_text(&w->out, "]}\n");
}

static void
end_entry(struct json *w)
{
	if (!w->in_entry)
		return;
	w->in_entry = 0;
	qkv_out_char(&w->out, '}');
	if (w->options.by_head)
		end_object(w);
}

static void
begin_entry(struct json *w, const struct qkv_matrix *m)
{
	if (w->options.by_head)
		begin_object(w);
	else if (w->entries)
		qkv_out_char(&w->out, ',');
	w->entries++;
	w->in_entry = 1;
	qkv_out_text(&w->out, "{\"layer\":");
	qkv_out_count(&w->out, m->layer);
	if (m->head == QKV_NONE)
		return;
	qkv_out_text(&w->out, ",\"head\":");
	if (m->head == QKV_MEAN)
		qkv_out_text(&w->out, "\"mean\"");
	else
		qkv_out_count(&w->out, m->head);
	known(w, ",\"d_k\":", m->d_k);
	qkv_out_text(&w->out, ",\"scale\":");
	if (m->has_scale)
		qkv_out_float(&w->out, m->scale);
	else
		qkv_out_text(&w->out, "null");
	qkv_out_text(&w->out, ",\"mask\":");
	string(w, m->mask);
}

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct json *w = (struct json *)c;
	double *grown = qkv_mem_resize(w->row_sums, doc->n_q, sizeof *grown, e);

	if (!grown)
		return -1;
	w->row_sums = grown;
	w->doc = doc;
	if (qkv_outs_reserve(&w->slots, doc->slots, doc->slot_rows * doc->n_k * QKV_CELL_TEXT, &w->out, e))
		return -1;
	if (!w->options.by_head)
		begin_object(w);
	return qkv_out_check(&w->out, e);
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct json *w = (struct json *)c;

	if (w->in_entry && (w->m.layer != m->layer || w->m.head != m->head))
		end_entry(w);
	if (!w->in_entry)
		begin_entry(w, m);
	w->m = *m;
	qkv_out_text(&w->out, ",\"");
	qkv_out_text(&w->out, qkv_stage_names[m->stage]);
	qkv_out_text(&w->out, "\":[");
	return qkv_out_check(&w->out, e);
}

static void
ahead(struct qkv_consumer *c, const struct qkv_block *b)
{
	struct json *w = (struct json *)c;
	struct qkv_out *o = &w->slots.of[b->slot];

	for (size_t i = 0; i < b->rows; i++) {
		if (b->row + i)
			qkv_out_char(o, ',');
		qkv_out_char(o, '[');
		qkv_out_floats(o, b->data + i * b->stride, w->m.cols);
		qkv_out_char(o, ']');
		if (b->row_sums)
			w->row_sums[b->row + i] = b->row_sums[i];
	}
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct json *w = (struct json *)c;

	qkv_out_move(&w->out, &w->slots.of[b->slot]);
	return qkv_out_check(&w->out, e);
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct json *w = (struct json *)c;

	qkv_out_char(&w->out, ']');
	if (w->m.stage == QKV_ALPHA && !w->options.no_row_sums)
		sums(w, ",\"row_sums\":", w->row_sums, w->m.rows);
	if (col_sums && !w->options.no_col_sums)
		sums(w, ",\"col_sums\":", col_sums, w->m.cols);
	return qkv_out_check(&w->out, e);
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	struct json *w = (struct json *)c;

	end_entry(w);
	if (!w->options.by_head)
		end_object(w);
	return qkv_out_flush(&w->out, e);
}

static void
close(struct qkv_consumer *c)
{
	struct json *w = (struct json *)c;

	if (!w)
		return;
	qkv_out_close(&w->out);
	qkv_outs_close(&w->slots);
	qkv_mem_free(w->row_sums);
	qkv_mem_free(w);
}

int
qkv_json_new(
	struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o, struct qkv_err *e)
{
	struct json *w = qkv_mem_new(1, sizeof *w, e);
	const struct qkv_kern *kern;

	if (!w)
		return -1;
	w->consumer =
		(struct qkv_consumer){0, doc_begin, matrix_begin, rows, matrix_end, doc_end, close, ahead};
	w->options = *o;
	qkv_number_style_set(&w->style, o->precision, 1, ',');
	if (qkv_kern_choose(&kern, o->isa, e) || qkv_out_open(&w->out, s, kern, &w->style, e)) {
		qkv_mem_free(w);
		return -1;
	}
	*c = &w->consumer;
	return 0;
}

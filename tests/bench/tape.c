/*
 * Alpha of 12 heads of 512 tokens that was computed before, played to a consumer in the blocks in which it came:
 * what is timed is the consumer alone.
 */
#include "bench.h"

#include "base/mem.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum { TOKENS = BENCH_TOKENS, HEADS = BENCH_HEADS, BLOCK = 16, SLOTS = 4 };

struct bench_tape {
	struct qkv_consumer consumer;
	const struct qkv_doc *doc;
	struct qkv_matrix m[HEADS];
	float *data;      /* (HEADS, TOKENS, TOKENS) */
	double *row_sums; /* (HEADS, TOKENS) */
	double *col_sums; /* (HEADS, TOKENS + 1), the total last */
	size_t heads;     /* recorded */
	char *text;       /* what m and doc live in */
	struct qkv_reader *reader;
	struct qkv_problem *problem;
	struct qkv_attend *attend;
};

static int
record_doc(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	(void)e;
	((struct bench_tape *)c)->doc = doc;
	return 0;
}

static int
record_matrix(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct bench_tape *t = (struct bench_tape *)c;

	(void)e;
	t->m[t->heads] = *m;
	return 0;
}

static int
record_rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct bench_tape *t = (struct bench_tape *)c;

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		size_t row = t->heads * TOKENS + b->row + i;

		memcpy(t->data + row * TOKENS, b->data + i * b->stride, TOKENS * sizeof *t->data);
		t->row_sums[row] = b->row_sums[i];
	}
	return 0;
}

static int
record_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct bench_tape *t = (struct bench_tape *)c;

	(void)e;
	memcpy(t->col_sums + t->heads++ * (TOKENS + 1), col_sums, (TOKENS + 1) * sizeof *col_sums);
	return 0;
}

static int
record_nothing(struct qkv_consumer *c, struct qkv_err *e)
{
	(void)c;
	(void)e;
	return 0;
}

struct bench_tape *
bench_tape_open(void)
{
	struct qkv_settings none = {0};
	struct qkv_attend_options o = {.stages = 1u << QKV_ALPHA};
	struct qkv_notes notes = {0};
	struct qkv_err e;
	size_t size, cells = (size_t)HEADS * TOKENS * TOKENS;
	struct bench_tape *t = qkv_mem_new(1, sizeof *t, &e);

	if (!t)
		bench_die("tape", e.text);
	t->consumer = (struct qkv_consumer){.doc_begin = record_doc,
		.matrix_begin = record_matrix,
		.rows = record_rows,
		.matrix_end = record_end,
		.doc_end = record_nothing};
	t->text = bench_document_text("layer-512", &size);
	t->data = qkv_mem_new(cells, sizeof *t->data, &e);
	t->row_sums = qkv_mem_new((size_t)HEADS * TOKENS, sizeof *t->row_sums, &e);
	t->col_sums = qkv_mem_new((size_t)HEADS * (TOKENS + 1), sizeof *t->col_sums, &e);
	if (!t->data || !t->row_sums || !t->col_sums ||
		qkv_reader_open_text(&t->reader, "layer", t->text, size, &e) ||
		qkv_reader_next(&t->problem, t->reader, &none, &notes, &e) != 1 ||
		qkv_attend_open(&t->attend, t->problem, &o, &e) ||
		qkv_attend_run(t->attend, &t->consumer, &notes, &e))
		bench_die("tape", e.text);
	return t;
}

void
bench_tape_close(struct bench_tape *t)
{
	qkv_attend_free(t->attend);
	qkv_problem_free(t->problem);
	qkv_reader_free(t->reader);
	qkv_mem_free(t->data);
	qkv_mem_free(t->row_sums);
	qkv_mem_free(t->col_sums);
	free(t->text);
	qkv_mem_free(t);
}

/* blocks that are handed over one after another when all have been ahead */
struct window {
	struct qkv_consumer *c;
	struct qkv_block blocks[SLOTS];
};

static void
play_ahead(void *arg, size_t index, size_t worker)
{
	const struct window *w = arg;

	(void)worker;
	if (w->c->ahead)
		w->c->ahead(w->c, &w->blocks[index]);
}

static void
play_head(const struct bench_tape *t, size_t h, const struct qkv_matrix *m, struct qkv_consumer *c,
	struct qkv_pool *pool)
{
	size_t slots = m->doc->slots;
	struct window w = {.c = c};
	struct qkv_err e;

	for (size_t i = 0; i < TOKENS; i += slots * BLOCK) {
		for (size_t s = 0; s < slots; s++) {
			size_t row = h * TOKENS + i + s * BLOCK;

			w.blocks[s] = (struct qkv_block){.matrix = m,
				.slot = s,
				.row = i + s * BLOCK,
				.rows = BLOCK,
				.stride = TOKENS,
				.data = t->data + row * TOKENS,
				.row_sums = t->row_sums + row};
		}
		qkv_pool_run(pool, slots, play_ahead, &w);
		for (size_t s = 0; s < slots; s++)
			if (c->rows(c, &w.blocks[s], &e))
				bench_die("writing", e.text);
	}
}

void
bench_tape_play(
	const struct bench_tape *t, size_t first, size_t num, struct qkv_consumer *c, struct qkv_pool *pool)
{
	struct qkv_doc doc = *t->doc;
	struct qkv_err e;

	doc.shown_heads = num;
	doc.slots = qkv_pool_size(pool) == 1 ? 1 : SLOTS;
	if (c->doc_begin(c, &doc, &e))
		bench_die("writing", e.text);
	for (size_t h = first; h < first + num; h++) {
		struct qkv_matrix m = t->m[h];

		m.doc = &doc;
		if (c->matrix_begin(c, &m, &e))
			bench_die("writing", e.text);
		play_head(t, h, &m, c, pool);
		if (c->matrix_end(c, t->col_sums + h * (TOKENS + 1), &e))
			bench_die("writing", e.text);
	}
	if (c->doc_end(c, &e))
		bench_die("writing", e.text);
	c->free(c);
}

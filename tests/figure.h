/* For the tests of figures: layouts of made-up panels, without a picture. */
#ifndef QKV_TESTS_FIGURE_H
#define QKV_TESTS_FIGURE_H

#include "draw/figure.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ALPHA (1u << QKV_ALPHA)
#define LESSON (1u << QKV_SCORES | 1u << QKV_SCALED | 1u << QKV_MASKED | 1u << QKV_ALPHA)
#define ALL ((1u << QKV_STAGES) - 1)

enum { MAX_TOKENS = 5000 };

static const char *const samples[] = {
	"a",
	"antidisestablishmentarianism",
	"",
	"\xEB\x82\x98\xEB\x8A\x94",
	"[CLS]",
	"\n",
	"\xF0\x9F\x98\x80",
	"of",
};

static const char *tokens[MAX_TOKENS];

struct trial {
	size_t n_q, n_k, layers, heads;
	unsigned stages;
	size_t features;
	struct qkv_draw_options o;
	size_t rows, cols, cell, step; /* expected: of the grid, and of cells and labels of the tokens */
};

struct made {
	struct qkv_doc doc;
	struct qkv_panel *panels;
	size_t count;
	struct qkv_figure f;
	struct qkv_notes notes;
};

static inline void
add_panel(struct made *m, const struct trial *t, enum qkv_stage stage, size_t layer, size_t head)
{
	int keys_down = stage == QKV_K || stage == QKV_V;
	struct qkv_matrix matrix = {
		.doc = &m->doc, .stage = stage, .layer = layer, .head = head, .mask = "none"};
	struct qkv_err e;

	matrix.rows = keys_down ? t->n_k : t->n_q;
	matrix.cols = qkv_stage_has_key_columns(stage) ? t->n_k : t->features;
	assert_int_equal(qkv_panel_new(&m->panels[m->count++], &matrix, &t->o, QKV_KEEP_CELLS, &e), 0);
	for (size_t i = 0; i < matrix.rows; i++) {
		float *row = calloc(matrix.cols, sizeof *row);
		double sum = 1;
		struct qkv_block b = {.matrix = &matrix,
			.row = i,
			.rows = 1,
			.stride = matrix.cols,
			.data = row,
			.row_sums = &sum};

		row[i % matrix.cols] = stage == QKV_ALPHA ? 1.0f : -2.5f;
		qkv_panel_add(&m->panels[m->count - 1], &b);
		free(row);
	}
	qkv_panel_end(&m->panels[m->count - 1], NULL);
}

static inline int
make(struct made *m, const struct trial *t, struct qkv_err *e)
{
	memset(m, 0, sizeof *m);
	m->doc.n_q = t->n_q;
	m->doc.n_k = t->n_k;
	m->doc.query_tokens = m->doc.key_tokens = tokens;
	m->doc.self_attention = t->n_q == t->n_k;
	m->doc.has_layers = t->layers > 1;
	m->panels = calloc(t->layers * t->heads * QKV_STAGES, sizeof *m->panels);
	for (size_t l = 0; l < t->layers; l++) {
		for (size_t h = 0; h < t->heads; h++)
			for (unsigned s = 0; s < QKV_OUTPUT; s++)
				if (t->stages >> s & 1)
					add_panel(m, t, s, l, h);
		if (t->stages >> QKV_OUTPUT & 1)
			add_panel(m, t, QKV_OUTPUT, l, QKV_NONE);
	}
	return qkv_figure_new(&m->f, &m->doc, m->panels, m->count, &t->o, &m->notes, e);
}

static inline void
unmake(struct made *m)
{
	qkv_figure_free(&m->f);
	for (size_t i = 0; i < m->count; i++)
		qkv_panel_free(&m->panels[i]);
	free(m->panels);
}

static inline int
fill_tokens(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAX_TOKENS; i++)
		tokens[i] = samples[i % (sizeof samples / sizeof *samples)];
	return 0;
}

#endif

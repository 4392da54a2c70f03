/* 144 heads of 128 tokens as one grid with labels, bars and marks: the figure that a layer by head survey is made of. */
#include "base/sink.h"
#include "bench.h"

#include <stdlib.h>

enum { HEADS = 12, LAYERS = 12, TOKENS = 128 };

struct grid {
	struct qkv_doc doc;
	float *alpha; /* (LAYERS, HEADS, TOKENS, TOKENS) */
	double sums[TOKENS + 1];
	const char *tokens[TOKENS];
	char texts[TOKENS][12];
};

static void
fill(struct grid *g)
{
	size_t size = (size_t)LAYERS * HEADS * TOKENS * TOKENS;
	unsigned seed = 1;

	g->alpha = malloc(size * sizeof *g->alpha);
	if (!g->alpha)
		bench_die("picture/grid", "out of memory");
	for (size_t i = 0; i < size; i++) {
		double x;

		seed = seed * 1664525u + 1013904223u;
		x = (double)seed / 4294967296.0;
		g->alpha[i] = (float)(x * x * x / 32);
	}
	for (size_t i = 0; i < TOKENS; i++) {
		snprintf(g->texts[i], sizeof g->texts[i], "token %zu", i);
		g->tokens[i] = g->texts[i];
		g->sums[i] = 1;
	}
	g->sums[TOKENS] = TOKENS;
	g->doc = (struct qkv_doc){.n_q = TOKENS,
		.n_k = TOKENS,
		.query_tokens = g->tokens,
		.key_tokens = g->tokens,
		.self_attention = 1,
		.num_layers = LAYERS,
		.has_layers = 1,
		.num_heads = HEADS,
		.num_kv_heads = HEADS,
		.head_limit = HEADS,
		.shown_layers = LAYERS,
		.shown_heads = HEADS};
}

static int
feed(const struct grid *g, struct qkv_consumer *c, struct qkv_err *e)
{
	int failed = c->doc_begin(c, &g->doc, e);

	for (size_t i = 0; !failed && i < (size_t)LAYERS * HEADS; i++) {
		struct qkv_matrix m = {.doc = &g->doc,
			.stage = QKV_ALPHA,
			.layer = i / HEADS,
			.head = i % HEADS,
			.rows = TOKENS,
			.cols = TOKENS,
			.mask = "none"};
		struct qkv_block b = {.matrix = &m,
			.rows = TOKENS,
			.stride = TOKENS,
			.data = g->alpha + i * TOKENS * TOKENS,
			.row_sums = g->sums};

		failed = c->matrix_begin(c, &m, e) || c->rows(c, &b, e) || c->matrix_end(c, g->sums, e);
	}
	return failed || c->doc_end(c, e);
}

static void
grid_run(void *arg)
{
	struct qkv_draw_options o = {0};
	struct qkv_notes notes = {0};
	struct qkv_memory_sink out;
	struct qkv_consumer *c;
	struct qkv_err e;

	qkv_memory_sink_init(&out, (size_t)-1);
	if (qkv_png_new(&c, &out.sink, &o, &notes, &e) || feed(arg, c, &e))
		bench_die("picture/grid", e.text);
	c->free(c);
	qkv_memory_sink_free(&out);
}

void
bench_grids(void)
{
	struct bench_row r = {.name = "picture/grid",
		.size = "144 heads of 128 tokens, labelled",
		.work = 1,
		.unit = "pictures/s",
		.yard = "copy"};
	struct grid *g;

	if (!bench_wants(r.name))
		return;
	g = malloc(sizeof *g);
	if (!g)
		bench_die(r.name, "out of memory");
	fill(g);
	r.limit = bench_copy_limit(sizeof(float) * LAYERS * HEADS * TOKENS * TOKENS);
	bench_row(&r, grid_run, g);
	free(g->alpha);
	free(g);
}

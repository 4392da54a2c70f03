/* The stages that go through an attend: layers, small heads, and long sequences. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

static int
no_doc(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	(void)c;
	(void)doc;
	(void)e;
	return 0;
}

static int
no_matrix(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	(void)c;
	(void)m;
	(void)e;
	return 0;
}

static int
no_rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	(void)c;
	(void)b;
	(void)e;
	return 0;
}

static int
no_sums(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	(void)c;
	(void)col_sums;
	(void)e;
	return 0;
}

static int
no_end(struct qkv_consumer *c, struct qkv_err *e)
{
	(void)c;
	(void)e;
	return 0;
}

struct attend {
	struct qkv_attend_options options;
	unsigned wants; /* of the consumer */
	char *text;
	struct qkv_reader *reader;
	struct qkv_problem *problem;
};

/* from the projections on: everything but reading */
static void
attend_run(void *arg)
{
	const struct attend *a = arg;
	struct qkv_consumer none = {a->wants, no_doc, no_matrix, no_rows, no_sums, no_end, NULL, NULL};
	struct qkv_notes notes = {0};
	struct qkv_attend *attend;
	struct qkv_err e;

	if (qkv_attend_open(&attend, a->problem, &a->options, &e) ||
		qkv_attend_run(attend, &none, &notes, &e))
		bench_die("attend", e.text);
	qkv_attend_free(attend);
}

static struct attend
attend_open(const char *document)
{
	struct qkv_settings none = {0};
	struct qkv_notes notes = {0};
	struct attend a = {.text = NULL};
	struct qkv_err e;
	size_t size;

	a.text = bench_document_text(document, &size);
	if (qkv_reader_open_text(&a.reader, document, a.text, size, &e) ||
		qkv_reader_next(&a.problem, a.reader, &none, &notes, &e) != 1)
		bench_die(document, e.text);
	return a;
}

static void
attend_close(struct attend *a)
{
	qkv_problem_free(a->problem);
	qkv_reader_free(a->reader);
	free(a->text);
}

static void
layer(size_t n, int has_output)
{
	const double d = 768, rows = (double)n;
	/* projections of Q and K; of V, contexts and output; scores */
	double flops =
		2 * (2 * rows * d * d + rows * rows * d + has_output * (2 * rows * d * d + rows * rows * d));
	size_t step = bench_processors > 1 ? bench_processors - 1 : 1;
	char prefix[64], document[64], name[96], size[64];
	struct attend a;

	snprintf(prefix, sizeof prefix, "layer/%zu/%s/", n, has_output ? "output" : "alpha");
	if (!bench_wants(prefix))
		return;
	snprintf(document, sizeof document, "layer-%zu", n);
	snprintf(size, sizeof size, "%zu tokens, d = 768, 12 heads", n);
	a = attend_open(document);
	a.options.stages = 1u << QKV_ALPHA | (unsigned)has_output << QKV_OUTPUT;
	/* on one and on all */
	for (size_t threads = 1; threads <= bench_processors; threads += step) {
		struct bench_row r = {.name = name,
			.size = size,
			.work = flops / 1e9,
			.unit = "Gflop/s",
			.limit = bench_fma_limit(bench_isa(0), flops, threads),
			.yard = "fma"};

		snprintf(name, sizeof name, "%s%zu", prefix, threads);
		a.options.threads = (int)threads;
		bench_row(&r, attend_run, &a);
	}
	attend_close(&a);
}

static void
small_heads(void)
{
	struct bench_row r = {.name = "heads/144x16/1",
		.size = "144 heads of 16 tokens, Q and K",
		.work = 144,
		.unit = "heads/s",
		.limit = bench_fma_limit(bench_isa(0), 2.0 * 144 * 16 * 16 * 64, 1),
		.yard = "fma"};
	struct attend a;

	if (!bench_wants(r.name))
		return;
	a = attend_open("small-144");
	a.options.threads = 1;
	bench_row(&r, attend_run, &a);
	attend_close(&a);
}

void
bench_layers(void)
{
	layer(128, 1);
	layer(512, 1);
	layer(2048, 1);
	layer(512, 0);
	layer(2048, 0);
	small_heads();
}

/* what a run of the row adds to its inputs, in a process of its own; 0: not known */
static double
memory_of(const char *name)
{
	char command[128];
	double megabytes = 0;
	FILE *f;

	if (bench_options.once || bench_options.serve)
		return 0;
	snprintf(command, sizeof command, "./bench --large --once --only %s", name);
	f = popen(command, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%*s %*f s %lf", &megabytes) != 1)
		megabytes = 0;
	pclose(f);
	return megabytes;
}

/* takes what a picture writes */
static int
drop(struct qkv_sink *s, const void *data, size_t size, struct qkv_err *e)
{
	(void)s, (void)data, (void)size, (void)e;
	return 0;
}

/* a picture, pooled while the rows pass */
static void
picture_run(void *arg)
{
	const struct attend *a = arg;
	struct qkv_draw_options o = {0};
	struct qkv_notes notes = {0};
	struct qkv_sink sink = {drop};
	struct qkv_consumer *c = NULL;
	struct qkv_attend *attend = NULL;
	struct qkv_err e;

	if (qkv_png_new(&c, &sink, &o, &notes, &e) || qkv_attend_open(&attend, a->problem, &a->options, &e) ||
		qkv_attend_run(attend, c, &notes, &e))
		bench_die("picture", e.text);
	qkv_attend_free(attend);
	c->free(c);
}

/* one head of n tokens; its seconds, or 0 */
static double
scale(size_t n, int is_picture)
{
	double flops = 2.0 * (double)n * (double)n * 64;
	struct bench_row r = {.work = flops / 1e9,
		.unit = "Gflop/s",
		.yard = "fma",
		.limit = bench_fma_limit(bench_isa(0), flops, 1)};
	char name[64], document[64], size[64];
	struct attend a;

	snprintf(name, sizeof name, "scale/%zu/%s1", n, is_picture ? "picture/" : "");
	if (!bench_wants(name))
		return 0;
	snprintf(document, sizeof document, "ready-%zu", n);
	snprintf(size, sizeof size, "%s, Q and K %.0f MB", is_picture ? "2048 pixels" : "entropies, argmaxes",
		2 * 256e-6 * (double)n);
	r.name = name;
	r.size = size;
	r.megabytes = memory_of(name);
	a = attend_open(document);
	a.options.threads = 1;
	a.wants = QKV_WANTS_FIGURES;
	bench_row(&r, is_picture ? picture_run : attend_run, &a);
	attend_close(&a);
	return r.time;
}

void
bench_scale(void)
{
	double few = scale(4096, 0), more = scale(8192, 0), most = scale(16384, 0);
	struct bench_row r = {.name = "scale/exponent", .size = "of time in n, 4096 to 16384", .unit = ""};

	scale(16384, 1);
	if (bench_options.large) {
		scale(65536, 0);
		scale(65536, 1);
	}
	/* the slope of the line through three evenly spaced points does not depend on the middle one */
	r.work = log2(most / few) / 2;
	if (few > 0 && more > 0 && most > 0)
		bench_figure(&r);
}

/* The stages that read and write: JSON to arrays, alpha to text, alpha to pictures. */
#include "bench.h"

#include "base/pool.h"
#include "base/sink.h"

/* ---- reading ---- */

struct file {
	char path[64];
	struct qkv_settings settings;
};

static void
read_run(void *arg)
{
	const struct file *f = arg;
	struct qkv_notes notes = {0};
	struct qkv_reader *reader;
	struct qkv_problem *p;
	struct qkv_err e;

	if (qkv_reader_open(&reader, f->path, &e) ||
		qkv_reader_next(&p, reader, &f->settings, &notes, &e) != 1)
		bench_die(f->path, e.text);
	qkv_problem_free(p);
	qkv_reader_free(reader);
}

static double
size_of(const char *path)
{
	FILE *f = fopen(path, "rb");
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0)
		bench_die(path, "cannot be read");
	fclose(f);
	return (double)size;
}

/* a row for each instruction set, and all threads for the fastest */
static void
reading(const char *kind, const char *document)
{
	const double count = 512 * 768 + 3 * 768 * 768;
	struct file f;
	double bytes;
	char size[64], name[64];

	snprintf(name, sizeof name, "read/%s/", kind);
	if (!bench_wants(name))
		return;
	snprintf(f.path, sizeof f.path, "%s.json", document);
	bytes = size_of(f.path);
	snprintf(size, sizeof size, "%.1f MB, 2.16 million numbers", bytes / 1e6);
	for (size_t i = 0; bench_isa(i); i++)
		for (size_t all = 0; all <= (!i && bench_processors > 1); all++) {
			size_t threads = all ? bench_processors : 1;
			struct bench_row r = {.name = name,
				.size = size,
				.work = count / 1e6,
				.unit = "Mnumbers/s",
				.limit = bench_copy_limit(bytes),
				.yard = "copy"};

			f.settings =
				(struct qkv_settings){.threads = (int)threads, .isa = bench_isa(i)->name};
			snprintf(name, sizeof name, "read/%s/%s/%zu", kind, bench_isa(i)->name, threads);
			bench_row(&r, read_run, &f);
		}
}

void
bench_reading(void)
{
	reading("decimals", "numbers-512");
	reading("python", "python-512");
}

/* ---- writing ---- */

/* counts what it discards */
struct drain {
	struct qkv_sink sink;
	size_t size;
};

static int
drain_write(struct qkv_sink *s, const void *data, size_t size, struct qkv_err *e)
{
	(void)data;
	(void)e;
	((struct drain *)s)->size += size;
	return 0;
}

struct writing {
	const struct bench_tape *tape;
	int (*make)(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_write_options *o,
		struct qkv_err *e);
	const char *isa;
	struct qkv_pool *pool;
	struct drain drain;
};

static void
write_run(void *arg)
{
	struct writing *w = arg;
	struct qkv_write_options o = {.isa = w->isa};
	struct qkv_consumer *c;
	struct qkv_err e;

	w->drain.size = 0;
	if (w->make(&c, &w->drain.sink, &o, &e))
		bench_die("writing", e.text);
	bench_tape_play(w->tape, 0, BENCH_HEADS, c, w->pool);
}

static void
writing(const struct bench_tape *t, const char *isa, int is_csv, size_t threads)
{
	struct writing w = {.tape = t,
		.make = is_csv ? qkv_csv_new : qkv_json_new,
		.isa = isa,
		.drain = {{drain_write}, 0}};
	struct bench_row r = {.work = BENCH_HEADS * BENCH_TOKENS * BENCH_TOKENS / 1e6,
		.unit = "Mnumbers/s",
		.yard = "copy"};
	char name[64], size[64];
	struct qkv_err e;

	snprintf(name, sizeof name, "write/%s/%s/%zu", isa, is_csv ? "csv" : "json", threads);
	if (!bench_wants(name))
		return;
	if (qkv_pool_new(&w.pool, (int)threads, &e))
		bench_die(name, e.text);
	write_run(&w);
	snprintf(size, sizeof size, "12 heads of 512 tokens, %.1f MB", (double)w.drain.size / 1e6);
	r.name = name;
	r.size = size;
	r.limit = bench_copy_limit((double)w.drain.size);
	bench_row(&r, write_run, &w);
	qkv_pool_free(w.pool);
}

void
bench_writing(void)
{
	const struct bench_isa *isa;
	struct bench_tape *t;

	if (!bench_wants("write/"))
		return;
	t = bench_tape_open();
	for (int is_csv = 0; is_csv < 2; is_csv++)
		for (size_t i = 0; (isa = bench_isa(i)); i++) {
			writing(t, isa->name, is_csv, 1);
			if (bench_processors > 1)
				writing(t, isa->name, is_csv, bench_processors);
		}
	bench_tape_close(t);
}

/* ---- pictures ---- */

struct painting {
	const struct bench_tape *tape;
	struct qkv_pool *one, *pool;
	size_t sizes[BENCH_HEADS]; /* of the pictures */
};

static void
paint_head(void *arg, size_t h, size_t worker)
{
	struct painting *p = arg;
	struct qkv_draw_options o = {.bare = 1, .cell = 1};
	struct qkv_notes notes = {0};
	struct qkv_memory_sink out;
	struct qkv_consumer *c;
	struct qkv_err e;

	(void)worker;
	qkv_memory_sink_init(&out, (size_t)-1);
	if (qkv_png_new(&c, &out.sink, &o, &notes, &e))
		bench_die("picture", e.text);
	bench_tape_play(p->tape, h, 1, c, p->one);
	p->sizes[h] = out.size;
	qkv_memory_sink_free(&out);
}

static void
paint_run(void *arg)
{
	struct painting *p = arg;

	qkv_pool_run(p->pool, BENCH_HEADS, paint_head, p);
}

static void
painting(const struct bench_tape *t, const char *name, size_t threads)
{
	struct bench_row r = {.name = name, .work = BENCH_HEADS, .unit = "pictures/s", .yard = "copy"};
	struct painting p = {.tape = t};
	size_t bytes = 0;
	struct qkv_err e;
	char size[64];

	if (!bench_wants(name))
		return;
	if (qkv_pool_new(&p.one, 1, &e) || qkv_pool_new(&p.pool, (int)threads, &e))
		bench_die(name, e.text);
	paint_run(&p);
	for (size_t h = 0; h < BENCH_HEADS; h++)
		bytes += p.sizes[h];
	snprintf(size, sizeof size, "12 of 512 tokens, cell 1, %zu KB", bytes / 1000);
	r.size = size;
	r.limit = bench_copy_limit(sizeof(float) * BENCH_HEADS * BENCH_TOKENS * BENCH_TOKENS);
	bench_row(&r, paint_run, &p);
	qkv_pool_free(p.pool);
	qkv_pool_free(p.one);
}

void
bench_pictures(void)
{
	struct bench_tape *t;
	char name[64];

	if (!bench_wants("picture/bare"))
		return;
	t = bench_tape_open();
	painting(t, "picture/bare/1", 1);
	snprintf(name, sizeof name, "picture/bare/%zu", bench_processors);
	if (bench_processors > 1)
		painting(t, name, bench_processors);
	bench_tape_close(t);
}

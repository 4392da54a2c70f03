/*
 * What can this machine do at best?
 *
 * Fused multiply-adds of one core and of all, for each instruction set; bytes copied a second, from and to
 * memory far larger than the caches; the start of an empty program. Each is the fastest of its runs.
 */
#include "bench.h"

#include "base/mem.h"
#include "base/pool.h"
#include "kern/isas.h"
#include "kern/kern.h"

#include <string.h>

#define DECLARATION(isa) double qkv_peak_##isa(size_t steps);
#define ENTRY(isa) {#isa, qkv_peak_##isa, 0, 0},

QKV_ISAS(DECLARATION)

static struct bench_isa isas[] = {QKV_ISAS(ENTRY)};

enum { ISA_COUNT = sizeof isas / sizeof *isas, COPY = 256 << 20 };

size_t bench_processors;
double bench_start;
static double copy_rate; /* bytes a second */

/* one task a thread */
struct peak {
	const struct bench_isa *isa;
	struct qkv_pool *pool;
	size_t threads, steps;
};

static void
peak_task(void *arg, size_t index, size_t worker)
{
	const struct peak *p = arg;

	(void)index;
	(void)worker;
	p->isa->run(p->steps);
}

static void
peak_run(void *arg)
{
	const struct peak *p = arg;

	qkv_pool_run(p->pool, p->threads, peak_task, arg);
}

/* operations a second */
static double
peak(const struct bench_isa *isa, size_t threads)
{
	struct peak p = {.isa = isa, .threads = threads, .steps = 3000000};
	struct bench_row r = {.unit = "Gflop/s"};
	struct qkv_err e;
	char name[64];

	snprintf(name, sizeof name, "yardstick/fma/%s/%zu", isa->name, threads);
	r.name = name;
	r.size = "multiply-adds in registers";
	r.work = isa->run(p.steps) * (double)threads / 1e9;
	if (qkv_pool_new(&p.pool, (int)threads, &e))
		bench_die(name, e.text);
	bench_row(&r, peak_run, &p);
	qkv_pool_free(p.pool);
	return r.best > 0 ? r.work * 1e9 / r.best : 0;
}

struct copy {
	char *from, *to;
};

static void
copy_run(void *arg)
{
	const struct copy *c = arg;

	memcpy(c->to, c->from, COPY);
}

static void
copy(void)
{
	struct bench_row r = {
		.name = "yardstick/copy/1", .size = "256 MB", .work = COPY / 1e9, .unit = "GB/s"};
	struct qkv_err e;
	struct copy c = {qkv_mem_floats(COPY, 1, &e), qkv_mem_floats(COPY, 1, &e)};

	if (!c.from || !c.to)
		bench_die(r.name, e.text);
	memset(c.from, 1, COPY);
	bench_row(&r, copy_run, &c);
	copy_rate = r.best > 0 ? COPY / r.best : 0;
	qkv_mem_free(c.from);
	qkv_mem_free(c.to);
}

static void
start_run(void *arg)
{
	char *argv[] = {"./empty", NULL};
	double unused;

	(void)arg;
	bench_spawn(argv, &unused);
}

static void
start(void)
{
	struct bench_row r = {
		.name = "yardstick/start", .size = "an empty program", .work = 1, .unit = "starts/s"};

	bench_row(&r, start_run, NULL);
	bench_start = r.time; /* not the fastest: what it is taken from are medians */
}

void
bench_yardsticks(void)
{
	struct qkv_pool *pool;
	struct qkv_err e;

	if (qkv_pool_new(&pool, 0, &e))
		bench_die("threads", e.text);
	bench_processors = qkv_pool_size(pool);
	qkv_pool_free(pool);
	bench_begin();
	if (bench_options.once || bench_options.serve)
		return;
	for (size_t i = 0; i < ISA_COUNT; i++)
		if (qkv_kern_find(isas[i].name)) {
			isas[i].one = peak(&isas[i], 1);
			isas[i].all = bench_processors > 1 ? peak(&isas[i], bench_processors) : isas[i].one;
		}
	copy();
	start();
}

const struct bench_isa *
bench_isa(size_t index)
{
	for (size_t i = 0; i < ISA_COUNT; i++)
		if (qkv_kern_find(isas[i].name) && !index--)
			return &isas[i];
	return NULL;
}

double
bench_fma_limit(const struct bench_isa *isa, double flops, size_t threads)
{
	double rate = threads > 1 ? isa->all : isa->one;

	return rate > 0 ? flops / rate : 0;
}

double
bench_copy_limit(double bytes)
{
	return copy_rate > 0 ? bytes / copy_rate : 0;
}

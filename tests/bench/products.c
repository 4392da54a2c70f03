/* The matrix product, packing included, in both orientations of the right matrix. */
#include "bench.h"

#include "base/mem.h"
#include "base/pool.h"
#include "kern/kern.h"
#include "random.h"

/* C (M, N) = A (M, K) B (K, N) */
enum { M = 512, K = 768, N = 768 };

struct product {
	const struct qkv_kern *kern;
	struct qkv_pool *pool;
	size_t rs, cs;         /* of B */
	size_t threads, width; /* columns of a task */
	float *a, *b, *c, *packed;
};

/* packs and multiplies the columns of one task */
static void
product_task(void *arg, size_t index, size_t worker)
{
	const struct product *p = arg;
	size_t first = index * p->width, width = N - first < p->width ? N - first : p->width;
	float *packed = p->packed + first * K;

	(void)worker;
	p->kern->pack(packed, p->b + first * p->cs, K, width, p->rs, p->cs);
	p->kern->product(p->c + first, N, p->a, K, packed, K, M, K, width);
}

static void
product_run(void *arg)
{
	const struct product *p = arg;

	qkv_pool_run(p->pool, (N + p->width - 1) / p->width, product_task, arg);
}

static float *
random_floats(size_t count)
{
	struct qkv_err e;
	float *x = qkv_mem_floats(count, sizeof *x, &e);

	if (!x)
		bench_die("product", e.text);
	for (size_t i = 0; i < count; i++)
		x[i] = (float)(int32_t)random_bits() * 0x1p-31f;
	return x;
}

static void
product(const struct bench_isa *isa, int is_transposed, size_t threads)
{
	const struct qkv_kern *kern = qkv_kern_find(isa->name);
	size_t panels = (N + kern->panel - 1) / kern->panel;
	struct product p = {.kern = kern,
		.threads = threads,
		.rs = is_transposed ? 1 : N,
		.cs = is_transposed ? K : 1,
		.width = (panels + threads - 1) / threads * kern->panel};
	struct bench_row r = {.size = "512x768 by 768x768",
		.work = 2.0 * M * K * N / 1e9,
		.unit = "Gflop/s",
		.limit = bench_fma_limit(isa, 2.0 * M * K * N, threads),
		.yard = "fma"};
	struct qkv_err e;
	char name[64];

	snprintf(name, sizeof name, "product/%s/%s/%zu", isa->name, is_transposed ? "out_in" : "in_out",
		threads);
	r.name = name;
	if (!bench_wants(name))
		return;
	p.a = random_floats(M * K);
	p.b = random_floats(K * N);
	p.c = random_floats(M * N);
	p.packed = random_floats(qkv_kern_packed(kern, K, N));
	if (qkv_pool_new(&p.pool, (int)threads, &e))
		bench_die(name, e.text);
	bench_row(&r, product_run, &p);
	qkv_pool_free(p.pool);
	qkv_mem_free(p.a);
	qkv_mem_free(p.b);
	qkv_mem_free(p.c);
	qkv_mem_free(p.packed);
}

void
bench_products(void)
{
	const struct bench_isa *isa;

	for (size_t i = 0; (isa = bench_isa(i)); i++) {
		product(isa, 0, 1);
		product(isa, 1, 1);
		if (bench_processors > 1)
			product(isa, 0, bench_processors);
	}
}

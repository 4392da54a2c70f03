/*
 * How long does a run take?
 *
 * The median of as many runs as fit about half a second, at least three, at most 51; one that takes seconds
 * is run once. The first run, which warms caches and pages, counts only where it is the only one.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LEAST = 3, MOST = 51 };

static const double budget = 0.5, lengthy = 2; /* seconds */

struct bench_options bench_options;
static size_t printed;

_Noreturn void
bench_die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(2);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double
seconds(bench_run *run, void *arg, long times)
{
	double start = now();

	while (times-- > 0)
		run(arg);
	return now() - start;
}

static int
is_less(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
bench_wants(const char *prefix)
{
	const char *only = bench_options.only;
	size_t n = strlen(prefix);

	return !only || !strncmp(only, prefix, strlen(only) < n ? strlen(only) : n);
}

static int
chosen(const char *name)
{
	const char *only = bench_options.only;

	/* shares need the yardsticks, whatever is chosen */
	return !only || !strncmp(name, "yardstick", 9) ||
		(bench_options.serve ? !strcmp(name, only) : !strncmp(name, only, strlen(only)));
}

/* a time in the unit that suits it */
static void
print_time(double s)
{
	if (s < 1e-3)
		printf("%8.1f us", s * 1e6);
	else if (s < 1)
		printf("%8.2f ms", s * 1e3);
	else
		printf("%8.2f s ", s);
}

static void
print_text(const struct bench_row *r, double low, double high)
{
	printf("%-28s %-34s", r->name, r->size);
	if (r->time > 0) {
		print_time(r->time);
		print_time(low);
		fputs(" -", stdout);
		print_time(high);
	} else {
		printf("%36s", "");
	}
	printf(" %10.5g %-12s", r->time > 0 ? r->work / r->time : r->work, r->unit);
	if (r->limit > 0 && !strcmp(r->yard, "start"))
		printf(" %+.2f ms over %s", (r->time - r->limit) * 1e3, r->yard);
	else if (r->limit > 0)
		printf(" %3.0f %% of %s", 100 * r->limit / r->time, r->yard);
	if (r->megabytes > 0)
		printf(" %5.0f MB", r->megabytes);
	putchar('\n');
	fflush(stdout);
}

static void
print_json(const struct bench_row *r, double low, double high, int runs)
{
	printf("%s\n{\"name\":\"%s\",\"size\":\"%s\",\"unit\":\"%s\",", printed ? "," : "", r->name, r->size,
		r->unit);
	printf("\"rate\":%.6g", r->time > 0 ? r->work / r->time : r->work);
	if (r->time > 0)
		printf(",\"seconds\":%.6g,\"min\":%.6g,\"max\":%.6g,\"runs\":%d", r->time, low, high, runs);
	if (r->limit > 0)
		printf(",\"yardstick\":\"%s\",\"share\":%.4f", r->yard, r->limit / r->time);
	if (r->megabytes > 0)
		printf(",\"megabytes\":%.1f", r->megabytes);
	putchar('}');
	fflush(stdout);
}

static void
print_row(const struct bench_row *r, double low, double high, int runs)
{
	if (bench_options.json)
		print_json(r, low, high, runs);
	else
		print_text(r, low, high);
	printed++;
}

double
bench_megabytes(const struct rusage *u)
{
#ifdef __APPLE__
	return (double)u->ru_maxrss / (1 << 20);
#else
	return (double)u->ru_maxrss / 1024;
#endif
}

/* megabytes now resident, where the system tells */
static double
resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	double total, pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%lf %lf", &total, &pages) != 2)
		pages = 0;
	fclose(f);
	return pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static void
run_once(const struct bench_row *r, bench_run *run, void *arg)
{
	double before = resident(), took = seconds(run, arg, 1);
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	printf("%s %g s %.1f MB\n", r->name, took, bench_megabytes(&u) - before);
	fflush(stdout);
}

static void
serve(bench_run *run, void *arg)
{
	char line[32];

	run(arg);
	puts("ready");
	for (fflush(stdout); fgets(line, sizeof line, stdin); fflush(stdout)) {
		long times = strtol(line, NULL, 10);

		printf("%.9g\n", seconds(run, arg, times) / (double)times);
	}
}

int
bench_row(struct bench_row *r, bench_run *run, void *arg)
{
	double times[MOST];
	size_t runs = 1, fit;

	if (!chosen(r->name))
		return 0;
	if (bench_options.once || bench_options.serve) {
		if (bench_options.once)
			run_once(r, run, arg);
		else
			serve(run, arg);
		return 1;
	}
	times[0] = seconds(run, arg, 1);
	if (times[0] < lengthy) {
		fit = (size_t)(budget / (times[0] + 1e-9));
		runs = fit < LEAST ? LEAST : fit > MOST ? MOST : fit | 1;
		for (size_t i = 0; i < runs; i++)
			times[i] = seconds(run, arg, 1);
		qsort(times, runs, sizeof *times, is_less);
	}
	r->best = times[0];
	r->time = times[runs / 2];
	print_row(r, times[0], times[runs - 1], (int)runs);
	return 1;
}

void
bench_figure(const struct bench_row *r)
{
	if (chosen(r->name))
		print_row(r, 0, 0, 0);
}

void
bench_begin(void)
{
	if (bench_options.once || bench_options.serve)
		return;
	if (bench_options.json)
		printf("{\"version\":\"%s\",\"isa\":\"%s\",\"processors\":%zu,\"rows\":[", QKV_VERSION,
			qkv_isa_name(NULL), bench_processors);
	else
		printf("qkv %s, %s, %zu processors\n%-28s %-34s %10s %23s %15s %21s\n", QKV_VERSION,
			qkv_isa_name(NULL), bench_processors, "stage", "size", "median", "fastest - slowest",
			"rate", "share of yardstick");
}

void
bench_end(void)
{
	if (bench_options.json && !bench_options.once && !bench_options.serve)
		puts("\n]}");
}

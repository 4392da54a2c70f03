/*
 * What a benchmark is made of: yardsticks first, then rows, each a stage at a size.
 *
 * A row's name is a path, "layer/512/output/1", whose last part is the number of threads where that matters;
 * --only takes the beginning of one.
 */
#ifndef QKV_TESTS_BENCH_H
#define QKV_TESTS_BENCH_H

#include "qkv.h"

#include <stdio.h>

struct bench_row {
	const char *name, *size;
	double work;       /* of one run */
	const char *unit;  /* of work a second */
	double limit;      /* seconds that the yardstick would take; 0: there is none */
	const char *yard;  /* what the yardstick is: "fma", "copy", "start" */
	double megabytes;  /* peak of a process, or what the run adds to its inputs; 0: not measured */
	double best, time; /* seconds, set by bench_row: the fastest and the median */
};

typedef void bench_run(void *arg);

/* measure.c */
struct bench_options {
	const char *only; /* NULL: every row */
	int json, large;
	int once; /* run each row once and print the memory it adds to what was there before */
	int serve; /* run a row as many times as each line of standard input says, and answer with the seconds */
};
extern struct bench_options bench_options;

/* whether a row may be chosen whose name begins with prefix */
int bench_wants(const char *prefix);

/* measures run(arg) if the row is chosen, sets r->time and prints the row; whether it was chosen */
int bench_row(struct bench_row *r, bench_run *run, void *arg);

/* prints a row that is only a figure, r->work; the beginning and the end of the table */
void bench_figure(const struct bench_row *r);
void bench_begin(void);
void bench_end(void);

/* the peak memory of a process */
struct rusage;
double bench_megabytes(const struct rusage *u);

/* ends the benchmark */
_Noreturn void bench_die(const char *what, const char *why);

/* documents.c: writes the document called name; the same as a text, NUL-terminated, to be freed */
void bench_document(FILE *f, const char *name);
char *bench_document_text(const char *name, size_t *size);

/* yardsticks.c: measured once; seconds that the machine itself would take */
struct bench_isa {
	const char *name;
	double (*run)(size_t steps);
	double one,
		all; /* floating-point operations a second, two a fused multiply-add: of one core, of all */
};
extern size_t bench_processors;
void bench_yardsticks(void);
/* the instruction sets of this machine, fastest first; NULL after the last */
const struct bench_isa *bench_isa(size_t index);
double bench_fma_limit(const struct bench_isa *isa, double flops, size_t threads);
double bench_copy_limit(double bytes);
extern double bench_start; /* of an empty program */

/* commands.c: runs a program to its end, and sets its peak memory */
void bench_spawn(char *const argv[], double *megabytes);

/* tape.c: alpha of BENCH_HEADS heads of BENCH_TOKENS tokens, computed before */
enum { BENCH_HEADS = 12, BENCH_TOKENS = 512 };
struct bench_tape;
struct bench_tape *bench_tape_open(void);
/* plays heads first to first + num - 1 to c, as a document of its own, on the workers of pool, and frees c */
struct qkv_pool;
void bench_tape_play(
	const struct bench_tape *t, size_t first, size_t num, struct qkv_consumer *c, struct qkv_pool *pool);
void bench_tape_close(struct bench_tape *t);

/* the stages */
void bench_products(void);
void bench_layers(void);
void bench_scale(void);
void bench_reading(void);
void bench_writing(void);
void bench_pictures(void);
void bench_grids(void);
void bench_commands(void);

#endif

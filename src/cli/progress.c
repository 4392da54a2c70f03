/*
 * What a run that takes more than a second is doing: "qkv: computing, 45%, 12 s left".
 *
 * While rows come, a consumer counts them on their way. Where none come yet, as long as a file is read or projections
 * are computed, an alarm says once what is being done. A carriage return and ESC [K (ECMA-48: erase in line) rewrite
 * the line. A run in the background of its terminal shows nothing there.
 */
#include "cli/progress.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BEGIN "\rqkv: "
#define END "\x1b[K"

enum { PATIENCE = 1 };          /* seconds before the line appears */
static const double pace = 0.1; /* seconds before it changes */

static struct {
	int is_on;
	double start, last;         /* of the run; when the line was written */
	const char *volatile phase; /* NULL: none */
	volatile sig_atomic_t is_shown;
} line;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* writes to the terminal; safe in a signal handler */
static void
put(const char *text)
{
	if (tcgetpgrp(STDERR_FILENO) == getpgrp() && write(STDERR_FILENO, text, strlen(text)) > 0)
		line.is_shown = 1;
}

static void
show_phase(void)
{
	put(BEGIN);
	put(line.phase);
	put(END);
}

static void
ring(int number)
{
	int before = errno;

	(void)number;
	if (line.phase)
		show_phase();
	errno = before;
}

void
qkv_progress_start(const char *output)
{
	struct sigaction act = {.sa_handler = ring, .sa_flags = (int)SA_RESTART};
	const char *terminal = getenv("TERM");
	int is_there = (!strcmp(output, "-") || !strncmp(output, "/dev/", 5)) && isatty(STDOUT_FILENO);

	if (is_there || !isatty(STDERR_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return;
	line.is_on = 1;
	line.start = now();
	sigemptyset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	alarm(PATIENCE);
}

/* whether the line appears, or changes, now */
static int
is_due(void)
{
	double t = line.is_on ? now() : 0;

	if (!line.is_on || t - line.start < PATIENCE || t - line.last < pace)
		return 0;
	line.last = t;
	return 1;
}

void
qkv_progress_phase(const char *text)
{
	line.phase = text;
	if (is_due())
		show_phase();
}

void
qkv_progress_end(void)
{
	line.phase = NULL;
	line.is_on = 0;
	if (line.is_shown)
		put("\r" END);
}

struct progress {
	struct qkv_consumer consumer; /* first: the consumer is the progress */
	struct qkv_consumer *to;
	size_t document;
	double start;       /* of the document */
	size_t done, total; /* matrices */
};

/* shows how far the document has come, from 0 to 1 */
static void
show_part(const struct progress *p, double part)
{
	double left;
	int in_minutes;
	char text[160], document[40] = "";

	if (!is_due())
		return;
	left = (line.last - p->start) * (1 - part) / part;
	in_minutes = left >= 100;
	if (p->document)
		snprintf(document, sizeof document, "document %zu, ", p->document);
	snprintf(text, sizeof text, BEGIN "%s%s, %.0f%%, %.0f %s left" END, document, line.phase, 100 * part,
		in_minutes ? left / 60 : left, in_minutes ? "min" : "s");
	put(text);
}

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct progress *p = (struct progress *)c;

	p->document = doc->index;
	p->start = now();
	p->done = p->total = 0;
	for (size_t i = 0; i < doc->shown_layers; i++)
		p->total += doc->shown[i].matrices;
	return p->to->doc_begin(p->to, doc, e);
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct progress *p = (struct progress *)c;

	return p->to->matrix_begin(p->to, m, e);
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct progress *p = (struct progress *)c;

	if (p->to->rows(p->to, b, e))
		return -1;
	show_part(p,
		((double)p->done + (double)(b->row + b->rows) / (double)b->matrix->rows) / (double)p->total);
	return 0;
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct progress *p = (struct progress *)c;

	p->done++;
	return p->to->matrix_end(p->to, col_sums, e);
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	struct progress *p = (struct progress *)c;

	return p->to->doc_end(p->to, e);
}

static void
progress_free(struct qkv_consumer *c)
{
	struct progress *p = (struct progress *)c;

	p->to->free(p->to);
	qkv_mem_free(p);
}

static void
ahead(struct qkv_consumer *c, const struct qkv_block *b)
{
	struct progress *p = (struct progress *)c;

	p->to->ahead(p->to, b);
}

int
qkv_progress_join(struct qkv_consumer **c, struct qkv_err *e)
{
	struct progress *p = line.is_on ? qkv_mem_new(1, sizeof *p, e) : NULL;

	if (!p)
		return line.is_on ? -1 : 0;
	p->to = *c;
	p->consumer = (struct qkv_consumer){p->to->wants, doc_begin, matrix_begin, rows, matrix_end, doc_end,
		progress_free, p->to->ahead ? ahead : NULL};
	*c = &p->consumer;
	return 0;
}

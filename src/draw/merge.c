/*
 * Pooling. The rows of a group come one after another, so a mean needs the sums of one row of cells alone.
 * A row that sees k keys gives each of them 1 / k in uniform attention; rows that see all are counted, not added.
 */
#include "draw/merge.h"

#include "base/mem.h"

#include <math.h>

struct qkv_merge {
	int by_mean;
	float *most;    /* (cols,) the largest values of the group of rows that comes in */
	float *shown;   /* (cols,) of a row, NaN where it is hidden */
	double *sums;   /* (wide,) of the group */
	size_t *counts; /* (wide,) of values in them */
	size_t cols;
	double *even;      /* (cols,): sums of columns, NULL: not wanted */
	size_t seeing_all; /* rows that are not in even yet */
};

int
qkv_merge_new(struct qkv_merge **merge, const struct qkv_panel *p, int by_mean, int even, struct qkv_err *e)
{
	struct qkv_merge *new = *merge = qkv_mem_new(1, sizeof *new, e);

	if (!new)
		return -1;
	new->by_mean = by_mean;
	new->cols = p->cols;
	if (even && !(new->even = qkv_mem_new(p->cols, sizeof *new->even, e)))
		return -1;
	if (!by_mean) {
		new->most = qkv_mem_new(p->cols, sizeof *new->most, e);
		new->shown = new->most ? qkv_mem_new(p->cols, sizeof *new->shown, e) : NULL;
		return new->shown ? 0 : -1;
	}
	new->sums = qkv_mem_new(p->wide, sizeof *new->sums, e);
	new->counts = new->sums ? qkv_mem_new(p->wide, sizeof *new->counts, e) : NULL;
	return new->counts ? 0 : -1;
}

/* widens the largest values to row i, and makes cells of them after the last of the group */
static void
merge_most(struct qkv_merge *merge, struct qkv_panel *p, size_t i, const float *data,
	const unsigned char *hidden)
{
	float *cells = p->cells + i / p->row_pool * p->wide;

	for (size_t j = 0; i % p->row_pool == 0 && j < p->cols; j++)
		merge->most[j] = -INFINITY;
	if (hidden) {
		for (size_t j = 0; j < p->cols; j++)
			merge->shown[j] = hidden[j] ? NAN : data[j];
		data = merge->shown;
	}
	p->kern->most(merge->most, data, p->cols);
	if ((i + 1) % p->row_pool && i + 1 < p->rows)
		return;
	for (size_t c = 0, j = 0; c < p->wide; c++) {
		size_t end = p->cols - j < p->col_pool ? p->cols : j + p->col_pool;
		float most = -INFINITY;

		for (; j < end; j++)
			most = merge->most[j] > most ? merge->most[j] : most;
		cells[c] = most > -INFINITY ? most : NAN;
	}
}

/* adds the values of a row from column j to end to cell c */
static void
add(struct qkv_merge *merge, size_t c, const float *data, const unsigned char *hidden, size_t j, size_t end)
{
	for (; j < end; j++)
		if (!(hidden && hidden[j]) && data[j] - data[j] == 0) {
			merge->sums[c] += (double)data[j];
			merge->counts[c]++;
		}
}

static void
merge_mean(struct qkv_merge *merge, struct qkv_panel *p, size_t i, const float *data,
	const unsigned char *hidden)
{
	float *cells = p->cells + i / p->row_pool * p->wide;

	for (size_t c = 0, j = 0; c < p->wide; c++) {
		size_t end = p->cols - j < p->col_pool ? p->cols : j + p->col_pool;

		if (i % p->row_pool == 0)
			merge->sums[c] = 0, merge->counts[c] = 0;
		add(merge, c, data, hidden, j, end);
		cells[c] = merge->counts[c] ? (float)(merge->sums[c] / (double)merge->counts[c]) : NAN;
		j = end;
	}
}

void
qkv_merge_row(struct qkv_merge *merge, struct qkv_panel *p, size_t i, const float *data,
	const unsigned char *hidden)
{
	(merge->by_mean ? merge_mean : merge_most)(merge, p, i, data, hidden);
}

static size_t
count_allowed(const unsigned char *hidden, size_t n)
{
	size_t count = n;

	for (size_t j = 0; hidden && j < n; j++)
		count -= hidden[j];
	return count;
}

void
qkv_merge_even(struct qkv_merge *merge, struct qkv_panel *p, size_t i, const unsigned char *hidden)
{
	size_t allowed = count_allowed(hidden, merge->cols);
	double row = allowed > 0;

	if (p->row_even)
		qkv_merge_sums(merge, p->row_even, &row, i, 1, p->rows, p->row_pool);
	if (!merge->even)
		return;
	merge->seeing_all += allowed == merge->cols;
	for (size_t j = 0; allowed && allowed < merge->cols && j < merge->cols; j++)
		if (!hidden[j])
			merge->even[j] += 1 / (double)allowed;
}

const double *
qkv_merge_even_columns(struct qkv_merge *merge)
{
	for (size_t j = 0; j < merge->cols; j++)
		merge->even[j] += (double)merge->seeing_all / (double)merge->cols;
	merge->seeing_all = 0;
	return merge->even;
}

void
qkv_merge_sums(const struct qkv_merge *merge, double *out, const double *sums, size_t first, size_t count,
	size_t all, size_t step)
{
	for (size_t i = 0; i < count; i++) {
		size_t place = (first + i) / step, begin = place * step;
		double *sum = &out[place];

		if (merge->by_mean)
			*sum += sums[i] / (double)(all - begin < step ? all - begin : step);
		else if (first + i == begin || sums[i] > *sum || *sum != *sum)
			*sum = sums[i];
	}
}

void
qkv_merge_free(struct qkv_merge *merge)
{
	if (!merge)
		return;
	qkv_mem_free(merge->most);
	qkv_mem_free(merge->shown);
	qkv_mem_free(merge->sums);
	qkv_mem_free(merge->counts);
	qkv_mem_free(merge->even);
	qkv_mem_free(merge);
}

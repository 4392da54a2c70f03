/*
 * Pooling. The rows of a group come one after another, so a mean needs the sums of one row of cells alone.
 * A row that sees k keys gives each of them 1 / k in uniform attention; rows that see all are counted, not added.
 */
#include "draw/merge.h"

#include "base/mem.h"

#include <math.h>

struct qkv_merge {
	int by_mean;
	double *sums;   /* (wide,) of the group of rows that comes in */
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
	if (!by_mean)
		return 0;
	new->sums = qkv_mem_new(p->wide, sizeof *new->sums, e);
	new->counts = new->sums ? qkv_mem_new(p->wide, sizeof *new->counts, e) : NULL;
	return new->counts ? 0 : -1;
}

/* the largest value of a row from column j to end, and of most; NaN gives way to anything */
static float
largest(float most, const float *data, const unsigned char *hidden, size_t j, size_t end)
{
	for (; j < end; j++) {
		float v = hidden && hidden[j] ? NAN : data[j] + (data[j] - data[j]);

		most = v > most || most != most ? v : most;
	}
	return most;
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

void
qkv_merge_row(struct qkv_merge *merge, struct qkv_panel *p, size_t i, const float *data,
	const unsigned char *hidden)
{
	float *cells = p->cells + i / p->row_pool * p->wide;
	int is_first = i % p->row_pool == 0;

	for (size_t c = 0, j = 0; c < p->wide; c++) {
		size_t end = p->cols - j < p->col_pool ? p->cols : j + p->col_pool;

		if (merge->by_mean) {
			if (is_first)
				merge->sums[c] = 0, merge->counts[c] = 0;
			add(merge, c, data, hidden, j, end);
			cells[c] =
				merge->counts[c] ? (float)(merge->sums[c] / (double)merge->counts[c]) : NAN;
		} else {
			cells[c] = largest(is_first ? NAN : cells[c], data, hidden, j, end);
		}
		j = end;
	}
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
	qkv_mem_free(merge->sums);
	qkv_mem_free(merge->counts);
	qkv_mem_free(merge->even);
	qkv_mem_free(merge);
}

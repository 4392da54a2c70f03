/* What becomes of the cells and sums of a matrix that share a cell of a panel. */
#ifndef QKV_DRAW_MERGE_H
#define QKV_DRAW_MERGE_H

#include "draw/panel.h"

struct qkv_merge;

/* for the rows of p as they come; by_mean: the mean of a group, not the largest; even: columns, too */
int
qkv_merge_new(struct qkv_merge **merge, const struct qkv_panel *p, int by_mean, int even, struct qkv_err *e);

/* takes row i, (cols,), into its cells; hidden, NULL for none, is 1 where a value does not count */
void qkv_merge_row(struct qkv_merge *merge, struct qkv_panel *p, size_t i, const float *data,
	const unsigned char *hidden);

/* takes in what uniform attention over the allowed keys would give in row i */
void qkv_merge_even(struct qkv_merge *merge, struct qkv_panel *p, size_t i, const unsigned char *hidden);

/* its sums of columns so far, (cols,) */
const double *qkv_merge_even_columns(struct qkv_merge *merge);

/* takes count of all sums, from the first, into out, where as many as step share a place */
void qkv_merge_sums(const struct qkv_merge *merge, double *out, const double *sums, size_t first,
	size_t count, size_t all, size_t step);

void qkv_merge_free(struct qkv_merge *merge);

#endif

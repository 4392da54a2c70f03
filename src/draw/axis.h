/* Which labels stand along a side of a panel: every one, or every k-th where cells are lower than text. */
#ifndef QKV_DRAW_AXIS_H
#define QKV_DRAW_AXIS_H

#include "draw/label.h"

struct qkv_axis {
	size_t n;                  /* tokens or features */
	size_t pool;               /* of them in a cell */
	size_t cell;               /* pixels */
	size_t step;               /* cells from one label to the next */
	size_t count;              /* labels */
	size_t extent;             /* pixels of the widest */
	const char *const *tokens; /* (n,) borrowed, NULL: features */
	struct qkv_label *labels;
};

/* labels for n tokens, or for features 0 to n - 1 where tokens is NULL */
int qkv_axis_new(
	struct qkv_axis *a, const char *const *tokens, size_t n, size_t pool, size_t cell, struct qkv_err *e);

/* adds what had to be left out of the labels of an axis; what: "label", "label of features" */
void qkv_axis_note(const struct qkv_axis *a, const char *what, struct qkv_notes *notes);

/* where label i begins across the axis, in pixels from its first cell: centred on its cell, perhaps below 0 */
long qkv_axis_place(const struct qkv_axis *a, size_t i);

void qkv_axis_free(struct qkv_axis *a);

#endif

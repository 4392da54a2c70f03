/* Which labels stand along a side of a panel: every one, or every k-th where cells are lower than text. */
#ifndef QKV_DRAW_AXIS_H
#define QKV_DRAW_AXIS_H

#include "draw/label.h"

struct qkv_axis {
	size_t n;      /* tokens or features */
	size_t pool;   /* of them in a cell */
	size_t cell;   /* pixels */
	size_t step;   /* cells from one label to the next */
	size_t count;  /* labels */
	size_t extent; /* pixels of the widest */
	int has_special; /* special tokens have labels, in place of neighbours that would have them by the step */
	const char *const *tokens; /* (n,) borrowed, NULL: features */
	int raw, has_bytes;        /* how they are spelled */
	struct qkv_label *labels;
	size_t *of; /* (count,): the token or feature of each */
};

/* labels for n tokens, or for features 0 to n - 1 where tokens is NULL; raw: not the text that pieces spell */
int qkv_axis_new(struct qkv_axis *a, const char *const *tokens, size_t n, size_t pool, size_t cell, int raw,
	struct qkv_err *e);

#define QKV_AXIS_NAME 1280 /* bytes, more than a label looks at */

/* writes what token or feature i is called */
void qkv_axis_name(char name[QKV_AXIS_NAME], const struct qkv_axis *a, size_t i);

/* adds what had to be left out of the labels of an axis; what: "label", "label of features" */
void qkv_axis_note(const struct qkv_axis *a, const char *what, struct qkv_notes *notes);

/* where label i begins across the axis, in pixels from its first cell: centred on its cell, perhaps below 0 */
long qkv_axis_place(const struct qkv_axis *a, size_t i);

void qkv_axis_free(struct qkv_axis *a);

#endif

/* Which cells of a matrix a picture shows: all of them, or the largest or the mean of each group. */
#ifndef QKV_DRAW_PANEL_H
#define QKV_DRAW_PANEL_H

#include "kern/kern.h"

#define QKV_PANEL_SIDE 2048 /* cells a side that are shown at most, unless something else is asked for */

struct qkv_panel {
	const struct qkv_kern *kern;
	enum qkv_stage stage;
	size_t layer, head;
	char mask[64];
	size_t rows, cols;         /* of the matrix */
	size_t row_pool, col_pool; /* rows and columns of the matrix that share a cell */
	size_t high, wide;         /* cells */
	float *cells;              /* (high, wide); NaN: every value is hidden or not finite */
	int is_row;                /* cells are the last row alone */
	unsigned char *colours; /* (high, wide) of the palette, where that is all that is kept; else NULL */
	double *row_sums;       /* (high,), pooled like the cells; NULL: not shown */
	double *col_sums;       /* (wide,), likewise */
	double *row_even; /* (high,): what uniform attention over the allowed keys would sum to; NULL: not known */
	double *col_even;            /* (wide,) */
	float least, most;           /* of the cells; least above most: none has a value */
	int wants_positive;          /* as a logarithmic scale does */
	float least_positive;        /* INFINITY: there is none */
	int has_masked;              /* a cell is NaN */
	struct qkv_palette *palette; /* of the colours */
	struct qkv_merge *merge;     /* NULL: no longer, or not needed, or not yet */

	/* where the figure puts it, and its scale */
	const struct qkv_span *span;
	size_t grid_row, grid_col;
	const struct qkv_axis *row_axis, *col_axis; /* NULL: without labels */
	size_t x, y;                                /* pixels, of cell (0, 0) */
	size_t cell_w, cell_h;                      /* pixels a cell */
};

/* whether the columns of a stage are keys, and not features; whether its rows are */
int qkv_stage_has_key_columns(enum qkv_stage stage);
int qkv_stage_has_key_rows(enum qkv_stage stage);

/* what stays of the values: cells; colours, for scales that are known; or how far they reach alone */
enum qkv_keep { QKV_KEEP_CELLS, QKV_KEEP_COLOURS, QKV_KEEP_REACH };

/* a panel for m without values yet; cells that share no pixel unless o leaves their size open */
int qkv_panel_new(struct qkv_panel *p, const struct qkv_matrix *m, const struct qkv_draw_options *o,
	enum qkv_keep keep, struct qkv_err *e);

/* adds one to a list of count panels that has room for more, or gets it */
int qkv_panel_push(struct qkv_panel **panels, size_t *count, size_t *room, const struct qkv_matrix *m,
	const struct qkv_draw_options *o, enum qkv_keep keep, struct qkv_err *e);

/* takes in the rows of a block, and the column sums, NULL where there are none, after the last one */
void qkv_panel_add(struct qkv_panel *p, const struct qkv_block *b);
void qkv_panel_end(struct qkv_panel *p, const double *col_sums);

void qkv_panel_free(struct qkv_panel *p);

#endif

/* The layers of a problem, ready to be computed row block by row block. */
#ifndef QKV_ATTEND_PREPARE_H
#define QKV_ATTEND_PREPARE_H

#include "base/pool.h"
#include "kern/kern.h"
#include "load/problem.h"

/* rows of heads: row i of head h begins at data[h * head + i * row]; data NULL: there are none */
struct qkv_rows {
	const float *data;
	size_t head, row;
	double magnitude; /* the greatest */
};

struct qkv_prepared {
	const struct qkv_layer *layer;
	struct qkv_rows q, k, v; /* (H, n_q, d_k), (KV, n_k, d_k), (KV, n_k, d_v) */
	float scale;
	unsigned char *shows; /* (num_heads,): which heads are to be shown */
};

/* what a block of rows needs */
struct qkv_slot {
	float *strip;          /* (QKV_ROWS, n_k), stride floats apart: scores on their way to alpha */
	float *out;            /* (QKV_ROWS, widest) of a mean */
	float *peaks;          /* (n_k / QKV_CHUNK or one more, QKV_ROWS): greatest of each chunk */
	double *mean;          /* (QKV_ROWS, widest) */
	unsigned char *hidden; /* (QKV_ROWS, n_k) */
	double *cols;          /* (n_k,): column sums of the block of alpha */
	double sums[QKV_ROWS]; /* its row sums */
	double entropy[QKV_ROWS];
	size_t argmax[QKV_ROWS];
};

/* what a worker needs for a product with weights */
struct qkv_panel {
	float *packed;    /* (most inner indices of a layer, panel) */
	double magnitude; /* the greatest of its part of the result */
};

/* the queries or the keys that are shown */
struct qkv_choice {
	size_t *index; /* (count,), ascending */
	size_t count;
};

struct qkv_attend {
	const struct qkv_problem *problem;
	struct qkv_doc doc;
	const struct qkv_kern *kern;
	struct qkv_pool *pool;
	struct qkv_arena arena;
	unsigned stages;
	int average, no_col_sums;
	struct qkv_prepared *layers; /* (num_layers,): those that are shown */
	size_t num_layers;
	struct qkv_choice queries, keys;
	int is_square;        /* both are the same tokens */
	const char *left_out; /* what they lack, as in qkv_doc; NULL: nothing */
	const char *absent;   /* the first token to leave out that is not there, in words */
	size_t num_absent;
	size_t d_v, widest; /* the most of any layer */

	/* of the layer that is being computed */
	float **packed_k, **packed_v; /* (KV,) */
	float *contexts;              /* (n_q, H * d_v): side by side; NULL: no stage needs them */
	unsigned char *has_context;   /* (H,): whose contexts stand there */
	float *output;                /* (n_q, d_out) */
	struct qkv_slot *slots;       /* (num_slots,), at least one a worker */
	size_t num_slots;
	size_t stride;            /* of rows of a strip: n_k or a little more */
	struct qkv_panel *panels; /* one a worker */
	int wants_figures;        /* entropies and argmaxes of rows of alpha */
};

/* which queries and keys are shown: fills a->queries, a->keys, a->left_out */
int qkv_attend_choose(struct qkv_attend *a, const struct qkv_attend_options *o, struct qkv_err *e);

/* how many of a choice are below limit */
size_t qkv_choice_below(const struct qkv_choice *c, size_t limit);

/* a consumer that hands to another those of them alone; both borrowed */
int qkv_narrow_new(
	struct qkv_consumer **c, const struct qkv_attend *a, struct qkv_consumer *to, struct qkv_err *e);

/* which layers and heads are shown: fills a->layers */
int qkv_attend_select(struct qkv_attend *a, const struct qkv_attend_options *o, struct qkv_err *e);

/* q, k and v of a layer: projected, or those of the document; finite */
int qkv_attend_project(struct qkv_attend *a, struct qkv_prepared *l, struct qkv_err *e);

/* that nothing computed from a layer can overflow */
int qkv_attend_check(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_err *e);

/* whether head number h of a stage is shown: a key/value head where one of its query heads is */
int
qkv_attend_shows(const struct qkv_attend *a, const struct qkv_prepared *l, enum qkv_stage stage, size_t h);

/* columns of a matrix of a stage */
size_t qkv_attend_cols(const struct qkv_attend *a, const struct qkv_prepared *l, enum qkv_stage stage);

/* fills what a->doc says of the matrices that will come */
int qkv_attend_plan(struct qkv_attend *a, struct qkv_err *e);

/*
 * out (rows, heads * width) = x (rows, d) times the heads' weights side by side, plus their biases; the greatest
 * magnitude, infinity or not a number where one of them is
 */
double qkv_attend_multiply(struct qkv_attend *a, float *out, const float *x, size_t rows, size_t d,
	const struct qkv_weight *weight, size_t heads, size_t width);

/* packs what the blocks of a layer need, whose contexts are not there yet */
void qkv_attend_pack(struct qkv_attend *a, const struct qkv_prepared *l);

/*
 * A block of head h, rows first to first + num - 1, at a stage from scores to alpha, *stride floats apart. Of alpha
 * that is computed the slot gets the sums, and the figures if they are wanted.
 */
const float *qkv_attend_scores(const struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s,
	enum qkv_stage stage, size_t h, size_t first, size_t num, size_t *stride);

/* the columns that rows first to first + num - 1 may attend to are among *from to *to - 1, by the mask's name */
void qkv_attend_span(size_t *from, size_t *to, const struct qkv_attend *a, const struct qkv_layer *l,
	size_t first, size_t num);

/* rows first to first + num - 1 of a stage of head h (any at QKV_OUTPUT); where they are, *stride floats apart */
const float *qkv_attend_rows(struct qkv_attend *a, const struct qkv_prepared *l, struct qkv_slot *s,
	enum qkv_stage stage, size_t h, size_t first, size_t num, size_t *stride);

/* computes the output of a layer, and the contexts that are not there yet */
void qkv_attend_output(struct qkv_attend *a, const struct qkv_prepared *l);

/* marks in hidden (n_k,) the keys that row i of head h may not attend to */
void qkv_attend_hide(
	unsigned char *hidden, const struct qkv_layer *l, const struct qkv_doc *doc, size_t h, size_t i);

#endif

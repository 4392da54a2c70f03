/*
 * A problem: the checked attention layers of one document.
 *
 * However the document stores its weights (fused or separate, either orientation, a head apart), a head's
 * projection is a view with strides into it, so that nothing below needs to know.
 */
#ifndef QKV_LOAD_PROBLEM_H
#define QKV_LOAD_PROBLEM_H

#include "base/arena.h"
#include "load/attached.h"
#include "load/scan.h"
#include "load/text.h"

/* a tensor of the document, and where it stands, for later messages; data NULL: absent */
struct qkv_part {
	const float *data;
	size_t rank, shape[QKV_RANK], count;
	size_t at;
	const char *place;
	const struct qkv_text *file; /* that it was attached from; NULL: it stands in the document */
};

/* a weight W (d, width): element (i, c) is data[i * rs + c * cs]; bias (width,), or NULL */
struct qkv_weight {
	const float *data, *bias;
	size_t rs, cs;
};

enum qkv_source { QKV_FROM_EMBEDDINGS, QKV_FROM_QK, QKV_FROM_SCORES, QKV_FROM_ALPHA };

/* H = num_heads query heads, KV = num_kv_heads of the problem */
struct qkv_layer {
	size_t index; /* in the document */
	enum qkv_source source;
	size_t at;              /* where it stands */
	const char *place;      /* "", "layers[2]" */
	size_t d_k, d_v, d_out; /* d_k 0: not known; d_v 0: no values; d_out 0: no W_O */

	struct qkv_part x, context;         /* embeddings (n_q, d) and those of the keys (n_k, d_context) */
	struct qkv_weight *w_q, *w_k, *w_v; /* (H,), (KV,), (KV,); NULL where there are none */

	struct qkv_part q, k, v; /* ready: (H, n_q, d_k), (KV, n_k, d_k), (KV, n_k, d_v) */
	struct qkv_part scores;  /* ready: (H, n_q, n_k) */
	const float **alpha;     /* ready: (num_heads,) of (n_q, n_k) */
	size_t *head_index;      /* (num_heads,): what they are called; NULL: 0, 1, ... */
	size_t num_heads;        /* H, but for documents that this tool has written */

	struct qkv_weight w_o; /* (H * d_v, d_out) */
	struct qkv_mask mask;
	struct qkv_part mask_matrix; /* (1 or H, n_q, n_k) of 0 and 1 */
	struct qkv_part key_mask;    /* (n_k,) of 0 and 1 */
	struct qkv_part bias;        /* (1 or H, n_q, n_k) */
	int has_scale;
	double scale;
	const char *mask_name;
};

struct qkv_problem {
	const struct qkv_text *text;
	struct qkv_arena arena;
	struct qkv_doc doc;
	struct qkv_layer
		*layers; /* (num_layers,), ascending; as many as doc.num_layers, but for documents that this
	                           * tool has written */
	size_t num_layers;
};

/* whether query i may attend to key j in head h by mask, key_mask and bias together */
int qkv_layer_allows(const struct qkv_layer *l, const struct qkv_doc *doc, size_t h, size_t i, size_t j);

/* whether anything hides a cell of the layer */
int qkv_layer_hides(const struct qkv_layer *l);

/* fails at a part, or at a layer: "FILE:LINE:COL: PLACE: message"; -1 */
int qkv_part_fail(const struct qkv_problem *p, const struct qkv_part *part, struct qkv_err *e,
	const char *format, ...) QKV_PRINTF(4, 5);
int qkv_layer_fail(const struct qkv_problem *p, const struct qkv_layer *l, struct qkv_err *e,
	const char *format, ...) QKV_PRINTF(4, 5);

/* the keys that query i may attend to by the mask's name alone, first to last - 1; the window of n_k for a matrix */
void
qkv_mask_span(size_t *first, size_t *last, const struct qkv_mask *mask, size_t i, size_t n_q, size_t n_k);

/* the mask's name, "window:2,0", into buf */
void qkv_mask_print(char buf[64], const struct qkv_mask *mask);

/* takes the document that begins at *at out of t, as number index of its input, joins what is attached, and sets
 * *at after it */
int qkv_problem_read(struct qkv_problem **p, size_t *at, const struct qkv_text *t, size_t index,
	const struct qkv_attached *attached, const struct qkv_settings *settings, struct qkv_notes *notes,
	struct qkv_err *e);

#endif

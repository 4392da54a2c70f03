/* What the parts share that turn a tree into a problem; included by json_*.c only. */
#ifndef QKV_LOAD_JSON_BUILD_H
#define QKV_LOAD_JSON_BUILD_H

#include "load/json.h"

struct qkv_build {
	struct qkv_json json;
	struct qkv_problem *problem;
	const struct qkv_settings *settings;
	struct qkv_notes *notes;
	struct qkv_err *e;
	const cJSON *top;      /* the document, if it has layers: what they inherit from */
	const cJSON *node;     /* the layer being built */
	const char *place;     /* of the layer: "", "layers[2]" */
	int per_head;          /* qkv_layout of the layer */
	int knows_kv;          /* the number of key/value heads of some layer is known */
	struct qkv_part alpha; /* of the document, where it holds all layers */
};

/* refuses what is no object, and keys that do not belong into a layer (document: into one that has layers) */
int qkv_build_keys(struct qkv_build *b, const cJSON *node, const char *place, int document);

/* a member of the layer, or of the document where it is one that layers inherit */
int qkv_build_member(struct qkv_member *m, struct qkv_build *b, const char *key);

/* the same as a tensor; part->data NULL where it is absent */
int qkv_build_tensor(struct qkv_part *part, struct qkv_build *b, const char *key, size_t least, size_t most);

/* fails because the layer lacks a key; -1 */
int qkv_build_missing(struct qkv_build *b, const char *key, const char *why);

/* sets a fact that all layers share (0: not known yet), or fails at the part: "3 queries, expected 4" */
int qkv_build_agree(
	struct qkv_build *b, size_t *fact, size_t value, const struct qkv_part *part, const char *what);

/* sets the head counts of the problem: as the parts say (0: they do not), else as asked for, else 1 and the same;
 * ready data without keys and values leave the second one open */
int qkv_build_heads(struct qkv_build *b, size_t heads, const struct qkv_part *part, size_t kv_heads,
	const struct qkv_part *kv_part);

/* the layer: everything but what the document says of all */
int qkv_build_layer(struct qkv_build *b, struct qkv_layer *l);

/* its embeddings and weights, and W_O whatever the source */
int qkv_build_weights(struct qkv_build *b, struct qkv_layer *l);
int qkv_build_output_weight(struct qkv_build *b, struct qkv_layer *l);

/* a weight of the document, seen as (in, out) whatever its orientation */
struct qkv_oriented {
	struct qkv_part part; /* data NULL: absent */
	size_t in, out;
	size_t rs, cs;    /* element (i, c) is part.data[i * rs + c * cs] */
	const char *outs; /* what its outs are called: "columns", or "rows" of the other orientation */
};

/* a weight out of m with that many ins (0: any); width: what its outs are, in messages */
int qkv_build_weight(struct qkv_oriented *w, struct qkv_build *b, const struct qkv_member *m, size_t in,
	const char *width);

/* a vector of length, which may only be there if its weight is; data NULL: absent */
int qkv_build_bias(struct qkv_part *part, struct qkv_build *b, const struct qkv_member *m, size_t length,
	int beside_weight);

/* count views of w and its bias, the first from out number first, the next from step outs on */
struct qkv_weight *qkv_build_views(struct qkv_build *b, const struct qkv_oriented *w,
	const struct qkv_part *bias, size_t count, size_t first, size_t step);

/* its mask, key_mask, bias and scale */
int qkv_build_mask(struct qkv_build *b, struct qkv_layer *l);

/* the tokens of a document or layer, once its shape is known */
int qkv_build_tokens(struct qkv_build *b, const cJSON *node, const char *place);

/* labels "0", "1", ... where there are no tokens */
int qkv_build_default_tokens(struct qkv_build *b);

/* a document that this tool has written, from its root */
int qkv_build_written(struct qkv_build *b, const cJSON *root);

#endif

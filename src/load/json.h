/*
 * The skeleton of a document as a tree of cJSON, strict, and with the lifted values and places beside it.
 *
 * Included by json*.c only: cJSON stays in this room.
 */
#ifndef QKV_LOAD_JSON_H
#define QKV_LOAD_JSON_H

#include "load/attached.h"
#include "load/problem.h"

#include <cjson/cJSON.h>

struct qkv_json {
	const struct qkv_text *text;
	struct qkv_arena *arena; /* of the problem */
	struct qkv_scan scan;
	cJSON *root; /* valuedouble of each node: its index in scan.values */
	struct qkv_err *e;
};

/* a member of an object and the words for its place, "layers[2].W_Q"; node NULL: absent */
struct qkv_member {
	const cJSON *node;
	const char *place;
};

/* reads the document that begins at *at, and sets *at after it; after success or failure, close */
int qkv_json_read(struct qkv_json *j, size_t *at, const struct qkv_text *t,
	const struct qkv_settings *settings, struct qkv_arena *a, struct qkv_err *e);

void qkv_json_close(struct qkv_json *j);

/* puts what is attached into the tree, in place of members with the same key */
int qkv_json_attach(struct qkv_json *j, const struct qkv_attached *list);

/* fails at a node: "FILE:LINE:COL: PLACE: message"; -1 */
int qkv_json_fail(const struct qkv_json *j, const cJSON *node, const char *place, const char *format, ...)
	QKV_PRINTF(4, 5);

/* what kind of value a node is, as messages call it */
const char *qkv_json_kind(const struct qkv_json *j, const cJSON *node);

const struct qkv_value *qkv_json_value(const struct qkv_json *j, const cJSON *node);

/* refuses, in an object, any key that is not among the names, and any that comes twice */
int qkv_json_keys(const struct qkv_json *j, const cJSON *object, const char *place, const char *const *names,
	size_t count);

/* the member of an object that has exactly this key (NULL object: absent), its place after that of the object */
int qkv_json_member(struct qkv_member *m, const struct qkv_json *j, const cJSON *object, const char *place,
	const char *key);

/* a member's count, from least up to 2^31; untouched where it is absent */
int qkv_json_count(size_t *count, const struct qkv_json *j, const struct qkv_member *m, size_t least);

/* a member's text, copied; *text NULL where it is absent */
int qkv_json_text(const char **text, const struct qkv_json *j, const struct qkv_member *m);

/* a member's list of strings, copied; *list NULL where it is absent */
int
qkv_json_texts(const char *const **list, size_t *count, const struct qkv_json *j, const struct qkv_member *m);

/* a member's tensor of least to most axes, nested arrays or an object with base64; part->data NULL where it is
 * absent. Finite, but for -infinity where infinite is not 0. example: what the message shows, "[[1,2],[3,4]]" */
int qkv_json_tensor(struct qkv_part *part, const struct qkv_json *j, const struct qkv_member *m, size_t least,
	size_t most, int infinite);

/* writes the place of an element of a part, "[0][3]", into buf */
void qkv_json_index(char buf[256], const struct qkv_part *part, size_t element);

#endif

/* Attached files become members of the document's tree, so that what is built from it need not know of them. */
#include "load/json.h"

#include "base/mem.h"

#include <string.h>

/* a node for what is attached, and its value; NULL when memory ends */
static cJSON *
new_node(struct qkv_json *j, const struct qkv_attached *a)
{
	struct qkv_scan *s = &j->scan;
	struct qkv_value *grown = qkv_mem_resize(s->values, s->num_values + 1, sizeof *grown, j->e);
	cJSON *node;

	if (!grown)
		return NULL;
	s->values = grown;
	s->room_values = s->num_values + 1;
	grown[s->num_values] = (struct qkv_value){.file = &a->text};
	if (!a->tokens) {
		grown[s->num_values].kind = QKV_VALUE_TENSOR;
		grown[s->num_values].is.tensor = &a->tensor;
	}
	node = a->tokens ? cJSON_CreateStringArray(a->tokens, (int)a->num_tokens) : cJSON_CreateNumber(0);
	if (!node)
		qkv_fail(j->e, QKV_EMEMORY, "out of memory, reading %s", a->text.name);
	else
		node->valuedouble = (double)s->num_values++;
	return node;
}

int
qkv_json_attach(struct qkv_json *j, const struct qkv_attached *list)
{
	for (const struct qkv_attached *a = list; a; a = a->next) {
		cJSON *node = new_node(j, a);

		if (!node)
			return -1;
		cJSON_DeleteItemFromObjectCaseSensitive(j->root, a->key);
		if (!cJSON_AddItemToObjectCS(j->root, a->key, node)) {
			cJSON_Delete(node);
			return qkv_fail(j->e, QKV_EMEMORY, "out of memory, reading %s", a->text.name);
		}
		if (cJSON_GetObjectItemCaseSensitive(j->root, "qkv"))
			return qkv_json_fail(j, node, a->key,
				"stands beside a document that qkv has written, expected a problem");
	}
	return 0;
}

/* The lifted reading of numbers against a plain reading of the same text by cJSON. */
#include "test.h"

#include "load/json.h"

#include <math.h>

static const struct qkv_settings none;

/* a number of a random form whose nearest double is a normal one or zero */
static int
print_number(char *p, unsigned *seed)
{
	unsigned r = *seed = *seed * 1664525u + 1013904223u;
	double v = (double)(r >> 8) / 65536.0 - 128.0;

	switch (r >> 4 & 7) {
	case 0:
		return sprintf(p, "%d", (int)v);
	case 1:
		return sprintf(p, "%.17g", v);
	case 2:
		return sprintf(p, "%.9e", v * 1e-20);
	case 3:
		return sprintf(p, "%.3fE+%u", v, r >> 10 & 7);
	case 4:
		return sprintf(p, "%.30f", v);
	case 5:
		return sprintf(p, "-%u.%ue-%u", r >> 10 & 1023, r >> 3, r & 15);
	default:
		return sprintf(p, "%.8f", v);
	}
}

/* every number of cJSON's tree under node, in order, against the tensor's */
static size_t
compare(const cJSON *node, const float *lifted)
{
	size_t n = 0;

	if (!cJSON_IsArray(node)) {
		float plain = (float)node->valuedouble;

		assert_memory_equal(&plain, lifted, sizeof plain);
		return 1;
	}
	for (const cJSON *c = node->child; c; c = c->next)
		n += compare(c, lifted + n);
	return n;
}

static void
test_lifted_equals_plain(void **state)
{
	enum { ROWS = 37, COLS = 11 };
	static const char *const keys[] = {"embeddings", "W_Q", "bias", "alpha"};
	char *text = malloc(4 * ROWS * COLS * 64);
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct qkv_json j;
		struct qkv_arena arena = {0};
		struct qkv_text t;
		struct qkv_err e;
		size_t at = 0;
		char *p = text;
		cJSON *plain;

		for (size_t k = 0; k < 4; k++) {
			p += sprintf(p, "%s\"%s\":[",
				!k               ? "{"
					: k == 1 ? ",\n\"n\":[1,{\"x\":[]}],\n"
						 : ",",
				keys[k]);
			for (int i = 0; i < ROWS; i++) {
				p += sprintf(p, "%s[", i ? ", " : "");
				for (int c = 0; c < COLS; c++) {
					p += sprintf(p, "%s", c ? "," : round & 1 ? " " : "");
					p += print_number(p, &seed);
				}
				p += sprintf(p, "]");
			}
			p += sprintf(p, "]");
		}
		p += sprintf(p, "}");
		assert_int_equal(qkv_text_borrow(&t, "t", text, (size_t)(p - text), &e), 0);
		assert_int_equal(qkv_json_read(&j, &at, &t, &none, &arena, &e), 0);
		assert_int_equal(at, p - text);
		plain = cJSON_Parse(text);
		assert_non_null(plain);
		for (size_t k = 0; k < 4; k++) {
			struct qkv_member m;
			struct qkv_part part;

			assert_int_equal(qkv_json_member(&m, &j, j.root, "", keys[k]), 0);
			assert_int_equal(qkv_json_tensor(&part, &j, &m, 2, 2, 0), 0);
			assert_int_equal(part.shape[0], ROWS);
			assert_int_equal(part.shape[1], COLS);
			assert_int_equal(compare(cJSON_GetObjectItemCaseSensitive(plain, keys[k]), part.data),
				ROWS * COLS);
		}
		cJSON_Delete(plain);
		qkv_json_close(&j);
		qkv_arena_free(&arena);
		qkv_text_close(&t);
	}
	free(text);
}

/* what is not lifted keeps its structure, its strings and its places */
static void
test_skeleton(void **state)
{
	static const char text[] = " {\"a\":[1,\"x\\u00e9\\n\",{\"data\":\"QUJD\",\"b\":null}],\n\"meta\":[["
				   "1]],\"W_Q\":[[1,2]],\"_z\":{},\"t\":true}";
	struct qkv_json j;
	struct qkv_arena arena = {0};
	struct qkv_text t;
	struct qkv_err e;
	struct qkv_member m;
	size_t at = 1;

	(void)state;
	assert_int_equal(qkv_text_borrow(&t, "t", text, strlen(text), &e), 0);
	assert_int_equal(qkv_json_read(&j, &at, &t, &none, &arena, &e), 0);
	assert_int_equal(j.scan.length,
		strlen("{\"a\":[0,\"x\\u00e9\\n\",{\"data\":\"\",\"b\":null}],\"W_Q\":0,\"t\":true}"));
	assert_memory_equal(j.scan.skeleton,
		"{\"a\":[0,\"x\\u00e9\\n\",{\"data\":\"\",\"b\":null}],\"W_Q\":0,\"t\":true}", j.scan.length);
	assert_int_equal(qkv_json_member(&m, &j, j.root, "", "t"), 0);
	assert_ptr_equal(strstr(text, "true"), text + qkv_json_value(&j, m.node)->at);
	assert_ptr_equal(strstr(text, "\"t\""), text + qkv_json_value(&j, m.node)->key);
	assert_int_equal(qkv_json_member(&m, &j, j.root, "", "a"), 0);
	assert_string_equal(m.node->child->next->valuestring, "x\xC3\xA9\n");
	assert_int_equal(qkv_json_member(&m, &j, j.root, "", "T"), 0);
	assert_null(m.node);
	qkv_json_close(&j);
	qkv_arena_free(&arena);
	qkv_text_close(&t);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lifted_equals_plain),
		cmocka_unit_test(test_skeleton),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}

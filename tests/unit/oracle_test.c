/*
 * Real layers against values that were not made here: tests/golden always, and the larger set that QKV_ORACLES
 * names where it is there.
 *
 * alpha and row sums within 1e-6, column sums within 1e-6 n, every other stage within 2e-6 of its largest value.
 */
#include "test.h"

#include "base/mem.h"
#include "base/sink.h"
#include "qkv.h"

#include <cjson/cJSON.h>
#include <math.h>

static const char *golden = "tests/golden", *shared;

static char *
slurp(const char *folder, const char *name, size_t *size)
{
	char path[512], *text;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s cannot be read", path);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	text = malloc(*size + 1);
	assert_int_equal(fread(text, 1, *size, f), *size);
	text[*size] = 0;
	fclose(f);
	return text;
}

/* the output of a file in JSON, parsed */
static cJSON *
attend(const char *folder, const char *name, unsigned stages, int threads, const char *isa)
{
	struct qkv_settings none = {0};
	struct qkv_attend_options o = {.stages = stages, .threads = threads, .isa = isa};
	struct qkv_write_options w = {0};
	struct qkv_memory_sink out;
	struct qkv_consumer *c = NULL;
	struct qkv_reader *reader;
	struct qkv_notes notes = {0};
	struct qkv_problem *p = NULL;
	struct qkv_attend *a = NULL;
	struct qkv_err e;
	char path[512];
	cJSON *tree;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	qkv_memory_sink_init(&out, (size_t)-1);
	if (qkv_reader_open(&reader, path, &e) || qkv_reader_next(&p, reader, &none, &notes, &e) != 1 ||
		qkv_json_new(&c, &out.sink, &w, &e) || qkv_attend_open(&a, p, &o, &e) ||
		qkv_attend_run(a, c, &notes, &e))
		fail_msg("%s", e.text);
	c->free(c);
	qkv_attend_free(a);
	qkv_problem_free(p);
	qkv_reader_free(reader);
	tree = cJSON_ParseWithLength(out.data, out.size);
	assert_non_null(tree);
	qkv_memory_sink_free(&out);
	return tree;
}

/* the largest absolute number in a tree */
static double
largest(const cJSON *node)
{
	double most = cJSON_IsNumber(node) ? fabs(node->valuedouble) : 0;

	for (const cJSON *c = node->child; c; c = c->next)
		most = fmax(most, largest(c));
	return most;
}

/* same structure, nulls in the same places, numbers within the tolerance */
static void
compare(const char *what, const cJSON *got, const cJSON *expected, double tolerance)
{
	const cJSON *g = got->child;

	if (cJSON_IsNull(got) != cJSON_IsNull(expected) || cJSON_IsArray(got) != cJSON_IsArray(expected))
		fail_msg("%s: another structure", what);
	if (cJSON_IsNumber(got) && !(fabs(got->valuedouble - expected->valuedouble) <= tolerance))
		fail_msg("%s: %.9g, expected %.9g within %g", what, got->valuedouble, expected->valuedouble,
			tolerance);
	for (const cJSON *x = expected->child; x; x = x->next, g = g->next) {
		if (!g)
			fail_msg("%s: too few elements", what);
		compare(what, g, x, tolerance);
	}
	if (g)
		fail_msg("%s: too many elements", what);
}

/* what the output holds under a name: of each head in an array, or of the layer */
static cJSON *
collect(const cJSON *tree, const char *name)
{
	cJSON *list = cJSON_CreateArray(), *entry, *found;

	cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(tree, "heads"))
	{
		found = cJSON_GetObjectItemCaseSensitive(entry, name);
		if (found && !strcmp(name, "output")) {
			cJSON_Delete(list);
			return cJSON_Duplicate(found, 1);
		}
		if (found)
			cJSON_AddItemReferenceToArray(list, found);
	}
	return list;
}

static void
check_layer(const char *folder, const char *name, int threads, const char *isa)
{
	char path[64], what[128];
	size_t size;
	char *text;
	cJSON *expected, *got, *x;
	unsigned stages = 0;

	snprintf(path, sizeof path, "%s.expected.json", name);
	text = slurp(folder, path, &size);
	expected = cJSON_Parse(text);
	for (unsigned s = 0; s < QKV_STAGES; s++)
		if (cJSON_GetObjectItemCaseSensitive(expected, qkv_stage_names[s]))
			stages |= 1u << s;
	snprintf(path, sizeof path, "%s.json", name);
	got = attend(folder, path, stages, threads, isa);
	cJSON_ArrayForEach(x, expected)
	{
		cJSON *g = collect(got, x->string);
		double n = cJSON_GetArraySize(x->child);
		int exact = !strcmp(x->string, "alpha") || !strcmp(x->string, "row_sums");

		snprintf(what, sizeof what, "%s %s", name, x->string);
		compare(what, g, x,
			exact                                    ? 1e-6
				: !strcmp(x->string, "col_sums") ? 1e-6 * n
								 : 2e-6 * largest(x));
		cJSON_Delete(g);
	}
	cJSON_Delete(got);
	cJSON_Delete(expected);
	free(text);
}

/* ready alpha comes out as it went in: the same numbers, and their sums */
static void
check_alpha(const char *folder, const char *name)
{
	size_t size, heads = 0;
	char *text = slurp(folder, name, &size);
	cJSON *in = cJSON_Parse(text), *out = attend(folder, name, 0, 0, NULL), *layer, *head, *row;
	cJSON *entry = cJSON_GetObjectItemCaseSensitive(out, "heads")->child;

	cJSON_ArrayForEach(layer, cJSON_GetObjectItemCaseSensitive(in, "alpha"))
	{
		/* an axis of one batch may stand between layers and heads */
		cJSON *of = cJSON_IsArray(layer->child->child->child) ? layer->child : layer;

		cJSON_ArrayForEach(head, of)
		{
			cJSON *sums = cJSON_GetObjectItemCaseSensitive(entry, "row_sums")->child;

			compare(name, cJSON_GetObjectItemCaseSensitive(entry, "alpha"), head, 0);
			cJSON_ArrayForEach(row, head)
			{
				cJSON *x;
				double sum = 0;

				cJSON_ArrayForEach(x, row) sum += x->valuedouble;
				assert_true(fabs(sum - sums->valuedouble) < 1e-6);
				sums = sums->next;
			}
			entry = entry->next;
			heads++;
		}
	}
	assert_null(entry);
	assert_true(heads >= 72);
	cJSON_Delete(in);
	cJSON_Delete(out);
	free(text);
}

static void
test_golden(void **state)
{
	static const char *const isas[] = {"portable", "avx2", "avx512", "neon"};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		if (qkv_isa_name(isas[i]))
			check_layer(golden, "nano/0", 1, isas[i]);
	check_alpha(golden, "minilm/cat.alpha.json");
}

static void
test_shared(void **state)
{
	static const char *const layers[] = {
		"nano/0", "nano/1", "minilm/cat", "minilm/pair", "minilm/padded"};
	static const char *const alphas[] = {"gpt2/0.json", "gpt2/1.json", "gpt2/2.json",
		"minilm/cat.alpha.json", "minilm/pair.alpha.json", "minilm/repeat.alpha.json"};

	(void)state;
	if (!shared || !*shared)
		skip();
	for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
		check_layer(shared, layers[i], 2, NULL);
	for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++)
		check_alpha(shared, alphas[i]);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_shared),
	};

	shared = getenv("QKV_ORACLES");
	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}

/* Large arrays: whatever the instruction set and the number of threads, the same numbers and the same errors. */
#include "test.h"

#include "kerns.h"
#include "load/scan.h"

#include <stdlib.h>

enum { SIZE = 4 << 20 };

/* what comes of a text */
struct outcome {
	struct qkv_arena arena;
	struct qkv_scan scan;
	struct qkv_err e;
	int result;
	size_t at;
};

static void
scan(struct outcome *o, const char *text, size_t size, int threads, const char *isa)
{
	const struct qkv_settings s = {.threads = threads, .isa = isa};
	struct qkv_text t;

	*o = (struct outcome){.result = 0};
	assert_int_equal(qkv_text_borrow(&t, "t", text, size, &o->e), 0);
	o->result = qkv_scan_read(&o->scan, &o->at, &t, &s, &o->arena, &o->e);
	qkv_text_close(&t);
}

static void
forget(struct outcome *o)
{
	qkv_scan_free(&o->scan);
	qkv_arena_free(&o->arena);
}

static void
compare(const struct outcome *a, const struct outcome *b, const char *isa, int threads)
{
	if (a->result != b->result || a->at != b->at || (a->result && strcmp(a->e.text, b->e.text)))
		fail_msg("%s, %d threads: %s, expected %s", isa, threads, b->result ? b->e.text : "success",
			a->result ? a->e.text : "success");
	for (size_t i = 0; !a->result && i < a->scan.num_values; i++) {
		const struct qkv_value *v = &a->scan.values[i], *w = &b->scan.values[i];

		assert_int_equal(v->kind, w->kind);
		if (v->kind != QKV_VALUE_TENSOR)
			continue;
		assert_int_equal(v->is.tensor->rank, w->is.tensor->rank);
		assert_memory_equal(v->is.tensor->shape, w->is.tensor->shape, sizeof v->is.tensor->shape);
		assert_int_equal(v->is.tensor->count, w->is.tensor->count);
		assert_memory_equal(v->is.tensor->data, w->is.tensor->data,
			v->is.tensor->count * sizeof *v->is.tensor->data);
	}
}

/* every way to read the text has the outcome of one thread without vectors */
static int
check(const char *text, size_t size)
{
	static const int threads[] = {2, 1, 7};
	struct outcome want, got;
	int result;

	scan(&want, text, size, 1, "portable");
	for (size_t k = 0; k < num_kerns; k++)
		for (size_t i = 0; i < (k ? 1 : 3); i++) {
			scan(&got, text, size, threads[i], kerns[k]->name);
			compare(&want, &got, kerns[k]->name, threads[i]);
			forget(&got);
		}
	result = want.result;
	forget(&want);
	return result;
}

/* a nested array, gap after each comma; cells of masks are 0 and 1 */
static char *
put_array(char *p, const size_t *shape, size_t axes, const char *gap, int flags)
{
	*p++ = '[';
	for (size_t i = 0; i < *shape; i++) {
		if (i)
			p += sprintf(p, ",%s", gap);
		if (axes > 1)
			p = put_array(p, shape + 1, axes - 1, gap, flags);
		else if (flags)
			*p++ = (char)('0' + random_below(2));
		else
			p += sprintf(p, "%.*f", (int)(1 + random_below(9)), random_bits() * 0x1p-31 - 1);
	}
	*p++ = ']';
	return p;
}

static const struct {
	size_t axes, shape[4];
	const char *key, *gap;
} cases[] = {
	{2, {700, 300}, "Q", ""},
	{2, {60000, 3}, "K", " "},
	{2, {150000, 1}, "embeddings", "\n"},
	{2, {3, 60000}, "W_Q", ""},
	{3, {12, 100, 150}, "Q", ""},
	{3, {3, 20000, 2}, "alpha", "  "},
	{3, {20000, 3, 2}, "bias", ""},
	{4, {5, 4, 70, 100}, "alpha", " "},
	{4, {3, 1, 200, 300}, "alpha", ""},
	{2, {800, 900}, "mask", ""},
	{1, {200000}, "b_Q", ""},
};

/* the same texts, whole, and with a byte that is another or missing */
static void
test_equal(void **unused)
{
	static const char bytes[] = "0123456789.-eE,,[[]]  \n\"xN{}:";
	char *text = malloc(SIZE);

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *p = text + sprintf(text, "{\"num_heads\":1,\"%s\":", cases[i].key);
		size_t size, at;
		char was;

		p = put_array(p, cases[i].shape, cases[i].axes, cases[i].gap, !strcmp(cases[i].key, "mask"));
		p += sprintf(p, ",\"b_K\":[1,2,3]}");
		size = (size_t)(p - text);
		assert_int_equal(check(text, size), 0);
		at = random_below((uint32_t)size);
		was = text[at];
		text[at] = bytes[random_below(sizeof bytes - 1)];
		check(text, size);
		text[at] = was;
		memmove(text + at, text + at + 1, size - at - 1);
		check(text, size - 1);
		memmove(text + at + 1, text + at, size - at - 1);
		text[at] = was;
		/* what is too large for a float, late, is found before what is no number, later */
		memcpy(strchr(text + size / 2, ','), ",1e40", 5);
		text[size - 30] = 'x';
		assert_int_equal(check(text, size), -1);
	}
	free(text);
}

/* the comma after the next item of an array */
static char *
item_end(char *p, size_t axes)
{
	do
		p = strchr(p + 1, ',');
	while (strspn(p - axes + 1, "]") < axes - 1);
	return p;
}

/* the first item that threads read has a bracket too many or too few, or is as long as two */
static void
test_first_item(void **unused)
{
	char *text = malloc(SIZE);

	(void)unused;
	for (size_t i = 0; cases[i].axes > 1; i++) {
		char *end = text + sprintf(text, "{\"%s\":", cases[i].key), *first, *second;

		end = put_array(
			end, cases[i].shape, cases[i].axes, cases[i].gap, !strcmp(cases[i].key, "mask"));
		*end++ = '}';
		first = item_end(text, cases[i].axes);
		second = item_end(first, cases[i].axes);
		first = strchr(first, '[');
		memmove(first + 1, first, (size_t)(end - first));
		assert_int_equal(check(text, (size_t)(end + 1 - text)), -1);
		memmove(first, first + 1, (size_t)(end - first));
		*first = ' ';
		assert_int_equal(check(text, (size_t)(end - text)), -1);
		*first = '[';
		second[-1] = *strchr(second, '[') = ' ';
		assert_int_equal(check(text, (size_t)(end - text)), -1);
	}
	free(text);
}

/* what stands before the first row is longer than all that follows */
static void
test_late_row(void **unused)
{
	char *text = malloc(SIZE);
	size_t size = (size_t)sprintf(text, "{\"Q\":[[[1]],[%*s[2]],[[3]]]}", SIZE / 2, "");

	(void)unused;
	assert_int_equal(check(text, size), 0);
	free(text);
}

/* cells that the fast way leaves, in every row, do not make it read anything twice and over */
static void
test_hidden(void **unused)
{
	char *text = malloc(SIZE), *p = text + sprintf(text, "{\"bias\":[");

	(void)unused;
	for (size_t i = 0; i < 600; i++) {
		p += sprintf(p, i ? ",[" : "[");
		for (size_t j = 0; j < 600; j++)
			p += sprintf(p, j > i ? "%s\"-inf\"" : "%s-0.5", j ? "," : "");
		*p++ = ']';
	}
	p += sprintf(p, "]}");
	assert_int_equal(check(text, (size_t)(p - text)), 0);
	free(text);
}

static void
test_unknown_isa(void **unused)
{
	char want[1024];
	struct outcome o;

	(void)unused;
	scan(&o, "{}", 2, 1, "frob");
	snprintf(want, sizeof want, "instruction set frob is not on this machine, expected one of %s",
		qkv_kern_names());
	assert_int_equal(o.result, -1);
	assert_int_equal(o.e.status, QKV_EUSAGE);
	assert_string_equal(o.e.text, want);
	forget(&o);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_first_item),
		cmocka_unit_test(test_late_row),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_unknown_isa),
	};

	return cmocka_run_group_tests(tests, find_kerns, NULL);
}

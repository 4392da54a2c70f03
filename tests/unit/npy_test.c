/* NPY files: headers and elements that are read, or refused in which words. */
#include "test.h"

#include "load/npy.h"

#define SIX "\x00\x00\x80\x3F\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xA0\x40\x00\x00\xC0\x40"
#define HEAD(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"

/* a file of a version in memory of its own, so that a step too far is seen */
static char *
build(size_t *size, int version, const char *header, const void *data, size_t length)
{
	size_t n = strlen(header), start = version == 1 ? 10 : 12;
	char *file = calloc(start + n + length, 1);

	memcpy(file, "\x93NUMPY", 6);
	file[6] = (char)version;
	file[8] = (char)(n & 0xFF);
	file[9] = (char)(n >> 8);
	memcpy(file + start, header, n);
	if (length)
		memcpy(file + start + n, data, length);
	*size = start + n + length;
	return file;
}

/* reads the size bytes at file, and hands the tensor to look, if there is one */
static int
read_bytes(const char *file, size_t size, void (*look)(const struct qkv_tensor *t, const char *file),
	struct qkv_err *e)
{
	struct qkv_arena arena = {NULL};
	struct qkv_text text;
	struct qkv_tensor t;
	int failed;

	assert_int_equal(qkv_text_borrow(&text, "q.npy", file, size, e), 0);
	text.no_lines = 1;
	failed = qkv_npy_read(&t, &text, &arena, e);
	if (!failed && look)
		look(&t, file);
	qkv_arena_free(&arena);
	qkv_text_close(&text);
	return failed;
}

static int
read_array(int version, const char *header, const void *data, size_t length,
	void (*look)(const struct qkv_tensor *t, const char *file), struct qkv_err *e)
{
	size_t size;
	char *file = build(&size, version, header, data, length);
	int failed = read_bytes(file, size, look, e);

	free(file);
	return failed;
}

/* 2 x 3: 1 2 3, 4 5 6 */
static void
is_six(const struct qkv_tensor *t, const char *file)
{
	(void)file;
	assert_int_equal(t->rank, 2);
	assert_int_equal(t->shape[0], 2);
	assert_int_equal(t->shape[1], 3);
	assert_int_equal(t->count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_true(t->data[i] == (float)(i + 1));
}

/* B02 among them: a header of every version */
static void
test_headers(void **state)
{
	static const char *const headers[] = {
		HEAD("(2, 3)") "                                                           \n",
		HEAD("(2, 3)"),
		"{'shape':(2,3),'fortran_order':False,'descr':'<f4'}",
		"{\"descr\":\"<f4\",\"shape\":(2,3,),\"fortran_order\":False,}\n",
		" \t\n{ 'descr' :\n'<f4' , 'fortran_order' : False\r\n, 'shape' : ( 2 , 3 , ) , } \n\n",
		"{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3)}",
	};
	struct qkv_err e;

	(void)state;
	for (int version = 1; version <= 3; version++)
		for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
			assert_int_equal(read_array(version, headers[i], SIX, 24, is_six, &e), 0);
}

static const struct {
	const char *header, *message;
} bad[] = {
	{"", "header: it ends here, expected '{'"},
	{"[1]", "header: [1], expected '{'"},
	{"{}", "header: no key 'descr', expected descr, fortran_order and shape"},
	{"{", "header: it ends here, expected 'descr', 'fortran_order' and 'shape', each once"},
	{"{,}", "header: ,, expected 'descr', 'fortran_order' and 'shape', each once"},
	{"{'descr'", "header: it ends here, expected ':'"},
	{"{'descr: '<f4'}", "header: 'descr, expected 'descr', 'fortran_order' and 'shape', each once"},
	{"{'descr\": '<f4'}", "header: 'descr\", expected 'descr', 'fortran_order' and 'shape', each once"},
	{"{'descr':'<f4','descr':'<f4'}",
		"header: 'descr', expected 'descr', 'fortran_order' and 'shape', each once"},
	{"{'order':True}", "header: 'order', expected 'descr', 'fortran_order' and 'shape', each once"},
	{"{'descr':'<f4','fortran_order':False,}",
		"header: no key 'shape', expected descr, fortran_order and shape"},
	{"{'descr':'<f4' 'shape':(2,3)}", "header: 'shape', expected '}'"},
	{"{'descr':'<i4'}", "header: '<i4', expected '<f4', '<f8' or '<f2', or one of these with '>'"},
	{"{'descr':'|f4'}", "header: '|f4', expected '<f4', '<f8' or '<f2', or one of these with '>'"},
	{"{'descr':'<f16'}", "header: '<f16', expected '<f4', '<f8' or '<f2', or one of these with '>'"},
	{"{'descr':'<'}", "header: '<', expected '<f4', '<f8' or '<f2', or one of these with '>'"},
	{"{'descr':[('a','<f4')]}",
		"header: [('a', expected '<f4', '<f8' or '<f2', or one of these with '>'"},
	{"{'fortran_order':0}", "header: 0, expected True or False"},
	{"{'fortran_order':Truer}", "header: r, expected '}'"},
	{"{'shape':2}", "header: 2, expected '('"},
	{"{'shape':(6)}", "header: ), expected ','"},
	{"{'shape':(,)}", "header: ,, expected a length"},
	{"{'shape':(2,,3)}", "header: ,, expected a length"},
	{"{'shape':(2, 3 4)}", "header: 4, expected ')'"},
	{"{'shape':(-1,3)}", "header: -1, expected a length"},
	{"{'shape':(2.0,3)}", "header: .0, expected ','"},
	{"{'shape':(2L,3)}", "header: L, expected ','"},
	{"{'shape':(02,3)}", "header: 02, expected a length"},
	{"{'shape':(18446744073709551618,)}",
		"header: 18446744073709551618, expected less, as memory can hold"},
	{"{'shape':(1,1,1,1,1,1,1,1,1)}", "more than 8 axes, expected less"},
	{HEAD("(4294967296, 4294967296)"), "more elements than memory can hold, expected less"},
	{HEAD("(2147483648, 2147483648, 2)"), "more elements than memory can hold, expected less"},
	{HEAD("(2, 3)") "\n.", "header: ., expected nothing but white space"},
	{HEAD("(2, 4)"), "24 bytes of data, expected 32 for 8 elements of float32"},
	{HEAD("(5,)"), "24 bytes of data, expected 20 for 5 elements of float32"},
	{HEAD("()"), "24 bytes of data, expected 4 for 1 elements of float32"},
	{HEAD("(0, 3)"), "24 bytes of data, expected 0 for 0 elements of float32"},
	{"{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3)}",
		"24 bytes of data, expected 48 for 6 elements of float64"},
};

static void
test_bad_headers(void **state)
{
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct qkv_err e = {QKV_OK, ""};
		char message[256];

		snprintf(message, sizeof message, "q.npy: %s", bad[i].message);
		if (!read_array(1, bad[i].header, SIX, 24, NULL, &e) || strcmp(e.text, message) ||
			e.status != QKV_EINPUT) {
			printf("%s\n  %s\n  expected %s\n", bad[i].header, e.text, message);
			failed++;
		}
	}
	assert_int_equal(failed, 0);
}

/* what stands before the header */
static void
test_bad_beginnings(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *message;
	} rows[] = {
		{"", 0, "q.npy: not an NPY file, expected the bytes 0x93 NUMPY and a version"},
		{"{\"alpha\":[[1]]}", 15,
			"q.npy: not an NPY file, expected the bytes 0x93 NUMPY and a version"},
		{"\x93NUMPY\x01", 7, "q.npy: not an NPY file, expected the bytes 0x93 NUMPY and a version"},
		{"\x93NUMPY\x09\x00\x02\x00{}", 12, "q.npy: NPY version 9.0, expected 1.0, 2.0 or 3.0"},
		{"\x93NUMPY\x00\x00\x02\x00{}", 12, "q.npy: NPY version 0.0, expected 1.0, 2.0 or 3.0"},
		{"\x93NUMPY\x01\x01\x02\x00{}", 12, "q.npy: NPY version 1.1, expected 1.0, 2.0 or 3.0"},
		{"\x93NUMPY\x01\x00\x03", 9, "q.npy: 9 bytes, expected at least 10 for the header"},
		{"\x93NUMPY\x01\x00\x03\x00{}", 12, "q.npy: 12 bytes, expected at least 13 for the header"},
		{"\x93NUMPY\x01\x00\x02\x00{\x00", 12,
			"q.npy: header: a byte 0, expected 'descr', 'fortran_order' and 'shape', each once"},
		{"\x93NUMPY\x02\x00\x02\x00{}", 12,
			"q.npy: 12 bytes, expected at least 2105212942 for the header"},
		{"\x93NUMPY\x03\x00\xFF\xFF\xFF\xFF{}", 14,
			"q.npy: 14 bytes, expected at least 4294967307 for the header"},
	};
	struct qkv_err e;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *own = malloc(rows[i].size ? rows[i].size : 1);

		memcpy(own, rows[i].text, rows[i].size);
		assert_int_equal(read_bytes(own, rows[i].size, NULL, &e), -1);
		assert_string_equal(e.text, rows[i].message);
		free(own);
	}
}

/* every proper prefix fails, and so does a byte too many */
static void
test_prefixes(void **state)
{
	(void)state;
	for (int version = 1; version <= 3; version++) {
		struct qkv_err e;
		size_t size;
		char *file = build(&size, version, HEAD("(2, 3)"), SIX, 25);

		for (size_t n = 0; n <= size; n++) {
			char *cut = malloc(n ? n : 1);

			memcpy(cut, file, n);
			assert_int_equal(read_bytes(cut, n, is_six, &e), n == size - 1 ? 0 : -1);
			free(cut);
		}
		free(file);
	}
}

/* one byte changed anywhere must never do worse than fail */
static void
test_changed_bytes(void **state)
{
	static const char bytes[] = "\0\n\"'\\{}(),:0<>fF-9\x80\xFF";
	size_t size;
	char *file = build(&size, 1, HEAD("(2, 3)"), SIX, 24);
	struct qkv_err e;

	(void)state;
	for (size_t i = 0; i < size; i++)
		for (size_t b = 0; b < sizeof bytes - 1; b++) {
			char keep = file[i];

			file[i] = bytes[b];
			e.text[0] = 0;
			if (read_bytes(file, size, NULL, &e))
				assert_true(*e.text);
			file[i] = keep;
		}
	free(file);
}

/* element (i, j, k, l) of 2 x 3 x 4 x 5 is 1000 i + 100 j + 10 k + l */
static void
is_index(const struct qkv_tensor *t, const char *file)
{
	static const size_t lengths[] = {2, 3, 4, 5}, weights[] = {1000, 100, 10, 1};

	(void)file;
	for (size_t e = 0; e < t->count; e++) {
		size_t rest = e, value = 0;

		for (size_t d = t->rank; d--; rest /= lengths[d]) {
			assert_int_equal(t->shape[d], lengths[d]);
			value += rest % lengths[d] * weights[d];
		}
		assert_true(t->data[e] == (float)value);
	}
}

/* B01: in Fortran order the first index comes first */
static void
test_fortran(void **state)
{
	static const char turned[] =
		"\x00\x00\x80\x3F\x00\x00\x80\x40\x00\x00\x00\x40\x00\x00\xA0\x40\x00\x00\x40\x40"
		"\x00\x00\xC0\x40";
	static const char *const shapes[] = {"(2,)", "(2, 3)", "(2, 3, 4)", "(2, 3, 4, 5)"};
	static const size_t lengths[] = {2, 3, 4, 5}, weights[] = {1000, 100, 10, 1};
	struct qkv_err e;
	size_t count = 1;

	(void)state;
	assert_int_equal(read_array(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", turned,
				 24, is_six, &e),
		0);
	for (size_t rank = 1; rank <= 4; rank++) {
		float data[120];
		char header[128];

		count *= lengths[rank - 1];
		for (size_t n = 0; n < count; n++) {
			size_t rest = n, value = 0;

			for (size_t d = 0; d < rank; rest /= lengths[d++])
				value += rest % lengths[d] * weights[d];
			data[n] = (float)value;
		}
		snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': True, 'shape': %s, }",
			shapes[rank - 1]);
		assert_int_equal(read_array(1, header, data, count * sizeof *data, is_index, &e), 0);
	}
}

/* 1, -0.333251953125 as its own format has it */
static void
is_pair(const struct qkv_tensor *t, const char *file)
{
	(void)file;
	assert_int_equal(t->count, 2);
	assert_true(t->data[0] == 1 && t->data[1] == -0.333251953125f);
}

/* B03: either order of the bytes, in every width */
static void
test_bytes(void **state)
{
	static const struct {
		const char *descr, *data;
		size_t size;
	} rows[] = {
		{"<f4", "\x00\x00\x80\x3F\x00\xA0\xAA\xBE", 8},
		{">f4", "\x3F\x80\x00\x00\xBE\xAA\xA0\x00", 8},
		{"<f8", "\x00\x00\x00\x00\x00\x00\xF0\x3F\x00\x00\x00\x00\x00\x54\xD5\xBF", 16},
		{">f8", "\x3F\xF0\x00\x00\x00\x00\x00\x00\xBF\xD5\x54\x00\x00\x00\x00\x00", 16},
		{"<f2", "\x00\x3C\x55\xB5", 4},
		{">f2", "\x3C\x00\xB5\x55", 4},
	};
	struct qkv_err e;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int pad = 0; pad < 8; pad++) {
			char header[128];

			snprintf(header, sizeof header,
				"{'descr': '%s', 'fortran_order': %s, 'shape': (1, 2), }%*s", rows[i].descr,
				pad < 4 ? "True" : "False", pad % 4 + 1, "");
			assert_int_equal(read_array(1, header, rows[i].data, rows[i].size, is_pair, &e), 0);
		}
}

static size_t elements_at; /* where those of the file begin that is being read */

static void
lies_as_it_can(const struct qkv_tensor *t, const char *file)
{
	is_six(t, file);
	if (elements_at % 4)
		assert_true((const char *)t->data < file || (const char *)t->data > file + elements_at + 24);
	else
		assert_ptr_equal(t->data, file + elements_at);
}

/* what can be used where it lies is not copied; what is not aligned has to be */
static void
test_in_place(void **state)
{
	char header[128] = HEAD("(2, 3)");
	struct qkv_err e;

	(void)state;
	for (size_t pad = 0; pad < 8; pad++) {
		strcat(header, " ");
		elements_at = 10 + strlen(header);
		assert_int_equal(read_array(1, header, SIX, 24, lies_as_it_can, &e), 0);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_beginnings),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_fortran),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_in_place),
	};

	return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}

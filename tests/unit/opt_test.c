/* Command lines: what is taken from them, what is refused in which words, and that the tables agree with the library. */
#include "test.h"

/* the program's files are not in the library */
#include "cli/format.c"
#include "cli/opt.c"
#include "cli/table.c"
#include "cli/value.c"

enum { ARGS = 8 };

/* as the program would: operands point into text */
static int
parse(struct qkv_options *o, const char *const *args, struct qkv_err *e)
{
	static char text[ARGS][64];
	char *argv[ARGS + 1] = {text[0]};
	int argc = 1;

	strcpy(text[0], "attend");
	for (; argc < ARGS && args[argc - 1]; argc++) {
		strcpy(text[argc], args[argc - 1]);
		argv[argc] = text[argc];
	}
	return qkv_opt_parse(o, QKV_VERB_ATTEND, argc, argv, e);
}

static const struct {
	const char *args[ARGS];
	const char *message;
} bad[] = {
	{{"--num-heads", "2x"}, "--num-heads: '2x', expected a whole number from 1 to 999999999"},
	{{"--num-heads=1000000000"},
		"--num-heads: '1000000000', expected a whole number from 1 to 999999999"},
	{{"-t", "0"}, "--threads: '0', expected a whole number from 1 to 1024"},
	{{"-t"}, "--threads: the value is missing, expected a whole number from 1 to 1024"},
	{{"-qt"}, "--threads: the value is missing, expected a whole number from 1 to 1024"},
	{{"-qz"}, "-z: no such option"},
	{{"-\x01"}, "-?: no such option"},
	{{"--scale", "--mask", "causal"}, "--scale: '--mask', expected auto, none or NUMBER"},
	{{"--heads=0,"}, "--heads: '0,', expected indices such as 0,3-5 or 4.11"},
	{{"--layers=0.1"}, "--layers: '0.1', expected indices such as 0,3-5"},
	{{"--quiet="}, "--quiet: takes no value"},
	{{"--head", "1"}, "--head: options cannot be abbreviated, expected --heads or --header"},
	{{"--la=1"}, "--la: options cannot be abbreviated, expected --layers or --layout or --labels"},
	{{"--oputput=x"}, "--oputput: no such option, did you mean --output"},
	{{"--q=x"}, "--q: no such option, did you mean --Q"},
	{{"--keys=1,"}, "--keys: '1,', expected indices such as 0,3-5"},
	{{"--hide-tokens=a\\b"},
		"--hide-tokens: 'a\\b', expected tokens such as [CLS],[SEP], with \\, for a "
		"comma and \\\\ for a backslash"},
	{{"--zzz"}, "--zzz: no such option"},
};

static void
refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct qkv_options o;
		struct qkv_err e = {0};

		assert_int_equal(parse(&o, bad[i].args, &e), -1);
		assert_int_equal(e.status, QKV_EUSAGE);
		assert_string_equal(e.text, bad[i].message);
		qkv_opt_free(&o);
	}
}

static void
reads_values(void **state)
{
	static const char *const args[] = {
		"--num-heads=007", "in.json", "--scale", "-1.5", "-qf", "json", NULL};
	static const char *const lists[] = {"--heads", "0,3-5,4.11,2.0-1", "--stage=output,q",
		"--hide-tokens=a,\\,\\n,", "--", "-t", NULL};
	struct qkv_options o;
	struct qkv_err e;
	const struct qkv_range *r;

	(void)state;
	assert_int_equal(parse(&o, args, &e), 0);
	assert_int_equal(o.of[QKV_OPT_NUM_HEADS].number, 7);
	assert_true(o.of[QKV_OPT_SCALE].scale.kind == QKV_SCALE_NUMBER);
	assert_true(o.of[QKV_OPT_SCALE].scale.number == -1.5);
	assert_non_null(o.of[QKV_OPT_QUIET].text);
	assert_int_equal(o.of[QKV_OPT_FORMAT].number, QKV_FORMAT_json + 1);
	assert_null(o.of[QKV_OPT_MASK].text);
	assert_int_equal(o.num_operands, 1);
	assert_string_equal(o.operands[0], "in.json");
	qkv_opt_free(&o);

	assert_int_equal(parse(&o, lists, &e), 0);
	r = o.of[QKV_OPT_HEADS].ranges;
	assert_int_equal(o.of[QKV_OPT_HEADS].number, 4);
	assert_true(r[0].layer == QKV_ANY && r[0].first == 0 && r[0].last == 0);
	assert_true(r[1].layer == QKV_ANY && r[1].first == 3 && r[1].last == 5);
	assert_true(r[2].layer == 4 && r[2].first == 11 && r[2].last == 11);
	assert_true(r[3].layer == 2 && r[3].first == 0 && r[3].last == 1);
	assert_int_equal(o.of[QKV_OPT_STAGE].stages, 1u << QKV_OUTPUT | 1u << QKV_Q);
	assert_int_equal(o.of[QKV_OPT_HIDE_TOKENS].number, 3);
	assert_string_equal(o.of[QKV_OPT_HIDE_TOKENS].tokens[0], "a");
	assert_string_equal(o.of[QKV_OPT_HIDE_TOKENS].tokens[1], ",\n");
	assert_string_equal(o.of[QKV_OPT_HIDE_TOKENS].tokens[2], "");
	assert_int_equal(o.num_operands, 1);
	assert_string_equal(o.operands[0], "-t");
	qkv_opt_free(&o);
}

/* the last value wins, and the list before it is freed (the leak sanitizer sees to that) */
static void
last_wins(void **state)
{
	static const char *const args[] = {"--heads=1", "--heads=2,3", "--mask=none", "--mask=causal", NULL};
	struct qkv_options o;
	struct qkv_err e;

	(void)state;
	assert_int_equal(parse(&o, args, &e), 0);
	assert_int_equal(o.of[QKV_OPT_HEADS].number, 2);
	assert_int_equal(o.of[QKV_OPT_MASK].mask.kind, QKV_MASK_CAUSAL);
	qkv_opt_free(&o);
}

/* --help and --version end the reading, so that what follows cannot be wrong */
static void
help_ends_reading(void **state)
{
	static const char *const args[] = {"-q", "--help", "--frobnicate", NULL};
	struct qkv_options o;
	struct qkv_err e;

	(void)state;
	assert_int_equal(parse(&o, args, &e), 0);
	assert_non_null(o.of[QKV_OPT_HELP].text);
	qkv_opt_free(&o);
}

static void
fails_cleanly_without_memory(void **state)
{
	static const char *const args[] = {"--heads=1", "--layers=2,3", NULL};

	(void)state;
	for (size_t nth = 1; nth <= 3; nth++) {
		struct qkv_options o;
		struct qkv_err e = {0};

		qkv_mem_fail_at(nth);
		assert_int_equal(parse(&o, args, &e), -1);
		qkv_mem_fail_at(0);
		assert_int_equal(e.status, QKV_EMEMORY);
		qkv_opt_free(&o);
	}
}

/* whether the choices of an option are names[0] to names[count - 1] */
static void
same_choices(enum qkv_opt_id id, const char *const *names, size_t count)
{
	const char *choices = qkv_opts[id].choices, *choice;
	size_t length, i = 0;

	while ((choice = qkv_choice_next(&length, &choices)) != NULL) {
		assert_true(i < count);
		assert_int_equal(length, strlen(names[i]));
		assert_memory_equal(choice, names[i], length);
		i++;
	}
	assert_int_equal(i, count);
}

/* the order of choices stands for numbers elsewhere */
static void
tables_agree(void **state)
{
	static const char *const layouts[] = {[QKV_IN_OUT - 1] = "in_out", [QKV_OUT_IN - 1] = "out_in"};
	static const char *const tables[] = {"wide", [LAYOUT_LONG - 1] = "long"};
	static const char *const headers[] = {
		[HEADER_LABELS - 1] = "labels", [HEADER_INDEX - 1] = "index", [HEADER_NONE - 1] = "none"};
	static const char *const sums[] = {[SUMS_ROW - 1] = "row",
		[SUMS_COL - 1] = "col",
		[SUMS_BOTH - 1] = "both",
		[SUMS_NONE - 1] = "none"};

	(void)state;
	same_choices(QKV_OPT_STAGE, qkv_stage_names, QKV_STAGES);
	same_choices(QKV_OPT_WEIGHT_LAYOUT, layouts, 2);
	same_choices(QKV_OPT_LAYOUT, tables, 2);
	same_choices(QKV_OPT_HEADER, headers, 3);
	assert_true(QKV_HEADER_LABELS == HEADER_LABELS - 1 && QKV_HEADER_INDEX == HEADER_INDEX - 1 &&
		QKV_HEADER_NONE == HEADER_NONE - 1);
	same_choices(QKV_OPT_SUMS, sums, 4);
	for (int i = 0; i < QKV_OPTS; i++) {
		assert_int_equal(qkv_opts[i].argument == NULL, qkv_opts[i].kind == QKV_KIND_FLAG);
		assert_true((qkv_opts[i].most > 0) == (qkv_opts[i].kind == QKV_KIND_COUNT));
	}
}

static const struct {
	const char *args[ARGS];
	int format; /* -1: refused */
} formats_chosen[] = {
	{{NULL}, QKV_FORMAT_csv},
	{{"-o", "-"}, QKV_FORMAT_csv},
	{{"-o", "a.b/c"}, QKV_FORMAT_csv},
	{{"-o", ".tsv"}, QKV_FORMAT_csv},
	{{"-o", "a."}, QKV_FORMAT_csv},
	{{"-o", "a.tsv"}, QKV_FORMAT_tsv},
	{{"-o", "a.png.json"}, QKV_FORMAT_json},
	{{"-o", "a.JSONL"}, QKV_FORMAT_ndjson},
	{{"-o", "a.js"}, -1},
	{{"-o", "a.jsonx"}, -1},
	{{"-o", "a.{head}"}, -1},
	{{"-o", "a.png", "-f", "tsv"}, QKV_FORMAT_tsv},
	{{"-o", "a.png", "--bare"}, QKV_FORMAT_png},
	{{"-o", "a.png", "--bom"}, -1},
	{{"-f", "json", "--bare"}, -1},
	{{"-f", "json", "--precision", "3"}, QKV_FORMAT_json},
	{{"-f", "png", "--stage", "q,k"}, QKV_FORMAT_png},
	{{"-f", "tsv", "--stage", "q,k"}, -1},
	{{"--stage", "q", "--layout", "long"}, -1},
	{{"--stage", "masked", "--layout", "long", "--sums", "none"}, QKV_FORMAT_csv},
	{{"--bare", "--header", "none", "--sums", "none"}, QKV_FORMAT_csv},
	{{"--bare", "--header", "index"}, -1},
};

static void
chooses_format(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof formats_chosen / sizeof *formats_chosen; i++) {
		const struct qkv_format *f = NULL;
		struct qkv_options o;
		struct qkv_err e;
		int status;

		assert_int_equal(parse(&o, formats_chosen[i].args, &e), 0);
		status = qkv_format_choose(&f, &o, &e);
		assert_int_equal(status ? -1 : (int)(f - qkv_formats), formats_chosen[i].format);
		qkv_opt_free(&o);
	}
}

static void
shows_what_options_say(void **state)
{
	static const char *const args[] = {
		"--sums=row", "--header=none", "--layout=long", "--precision=4", NULL};
	struct qkv_options o;
	struct qkv_err e;
	struct qkv_show show;

	(void)state;
	assert_int_equal(parse(&o, args, &e), 0);
	show = qkv_format_show(&o, NULL);
	assert_true(show.write.no_col_sums && !show.write.no_row_sums && show.draw.no_col_sums);
	assert_true(
		show.write.header == QKV_HEADER_NONE && show.write.layout_long && show.write.precision == 4);
	assert_true(!show.write.bare && !show.write.bom && !show.draw.cell);
	qkv_opt_free(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses),
		cmocka_unit_test(reads_values),
		cmocka_unit_test(last_wins),
		cmocka_unit_test(help_ends_reading),
		cmocka_unit_test(fails_cleanly_without_memory),
		cmocka_unit_test(tables_agree),
		cmocka_unit_test(chooses_format),
		cmocka_unit_test(shows_what_options_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

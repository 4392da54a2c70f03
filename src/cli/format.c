/*
 * Which format is meant, and do the options go with it?
 *
 * -f wins over the ending of -o. An option that the format has no use for is refused
 * rather than ignored: whoever gave it expects an effect.
 */
#include "cli/format.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* the choices of --layout, --header (in the order of enum qkv_header) and --sums, from 1 as in the table of options */
enum { LAYOUT_LONG = 2 };
enum { HEADER_LABELS = 1, HEADER_INDEX, HEADER_NONE };
enum { SUMS_ROW = 1, SUMS_COL, SUMS_BOTH, SUMS_NONE };
/* and of the options of pictures */
enum { LABELS_RAW = 2, POOL_MEAN = 2, THEME_DARK = 2, NORM_LOG = 3 };

/* the stages whose columns are keys */
#define OF_KEYS (1u << QKV_SCORES | 1u << QKV_SCALED | 1u << QKV_MASKED | 1u << QKV_ALPHA)

static int
make_csv(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	return qkv_csv_new(c, s, &show->write, e);
}

static int
make_tsv(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	struct qkv_write_options write = show->write;

	write.tsv = 1;
	return qkv_csv_new(c, s, &write, e);
}

static int
make_json(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	return qkv_json_new(c, s, &show->write, e);
}

static int
make_ndjson(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	struct qkv_write_options write = show->write;

	write.by_head = 1;
	return qkv_json_new(c, s, &write, e);
}

static int
make_npy(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	(void)show;
	return qkv_npy_new(c, s, e);
}

static int
make_png(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	return qkv_png_new(c, s, &show->draw, show->notes, e);
}

static int
make_svg(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	return qkv_svg_new(c, s, &show->draw, show->notes, e);
}

static int
make_term(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e)
{
	return qkv_term_new(c, s, &show->draw, show->notes, e);
}

/* makes a consumer of one format */
typedef int make(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_show *show, struct qkv_err *e);

static make *const makes[QKV_FORMATS] = {
#define FORMAT(name, endings, traits) make_##name,
#include "cli/formats.def"
#undef FORMAT
};

int
qkv_format_make(struct qkv_consumer **c, const struct qkv_format *f, struct qkv_sink *s,
	const struct qkv_show *show, struct qkv_err *e)
{
	return makes[f - qkv_formats](c, s, show, e);
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int
same_ending(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (lower(a[i]) != b[i])
			return 0;
	return !a[length];
}

/* what follows the last dot of a file's name, or NULL */
static const char *
ending_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');

	return dot && dot > name && dot[1] ? dot + 1 : NULL;
}

static int
has_ending(const struct qkv_format *f, const char *ending)
{
	const char *endings = f->endings, *known;
	size_t length;

	while ((known = qkv_choice_next(&length, &endings)) != NULL)
		if (same_ending(ending, known, length))
			return 1;
	return 0;
}

static int
fail_ending(const char *path, struct qkv_err *e)
{
	char known[160];
	size_t length, used = 0;

	for (const struct qkv_format *f = qkv_formats; f < qkv_formats + QKV_FORMATS; f++) {
		const char *endings = f->endings, *ending;

		while ((ending = qkv_choice_next(&length, &endings)) != NULL)
			used += (size_t)snprintf(known + used, sizeof known - used, "%s.%.*s",
				used ? ", " : "", (int)length, ending);
	}
	return qkv_fail(e, QKV_EUSAGE,
		"--output: '%s' has an unknown ending, expected one of %s, or a format by -f", path, known);
}

/* refuses the first option given that f has no use for */
static int
check_uses(const struct qkv_format *f, const struct qkv_options *o, struct qkv_err *e)
{
	for (int i = 0; i < QKV_OPTS; i++) {
		char with[64];
		size_t used = 0;

		if (!o->of[i].text || qkv_opt_of_format(&qkv_opts[i], f))
			continue;
		for (const struct qkv_format *g = qkv_formats; g < qkv_formats + QKV_FORMATS; g++)
			if (qkv_opt_of_format(&qkv_opts[i], g))
				used += (size_t)snprintf(
					with + used, sizeof with - used, "%s%s", used ? ", " : "", g->name);
		return qkv_fail(e, QKV_EUSAGE, "--%s: has no use with -f %s, only with %s", qkv_opts[i].name,
			f->name, with);
	}
	return 0;
}

/* refuses a selection of what no stage shows */
static int
check_selection(const struct qkv_options *o, struct qkv_err *e)
{
	static const unsigned of_keys = 1u << QKV_K | 1u << QKV_V;
	const struct qkv_opt_value *stage = &o->of[QKV_OPT_STAGE];

	if (o->of[QKV_OPT_QUERIES].text && stage->text && !(stage->stages & ~of_keys))
		return qkv_fail(e, QKV_EUSAGE, "--queries: has no use with --stage %s", stage->text);
	if (o->of[QKV_OPT_KEYS].text && stage->text && !(stage->stages & (OF_KEYS | of_keys)))
		return qkv_fail(e, QKV_EUSAGE, "--keys: has no use with --stage %s", stage->text);
	return 0;
}

/* refuses options that contradict each other in f */
static int
check_together(const struct qkv_format *f, const struct qkv_options *o, struct qkv_err *e)
{
	const struct qkv_opt_value *stage = &o->of[QKV_OPT_STAGE];
	size_t header = o->of[QKV_OPT_HEADER].number, sums = o->of[QKV_OPT_SUMS].number;
	int is_long = o->of[QKV_OPT_LAYOUT].number == LAYOUT_LONG, is_bare = o->of[QKV_OPT_BARE].text != NULL;

	if (!(f->traits & QKV_TRAIT_STAGES) && stage->stages & (stage->stages - 1))
		return qkv_fail(e, QKV_EUSAGE, "--stage: '%s' is a list, expected one stage with -f %s",
			stage->text, f->name);
	if (is_long && stage->stages & ~OF_KEYS)
		return qkv_fail(e, QKV_EUSAGE,
			"--stage: %s has no use with --layout long, expected scores, scaled, masked or alpha",
			stage->text);
	if (is_long && is_bare)
		return qkv_fail(e, QKV_EUSAGE, "--bare: has no use with --layout long");
	if (is_long && header == HEADER_INDEX)
		return qkv_fail(e, QKV_EUSAGE, "--header: index has no use with --layout long");
	if ((is_long || is_bare) && sums && sums != SUMS_NONE)
		return qkv_fail(e, QKV_EUSAGE, "--sums: %s has no use with %s", o->of[QKV_OPT_SUMS].text,
			is_long ? "--layout long" : "--bare");
	if (sums && sums != SUMS_NONE && stage->text && !(stage->stages >> QKV_ALPHA & 1))
		return qkv_fail(
			e, QKV_EUSAGE, "--sums: %s has no use without stage alpha", o->of[QKV_OPT_SUMS].text);
	if (is_bare && header && header != HEADER_NONE)
		return qkv_fail(
			e, QKV_EUSAGE, "--header: %s has no use with --bare", o->of[QKV_OPT_HEADER].text);
	return 0;
}

/* refuses scales that cannot be */
static int
check_scale(const struct qkv_options *o, struct qkv_err *e)
{
	const struct qkv_opt_value *low = &o->of[QKV_OPT_VMIN], *high = &o->of[QKV_OPT_VMAX];
	const struct qkv_opt_value *ends[] = {low, high};

	if (low->text && high->text && (float)low->scale.number >= (float)high->scale.number)
		return qkv_fail(
			e, QKV_EUSAGE, "--vmin: %s with --vmax %s, expected less", low->text, high->text);
	if (low->text && high->text && o->of[QKV_OPT_ROBUST].text)
		return qkv_fail(e, QKV_EUSAGE, "--robust: has no use with both --vmin and --vmax");
	for (size_t i = 0; i < 2; i++)
		if (o->of[QKV_OPT_NORM].number == NORM_LOG && ends[i]->text && ends[i]->scale.number <= 0)
			return qkv_fail(e, QKV_EUSAGE, "--%s: %s with --norm log, expected more than 0",
				i ? "vmax" : "vmin", ends[i]->text);
	return 0;
}

/* refuses words where there are none */
static int
check_bare(const struct qkv_options *o, struct qkv_err *e)
{
	static const enum qkv_opt_id words[] = {QKV_OPT_TITLE, QKV_OPT_LABELS};

	for (size_t i = 0; o->of[QKV_OPT_BARE].text && i < sizeof words / sizeof *words; i++)
		if (o->of[words[i]].text)
			return qkv_fail(
				e, QKV_EUSAGE, "--%s: has no use with --bare", qkv_opts[words[i]].name);
	return 0;
}

/* whether a terminal that nothing is said about shall have a picture: no option asks for text */
static int
is_for_terminal(const struct qkv_options *o)
{
	for (int i = 0; i < QKV_OPTS; i++)
		if (o->of[i].text && !qkv_opt_of_format(&qkv_opts[i], &qkv_formats[QKV_FORMAT_term]))
			return 0;
	return isatty(STDOUT_FILENO);
}

int
qkv_format_choose(const struct qkv_format **f, const struct qkv_options *o, struct qkv_err *e)
{
	const char *path = o->of[QKV_OPT_OUTPUT].text, *ending = path ? ending_of(path) : NULL;
	size_t row = 0;

	if (o->of[QKV_OPT_FORMAT].text) {
		row = o->of[QKV_OPT_FORMAT].number - 1;
	} else if (ending) {
		while (row < QKV_FORMATS && !has_ending(&qkv_formats[row], ending))
			row++;
		if (row == QKV_FORMATS)
			return fail_ending(path, e);
	} else if (!path && is_for_terminal(o)) {
		row = QKV_FORMAT_term;
	}
	*f = &qkv_formats[row];
	return check_uses(*f, o, e) || check_together(*f, o, e) || check_selection(o, e) ||
			check_scale(o, e) || check_bare(o, e)
		? -1
		: 0;
}

int
qkv_format_holds_docs(const struct qkv_format *f, const struct qkv_options *o)
{
	return f->traits & QKV_TRAIT_DOCS || o->of[QKV_OPT_LAYOUT].number == LAYOUT_LONG;
}

int
qkv_format_shows_col_sums(const struct qkv_format *f, const struct qkv_options *o)
{
	size_t sums = o->of[QKV_OPT_SUMS].number;

	return f->traits & (QKV_TRAIT_TEXT | QKV_TRAIT_PICTURE) && sums != SUMS_ROW && sums != SUMS_NONE &&
		o->of[QKV_OPT_LAYOUT].number != LAYOUT_LONG && !o->of[QKV_OPT_BARE].text;
}

static struct qkv_draw_options
draw_options(const struct qkv_options *o, const struct qkv_write_options *write)
{
	const struct qkv_opt_value *of = o->of;
	size_t map = of[QKV_OPT_MAP].number, norm = of[QKV_OPT_NORM].number, by = of[QKV_OPT_RANGE_BY].number;

	return (struct qkv_draw_options){
		.no_row_sums = write->no_row_sums,
		.no_col_sums = write->no_col_sums,
		.bare = write->bare,
		.raw_labels = of[QKV_OPT_LABELS].number == LABELS_RAW,
		.annotate = of[QKV_OPT_ANNOTATE].text != NULL,
		.dark = of[QKV_OPT_THEME].number == THEME_DARK,
		.pool_mean = of[QKV_OPT_POOL].number == POOL_MEAN,
		.title = of[QKV_OPT_TITLE].text,
		.cell = of[QKV_OPT_CELL].number,
		.zoom = of[QKV_OPT_ZOOM].number,
		.columns = of[QKV_OPT_COLUMNS].number,
		.max_size = of[QKV_OPT_MAX_SIZE].number,
		.map = map ? (enum qkv_map)((map - 1) % QKV_MAPS) : QKV_MAP_VIRIDIS,
		.reversed = map > QKV_MAPS,
		.norm = norm ? (enum qkv_norm)(norm - 1) : QKV_NORM_LINEAR,
		.range_by = by ? (enum qkv_range_by)(by - 1) : QKV_RANGE_ALL,
		.robust = of[QKV_OPT_ROBUST].text != NULL,
		.has_vmin = of[QKV_OPT_VMIN].text != NULL,
		.has_vmax = of[QKV_OPT_VMAX].text != NULL,
		.vmin = (float)of[QKV_OPT_VMIN].scale.number,
		.vmax = (float)of[QKV_OPT_VMAX].scale.number,
	};
}

struct qkv_show
qkv_format_show(const struct qkv_options *o, struct qkv_notes *notes)
{
	size_t header = o->of[QKV_OPT_HEADER].number, sums = o->of[QKV_OPT_SUMS].number;
	struct qkv_show show = {.notes = notes};

	show.write.layout_long = o->of[QKV_OPT_LAYOUT].number == LAYOUT_LONG;
	show.write.header = header ? (enum qkv_header)(header - 1) : QKV_HEADER_LABELS;
	show.write.no_row_sums = sums == SUMS_COL || sums == SUMS_NONE;
	show.write.no_col_sums = sums == SUMS_ROW || sums == SUMS_NONE;
	show.write.precision = (int)o->of[QKV_OPT_PRECISION].number;
	show.write.bom = o->of[QKV_OPT_BOM].text != NULL;
	show.write.bare = o->of[QKV_OPT_BARE].text != NULL;
	show.draw = draw_options(o, &show.write);
	return show;
}

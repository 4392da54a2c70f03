/* qkv attend: each problem of the input, computed and handed to the writer that the options ask for. */
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/term.h"
#include "cli/verb.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* what one run works with, freed together */
struct run {
	struct qkv_settings settings;
	struct qkv_attend_options attend;
	struct qkv_output output;
	struct qkv_notes notes;
	struct qkv_extent *extent; /* of the document, where it becomes several pictures */
	struct qkv_files *files;
	struct qkv_reader *reader;
	struct qkv_consumer *consumer;
};

static void
set_options(struct run *r, const struct qkv_options *o)
{
	const struct qkv_opt_value *of = o->of;

	r->settings = (struct qkv_settings){
		.num_heads = of[QKV_OPT_NUM_HEADS].number,
		.num_kv_heads = of[QKV_OPT_NUM_KV_HEADS].number,
		.weight_layout = (enum qkv_layout)of[QKV_OPT_WEIGHT_LAYOUT].number,
		.mask = of[QKV_OPT_MASK].mask,
		.scale = of[QKV_OPT_SCALE].scale,
		.threads = (int)of[QKV_OPT_THREADS].number,
	};
	r->attend = (struct qkv_attend_options){
		.stages = of[QKV_OPT_STAGE].text ? of[QKV_OPT_STAGE].stages : 1u << QKV_ALPHA,
		.layers = of[QKV_OPT_LAYERS].ranges,
		.num_layers = of[QKV_OPT_LAYERS].number,
		.heads = of[QKV_OPT_HEADS].ranges,
		.num_heads = of[QKV_OPT_HEADS].number,
		.queries = of[QKV_OPT_QUERIES].ranges,
		.num_queries = of[QKV_OPT_QUERIES].number,
		.keys = of[QKV_OPT_KEYS].ranges,
		.num_keys = of[QKV_OPT_KEYS].number,
		.hide_tokens = of[QKV_OPT_HIDE_TOKENS].tokens,
		.num_hide_tokens = of[QKV_OPT_HIDE_TOKENS].number,
		.average = of[QKV_OPT_AVERAGE].text != NULL,
		.threads = (int)of[QKV_OPT_THREADS].number,
	};
}

/* whether a run before may find the scales of pictures: several share them, or one is large */
static int
may_measure(const struct run *r)
{
	return r->output.format->traits & QKV_TRAIT_PICTURE &&
		(r->output.fields & (QKV_FIELD_LAYER | QKV_FIELD_HEAD) || r->output.show.draw.cell);
}

/* everything that can be wrong before the data are looked at */
static int
prepare(struct run *r, const struct qkv_options *o, struct qkv_err *e)
{
	const char *name = o->of[QKV_OPT_OUTPUT].text;

	set_options(r, o);
	if (o->num_operands > 1)
		return qkv_fail(
			e, QKV_EUSAGE, "'%s': one operand too many, expected one FILE", o->operands[1]);
	if (qkv_format_choose(&r->output.format, o, e) || qkv_isa_choose(&r->attend.isa, e))
		return -1;
	r->settings.isa = r->attend.isa;
	if (!name && r->output.format->traits & QKV_TRAIT_BINARY && isatty(STDOUT_FILENO))
		return qkv_fail(e, QKV_EUSAGE,
			"standard output is a terminal, expected -o FILE, or -o - to write a %s there",
			r->output.format->name);
	r->attend.no_col_sums = !qkv_format_shows_col_sums(r->output.format, o);
	r->output.name = name ? name : "-";
	r->output.stages = r->attend.stages;
	r->output.show = qkv_format_show(o, &r->notes);
	r->output.show.write.isa = r->output.show.draw.isa = r->attend.isa;
	if (r->output.format->traits & QKV_TRAIT_TERM)
		r->output.show.draw.term = qkv_term_choose(o);
	if (qkv_output_fields(&r->output.fields, r->output.name, e) || qkv_files_new(&r->files, e))
		return -1;
	if (may_measure(r)) {
		if (qkv_extent_new(&r->extent, e))
			return -1;
		r->output.show.draw.extent = r->extent;
	}
	/* of several files each has its thread */
	r->output.show.draw.threads = r->output.fields ? 1 : r->attend.threads;
	r->output.files = r->files;
	r->output.threads = r->attend.threads;
	if (qkv_output_new(&r->consumer, &r->output, e))
		return -1;
	if (!o->of[QKV_OPT_QUIET].text)
		qkv_progress_start(r->output.name);
	qkv_progress_phase("reading");
	return qkv_progress_join(&r->consumer, e);
}

/* refuses a second document where there is no place for it */
static int
check_more(const struct run *r, const struct qkv_options *o, struct qkv_err *e)
{
	const char *path = o->num_operands && strcmp(o->operands[0], "-") ? o->operands[0] : "standard input";
	int holds = qkv_format_holds_docs(r->output.format, o);

	if (r->output.fields & QKV_FIELD_DOC || (holds && !r->output.fields) || !qkv_reader_more(r->reader))
		return 0;
	return qkv_fail(e, QKV_EINPUT, "%s: several documents, expected {doc} in -o FILE%s", path,
		r->output.format->traits & QKV_TRAIT_TABLE && !holds && !r->output.fields
			? ", or --layout long"
			: "");
}

/* finds the scales that all pictures of a document shall have, where that is of use */
static int
measure(struct run *r, struct qkv_attend *a, struct qkv_err *e)
{
	struct qkv_notes again = {0}; /* the pictures themselves bring the same */
	struct qkv_consumer *c;
	const struct qkv_doc *doc = qkv_attend_doc(a);
	int failed;

	if (!(r->output.fields & (QKV_FIELD_LAYER | QKV_FIELD_HEAD)) &&
		!qkv_extent_saves(&r->output.show.draw, doc->n_q, doc->n_k)) {
		qkv_extent_clear(r->extent);
		return 0;
	}
	qkv_progress_phase("measuring");
	if (qkv_extent_consumer(&c, r->extent, &r->output.show.draw, e))
		return -1;
	failed = qkv_progress_join(&c, e) || qkv_attend_run(a, c, &again, e);
	c->free(c);
	return failed ? -1 : 0;
}

/* computes all that is shown */
static int
compute(struct run *r, struct qkv_attend *a, struct qkv_err *e)
{
	qkv_progress_phase("computing");
	return qkv_attend_run(a, r->consumer, &r->notes, e);
}

static int
attend_one(struct run *r, const struct qkv_problem *p, struct qkv_err *e)
{
	struct qkv_attend *a = NULL;
	int failed;

	qkv_progress_phase("preparing");
	failed = qkv_attend_open(&a, p, &r->attend, e) || (r->extent && measure(r, a, e)) || compute(r, a, e);
	qkv_attend_free(a);
	return failed ? -1 : 0;
}

static int
attend_all(struct run *r, const struct qkv_options *o, struct qkv_err *e)
{
	struct qkv_problem *p;
	int got;

	while ((got = qkv_reader_next(&p, r->reader, &r->settings, &r->notes, e)) > 0) {
		int failed = check_more(r, o, e) || attend_one(r, p, e);

		qkv_problem_free(p);
		if (failed)
			return -1;
		qkv_progress_phase("reading");
	}
	return got;
}

static void
print_notes(const struct qkv_notes *notes)
{
	char text[512];

	for (int kind = 0; kind < QKV_NOTES; kind++)
		if (notes->of[kind].count) {
			qkv_note_format(text, notes, (enum qkv_note_kind)kind);
			fprintf(stderr, "qkv: warning: %s\n", text);
		}
}

/* opens the document at path, or none (NULL), and the files that join it */
static int
open_reader(struct run *r, const struct qkv_options *o, const char *path, struct qkv_err *e)
{
	if (qkv_reader_open(&r->reader, path, e))
		return -1;
	for (int i = QKV_OPT_Q; i <= QKV_OPT_TOKENS; i++)
		if (o->of[i].text && qkv_reader_attach(r->reader, qkv_opts[i].name, o->of[i].text, e))
			return -1;
	return 0;
}

/* whether the files that options name are a source of scores */
static int
has_source(const struct qkv_options *o)
{
	return (o->of[QKV_OPT_Q].text && o->of[QKV_OPT_K].text) || o->of[QKV_OPT_SCORES].text ||
		o->of[QKV_OPT_ALPHA].text;
}

int
qkv_verb_attend(const struct qkv_options *o, struct qkv_err *e)
{
	const char *path = o->num_operands ? o->operands[0] : has_source(o) ? NULL : "-";
	struct run r = {0};
	int failed;

	if (path && !o->num_operands && isatty(STDIN_FILENO))
		return qkv_help_hint(QKV_VERB_ATTEND);
	failed = prepare(&r, o, e) || open_reader(&r, o, path, e) || attend_all(&r, o, e) ||
		qkv_files_commit(r.files, e);
	qkv_progress_end();
	if (!failed && !o->of[QKV_OPT_QUIET].text)
		print_notes(&r.notes);
	if (r.consumer)
		r.consumer->free(r.consumer);
	qkv_extent_free(r.extent);
	qkv_reader_free(r.reader);
	qkv_files_free(r.files);
	return failed ? -1 : 0;
}

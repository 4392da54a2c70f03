/*
 * Which options and operands does a command line have?
 *
 * getopt_long does the splitting. Its option string begins with '-': operands come in order,
 * as the value of an option 1, and POSIXLY_CORRECT is of no account. It accepts abbreviations
 * whatever one does, so the name before '=' is compared with the table's.
 */
#include "cli/opt.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "cli/value.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LONG 256 /* what getopt_long returns for every long option: no letter */

struct grammar {
	enum qkv_verb_id verb;
	char letters[2 * QKV_OPTS + 3];
	struct option names[QKV_OPTS + 1];
};

static void
build(struct grammar *g, enum qkv_verb_id verb)
{
	size_t count = 0;
	char *p = g->letters;

	*p++ = '-';
	*p++ = ':'; /* a missing value is told apart from an unknown option */
	for (int i = 0; i < QKV_OPTS; i++) {
		const struct qkv_opt *o = &qkv_opts[i];
		int has = o->argument ? required_argument : no_argument;

		if (!qkv_opt_of_verb(o, verb))
			continue;
		g->names[count++] = (struct option){o->name, has, NULL, LONG};
		if (o->letter) {
			*p++ = o->letter;
			if (o->argument)
				*p++ = ':';
		}
	}
	*p = 0;
	g->names[count] = (struct option){NULL, 0, NULL, 0};
	g->verb = verb;
}

/* the row of the option that argument begins with (a long one), or of a letter in it; QKV_OPTS: none */
static int
find_row(const char *argument, int letter, enum qkv_verb_id verb)
{
	size_t length;

	if (strncmp(argument, "--", 2)) {
		for (int i = 0; i < QKV_OPTS; i++)
			if (qkv_opts[i].letter == letter && qkv_opt_of_verb(&qkv_opts[i], verb))
				return i;
		return QKV_OPTS;
	}
	length = strcspn(argument + 2, "=");
	for (int i = 0; i < QKV_OPTS; i++)
		if (qkv_opt_of_verb(&qkv_opts[i], verb) && !strncmp(qkv_opts[i].name, argument + 2, length) &&
			!qkv_opts[i].name[length])
			return i;
	return QKV_OPTS;
}

/* says what a long option that the verb does not have may have meant */
static int
fail_name(const struct grammar *g, const char *argument, struct qkv_err *e)
{
	size_t length = strcspn(argument + 2, "="), count = 0, used = 0;
	const char *names[QKV_OPTS], *nearest;
	char full[256] = "", name[80];

	snprintf(name, sizeof name, "%.*s", (int)(length < 79 ? length : 79), argument + 2);
	for (const struct option *o = g->names; o->name; o++) {
		names[count++] = o->name;
		if (length && !strncmp(o->name, name, length) && used < sizeof full)
			used += (size_t)snprintf(
				full + used, sizeof full - used, "%s--%s", used ? " or " : "", o->name);
	}
	nearest = qkv_nearest(name, names, count);
	if (used && !(nearest && !strcasecmp(nearest, name)))
		return qkv_fail(
			e, QKV_EUSAGE, "--%s: options cannot be abbreviated, expected %s", name, full);
	return qkv_fail(e, QKV_EUSAGE, "--%s: no such option%s%s", name, nearest ? ", did you mean --" : "",
		nearest ? nearest : "");
}

/* reads the option that getopt_long found in argument, or says why it is none */
static int
take_option(
	struct qkv_options *o, const struct grammar *g, int result, const char *argument, struct qkv_err *e)
{
	int letter = result == '?' || result == ':' ? optopt : result;
	int row = find_row(argument, letter, g->verb);
	char expected[160];

	if (row == QKV_OPTS && !strncmp(argument, "--", 2))
		return fail_name(g, argument, e);
	if (row == QKV_OPTS && letter > ' ' && letter < 0x7F)
		return qkv_fail(e, QKV_EUSAGE, "-%c: no such option", letter);
	if (row == QKV_OPTS)
		return qkv_fail(e, QKV_EUSAGE, "%s: no such option", argument);
	if (result == '?')
		return qkv_fail(e, QKV_EUSAGE, "--%s: takes no value", qkv_opts[row].name);
	if (result == ':') {
		qkv_value_expected(expected, sizeof expected, &qkv_opts[row]);
		return qkv_fail(e, QKV_EUSAGE, "--%s: the value is missing, expected %s", qkv_opts[row].name,
			expected);
	}
	return qkv_value_read(&o->of[row], &qkv_opts[row], qkv_opts[row].argument ? optarg : "", e);
}

int
qkv_opt_parse(struct qkv_options *o, enum qkv_verb_id verb, int argc, char **argv, struct qkv_err *e)
{
	struct grammar g;

	*o = (struct qkv_options){.verb = verb};
	o->operands = qkv_mem_new((size_t)argc, sizeof *o->operands, e);
	if (!o->operands)
		return -1;
	build(&g, verb);
	opterr = 0;
	optind = 0; /* begin anew, and look at the '-' of the option string */
	for (;;) {
		int at = optind ? optind : 1;
		int result = getopt_long(argc, argv, g.letters, g.names, NULL);

		if (result == -1)
			break;
		if (result == 1)
			o->operands[o->num_operands++] = optarg;
		else if (take_option(o, &g, result, argv[at], e))
			return -1;
		if (o->of[QKV_OPT_HELP].text || o->of[QKV_OPT_VERSION].text)
			return 0;
	}
	while (optind < argc)
		o->operands[o->num_operands++] = argv[optind++];
	return 0;
}

void
qkv_opt_free(struct qkv_options *o)
{
	for (int i = 0; i < QKV_OPTS; i++)
		qkv_value_free(&o->of[i]);
	qkv_mem_free(o->operands);
}

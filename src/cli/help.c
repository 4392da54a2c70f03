/* What the program says of itself: verbs and options, from the tables. */
#include "cli/verb.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 80
#define MOST_LEFT 30 /* columns of an option with its argument */

int
qkv_stdout_flush(struct qkv_err *e)
{
	int failed = fflush(stdout) || ferror(stdout);

	if (failed && errno == EPIPE)
		return qkv_fail(e, QKV_EIO, "%s", "");
	return failed ? qkv_fail(e, QKV_EIO, "standard output: %s", strerror(errno)) : 0;
}

/* prints text word by word from column margin on, where further lines begin too */
static void
print_wrapped(const char *text, size_t margin)
{
	size_t column = margin;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > margin && column + 1 + length > WIDTH) {
			printf("\n%*s", (int)margin, "");
			column = margin;
		}
		if (column > margin)
			column += (size_t)printf(" ");
		column += (size_t)printf("%.*s", (int)length, text);
		text += length + strspn(text + length, " ");
	}
	printf("\n");
}

/* "  -f, --format FORMAT" into text; its length */
static size_t
write_left(char *text, size_t size, const struct qkv_opt *o)
{
	char letter[5] = "    ";

	if (o->letter)
		snprintf(letter, sizeof letter, "-%c, ", o->letter);
	return (size_t)snprintf(text, size, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
		o->argument ? o->argument : "");
}

/* what an option does, its choices, and the formats that alone have a use for it */
static void
write_right(char *text, size_t size, const struct qkv_opt *o)
{
	const char *choices = o->choices, *choice;
	size_t length, used = (size_t)snprintf(text, size, "%s%s", o->help, choices ? ": " : "");
	int any = 0;

	while ((choice = qkv_choice_next(&length, &choices)) != NULL && used < size)
		used += (size_t)snprintf(
			text + used, size - used, "%.*s%s", (int)length, choice, *choices ? ", " : "");
	if (o->formats == QKV_ANY_FORMAT)
		return;
	for (const struct qkv_format *f = qkv_formats; f < qkv_formats + QKV_FORMATS && used < size; f++)
		if (qkv_opt_of_format(o, f))
			used += (size_t)snprintf(
				text + used, size - used, "%s%s", any++ ? ", " : " (", f->name);
	if (used < size)
		snprintf(text + used, size - used, ")");
}

static void
print_options(enum qkv_verb_id verb, enum qkv_group group, size_t margin)
{
	int any = 0;

	for (const struct qkv_opt *o = qkv_opts; o < qkv_opts + QKV_OPTS; o++) {
		char left[MOST_LEFT + 1], right[320];

		if (o->group != group || !qkv_opt_of_verb(o, verb))
			continue;
		if (!any++)
			printf("\n%s:\n", qkv_group_names[group]);
		write_left(left, sizeof left, o);
		write_right(right, sizeof right, o);
		printf("%-*s", (int)margin, left);
		print_wrapped(right, margin);
	}
}

static void
print_verb(enum qkv_verb_id verb)
{
	const struct qkv_verb *v = &qkv_verbs[verb];
	size_t margin = 0;

	printf("usage: qkv %s %s\n\n%s", v->name, v->operands, *v->about ? v->about : v->summary);
	if (!*v->about)
		printf("\n");
	for (const struct qkv_opt *o = qkv_opts; o < qkv_opts + QKV_OPTS; o++) {
		char left[MOST_LEFT + 1];
		size_t length = write_left(left, sizeof left, o);

		if (qkv_opt_of_verb(o, verb) && length + 2 > margin)
			margin = length + 2;
	}
	for (int group = 0; group < QKV_GROUPS; group++)
		print_options(verb, (enum qkv_group)group, margin);
}

static void
print_program(void)
{
	printf("usage: qkv VERB [OPTION]... [FILE]...\n\nComputes and inspects attention "
	       "matrices.\n\nVerbs:\n");
	for (const struct qkv_verb *v = qkv_verbs; v < qkv_verbs + QKV_VERBS; v++)
		printf("  %-8s %s\n", v->name, v->summary);
	print_options(QKV_VERBS, QKV_GROUP_GENERAL, 18);
	printf("\n'qkv help VERB' tells about a verb, and the manual more: man qkv.\n");
}

int
qkv_help_print(enum qkv_verb_id verb, struct qkv_err *e)
{
	if (verb == QKV_VERBS)
		print_program();
	else
		print_verb(verb);
	return qkv_stdout_flush(e);
}

int
qkv_help_hint(enum qkv_verb_id verb)
{
	const char *name = verb == QKV_VERBS ? "VERB" : qkv_verbs[verb].name;
	const char *operands = verb == QKV_VERBS ? "[OPTION]... [FILE]..." : qkv_verbs[verb].operands;

	fprintf(stderr, "usage: qkv %s %s\n", name, operands);
	if (verb == QKV_VERBS)
		for (const struct qkv_verb *v = qkv_verbs; v < qkv_verbs + QKV_VERBS; v++)
			fprintf(stderr, "  %-8s %s\n", v->name, v->summary);
	fprintf(stderr, "'qkv help%s%s' tells more\n", verb == QKV_VERBS ? "" : " ",
		verb == QKV_VERBS ? "" : name);
	return 2;
}

int
qkv_verb_find(enum qkv_verb_id *verb, const char *name, struct qkv_err *e)
{
	const char *names[QKV_VERBS], *nearest;

	for (int i = 0; i < QKV_VERBS; i++) {
		names[i] = qkv_verbs[i].name;
		if (!strcmp(name, names[i])) {
			*verb = (enum qkv_verb_id)i;
			return 0;
		}
	}
	nearest = qkv_nearest(name, names, QKV_VERBS);
	return qkv_fail(e, QKV_EUSAGE, "'%s': no such verb, %s%s", name,
		nearest ? "did you mean " : "see qkv help", nearest ? nearest : "");
}

int
qkv_verb_help(const struct qkv_options *o, struct qkv_err *e)
{
	enum qkv_verb_id verb = QKV_VERBS;

	if (o->num_operands > 1)
		return qkv_fail(
			e, QKV_EUSAGE, "'%s': one operand too many, expected one VERB", o->operands[1]);
	if (o->num_operands && qkv_verb_find(&verb, o->operands[0], e))
		return -1;
	return qkv_help_print(verb, e);
}

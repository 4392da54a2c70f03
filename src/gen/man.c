/*
 * The OPTIONS section of a verb's manual page, in mdoc: takes the page's source on standard input, and puts
 * the section in place of the line ".\" OPTIONS". Usage: man VERB <PAGE.in >PAGE
 */
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char place[] = ".\\\" OPTIONS";

/* prints names as bold words of a list; next gives them one by one */
static void
print_choices(const char *choices)
{
	const char *choice;
	size_t length;

	while ((choice = qkv_choice_next(&length, &choices)) != NULL) {
		const char *rest = choices, *after = qkv_choice_next(&(size_t){0}, &rest);

		printf(".Cm %.*s%s\n", (int)length, choice, !after ? " ." : *rest ? " ," : "");
		if (after && !*rest)
			printf("or\n");
	}
}

static void
print_formats(const struct qkv_opt *o)
{
	char names[160] = "";
	size_t used = 0;

	for (const struct qkv_format *f = qkv_formats; f < qkv_formats + QKV_FORMATS; f++)
		if (qkv_opt_of_format(o, f))
			used += (size_t)snprintf(
				names + used, sizeof names - used, "%s%s", used ? "|" : "", f->name);
	printf("Only with\n");
	print_choices(names);
}

static void
print_option(const struct qkv_opt *o)
{
	printf(".It ");
	if (o->letter)
		printf("Fl %c , ", o->letter);
	printf("Fl -%s%s%s\n%s", o->name, o->argument ? " Ar " : "", o->argument ? o->argument : "", o->man);
	if (o->kind == QKV_KIND_CHOICE || o->kind == QKV_KIND_STAGES) {
		printf(".Ar %s\nis %s\n", o->argument,
			o->kind == QKV_KIND_STAGES ? "one, or several, of" : "one of");
		print_choices(o->choices);
	}
	if (o->formats != QKV_ANY_FORMAT)
		print_formats(o);
}

static void
print_section(enum qkv_verb_id verb)
{
	printf(".Sh OPTIONS\n");
	for (int group = 0; group < QKV_GROUPS; group++) {
		int any = 0;

		for (const struct qkv_opt *o = qkv_opts; o < qkv_opts + QKV_OPTS; o++) {
			if (o->group != (enum qkv_group)group || !qkv_opt_of_verb(o, verb))
				continue;
			if (!any++)
				printf(".Ss %s\n.Bl -tag -width Ds\n", qkv_group_names[group]);
			print_option(o);
		}
		if (any)
			printf(".El\n");
	}
}

int
main(int argc, char **argv)
{
	int verb = 0;
	char line[4096];

	while (argc == 2 && verb < QKV_VERBS && strcmp(argv[1], qkv_verbs[verb].name))
		verb++;
	if (argc != 2 || verb == QKV_VERBS) {
		fprintf(stderr, "usage: man VERB <PAGE.in >PAGE\n");
		return EXIT_FAILURE;
	}
	while (fgets(line, sizeof line, stdin))
		if (strncmp(line, place, sizeof place - 1))
			fputs(line, stdout);
		else
			print_section((enum qkv_verb_id)verb);
	return ferror(stdin) || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

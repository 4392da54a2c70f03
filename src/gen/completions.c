/* What a shell completes after qkv: a script for bash, zsh or fish. Usage: completions SHELL >FILE */
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the part of a choice that can be typed as it stands: "window:" of "window:L,R", nothing of "NUMBER" */
static size_t
literal(const char *choice, size_t length)
{
	size_t n = 0;

	while (n < length && !(choice[n] >= 'A' && choice[n] <= 'Z'))
		n++;
	return n;
}

/* prints the choices of an option, separated by spaces */
static void
print_choices(const struct qkv_opt *o)
{
	const char *choices = o->choices, *choice, *gap = "";
	size_t length;

	while ((choice = qkv_choice_next(&length, &choices)) != NULL) {
		length = literal(choice, length);
		if (length)
			printf("%s%.*s", gap, (int)length, choice);
		gap = " ";
	}
}

/* prints text between single quotes, and with a backslash before each character of special */
static void
print_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\'");
		else if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

static int
takes_verbs(const struct qkv_verb *v)
{
	return !strcmp(v->operands, "[VERB]");
}

static void
print_verb_names(void)
{
	for (const struct qkv_verb *v = qkv_verbs; v < qkv_verbs + QKV_VERBS; v++)
		printf("%s%s", v == qkv_verbs ? "" : " ", v->name);
}

/* ---- bash ---- */

static void
print_bash_verb(enum qkv_verb_id verb, const char *name)
{
	printf("\t%s)\n\t\tcase $last in\n", name);
	for (const struct qkv_opt *o = qkv_opts; o < qkv_opts + QKV_OPTS; o++) {
		if (!o->argument || !qkv_opt_of_verb(o, verb))
			continue;
		printf("\t\t--%s", o->name);
		if (o->letter)
			printf("|-%c", o->letter);
		printf(")\n\t\t\twords='");
		print_choices(o);
		printf("'\n%s\t\t\t;;\n", o->kind == QKV_KIND_STAGES ? "\t\t\tlist=1\n" : "");
	}
	printf("\t\t*)\n\t\t\tcase $word in\n\t\t\t-*) words='");
	for (const struct qkv_opt *o = qkv_opts; o < qkv_opts + QKV_OPTS; o++)
		if (qkv_opt_of_verb(o, verb))
			printf("--%s ", o->name);
	printf("' ;;\n\t\t\t*) words='");
	if (verb == QKV_VERBS || takes_verbs(&qkv_verbs[verb]))
		print_verb_names();
	printf("' ;;\n\t\t\tesac\n\t\t\t;;\n\t\tesac\n\t\t;;\n");
}

static void
print_bash(void)
{
	printf("# completion of qkv for bash\n"
	       "_qkv()\n"
	       "{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} verb= words= list= "
	       "done=\n\n"
	       "\tCOMPREPLY=()\n"
	       "\t# --name=value comes as three words\n"
	       "\tif [ \"$word\" = = ]; then\n"
	       "\t\tword=\n"
	       "\telif [ \"$last\" = = ]; then\n"
	       "\t\tlast=${COMP_WORDS[COMP_CWORD-2]}\n"
	       "\tfi\n"
	       "\t[ \"$COMP_CWORD\" -gt 1 ] && verb=${COMP_WORDS[1]}\n"
	       "\tcase $verb in\n");
	for (int verb = 0; verb < QKV_VERBS; verb++)
		print_bash_verb((enum qkv_verb_id)verb, qkv_verbs[verb].name);
	print_bash_verb(QKV_VERBS, "''");
	printf("\tesac\n"
	       "\tif [ \"$list\" ]; then\n"
	       "\t\tdone=${word%%\"${word##*,}\"}\n"
	       "\t\tword=${word##*,}\n"
	       "\tfi\n"
	       "\t[ \"$words\" ] && COMPREPLY=($(compgen -P \"$done\" -W \"$words\" -- \"$word\"))\n"
	       "}\n"
	       "complete -o default -F _qkv qkv\n");
}

/* ---- zsh ---- */

static void
print_zsh_value(const struct qkv_opt *o)
{
	printf(":%s:", o->argument);
	if (o->kind == QKV_KIND_FILE)
		printf("_files");
	else if (o->kind == QKV_KIND_STAGES)
		printf("_sequence compadd - ");
	else
		printf(o->choices ? "(" : "");
	print_choices(o);
	printf(o->choices && o->kind != QKV_KIND_STAGES ? ")" : "");
}

static void
print_zsh_options(enum qkv_verb_id verb)
{
	for (const struct qkv_opt *o = qkv_opts; o < qkv_opts + QKV_OPTS; o++) {
		const char *equals = o->argument ? "=" : "";

		if (!qkv_opt_of_verb(o, verb))
			continue;
		if (o->letter)
			printf("\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter,
				o->argument ? "+" : "", o->name, equals);
		else
			printf("\t\t\t'--%s%s[", o->name, equals);
		print_quoted(o->help, "[]\\");
		printf("]");
		if (o->argument)
			print_zsh_value(o);
		printf("' \\\n");
	}
}

static void
print_zsh(void)
{
	printf("#compdef qkv\n"
	       "_qkv()\n"
	       "{\n"
	       "\tlocal -a verbs\n\n"
	       "\tverbs=(\n");
	for (const struct qkv_verb *v = qkv_verbs; v < qkv_verbs + QKV_VERBS; v++) {
		printf("\t\t'%s:", v->name);
		print_quoted(v->summary, ":\\");
		printf("'\n");
	}
	printf("\t)\n"
	       "\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
	       "\t\t_describe verb verbs\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcase $words[2] in\n");
	for (int verb = 0; verb < QKV_VERBS; verb++) {
		printf("\t%s)\n\t\tshift words\n\t\t(( CURRENT-- ))\n\t\t_arguments -s : \\\n",
			qkv_verbs[verb].name);
		print_zsh_options((enum qkv_verb_id)verb);
		printf("\t\t\t'*:%s", takes_verbs(&qkv_verbs[verb]) ? "verb:(" : "file:_files'\n\t\t;;\n");
		if (takes_verbs(&qkv_verbs[verb])) {
			print_verb_names();
			printf(")'\n\t\t;;\n");
		}
	}
	printf("\t*)\n\t\t_arguments -s : \\\n");
	print_zsh_options(QKV_VERBS);
	printf("\t\t\t'*:: :'\n\t\t;;\n\tesac\n}\n_qkv \"$@\"\n");
}

/* ---- fish ---- */

static void
print_fish_options(enum qkv_verb_id verb, const char *condition)
{
	for (const struct qkv_opt *o = qkv_opts; o < qkv_opts + QKV_OPTS; o++) {
		if (!qkv_opt_of_verb(o, verb))
			continue;
		printf("complete -c qkv -n '%s'", condition);
		if (o->letter)
			printf(" -s %c", o->letter);
		printf(" -l %s", o->name);
		if (o->argument)
			printf(o->kind == QKV_KIND_FILE ? " -r" : " -x");
		if (o->choices) {
			printf(o->kind == QKV_KIND_STAGES ? " -a '(__fish_append , " : " -a '");
			print_choices(o);
			printf(o->kind == QKV_KIND_STAGES ? ")'" : "'");
		}
		printf(" -d '");
		print_quoted(o->help, "\\");
		printf("'\n");
	}
}

static void
print_fish(void)
{
	printf("# completion of qkv for fish\n");
	for (int verb = 0; verb < QKV_VERBS; verb++) {
		char condition[80];

		snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", qkv_verbs[verb].name);
		printf("complete -c qkv -n __fish_use_subcommand -f -a %s -d '", qkv_verbs[verb].name);
		print_quoted(qkv_verbs[verb].summary, "\\");
		printf("'\n");
		print_fish_options((enum qkv_verb_id)verb, condition);
		if (takes_verbs(&qkv_verbs[verb])) {
			printf("complete -c qkv -n '%s' -f -a '", condition);
			print_verb_names();
			printf("'\n");
		}
	}
	print_fish_options(QKV_VERBS, "__fish_use_subcommand");
}

int
main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "bash"))
		print_bash();
	else if (argc == 2 && !strcmp(argv[1], "zsh"))
		print_zsh();
	else if (argc == 2 && !strcmp(argv[1], "fish"))
		print_fish();
	else {
		fprintf(stderr, "usage: completions bash|zsh|fish >FILE\n");
		return EXIT_FAILURE;
	}
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

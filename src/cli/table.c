/* The tables of verbs, options and formats, from their .def files; nothing else of the program is needed here. */
#include "cli/table.h"

#include <string.h>

#define ON(verb) (1u << QKV_VERB_##verb)

static const char format_names[] =
#define FORMAT(name, endings, traits) "|" #name
#include "cli/formats.def"
#undef FORMAT
	;

#define FORMATS (format_names + 1)

const char *const qkv_group_names[QKV_GROUPS] = {
	[QKV_GROUP_SOURCE] = "Source options",
	[QKV_GROUP_OUTPUT] = "Output options",
	[QKV_GROUP_GENERAL] = "General options",
};

const struct qkv_verb qkv_verbs[QKV_VERBS] = {
#define VERB(id, name, operands, summary, about) {#name, operands, summary, about},
#include "cli/verbs.def"
#undef VERB
};

const struct qkv_opt qkv_opts[QKV_OPTS] = {
#define OPTION(id, name, letter, argument, choices, kind, most, verbs, group, formats, help, man)            \
	{name, letter, argument, choices, QKV_KIND_##kind, most, verbs, QKV_GROUP_##group, formats, help,    \
		man},
#include "cli/options.def"
#undef OPTION
};

const struct qkv_format qkv_formats[QKV_FORMATS] = {
#define FORMAT(name, endings, traits) {#name, endings, traits},
#include "cli/formats.def"
#undef FORMAT
};

int
qkv_opt_of_verb(const struct qkv_opt *o, enum qkv_verb_id verb)
{
	return o->verbs == QKV_ANY_VERB || (verb < QKV_VERBS && o->verbs >> verb & 1);
}

int
qkv_opt_of_format(const struct qkv_opt *o, const struct qkv_format *f)
{
	return o->formats == QKV_ANY_FORMAT || o->formats & f->traits;
}

const char *
qkv_choice_next(size_t *length, const char **p)
{
	const char *start = *p;

	if (!start || !*start)
		return NULL;
	*length = strcspn(start, "|");
	*p = start + *length + (start[*length] == '|');
	return start;
}

/* Verbs, options and formats as tables of text: what parser, help, manual and completions share. */
#ifndef QKV_CLI_TABLE_H
#define QKV_CLI_TABLE_H

#include <stddef.h>

enum qkv_verb_id {
#define VERB(id, ...) QKV_VERB_##id,
#include "cli/verbs.def"
#undef VERB
	QKV_VERBS
};

enum qkv_opt_id {
#define OPTION(id, ...) QKV_OPT_##id,
#include "cli/options.def"
#undef OPTION
	QKV_OPTS
};

enum qkv_format_id {
#define FORMAT(name, ...) QKV_FORMAT_##name,
#include "cli/formats.def"
#undef FORMAT
	QKV_FORMATS
};

/* what a value must look like */
enum qkv_kind {
	QKV_KIND_FLAG,    /* there is none */
	QKV_KIND_COUNT,   /* a whole number from 1 to most */
	QKV_KIND_CHOICE,  /* one of the choices */
	QKV_KIND_STAGES,  /* choices, separated by commas */
	QKV_KIND_INDICES, /* 0,3-5 */
	QKV_KIND_HEADS,   /* 0,3-5 or 4.11 */
	QKV_KIND_TOKENS,  /* texts, separated by commas */
	QKV_KIND_MASK,
	QKV_KIND_SCALE,
	QKV_KIND_NUMBER, /* that float32 can hold */
	QKV_KIND_TEXT,   /* UTF-8 */
	QKV_KIND_FILE,
};

enum qkv_group { QKV_GROUP_SOURCE, QKV_GROUP_OUTPUT, QKV_GROUP_GENERAL, QKV_GROUPS };

extern const char *const qkv_group_names[QKV_GROUPS];

/* what a format is, as bits; an option names by the first three and the last those that have a use for it */
enum qkv_trait {
	QKV_TRAIT_TABLE = 1, /* rows and columns of text */
	QKV_TRAIT_TEXT = 2,  /* numbers as text */
	QKV_TRAIT_PICTURE = 4,
	QKV_TRAIT_STAGES = 8,   /* takes several stages */
	QKV_TRAIT_DOCS = 16,    /* holds several documents in one file */
	QKV_TRAIT_BINARY = 32,  /* not for a terminal */
	QKV_TRAIT_TERM = 64,    /* for a terminal alone */
	QKV_TRAIT_PIXELS = 128, /* a picture of pixels of its own */
};

#define QKV_ANY_FORMAT 0u
#define QKV_ANY_VERB 0u

struct qkv_format {
	const char *name;
	const char *endings; /* of file names, separated by bars */
	unsigned traits;
};

struct qkv_verb {
	const char *name, *operands, *summary, *about;
};

struct qkv_opt {
	const char *name;
	char letter;          /* 0: none */
	const char *argument; /* what the help calls the value; NULL: a flag */
	const char *choices;  /* separated by bars; NULL: none to list */
	enum qkv_kind kind;
	size_t most;    /* of a count */
	unsigned verbs; /* 1u << qkv_verb_id of each, or QKV_ANY_VERB */
	enum qkv_group group;
	unsigned formats; /* traits, of which those that have a use for it have one, or QKV_ANY_FORMAT */
	const char *help; /* one line; the choices follow by themselves */
	const char *man;  /* mdoc */
};

extern const struct qkv_verb qkv_verbs[QKV_VERBS];
extern const struct qkv_opt qkv_opts[QKV_OPTS];

extern const struct qkv_format qkv_formats[QKV_FORMATS];

/* whether a verb has an option; QKV_VERBS: the program itself, without a verb */
int qkv_opt_of_verb(const struct qkv_opt *o, enum qkv_verb_id verb);

/* whether a format has a use for an option */
int qkv_opt_of_format(const struct qkv_opt *o, const struct qkv_format *f);

/* the choice at *p, which moves on to the next, and its length; NULL after the last */
const char *qkv_choice_next(size_t *length, const char **p);

#endif

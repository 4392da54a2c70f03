/* What the command line says, checked as far as it can be without the data. */
#ifndef QKV_CLI_OPT_H
#define QKV_CLI_OPT_H

#include "base/err.h"
#include "cli/table.h"

/* an option's value, once read */
struct qkv_opt_value {
	const char *text; /* as given, "" for a flag; NULL: the option is absent */
	size_t number;    /* a count; which choice, from 1; or how many ranges or tokens */
	unsigned stages;  /* 1u << qkv_stage of each */
	struct qkv_mask mask;
	struct qkv_scale scale;   /* or a number */
	struct qkv_range *ranges; /* of layers, heads, queries or keys; owned */
	const char **tokens;      /* (number,) and their bytes, in one block; owned */
};

struct qkv_options {
	enum qkv_verb_id verb;
	struct qkv_opt_value of[QKV_OPTS];
	const char **operands; /* borrowed texts in an owned list */
	size_t num_operands;
};

/*
 * Reads the arguments after argv[0], which names the verb (QKV_VERBS: none yet). --help and
 * --version end the reading. qkv_opt_free is due in any case.
 */
int qkv_opt_parse(struct qkv_options *o, enum qkv_verb_id verb, int argc, char **argv, struct qkv_err *e);

void qkv_opt_free(struct qkv_options *o);

#endif

/* What the program can do: one function a verb, and the help that is about all of them. */
#ifndef QKV_CLI_VERB_H
#define QKV_CLI_VERB_H

#include "cli/opt.h"

/* does what the options say; the exit status, or -1 with e filled */
typedef int qkv_verb_run(const struct qkv_options *o, struct qkv_err *e);

#define VERB(id, name, ...) qkv_verb_run qkv_verb_##name;
#include "cli/verbs.def"
#undef VERB

/* the verb of that name; -1 with e filled: there is none */
int qkv_verb_find(enum qkv_verb_id *verb, const char *name, struct qkv_err *e);

/* flushes what was printed to standard output; -1: some of it could not be written */
int qkv_stdout_flush(struct qkv_err *e);

/* the help of a verb, or of the program for QKV_VERBS, to standard output; 0 or -1 */
int qkv_help_print(enum qkv_verb_id verb, struct qkv_err *e);

/* what to type instead, to standard error; the exit status, that of wrong usage */
int qkv_help_hint(enum qkv_verb_id verb);

/* versions and the instruction set in use, to standard output; 0 or -1 */
int qkv_version_print(struct qkv_err *e);

/* the instruction set that the environment asks for, or NULL; -1: this machine does not have it */
int qkv_isa_choose(const char **isa, struct qkv_err *e);

#endif

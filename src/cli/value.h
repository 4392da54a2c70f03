/* Values of options, from text. */
#ifndef QKV_CLI_VALUE_H
#define QKV_CLI_VALUE_H

#include "cli/opt.h"

/* reads text as a value of o, in place of what v held */
int qkv_value_read(struct qkv_opt_value *v, const struct qkv_opt *o, const char *text, struct qkv_err *e);

void qkv_value_free(struct qkv_opt_value *v);

/* writes into text (size,) what a value of o must look like: "csv, tsv or json" */
void qkv_value_expected(char *text, size_t size, const struct qkv_opt *o);

#endif

/* What the terminal can show: its width and its colours, asked of it and of the environment. */
#ifndef QKV_CLI_TERM_H
#define QKV_CLI_TERM_H

#include "cli/opt.h"

struct qkv_term_options qkv_term_choose(const struct qkv_options *o);

#endif

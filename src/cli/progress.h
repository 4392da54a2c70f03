/* What a long run is doing, and how far it has come: one line on a terminal, rewritten in place and erased in the end. */
#ifndef QKV_CLI_PROGRESS_H
#define QKV_CLI_PROGRESS_H

#include "base/err.h"

/* lets the line appear a second from now on, if standard error is a terminal and output, the name that -o gives, is
 * not that terminal */
void qkv_progress_start(const char *output);

/* what is being done from now on, such as "reading"; the text must stay */
void qkv_progress_phase(const char *text);

/* where the line may appear, puts a consumer before *c, and takes that over, which sees how far the document has come */
int qkv_progress_join(struct qkv_consumer **c, struct qkv_err *e);

/* erases the line; nothing is shown any more */
void qkv_progress_end(void);

#endif

/* Threads: numbered tasks, shared out among workers that stay. */
#ifndef QKV_BASE_POOL_H
#define QKV_BASE_POOL_H

#include "base/err.h"

struct qkv_pool;

/* does task index, on worker 0 to workers - 1 */
typedef void qkv_task(void *arg, size_t index, size_t worker);

/* a pool of that many workers, the caller being one of them (0: one a processor available) */
int qkv_pool_new(struct qkv_pool **p, int workers, struct qkv_err *e);

/* how many workers there can be at most */
size_t qkv_pool_size(const struct qkv_pool *p);

/* runs tasks 0 to count - 1 in any order, and returns when all are done */
void qkv_pool_run(struct qkv_pool *p, size_t count, qkv_task *task, void *arg);

void qkv_pool_free(struct qkv_pool *p);

#endif

/*
 * Where output goes: memory, a descriptor, or files that appear all or none.
 *
 * A file is written beside its target (of a link: beside what it points to) and
 * renamed once everything is written; what is not a regular file is written in place.
 * A reader that closes its pipe gives an error with an empty text: it had enough.
 */
#ifndef QKV_BASE_SINK_H
#define QKV_BASE_SINK_H

#include "base/err.h"

/* a sink that keeps what it gets; limit bytes at most, then "No space left on device" */
struct qkv_memory_sink {
	struct qkv_sink sink;
	char *data;
	size_t size, room, limit;
};

void qkv_memory_sink_init(struct qkv_memory_sink *m, size_t limit);
void qkv_memory_sink_free(struct qkv_memory_sink *m);

/* output files of one run */
struct qkv_files;

int qkv_files_new(struct qkv_files **f, struct qkv_err *e);

/* the sink of a new file, or of standard output for "-"; it lives as long as f, but after another
 * _add it is not written to any more */
int qkv_files_add(struct qkv_sink **s, struct qkv_files *f, const char *path, struct qkv_err *e);

/* closes what is open, standard output too, and renames all */
int qkv_files_commit(struct qkv_files *f, struct qkv_err *e);

/* removes what was not committed */
void qkv_files_free(struct qkv_files *f);

/* removes the temporaries of the newest qkv_files; safe in a signal handler */
void qkv_files_abandon(void);

#endif

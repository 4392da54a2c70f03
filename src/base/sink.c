/* Sinks: memory, standard output, and files that appear all or none. */
#include "base/sink.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory ---- */

static int
memory_write(struct qkv_sink *s, const void *data, size_t size, struct qkv_err *e)
{
	struct qkv_memory_sink *m = (struct qkv_memory_sink *)s;

	if (size > m->limit - m->size)
		return qkv_fail(e, QKV_EIO, "memory: %s", strerror(ENOSPC));
	if (size > m->room - m->size) {
		size_t room = (m->size + size) * 2;
		char *grown = qkv_mem_resize(m->data, room, 1, e);

		if (!grown)
			return -1;
		m->data = grown;
		m->room = room;
	}
	if (size)
		memcpy(m->data + m->size, data, size);
	m->size += size;
	return 0;
}

void
qkv_memory_sink_init(struct qkv_memory_sink *m, size_t limit)
{
	*m = (struct qkv_memory_sink){.sink = {memory_write}, .limit = limit};
}

void
qkv_memory_sink_free(struct qkv_memory_sink *m)
{
	qkv_mem_free(m->data);
	*m = (struct qkv_memory_sink){.sink = {memory_write}};
}

/* ---- files ---- */

struct file {
	struct qkv_sink sink;
	struct file *next;
	int fd;       /* -1: closed */
	char *name;   /* as messages call it */
	char *target; /* what temporary becomes; NULL: written in place */
	char *temporary;
};

struct qkv_files {
	struct file *first; /* newest first */
	unsigned count;
};

static struct qkv_files *volatile newest;

static int
failed(const struct file *f, struct qkv_err *e)
{
	if (errno == EPIPE)
		return qkv_fail(e, QKV_EIO, "%s", "");
	return qkv_fail(e, QKV_EIO, "%s: %s", f->name, strerror(errno));
}

static int
file_write(struct qkv_sink *s, const void *data, size_t size, struct qkv_err *e)
{
	struct file *f = (struct file *)s;
	const char *p = data;

	while (size) {
		ssize_t n = write(f->fd, p, size);

		if (n < 0 && errno != EINTR)
			return failed(f, e);
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int
file_close(struct file *f, struct qkv_err *e)
{
	int fd = f->fd;

	f->fd = -1;
	return fd >= 0 && close(fd) ? failed(f, e) : 0;
}

static char *
copy(const char *text, size_t length, struct qkv_err *e)
{
	char *p = qkv_mem_new(length + 1, 1, e);

	if (p)
		memcpy(p, text, length);
	return p;
}

/* how much of a path is its folder, the slash included */
static size_t
folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* the path that path means once links are followed, whether there is a file or not */
static char *
resolve(const char *path, struct qkv_err *e)
{
	enum { LINKS = 40, LONGEST = 4096 };
	char *p = copy(path, strlen(path), e);
	struct stat st;

	for (int i = 0; p && i < LINKS && !lstat(p, &st) && S_ISLNK(st.st_mode); i++) {
		char link[LONGEST];
		ssize_t n = readlink(p, link, sizeof link);
		size_t keep = n > 0 && link[0] == '/' ? 0 : folder(p);
		char *followed;

		if (n <= 0 || n == LONGEST)
			break;
		followed = qkv_mem_new(keep + (size_t)n + 1, 1, e);
		if (followed) {
			memcpy(followed, p, keep);
			memcpy(followed + keep, link, (size_t)n);
		}
		qkv_mem_free(p);
		p = followed;
	}
	return p;
}

/* opens a temporary beside f->target, with the mode that the target has or would get */
static int
open_beside(struct file *f, const struct stat *old, unsigned number, struct qkv_err *e)
{
	size_t keep = folder(f->target);
	char *temporary = qkv_mem_new(keep + 48, 1, e);

	if (!temporary)
		return -1;
	memcpy(temporary, f->target, keep);
	snprintf(temporary + keep, 48, ".qkv-%ld-%u.tmp", (long)getpid(), number);
	f->temporary = temporary; /* from its first moment on, a signal would remove it */
	f->fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (f->fd < 0) {
		failed(f, e);
		f->temporary = NULL;
		qkv_mem_free(temporary);
		return -1;
	}
	return old && fchmod(f->fd, old->st_mode & 07777) ? failed(f, e) : 0;
}

/* the descriptor that a path names, "-", "/dev/stdout", "/dev/fd/3", or -1; what it stands for is not ours to replace */
static int
descriptor(const char *path)
{
	static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	for (int fd = 0; fd < 3; fd++)
		if (!strcmp(path, names[fd]))
			return fd;
	for (int i = 0; i < 2; i++) {
		size_t n = strlen(folders[i]);

		if (!strncmp(path, folders[i], n) && path[n] && !path[n + strspn(path + n, "0123456789")])
			return strlen(path + n) < 7 ? atoi(path + n) : -1;
	}
	return -1;
}

static int
open_file(struct file *f, const char *path, unsigned number, struct qkv_err *e)
{
	struct stat st;
	int given = descriptor(path), exists;

	if (given >= 0) {
		f->fd = strcmp(path, "-") ? dup(given) : given;
		return f->fd < 0 ? failed(f, e) : 0;
	}
	exists = !stat(path, &st);
	if (!exists && errno != ENOENT)
		return failed(f, e);
	if (exists && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return failed(f, e);
	}
	if (exists && !S_ISREG(st.st_mode)) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
		return f->fd < 0 ? failed(f, e) : 0;
	}
	f->target = resolve(path, e);
	return f->target ? open_beside(f, exists ? &st : NULL, number, e) : -1;
}

int
qkv_files_new(struct qkv_files **f, struct qkv_err *e)
{
	*f = qkv_mem_new(1, sizeof **f, e);
	newest = *f;
	return *f ? 0 : -1;
}

int
qkv_files_add(struct qkv_sink **s, struct qkv_files *files, const char *path, struct qkv_err *e)
{
	const char *name = strcmp(path, "-") ? path : "standard output";
	struct file *f;

	if (files->first && file_close(files->first, e))
		return -1;
	f = qkv_mem_new(1, sizeof *f, e);
	if (!f)
		return -1;
	f->sink.write = file_write;
	f->fd = -1;
	f->next = files->first;
	files->first = f;
	f->name = copy(name, strlen(name), e);
	if (!f->name || open_file(f, path, files->count++, e))
		return -1;
	*s = &f->sink;
	return 0;
}

static int
rename_all(const struct qkv_files *files, struct qkv_err *e)
{
	for (struct file *f = files->first; f; f = f->next) {
		if (!f->temporary)
			continue;
		if (rename(f->temporary, f->target))
			return failed(f, e);
		f->temporary[0] = 0;
	}
	return 0;
}

/* a signal comes before the first file has its name, or after the last */
int
qkv_files_commit(struct qkv_files *files, struct qkv_err *e)
{
	sigset_t all, before;
	int result;

	if (files->first && file_close(files->first, e))
		return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	result = rename_all(files, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

static void
abandon(const struct qkv_files *files)
{
	for (const struct file *f = files ? files->first : NULL; f; f = f->next)
		if (f->temporary && f->temporary[0])
			unlink(f->temporary);
}

void
qkv_files_abandon(void)
{
	abandon(newest);
}

void
qkv_files_free(struct qkv_files *files)
{
	struct file *next;

	if (!files)
		return;
	abandon(files);
	if (newest == files)
		newest = NULL;
	for (struct file *f = files->first; f; f = next) {
		next = f->next;
		if (f->fd >= 0 && f->fd != STDOUT_FILENO)
			close(f->fd);
		qkv_mem_free(f->name);
		qkv_mem_free(f->target);
		qkv_mem_free(f->temporary);
		qkv_mem_free(f);
	}
	qkv_mem_free(files);
}

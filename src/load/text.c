/* The bytes of an input: a regular file is mapped, anything else is read to its end. */
#include "load/text.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int
failed(const struct qkv_text *t, struct qkv_err *e)
{
	return qkv_fail(e, QKV_EIO, "%s: %s", t->name, strerror(errno));
}

static int
read_all(struct qkv_text *t, int fd, struct qkv_err *e)
{
	size_t room = 0;

	for (;;) {
		ssize_t n;

		if (room - t->size < 65536) {
			char *grown = qkv_mem_resize(t->owned, room = room * 2 + 131072, 1, e);

			if (!grown)
				return -1;
			t->owned = grown;
		}
		n = read(fd, t->owned + t->size, room - t->size);
		if (n < 0 && errno != EINTR)
			return failed(t, e);
		if (n == 0)
			break;
		if (n > 0)
			t->size += (size_t)n;
	}
	t->data = t->owned;
	return 0;
}

static int
map(struct qkv_text *t, int fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED)
		return -1;
	t->data = p;
	t->size = size;
	t->mapped = 1;
	return 0;
}

static int
named(struct qkv_text *t, const char *name, struct qkv_err *e)
{
	*t = (struct qkv_text){0};
	t->name = qkv_mem_new(strlen(name) + 1, 1, e);
	if (t->name)
		strcpy(t->name, name);
	return t->name ? 0 : -1;
}

int
qkv_text_open(struct qkv_text *t, const char *path, struct qkv_err *e)
{
	int standard = !strcmp(path, "-"), fd, result;
	struct stat st;

	if (named(t, standard ? "standard input" : path, e))
		return -1;
	fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		failed(t, e);
		qkv_text_close(t);
		return -1;
	}
	/* standard input may stand in the middle of a file, so it is always read */
	if (standard || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
		map(t, fd, (size_t)st.st_size))
		result = read_all(t, fd, e);
	else
		result = 0;
	if (!standard)
		close(fd);
	if (result)
		qkv_text_close(t);
	return result;
}

int
qkv_text_borrow(struct qkv_text *t, const char *name, const char *data, size_t size, struct qkv_err *e)
{
	if (named(t, name, e))
		return -1;
	t->data = data;
	t->size = size;
	return 0;
}

void
qkv_text_close(struct qkv_text *t)
{
	if (t->mapped) {
		void *p;

		memcpy(&p, &t->data, sizeof p); /* without a cast that drops const */
		munmap(p, t->size);
	}
	qkv_mem_free(t->owned);
	qkv_mem_free(t->name);
	*t = (struct qkv_text){0};
}

/* puts the place of a byte before the message that e holds already */
static int
fail_at(const struct qkv_text *t, size_t at, struct qkv_err *e)
{
	size_t line = 1, start = 0;
	const char *p;

	if (t->no_lines)
		return qkv_fail_prefix(e, "%s: ", t->name);
	while (start < at && (p = memchr(t->data + start, '\n', at - start))) {
		start = (size_t)(p - t->data) + 1;
		line++;
	}
	return qkv_fail_prefix(e, "%s:%zu:%zu: ", t->name, line, at - start + 1);
}

int
qkv_text_fail_in(const struct qkv_text *t, size_t at, const char *place, struct qkv_err *e,
	const char *format, va_list args)
{
	char message[sizeof e->text];

	vsnprintf(message, sizeof message, format, args);
	qkv_fail(e, QKV_EINPUT, "%s%s%s", place, *place ? ": " : "", message);
	return fail_at(t, at, e);
}

int
qkv_text_fail(const struct qkv_text *t, size_t at, struct qkv_err *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	qkv_text_fail_in(t, at, "", e, format, args);
	va_end(args);
	return -1;
}

/* For tests that write files: a fresh folder to work in, and its removal. */
#ifndef QKV_TESTS_ROOM_H
#define QKV_TESTS_ROOM_H

#include "test.h"

#include <dirent.h>
#include <unistd.h>

static char room[64];

static inline int
enter(void **state)
{
	(void)state;
	strcpy(room, "/tmp/qkv-test-XXXXXX");
	return !mkdtemp(room) || chdir(room);
}

/* files and empty folders are all that tests may leave in it */
static inline int
leave(void **state)
{
	DIR *d = opendir(".");
	struct dirent *f;

	(void)state;
	while ((f = readdir(d)))
		if (strcmp(f->d_name, ".") && strcmp(f->d_name, ".."))
			remove(f->d_name);
	closedir(d);
	return chdir("/") || rmdir(room);
}

#endif

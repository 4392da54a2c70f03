/*
 * How many processors are there for this process?
 *
 * Its affinity says on which it may run. A control group limits how much of their time it gets: a quota in every
 * period, of the group itself or of one above it (Linux, Documentation/admin-guide/cgroup-v2.rst: cpu.max,
 * "QUOTA PERIOD" or "max PERIOD"; Documentation/scheduler/sched-bwc.rst: cpu.cfs_quota_us, -1 where there is none).
 * Inside a container the path of the group may be the machine's, and be missing: those above it are still looked at.
 */
#if defined __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif

#include "base/processors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096 + 64, TEXT = 64 };

/* those that the process may run on */
static size_t
allowed(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
#if defined __linux__
	cpu_set_t sets[8]; /* one holds 1024 */

	if (!sched_getaffinity(0, sizeof sets, sets))
		return (size_t)CPU_COUNT_S(sizeof sets, sets);
#endif
	return online > 0 ? (size_t)online : 1;
}

/* the first line of a file of a group; "" where there is none */
static void
read_line(char text[TEXT], const char *group, const char *name)
{
	char path[PATH + TEXT];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", group, name);
	f = fopen(path, "r");
	if (!f || !fgets(text, TEXT, f))
		text[0] = 0;
	if (f)
		fclose(f);
}

/* what a quota of every period comes to in processors */
static size_t
share(const char *quota, const char *period)
{
	long q = strtol(quota, NULL, 10), p = strtol(period, NULL, 10);

	return q > 0 && p > 0 ? (size_t)(q / p + (q % p > 0)) : SIZE_MAX;
}

/* the limit of a group, in either version */
static size_t
limit_of(const char *group)
{
	char both[TEXT], quota[TEXT], period[TEXT];
	size_t limit;

	read_line(both, group, "cpu.max");
	read_line(quota, group, "cpu.cfs_quota_us");
	read_line(period, group, "cpu.cfs_period_us");
	limit = share(both, both + strcspn(both, " "));
	return limit < SIZE_MAX ? limit : share(quota, period);
}

/* whether "cpu" is among words with commas between them */
static int
has_cpu(const char *list, size_t length)
{
	for (const char *end = list + length; list < end; list += strcspn(list, ",:") + 1)
		if (strcspn(list, ",:") == 3 && !memcmp(list, "cpu", 3))
			return 1;
	return 0;
}

/* the least limit of the group that a line of /proc/self/cgroup names, "ID:CONTROLLERS:GROUP", and of those above it;
 * version 2 has no controllers there */
static size_t
least_limit(const char *root, char *line)
{
	char *list = line + strcspn(line, ":"), *group = *list ? strchr(list + 1, ':') : NULL, *end;
	size_t least = SIZE_MAX;
	int is_v2 = group == list + 1;

	if (!group || !(is_v2 || has_cpu(list + 1, (size_t)(group - list - 1))))
		return SIZE_MAX;
	group++;
	group[strcspn(group, "\n")] = 0;
	do {
		char path[PATH];
		size_t limit;

		snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%s", root, is_v2 ? "" : "/cpu", group);
		limit = limit_of(path);
		least = limit < least ? limit : least;
		end = strrchr(group, '/');
		if (end)
			*end = 0;
	} while (end);
	return least;
}

size_t
qkv_processors(const char *root)
{
	size_t least = allowed();
	char line[PATH];
	FILE *f;

	snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
	f = fopen(line, "r");
	while (f && fgets(line, sizeof line, f)) {
		size_t limit = least_limit(root, line);

		least = limit < least ? limit : least;
	}
	if (f)
		fclose(f);
	return least;
}

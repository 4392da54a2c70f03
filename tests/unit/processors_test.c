/* How many processors: by affinity, and by control groups in folders that stand for those of a machine. */
#if defined __linux__
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#endif

#include "test.h"

#include "base/pool.h"
#include "base/processors.h"

#include <sys/stat.h>
#include <unistd.h>

/* writes a file below root, and the folders on its way */
static void
put(const char *root, const char *path, const char *text)
{
	char whole[512];
	FILE *f;

	snprintf(whole, sizeof whole, "%s/%s", root, path);
	for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
		*p = 0;
		mkdir(whole, 0777);
	}
	f = fopen(whole, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

enum { FILES = 4 };

/* what a process in such groups gets, of as many as there are */
static void
test_groups(void **state)
{
	static const struct {
		const char *files[FILES][2];
		size_t most;
	} rows[] = {
		{{{NULL}}, 1000},
		{{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "max 100000\n"}}, 1000},
		{{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "100000 100000\n"}}, 1},
		{{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "100001 100000\n"}}, 2},
		{{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "1000 100000\n"}}, 1},
		{{{"proc/self/cgroup", "0::/a/b\n"}, {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
			 {"sys/fs/cgroup/a/cpu.max", "50000 50000\n"}},
			1},
		{{{"proc/self/cgroup", "0::/a/b\n"}, {"sys/fs/cgroup/a/b/cpu.max", "10000 20000\n"},
			 {"sys/fs/cgroup/a/cpu.max", "90000 1000\n"}},
			1},
		/* the machine's path, in a container that has the group as its root */
		{{{"proc/self/cgroup", "0::/far/away\n"}, {"sys/fs/cgroup/cpu.max", "70000 100000\n"}}, 1},
		{{{"proc/self/cgroup", "5:cpu,cpuacct:/a\n2:cpuset:/\n"},
			 {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "25000\n"},
			 {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"}},
			1},
		{{{"proc/self/cgroup", "3:cpuacct,cpu:/a\n"},
			 {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "25000\n"},
			 {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n"}},
			1},
		{{{"proc/self/cgroup", "5:cpu:/a\n"}, {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"},
			 {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"}},
			1000},
		/* another controller's group */
		{{{"proc/self/cgroup", "5:cpuset:/a\n6:cpuacct:/a\n7:xcpu:/a\n8\n9:cpu\n"},
			 {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "1000\n"},
			 {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"}},
			1000},
		{{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "frob\n"}}, 1000},
	};
	char template[] = "/tmp/qkv-test-XXXXXX", root[64], command[128];
	size_t machine = qkv_processors("/nowhere");

	(void)state;
	assert_true(machine >= 1);
	assert_non_null(mkdtemp(template));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(root, sizeof root, "%s/%zu", template, i);
		mkdir(root, 0777);
		for (int k = 0; k < FILES && rows[i].files[k][0]; k++)
			put(root, rows[i].files[k][0], rows[i].files[k][1]);
		assert_int_equal(qkv_processors(root), machine < rows[i].most ? machine : rows[i].most);
	}
	snprintf(command, sizeof command, "rm -r %s", template);
	assert_int_equal(system(command), 0);
}

/* a pool of as many workers as the process may run on processors */
static void
test_affinity(void **state)
{
	(void)state;
#if defined __linux__
	cpu_set_t before, one;
	struct qkv_pool *p;
	struct qkv_err e;
	size_t first = 0;

	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(qkv_processors("/nowhere"), 1);
	assert_int_equal(qkv_pool_new(&p, 0, &e), 0);
	assert_int_equal(qkv_pool_size(p), 1);
	qkv_pool_free(p);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_int_equal(qkv_processors("/nowhere"), CPU_COUNT(&before));
#else
	skip();
#endif
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_affinity),
	};

	return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}

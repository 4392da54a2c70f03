/* Whole processes: start, pictures, and what other readers stumble over: long lines, wide rows, many numbers. */
#define _DEFAULT_SOURCE /* wait4 */

#include "bench.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void
bench_spawn(char *const argv[], double *megabytes)
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		bench_die(argv[0], "cannot be started");
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			execv(argv[0], argv);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &used) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		bench_die(argv[0], "failed");
	*megabytes = bench_megabytes(&used);
}

struct command {
	struct bench_row row;
	int is_start; /* what counts is what it takes over an empty program */
	char *argv[10];
};

#define QKV "../qkv", "attend", "-q"

static struct command commands[] = {
	{{.name = "start/csv", .size = "3 tokens", .work = 1, .unit = "starts/s"}, 1, {QKV, "short-3.json"}},
	{{.name = "start/png", .size = "3 tokens, labelled", .work = 1, .unit = "starts/s"}, 1,
		{QKV, "-f", "png", "short-3.json"}},
	{{.name = "picture/labelled", .size = "1 head of 128 tokens", .work = 1, .unit = "pictures/s"}, 0,
		{QKV, "-f", "png", "ready-128.json"}},
	{{.name = "command/pictures",
		 .size = "26.6 MB to 12 bare pictures",
		 .work = 12,
		 .unit = "pictures/s"},
		0, {QKV, "--bare", "--cell", "1", "-o", "picture{head}.png", "numbers-512.json"}},
	{{.name = "command/csv", .size = "26.6 MB to CSV of 12 heads", .work = 12, .unit = "heads/s"}, 0,
		{QKV, "numbers-512.json"}},
	/* J12 and J14: all on one line, 2.16 million numbers */
	{{.name = "j12/file", .size = "26.6 MB on one line, 1 head", .work = 26.6, .unit = "MB/s"}, 0,
		{QKV, "--heads", "0", "numbers-512.json"}},
	{{.name = "j12/pipe", .size = "the same through a pipe", .work = 26.6, .unit = "MB/s"}, 0,
		{"/bin/sh", "-c", "cat numbers-512.json | ../qkv attend -q --heads 0"}},
	{{.name = "j14/python",
		 .size = "2.16 million of 17 digits, 1 head",
		 .work = 2.16,
		 .unit = "Mnumbers/s"},
		0, {QKV, "--heads", "0", "python-512.json"}},
	/* J13: twice the columns take twice the time */
	{{.name = "j13/100000", .size = "100,000 columns", .work = 0.3, .unit = "Mnumbers/s"}, 0,
		{QKV, "columns-100000.json"}},
	{{.name = "j13/200000", .size = "200,000 columns", .work = 0.6, .unit = "Mnumbers/s"}, 0,
		{QKV, "columns-200000.json"}},
	{{.name = "r16/csv", .size = "12 heads of 512 tokens, d = 64", .work = 12, .unit = "heads/s"}, 0,
		{QKV, "tokens-512.json"}},
	{{.name = "r16/png", .size = "12 heads of 512 tokens, d = 64", .work = 12, .unit = "heads/s"}, 0,
		{QKV, "-f", "png", "tokens-512.json"}},
};

static void
command_run(void *arg)
{
	struct command *c = arg;

	bench_spawn(c->argv, &c->row.megabytes);
}

void
bench_commands(void)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		struct command *c = &commands[i];

		c->row.limit = c->is_start ? bench_start : 0;
		c->row.yard = "start";
		bench_row(&c->row, command_run, c);
	}
}

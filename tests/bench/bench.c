/* bench [--json] [--large] [--only PREFIX] [--once] [--serve ROW] [--document NAME]: how fast is every stage? */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: bench [OPTION]...\n"
	"  --only PREFIX    the rows whose names begin so, and the yardsticks\n"
	"  --large          also what takes a minute\n"
	"  --json           prints JSON\n"
	"  --once           runs each row once: its seconds, and the memory that it adds to its inputs\n"
	"  --serve ROW      for comparisons: runs the row as often as each line of standard input says,\n"
	"                   and answers with the seconds of one run\n"
	"  --document NAME  writes one of the inputs\n";

static void
read_options(int argc, char **argv)
{
	struct bench_options *o = &bench_options;

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "--json"))
			o->json = 1;
		else if (!strcmp(argv[i], "--large"))
			o->large = 1;
		else if (!strcmp(argv[i], "--once"))
			o->once = 1;
		else if (!value ||
			(strcmp(argv[i], "--only") && strcmp(argv[i], "--serve") &&
				strcmp(argv[i], "--document"))) {
			fputs(usage, stderr);
			exit(2);
		} else if (!strcmp(argv[i++], "--document")) {
			bench_document(stdout, value);
			exit(0);
		} else {
			o->serve = !strcmp(argv[i - 1], "--serve");
			o->only = value;
		}
	}
}

int
main(int argc, char **argv)
{
	char *slash = strrchr(argv[0], '/');

	read_options(argc, argv);
	/* where the documents are, and the program beside */
	if (slash) {
		*slash = 0;
		if (chdir(argv[0]))
			bench_die(argv[0], "cannot be entered");
	}
	bench_yardsticks();
	/* while this process is small: what a child has before it becomes a program counts as its memory */
	bench_commands();
	bench_products();
	bench_layers();
	bench_reading();
	bench_writing();
	bench_pictures();
	bench_grids();
	bench_scale();
	bench_end();
	return 0;
}

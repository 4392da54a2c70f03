/*
 * qkv VERB: from arguments to a verb, and from its result to a message and an exit status:
 * 0 done, 1 data or I/O, 2 usage, 3 a requested check failed.
 */
#include "base/sink.h"
#include "cli/verb.h"
#include "load/json_library.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static qkv_verb_run *const runs[QKV_VERBS] = {
#define VERB(id, name, ...) qkv_verb_##name,
#include "cli/verbs.def"
#undef VERB
};

/*
 * Keeps files off the standard descriptors that were closed at the start: reading the first and writing
 * to the others fails as if they still were. (A directory cannot be written by way of /dev/stdout either.)
 */
static void
hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)(fd == STDIN_FILENO ? open("/dev/null", O_WRONLY) : open("/", O_RDONLY));
}

static void
clean_up(int number)
{
	qkv_files_abandon();
	raise(number); /* comes when this handler, reset by now, returns */
}

/* a signal that ends the run takes its temporaries along; what is ignored stays so */
static void
catch_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2,
		SIGXCPU, SIGVTALRM, SIGPROF, SIGBUS};
	struct sigaction act = {.sa_handler = clean_up, .sa_flags = (int)SA_RESETHAND}, old;

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &act, NULL);
	signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of write */
}

/* what argv asks for; the exit status, or -1 with e filled */
static int
run(int argc, char **argv, struct qkv_options *o, struct qkv_err *e)
{
	enum qkv_verb_id verb = QKV_VERBS;

	if (argc > 1 && argv[1][0] != '-') {
		if (qkv_verb_find(&verb, argv[1], e))
			return -1;
		argc--;
		argv++;
	}
	if (qkv_opt_parse(o, verb, argc, argv, e))
		return -1;
	if (o->of[QKV_OPT_HELP].text)
		return qkv_help_print(verb, e);
	if (o->of[QKV_OPT_VERSION].text)
		return qkv_version_print(e);
	return verb == QKV_VERBS ? qkv_help_hint(verb) : runs[verb](o, e);
}

int
main(int argc, char **argv)
{
	struct qkv_options o = {0};
	struct qkv_err e = {0};
	int status;

	hold_standard();
	catch_signals();
	qkv_json_hook();
	status = run(argc, argv, &o, &e);
	qkv_opt_free(&o);
	if (status >= 0)
		return status;
	if (*e.text)
		fprintf(stderr, "qkv: %s\n", e.text);
	return e.status == QKV_EUSAGE ? 2 : 1;
}

/* Output files: all or none, in place of what they replace, and nothing left behind. */
#include "room.h"

#include "base/sink.h"

#include <sys/stat.h>

/* how many files the room holds */
static int
count(void)
{
	DIR *d = opendir(".");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void
holds(const char *name, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	assert_true(fread(got, 1, sizeof got - 1, f) == strlen(text));
	assert_string_equal(got, text);
	fclose(f);
}

static struct qkv_files *
start(void)
{
	struct qkv_files *f;
	struct qkv_err e;

	assert_int_equal(qkv_files_new(&f, &e), 0);
	return f;
}

static void
add(struct qkv_files *f, const char *name, const char *text)
{
	struct qkv_sink *s;
	struct qkv_err e;

	if (qkv_files_add(&s, f, name, &e) || s->write(s, text, strlen(text), &e))
		fail_msg("%s", e.text);
}

static void
test_commit(void **state)
{
	struct qkv_files *f = start();
	struct qkv_err e;
	struct stat st;

	(void)state;
	put("old", "old");
	chmod("old", 0640);
	add(f, "old", "new");
	add(f, "other", "other");
	holds("old", "old");
	assert_int_equal(access("other", F_OK), -1);
	assert_int_equal(qkv_files_commit(f, &e), 0);
	qkv_files_free(f);
	holds("old", "new");
	holds("other", "other");
	assert_int_equal(stat("old", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(count(), 2);
}

static void
test_nothing_left(void **state)
{
	struct qkv_files *f = start();
	struct qkv_sink *s;
	struct qkv_err e;

	(void)state;
	put("old", "old");
	add(f, "old", "new");
	add(f, "other", "other");
	assert_int_equal(qkv_files_add(&s, f, "missing/file", &e), -1);
	assert_string_equal(e.text, "missing/file: No such file or directory");
	qkv_files_free(f);
	holds("old", "old");
	assert_int_equal(count(), 1);

	f = start();
	add(f, "old", "new");
	qkv_files_abandon(); /* as a signal would */
	assert_int_equal(count(), 1);
	qkv_files_free(f);
	qkv_files_abandon();
}

static void
test_links(void **state)
{
	struct qkv_files *f = start();
	struct qkv_err e;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("sub", 0777), 0);
	put("target", "old");
	assert_int_equal(
		symlink("target", "link") | symlink("link", "chain") | symlink("fresh", "dangling"), 0);
	add(f, "chain", "new");
	add(f, "dangling", "born");
	assert_int_equal(qkv_files_commit(f, &e), 0);
	qkv_files_free(f);
	holds("target", "new");
	holds("fresh", "born");
	assert_true(!lstat("chain", &st) && S_ISLNK(st.st_mode));
	assert_true(!lstat("dangling", &st) && S_ISLNK(st.st_mode));
}

static void
test_in_place(void **state)
{
	struct qkv_files *f = start();
	struct qkv_sink *s;
	struct qkv_err e;

	(void)state;
	add(f, "/dev/null", "gone");
	assert_int_equal(qkv_files_add(&s, f, "/dev/full", &e), 0);
	assert_int_equal(s->write(s, "x", 1, &e), -1);
	assert_string_equal(e.text, "/dev/full: No space left on device");
	assert_int_equal(qkv_files_add(&s, f, ".", &e), -1);
	assert_string_equal(e.text, ".: Is a directory");
	qkv_files_free(f);
	assert_int_equal(access("/dev/full", F_OK), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_commit, enter, leave),
		cmocka_unit_test_setup_teardown(test_nothing_left, enter, leave),
		cmocka_unit_test_setup_teardown(test_links, enter, leave),
		cmocka_unit_test_setup_teardown(test_in_place, enter, leave),
	};

	return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}

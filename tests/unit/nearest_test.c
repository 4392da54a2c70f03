/* Which name is suggested for a wrong one, and when none is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/nearest.h"

static const char *const names[] = {"tokens", "embeddings", "context", "num_heads", "num_kv_heads", "W_Q",
	"W_K", "W_QKV", "mask", "key_mask", "Q"};

enum { COUNT = sizeof names / sizeof *names };

static const struct {
	const char *name, *nearest; /* NULL: none */
} cases[] = {
	{"token", "tokens"},
	{"tokenss", "tokens"},
	{"tokesn", "tokens"}, /* a swap is one slip */
	{"toeksns", "tokens"},
	{"embedings", "embeddings"},
	{"num-heads", "num_heads"},
	{"numheads", "num_heads"},
	{"n_heads", "num_heads"},
	{"w_q", "W_Q"}, /* case alone */
	{"w_k", "W_K"},
	{"W_qkv", "W_QKV"},
	{"keymask", "key_mask"},
	{"TOKENS", "tokens"},
	{"x", NULL},
	{"", NULL},
	{"weights", NULL},
	{"tonsek", NULL},
	{"attention", NULL},
};

static void
suggests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *found = qkv_nearest(cases[i].name, names, COUNT);

		if (cases[i].nearest == NULL)
			assert_null(found);
		else
			assert_non_null(found);
		if (found != NULL)
			assert_string_equal(found, cases[i].nearest);
	}
}

/* of equally near names the first; an exact one always */
static void
prefers_first_and_exact(void **state)
{
	static const char *const near[] = {"abcx", "abcy", "abcd"};

	(void)state;
	assert_ptr_equal(qkv_nearest("abcz", near, 3), near[0]);
	assert_ptr_equal(qkv_nearest("abcd", near, 3), near[2]);
	assert_null(qkv_nearest("abcz", near, 0));
}

/* text of any length is looked at without harm */
static void
takes_long_text(void **state)
{
	char text[1000];
	const char *const longest[] = {text + 1, text + 1000 - 1 - 64};

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_null(qkv_nearest(text, names, COUNT));
	assert_ptr_equal(qkv_nearest(text + 1000 - 1 - 64, longest, 2), longest[1]);
	assert_null(qkv_nearest(text + 1000 - 1 - 65, longest, 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suggests),
		cmocka_unit_test(prefers_first_and_exact),
		cmocka_unit_test(takes_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

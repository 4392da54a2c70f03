/*
 * How wide is the terminal, and what colours does it have?
 *
 * Colours: --color, then NO_COLOR (https://no-color.org), then CLICOLOR_FORCE (https://bixense.com/clicolors),
 * then whether standard output is a terminal that is not dumb. How many: COLORTERM says truecolor or 24bit.
 */
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLOR_AUTO = 1, COLOR_ALWAYS, COLOR_NEVER }; /* the choices of --color */

/* the value of a variable, "" where there is none */
static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* whether what is written reaches a terminal */
static int
is_terminal(const struct qkv_options *o)
{
	const char *name = o->of[QKV_OPT_OUTPUT].text;

	return (!name || !strcmp(name, "-")) && isatty(STDOUT_FILENO);
}

static int
is_coloured(const struct qkv_options *o)
{
	const char *force = variable("CLICOLOR_FORCE"), *term = variable("TERM");
	size_t color = o->of[QKV_OPT_COLOR].number;

	if (color == COLOR_ALWAYS || color == COLOR_NEVER)
		return color == COLOR_ALWAYS;
	if (*variable("NO_COLOR"))
		return 0;
	if (*force && strcmp(force, "0"))
		return 1;
	return is_terminal(o) && *term && strcmp(term, "dumb");
}

static size_t
find_width(const struct qkv_options *o)
{
	const char *columns = variable("COLUMNS");
	struct winsize size;
	size_t width = 0;

	if (is_terminal(o) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	while (*columns >= '0' && *columns <= '9' && width < 10000)
		width = 10 * width + (size_t)(*columns++ - '0');
	return *columns || !width || width > 10000 ? 80 : width;
}

struct qkv_term_options
qkv_term_choose(const struct qkv_options *o)
{
	const char *depth = variable("COLORTERM");
	int is_true = !strcmp(depth, "truecolor") || !strcmp(depth, "24bit");

	return (struct qkv_term_options){
		.width = find_width(o),
		.colours = !is_coloured(o) ? QKV_COLOURS_NONE
			: is_true          ? QKV_COLOURS_TRUE
					   : QKV_COLOURS_256,
	};
}

/* What is in this program, and which instruction set it computes with. */
#include "cli/verb.h"

#include "draw/glyph.h"
#include "draw/png.h"
#include "draw/script.h"
#include "kern/kern.h"
#include "load/json_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
qkv_isa_choose(const char **isa, struct qkv_err *e)
{
	const char *name = getenv("QKV_ISA");

	*isa = name && *name ? name : NULL;
	if (qkv_isa_name(*isa))
		return 0;
	return qkv_fail(e, QKV_EUSAGE, "QKV_ISA: '%s' is unknown, or not on this machine, expected one of %s",
		name, qkv_kern_names());
}

int
qkv_version_print(struct qkv_err *e)
{
	const char *isa;

	if (qkv_isa_choose(&isa, e))
		return -1;
	printf("qkv %s\ncJSON %s\nlibpng %s\nutf8proc %s\nFriBidi %s\nGNU Unifont %s\ninstruction set: %s\n",
		QKV_VERSION, qkv_json_version(), qkv_png_version(), qkv_script_utf8proc(),
		qkv_script_fribidi(), qkv_glyph_version, qkv_isa_name(isa));
	return qkv_stdout_flush(e);
}

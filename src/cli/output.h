/* From the name that -o gives to files: one, or one for each document, layer or head. */
#ifndef QKV_CLI_OUTPUT_H
#define QKV_CLI_OUTPUT_H

#include "base/sink.h"
#include "cli/format.h"

/* fields of a name, as bits */
enum qkv_field { QKV_FIELD_DOC = 1, QKV_FIELD_LAYER = 2, QKV_FIELD_HEAD = 4 };

/* finds the fields in a name such as "map-{layer}-{head}.png"; -1: a brace or a field is wrong */
int qkv_output_fields(unsigned *fields, const char *name, struct qkv_err *e);

/* where matrices go; all borrowed */
struct qkv_output {
	const char *name; /* with fields; "-": standard output */
	unsigned fields;
	const struct qkv_format *format;
	struct qkv_show show;
	unsigned stages; /* as in qkv_attend_options */
	struct qkv_files *files;
	int threads; /* as in qkv_attend_options: pictures are painted side by side */
};

/* a consumer that opens a file, and a consumer of the format in it, whenever the name changes */
int qkv_output_new(struct qkv_consumer **c, const struct qkv_output *output, struct qkv_err *e);

#endif

/* Which glyphs stand where in a label, so that any token can be told from any other. */
#ifndef QKV_DRAW_LABEL_H
#define QKV_DRAW_LABEL_H

#include "base/err.h"

#include <stdint.h>

#define QKV_LABEL_LIMIT 192 /* pixels that a token may take: 24 letters, or 12 syllables of Hangul */

/* a glyph (of qkv_glyph_get) whose left edge is x pixels right of the label's */
struct qkv_spot {
	uint32_t code;
	uint32_t x;
};

struct qkv_label {
	struct qkv_spot *spots; /* from left to right */
	size_t count;
	char *text; /* what is seen, as UTF-8 in logical order; an escape such as \u200b for a box by choice */
	size_t width;     /* pixels */
	uint16_t *ink;    /* (width,): the pixels of each column, bit y for row y from the top */
	int shortened;    /* ends in an ellipsis that is not in the text */
	size_t missing;   /* characters that the font lacks: boxes */
	uint32_t lacking; /* the leftmost of them */
};

/*
 * Lays out text, UTF-8, at most limit pixels wide: composed (NFC), in the direction of its script, Arabic letters
 * joined. Spaces at either end, controls, what would be empty, and what is invisible, but for a joiner beside
 * something else, are given a visible form; marks lie over the character before them.
 */
int qkv_label_new(struct qkv_label *l, const char *text, size_t limit, struct qkv_err *e);

void qkv_label_free(struct qkv_label *l);

#endif

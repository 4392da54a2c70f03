/* What the scripts of the world ask of a line of text: composition, marks, direction, the joining of letters. */
#ifndef QKV_DRAW_SCRIPT_H
#define QKV_DRAW_SCRIPT_H

#include "base/err.h"

#include <stdint.h>

enum qkv_char_kind {
	QKV_CHAR_PLAIN,
	QKV_CHAR_MARK,   /* drawn over the character before it */
	QKV_CHAR_JOINER, /* invisible, and a part of the characters beside it: joiners, variation selectors */
	QKV_CHAR_INVISIBLE /* takes no place and shows nothing: directions, byte order marks, ... */
};

enum qkv_char_kind qkv_char_kind(uint32_t code);

/* how many columns of a terminal code takes: 0, 1 or 2 */
size_t qkv_char_columns(uint32_t code);

/* whether code is a letter that runs from right to left */
int qkv_char_is_rtl(uint32_t code);

#define QKV_SCRIPT_ROOM 1024 /* codes of a line at most */

/*
 * Reads the first codes of text (UTF-8, what is not becomes U+FFFD) in their composed form (NFC) into codes
 * (QKV_SCRIPT_ROOM,), about a quarter of which they fill at most; how many. *rest: what was not read.
 */
size_t qkv_script_read(uint32_t *codes, const char **rest, const char *text);

/*
 * Lines of codes in logical order, where QKV_GLYPH_BOX stands for a box without direction. The first gives Arabic
 * letters the forms in which they join, and ligatures, behind which a U+FEFF remains; the second mirrors brackets
 * that run to the left, and tells for each place, from left to right, which of the codes is seen there.
 */
int qkv_script_join(uint32_t *codes, size_t count, struct qkv_err *e);
int qkv_script_order(int *seen, uint32_t *codes, size_t count, struct qkv_err *e);

/* the versions of the libraries in use */
const char *qkv_script_utf8proc(void);
const char *qkv_script_fribidi(void);

#endif

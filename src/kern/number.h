/* Numbers to and from text, correctly rounded, whatever the locale. */
#ifndef QKV_KERN_NUMBER_H
#define QKV_KERN_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define QKV_NUMBER_MAX 32 /* bytes that any written number fits in; no NUL is written */

/*
 * Reads the JSON number (RFC 8259) that begins at p and ends at the latest before end: the nearest double,
 * +-infinity where that overflows. Returns the byte after it, or NULL with *bad at the byte that is wrong
 * (end: the text stops too early).
 */
const char *qkv_number_read(double *value, const char *p, const char *end, const char **bad);

/*
 * Reads a run of numbers separated by commas, white space around them allowed, into out (room,) as
 * float32: each the nearest double, then the nearest float32. Stops when room is full, or before
 * anything else. Sets *count; returns the byte after the last number read (p itself where there was none):
 * what stands before a comma that cannot be followed, a malformed number, or one too large for
 * float32 is left to the caller. p points at the first byte of a number, or at anything else.
 */
const char *qkv_numbers_read(float *out, size_t room, size_t *count, const char *p, const char *end);

/*
 * Writes the shortest decimal that qkv_numbers_read reads back as x, closest to x among those: plain from
 * 1e-5 to below 1e16, else like 1.5e-7; integers without ".0", zero as "0", -infinity as "-inf". Its length.
 */
size_t qkv_number_write(char *buf, float x);

/* the same with at most 1 to 9 significant digits, correctly rounded (ties to even), no trailing zeros; 0: the shortest */
size_t qkv_number_write_digits(char *buf, float x, int digits);

/* how a list of numbers is written, and tables for that: by the biased exponent of a float */
struct qkv_number_style {
	int digits, nulls;
	char separator;
	double power[256];   /* what makes an integer of it, with the digits asked for, or 7 to 9 */
	int64_t layout[256]; /* index of its layout where the digits are as many as can be; too high: none */
};

/* digits as above; nulls: "null" for what is not finite; the separator stands after each number */
void qkv_number_style_set(struct qkv_number_style *s, int digits, int nulls, char separator);

#endif

/* What the parts of the scanner share; nobody else includes this. */
#ifndef QKV_LOAD_SCAN_STATE_H
#define QKV_LOAD_SCAN_STATE_H

#include "base/pool.h"
#include "kern/kern.h"
#include "load/scan.h"

struct qkv_scanner {
	const struct qkv_text *text;
	const struct qkv_kern *kern;
	int threads;           /* 0: one a processor */
	struct qkv_pool *pool; /* NULL until something is large enough */
	struct qkv_arena *arena;
	struct qkv_err *e;
	struct qkv_scan *out;
	const char *p, *end; /* what is still to be read */
	size_t key;          /* offset of the key whose value comes next */
	int dropping;        /* within a value that is not kept */
	struct qkv_value dropped;
};

/* where a value stands: a member (key of length bytes) or an element (index) of what is up; the root has no up */
struct qkv_frame {
	const struct qkv_frame *up;
	const char *key;
	size_t length, index, depth;
};

/* what the cells of an array may be */
enum qkv_cells {
	QKV_CELLS_NONE, /* not an array to lift */
	QKV_CELLS_NUMBER,
	QKV_CELLS_FLAG, /* 0, 1, false, true */
	QKV_CELLS_BIAS, /* numbers, or the string "-inf" */
};

/* skips white space */
void qkv_scanner_space(struct qkv_scanner *s);

/* fails with the place of f and what stands at `at`; -1 */
int qkv_scanner_fail(struct qkv_scanner *s, const struct qkv_frame *f, const char *at, const char *expected);

/* whether what stands at s->p is what other languages write for a number that is not finite, and what is expected then */
int qkv_scanner_not_finite(const struct qkv_scanner *s);
extern const char qkv_not_finite[];

/* fails because the number at s->p is none, from the byte at bad on; -1 */
int qkv_scanner_fail_number(struct qkv_scanner *s, const struct qkv_frame *f, const char *bad);

/* fails with the place of f and those words for what stands at `at`; -1 */
int qkv_scanner_fail_found(struct qkv_scanner *s, const struct qkv_frame *f, const char *at,
	const char *found, const char *expected);

/* remembers a value that begins at s->p; NULL when memory ends */
struct qkv_value *qkv_scanner_note(struct qkv_scanner *s);

/* counts the commas from s->p to the first ':' or '}', or the end; returns where that is */
const char *qkv_scanner_commas(size_t *count, struct qkv_scanner *s);

/*
 * Reads rows of cols cells from p, which opens the first, into out (room,), as far as they are whole and easy; sets
 * *count to the cells read, and returns what is after them, or p.
 */
const char *qkv_scanner_rows(float *out, size_t room, size_t *count, const struct qkv_scanner *s,
	enum qkv_cells cells, size_t cols, const char *p);

/*
 * The same on all threads, if the text up to end is long, for items of axes lengths shape, of which count numbers
 * have been read into data (room,) before; s->p opens the first. Moves it after the last, and returns the cells read.
 */
size_t qkv_scanner_split(float *data, size_t count, size_t room, struct qkv_scanner *s, enum qkv_cells cells,
	const size_t *shape, size_t axes, const char *end);

/* reads the array that begins at s->p into float32 */
int qkv_scanner_tensor(struct qkv_scanner *s, const struct qkv_frame *f, enum qkv_cells cells);

#endif

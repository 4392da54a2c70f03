/* Where everything in a picture stands, in pixels. Painters only paint the marks listed here. */
#ifndef QKV_DRAW_FIGURE_H
#define QKV_DRAW_FIGURE_H

#include "draw/axis.h"
#include "draw/map.h"
#include "draw/panel.h"
#include "draw/scale.h"

#define QKV_FIGURE_SIDE 1000000u     /* pixels a side: libpng's limit */
#define QKV_FIGURE_PIXELS (1u << 30) /* in all */

enum qkv_mark_kind {
	QKV_MARK_RECT,     /* of the ink */
	QKV_MARK_WORDS,    /* a label, from left to right */
	QKV_MARK_OVER,     /* the same upon cells, whose mark stands before it */
	QKV_MARK_WORDS_UP, /* a label turned by 90 degrees, from bottom to top */
	QKV_MARK_CELLS,    /* a panel: w / wide by h / high pixels a cell */
	QKV_MARK_RAMP,     /* a span's colours from low to high */
};

/* marks lie inside the figure, and do not overlap, but for QKV_MARK_OVER; a pixel is zoom pixels wide and high */
struct qkv_mark {
	enum qkv_mark_kind kind;
	enum qkv_ink ink; /* of a QKV_MARK_RECT or words */
	size_t x, y, w, h;
	union {
		const struct qkv_label *label;
		const struct qkv_panel *panel;
		const struct qkv_span *span;
	} of;
};

struct qkv_figure {
	size_t width, height, zoom;
	int threads;                 /* for painters, as in the options */
	const struct qkv_kern *kern; /* for those that write numbers */
	struct qkv_mark *marks;
	size_t count, room;
	char title[256], caption[1024], parameters[1024];
	unsigned stages;                 /* bit 1u << stage of each shown */
	size_t head;                     /* that all stages are of, and the title names; else QKV_ANY */
	const struct qkv_extent *scales; /* of all panels: own, or borrowed from the options */
	struct qkv_extent own;
	struct qkv_palette palette;
	int has_masked;           /* cells without a value are shown */
	enum qkv_colours colours; /* of a terminal */
	struct qkv_axis *axes; /* queries, keys, where they are shown, then one for each number of features */
	size_t num_axes;
	struct qkv_label *texts; /* of headings, numbers, ... */
	size_t num_texts;
};

/*
 * Lays out the panels of doc, borrowed like the doc, and places them in a grid: several layers as rows with
 * their heads as columns, several stages as columns with the heads as rows, else as near a square as can be.
 * Notes get the labels left out. f is to be freed whatever is returned.
 */
int qkv_figure_new(struct qkv_figure *f, const struct qkv_doc *doc, struct qkv_panel *panels, size_t count,
	const struct qkv_draw_options *o, struct qkv_notes *notes, struct qkv_err *e);

/* fails where a picture of that size cannot be drawn; how: "" or "at least " */
int qkv_figure_check(
	size_t width, size_t height, const char *how, const struct qkv_draw_options *o, struct qkv_err *e);

/* adds a mark; a rectangle, unless it is empty; a label, placed with its left end (turned: its lower end) at x, y; a label of text */
int qkv_figure_mark(struct qkv_figure *f, const struct qkv_mark *m, struct qkv_err *e);
int qkv_figure_rect(
	struct qkv_figure *f, enum qkv_ink ink, size_t x, size_t y, size_t w, size_t h, struct qkv_err *e);
int qkv_figure_words(struct qkv_figure *f, enum qkv_ink ink, size_t x, size_t y, const struct qkv_label *l,
	struct qkv_err *e);
int qkv_figure_text(
	struct qkv_figure *f, enum qkv_ink ink, size_t x, size_t y, const char *text, struct qkv_err *e);

/* a label of text, at most limit pixels wide, that the figure keeps; NULL with e filled */
const struct qkv_label *
qkv_figure_label(struct qkv_figure *f, const char *text, size_t limit, struct qkv_err *e);

void qkv_figure_free(struct qkv_figure *f);

#endif

/* Where everything in a terminal stands: a figure whose marks are aligned to letters of 8 by 16 pixels. */
#ifndef QKV_DRAW_SHEET_H
#define QKV_DRAW_SHEET_H

#include "draw/figure.h"

enum {
	QKV_SHEET_COLUMN = 8, /* pixels of a letter */
	QKV_SHEET_ROW = 16,
	QKV_SHEET_LINES = 700, /* of title and caption, a word a line */
};

/* how many cells a side of a matrix of doc may have so that a panel is as wide as the terminal */
size_t qkv_sheet_side(const struct qkv_doc *doc, const struct qkv_draw_options *o);

/* sets cell_w and cell_h of panels: two columns by a row, or a column by half a row where that is too wide */
void qkv_sheet_size(
	struct qkv_panel *panels, size_t count, const struct qkv_doc *doc, const struct qkv_draw_options *o);

/*
 * Places marks of f, which has its words, scales and axes, and room for as many texts as another figure and for
 * QKV_SHEET_LINES: legend, then panels from left to right and line by line. Notes get the values left out.
 */
int qkv_sheet_place(struct qkv_figure *f, struct qkv_panel *panels, size_t count, const struct qkv_doc *doc,
	const struct qkv_draw_options *o, struct qkv_notes *notes, struct qkv_err *e);

#endif

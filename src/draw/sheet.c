/*
 * Sheets: figures for terminals.
 *
 * Panels stand beside each other as far as the terminal is wide; a further layer, and of several stages a further
 * head, begins a line of its own. A letter cannot be turned: key labels stand upright, letter below letter.
 */
#include "draw/sheet.h"

#include "base/utf8.h"
#include "draw/bars.h"
#include "draw/caption.h"
#include "draw/script.h"
#include "draw/values.h"

#include <string.h>

enum {
	COLUMN = QKV_SHEET_COLUMN,
	ROW = QKV_SHEET_ROW,
	LABEL = QKV_LABEL_LIMIT / COLUMN, /* columns of a label at most */
	STACK = 8,                        /* letters of a key label at most */
	BAR = 32,                         /* pixels of the longest bar */
	RAMP = 20,                        /* columns of a colour bar */
	BETWEEN = 2 * COLUMN,             /* panels */
};

struct sheet {
	struct qkv_figure *f;
	const struct qkv_doc *doc;
	const struct qkv_draw_options *o;
	struct qkv_bars bars;
	size_t width;    /* pixels that there are */
	size_t y;        /* of the next line */
	size_t left_out; /* values that do not fit */
};

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* columns of text; what takes any, and so is a letter of a stack, is counted in *letters */
static size_t
measure(const char *text, size_t *letters)
{
	const char *end = text + strlen(text);
	size_t columns = 0, count = 0;

	while (text < end) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, text, end), wide = qkv_char_columns(code);

		columns += wide;
		count += wide != 0;
		text += length;
	}
	if (letters)
		*letters = count;
	return columns;
}

/* text from the left, broken at spaces where it is too long */
static int
put_lines(struct sheet *s, enum qkv_ink ink, const char *text, struct qkv_err *e)
{
	char line[sizeof s->f->caption];

	while (*text) {
		size_t length = strcspn(text, " "), next;

		while (text[length]) {
			next = length + 1 + strcspn(text + length + 1, " ");
			memcpy(line, text, next);
			line[next] = 0;
			if (measure(line, NULL) * COLUMN > s->width)
				break;
			length = next;
		}
		memcpy(line, text, length);
		line[length] = 0;
		if (length && qkv_figure_text(s->f, ink, 0, s->y, line, e))
			return -1;
		s->y += length ? ROW : 0;
		text += length + (text[length] != 0);
	}
	return 0;
}

/* text at *x, which moves behind it and a space */
static int
put_word(struct sheet *s, enum qkv_ink ink, size_t *x, const char *text, struct qkv_err *e)
{
	size_t at = *x;

	if (!*text)
		return 0;
	*x += (measure(text, NULL) + 1) * COLUMN;
	return qkv_figure_text(s->f, ink, at, s->y, text, e);
}

/* columns of the longest low end of the scales */
static size_t
low_width(const struct sheet *s)
{
	char low[QKV_CAPTION_END], high[QKV_CAPTION_END];
	size_t most = 0;

	for (unsigned i = 0; i < QKV_STAGES; i++) {
		if (!(s->f->stages >> i & 1))
			continue;
		qkv_caption_scale(low, high, s->f, i);
		most = larger(most, measure(low, NULL));
	}
	return most;
}

/* a colour bar with its words; names take room for the longest; the first has the key of masked cells */
static int
put_scale(struct sheet *s, enum qkv_stage stage, int has_key, struct qkv_err *e)
{
	struct qkv_mark ramp = {QKV_MARK_RAMP, QKV_INK_PAPER, 0, s->y, RAMP * COLUMN, ROW, {NULL}};
	char low[QKV_CAPTION_END], high[QKV_CAPTION_END];
	size_t x = 0;

	ramp.of.span = qkv_caption_scale(low, high, s->f, stage);
	if (s->f->stages & (s->f->stages - 1)) {
		if (put_word(s, QKV_INK_TEXT, &x, qkv_stage_names[stage], e))
			return -1;
		x = sizeof "context" * COLUMN;
	}
	x += (low_width(s) - measure(low, NULL)) * COLUMN;
	if (put_word(s, QKV_INK_TEXT, &x, low, e))
		return -1;
	ramp.x = x;
	x += ramp.w + COLUMN;
	if (qkv_figure_mark(s->f, &ramp, e) || put_word(s, QKV_INK_TEXT, &x, high, e) ||
		put_word(s, QKV_INK_QUIET, &x, qkv_caption_norms[ramp.of.span->norm], e))
		return -1;
	if (has_key) {
		x += 3 * COLUMN;
		if (qkv_figure_rect(s->f, QKV_INK_MASKED, x - 2 * COLUMN, s->y, 2 * COLUMN, ROW, e))
			return -1;
		x += COLUMN;
		if (put_word(s, QKV_INK_TEXT, &x, "masked", e))
			return -1;
	}
	s->y += ROW;
	return 0;
}

static int
put_legend(struct sheet *s, struct qkv_err *e)
{
	unsigned stages = s->f->stages;
	int has_key = s->f->has_masked;

	if (put_lines(s, QKV_INK_TEXT, s->f->title, e) || put_lines(s, QKV_INK_QUIET, s->f->caption, e))
		return -1;
	for (unsigned i = 0; i < QKV_STAGES; i++) {
		if (!(stages >> i & 1))
			continue;
		if (put_scale(s, i, has_key, e))
			return -1;
		has_key = 0;
	}
	s->y += ROW;
	return 0;
}

/* letters of the longest key label of a panel, as far as they are shown */
static size_t
stack_height(const struct qkv_panel *p)
{
	size_t most = 1;

	for (size_t i = 0; i < p->col_axis->count; i++) {
		size_t letters;

		measure(p->col_axis->labels[i].text, &letters);
		most = larger(most, letters);
	}
	return smaller(most, STACK);
}

static size_t
label_width(const struct qkv_panel *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->row_axis->count; i++)
		most = larger(most, measure(p->row_axis->labels[i].text, NULL));
	return (smaller(most, LABEL) + 1) * COLUMN;
}

/* of cells and bars */
static size_t
body_width(const struct sheet *s, const struct qkv_panel *p)
{
	size_t numbers = larger(strlen(s->bars.row_number), strlen(s->bars.col_number)) * COLUMN;

	return p->wide * p->cell_w + (p->row_sums || p->col_sums ? COLUMN + larger(BAR, numbers) : 0);
}

/* of labels and body, or of the heading over them */
static size_t
panel_width(const struct sheet *s, const struct qkv_panel *p)
{
	char heading[QKV_HEADING];

	if (s->o->bare)
		return body_width(s, p);
	qkv_caption_heading(heading, s->f, s->doc, p);
	return larger(label_width(p) + body_width(s, p), strlen(heading) * COLUMN);
}

/* where the heading begins: with the cells, or, where it is too long, as much before them as it needs and there is */
static size_t
heading_x(const struct sheet *s, const struct qkv_panel *p, const char *heading)
{
	size_t body = body_width(s, p), length = strlen(heading) * COLUMN;

	return p->x - (length > body ? smaller(length - body, label_width(p)) : 0);
}

/* the rows of the cells; the last may be half full */
static size_t
cells_height(const struct qkv_panel *p)
{
	return (p->high * p->cell_h + ROW - 1) / ROW * ROW;
}

static int
put_labels(struct sheet *s, const struct qkv_panel *p, struct qkv_err *e)
{
	struct qkv_mark m = {QKV_MARK_WORDS, QKV_INK_TEXT, 0, 0, 0, ROW, {NULL}};

	/* half a cell of a column, and of half a row, is what a label is centred by */
	for (size_t i = 0; i < p->row_axis->count; i++) {
		m.of.label = &p->row_axis->labels[i];
		m.w = smaller(measure(m.of.label->text, NULL), LABEL) * COLUMN;
		m.x = p->x - COLUMN - m.w;
		m.y = p->y + (size_t)(qkv_axis_place(p->row_axis, i) + COLUMN / 2) / ROW * ROW;
		if (qkv_figure_mark(s->f, &m, e))
			return -1;
	}
	m.kind = QKV_MARK_WORDS_UP;
	m.w = 2 * COLUMN;
	for (size_t j = 0; j < p->col_axis->count; j++) {
		m.of.label = &p->col_axis->labels[j];
		measure(m.of.label->text, &m.h);
		m.h = smaller(m.h, STACK) * ROW;
		m.x = p->x + (size_t)(qkv_axis_place(p->col_axis, j) + COLUMN / 2) / COLUMN * COLUMN;
		m.y = p->y - m.h;
		if (qkv_figure_mark(s->f, &m, e))
			return -1;
	}
	return 0;
}

static int
put_bars(struct sheet *s, const struct qkv_panel *p, struct qkv_err *e)
{
	size_t right = p->x + p->wide * p->cell_w + COLUMN, below = p->y + cells_height(p);

	for (size_t i = 0; p->row_sums && i < p->high; i++)
		if (qkv_figure_rect(s->f, QKV_INK_BAR, right, p->y + i * p->cell_h,
			    qkv_bars_length(p->row_sums[i], s->bars.row_top), p->cell_h, e))
			return -1;
	for (size_t j = 0; p->col_sums && j < p->wide; j++)
		if (qkv_figure_rect(s->f, QKV_INK_BAR, p->x + j * p->cell_w, below, p->cell_w,
			    qkv_bars_length(p->col_sums[j], s->bars.col_top), e))
			return -1;
	if (p->row_sums && qkv_figure_text(s->f, QKV_INK_QUIET, right, p->y - ROW, s->bars.row_number, e))
		return -1;
	return p->col_sums ? qkv_figure_text(s->f, QKV_INK_QUIET, right, below, s->bars.col_number, e) : 0;
}

static int
put_panel(struct sheet *s, const struct qkv_panel *p, size_t top, struct qkv_err *e)
{
	char heading[QKV_HEADING];
	struct qkv_mark cells = {
		QKV_MARK_CELLS, QKV_INK_PAPER, p->x, p->y, p->wide * p->cell_w, p->high * p->cell_h, {NULL}};

	cells.of.panel = p;
	if (qkv_figure_mark(s->f, &cells, e) || (s->o->annotate && qkv_values_mark(s->f, p, &s->left_out, e)))
		return -1;
	if (s->o->bare)
		return 0;
	qkv_caption_heading(heading, s->f, s->doc, p);
	if (*heading && qkv_figure_text(s->f, QKV_INK_TEXT, heading_x(s, p, heading), top, heading, e))
		return -1;
	return put_labels(s, p, e) || put_bars(s, p, e) ? -1 : 0;
}

/* whether panel b goes on in the line of a */
static int
goes_on(const struct sheet *s, const struct qkv_panel *a, const struct qkv_panel *b)
{
	int several = (s->f->stages & (s->f->stages - 1)) != 0;

	return a->layer == b->layer && (!several || a->head == b->head);
}

/* places the panels of a line, from panels[0] on; how many they are, 0: failed */
static size_t
put_line(struct sheet *s, struct qkv_panel *panels, size_t count, struct qkv_err *e)
{
	size_t x = 0, n = 0, above = 0, below = 0;

	for (; n < count && (!n || goes_on(s, &panels[n - 1], &panels[n])); n++) {
		struct qkv_panel *p = &panels[n];
		size_t left = s->o->bare ? 0 : label_width(p), wide = panel_width(s, p);

		if (n && (x + wide > s->width || n == s->o->columns))
			break;
		p->x = x + left;
		x += wide + BETWEEN;
		s->f->width = larger(s->f->width, x - BETWEEN);
		if (!s->o->bare)
			above = larger(above, (1 + stack_height(p)) * ROW);
		below = larger(below, cells_height(p) + (p->col_sums ? BAR : 0));
	}
	for (size_t i = 0; i < n; i++) {
		panels[i].y = s->y + above;
		if (put_panel(s, &panels[i], s->y, e))
			return 0;
	}
	s->y += above + below;
	return n;
}

int
qkv_sheet_place(struct qkv_figure *f, struct qkv_panel *panels, size_t count, const struct qkv_doc *doc,
	const struct qkv_draw_options *o, struct qkv_notes *notes, struct qkv_err *e)
{
	struct sheet s = {.f = f, .doc = doc, .o = o, .width = o->term.width * COLUMN};

	qkv_bars_scale(&s.bars, panels, count);
	/* an empty line after the document before */
	s.y = doc->index && !o->bare ? ROW : 0;
	if (!o->bare && put_legend(&s, e))
		return -1;
	for (size_t i = 0, n; i < count; i += n) {
		s.y += i ? ROW : 0;
		n = put_line(&s, panels + i, count - i, e);
		if (!n)
			return -1;
	}
	qkv_note_add(
		notes, QKV_NOTE_VALUES, s.left_out, "cells are %zu columns wide", panels[0].cell_w / COLUMN);
	f->width = larger(f->width, s.width);
	f->height = s.y;
	return qkv_figure_check(f->width, f->height, "", o, e);
}

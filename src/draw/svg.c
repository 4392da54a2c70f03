/*
 * A figure as SVG 1.1 (W3C Recommendation, 2011): one element a mark, text as text.
 *
 * Whoever shows it brings the fonts, so each label says how long it is: 8 pixels a letter, which most monospaced
 * fonts have at 13.3 pixels by themselves. XML 1.0 (section 2.2) has no form for some characters; labels have none
 * of the controls, and U+FFFD stands for the others.
 */
#include "base/base64.h"
#include "base/mem.h"
#include "base/sink.h"
#include "base/utf8.h"
#include "draw/picture.h"
#include "draw/png.h"
#include "write/out.h"

#include <string.h>

enum {
	MOST_CELLS = 4096, /* elements of a figure's cells; where there are more, panels become images */
	BASELINE = 12,     /* of a line of text, from its top */
	STOPS = 32,        /* steps of a colour bar; between them colours are interpolated */
};

struct drawing {
	struct qkv_out out;
	struct qkv_number_style style;
	const struct qkv_figure *figure;
	unsigned char *indices; /* of a row of cells */
	size_t ramps;           /* colour bars so far */
	int has_elements;       /* of cells */
};

static int
is_xml(uint32_t code)
{
	return code == '\t' || code == '\n' || code == '\r' ||
		(code >= ' ' && code != 0xFFFE && code != 0xFFFF);
}

/* text (UTF-8) as content of an element or of an attribute */
static void
put_text(struct qkv_out *o, const char *text)
{
	const char *end = text + strlen(text);

	while (text < end) {
		uint32_t code;
		size_t length = qkv_utf8_read(&code, text, end);

		if (!length || !is_xml(code))
			qkv_out_text(o, "\xEF\xBF\xBD");
		else if (code == '&')
			qkv_out_text(o, "&amp;");
		else if (code == '<')
			qkv_out_text(o, "&lt;");
		else if (code == '>')
			qkv_out_text(o, "&gt;");
		else if (code == '"')
			qkv_out_text(o, "&quot;");
		else
			qkv_out_bytes(o, text, length);
		text += length ? length : 1;
	}
}

/* NAME="VALUE" after what begins an element */
static void
put_attribute(struct qkv_out *o, const char *name, size_t value)
{
	qkv_out_char(o, ' ');
	qkv_out_text(o, name);
	qkv_out_text(o, "=\"");
	qkv_out_count(o, value);
	qkv_out_char(o, '"');
}

/* a colour of the palette as NAME="#rrggbb" */
static void
put_colour(struct drawing *d, const char *name, size_t index)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *rgb = d->figure->palette.rgb[index];

	qkv_out_char(&d->out, ' ');
	qkv_out_text(&d->out, name);
	qkv_out_text(&d->out, "=\"#");
	for (int i = 0; i < 3; i++) {
		qkv_out_char(&d->out, hex[rgb[i] >> 4]);
		qkv_out_char(&d->out, hex[rgb[i] & 15]);
	}
	qkv_out_char(&d->out, '"');
}

/* the beginning of an element that takes such a place, without the end of its tag */
static void
begin_box(struct qkv_out *o, const char *name, size_t x, size_t y, size_t w, size_t h)
{
	qkv_out_char(o, '<');
	qkv_out_text(o, name);
	put_attribute(o, "x", x);
	put_attribute(o, "y", y);
	put_attribute(o, "width", w);
	put_attribute(o, "height", h);
}

/* whether l is one of the figure's own texts, and not of an axis, whose labels end at the cells */
static int
is_text(const struct qkv_figure *f, const struct qkv_label *l)
{
	return l >= f->texts && l < f->texts + f->num_texts;
}

static void
paint_words(struct drawing *d, const struct qkv_mark *m)
{
	const struct qkv_label *l = m->of.label;
	int ends = m->kind == QKV_MARK_WORDS && l->missing && !is_text(d->figure, l);
	struct qkv_out *o = &d->out;

	qkv_out_text(o, ends ? "<text text-anchor=\"end\"" : "<text");
	if (m->kind != QKV_MARK_WORDS_UP) {
		put_attribute(o, "x", ends ? m->x + m->w : m->x);
		put_attribute(o, "y", m->y + BASELINE);
	} else {
		qkv_out_text(o, " transform=\"translate(");
		qkv_out_count(o, m->x + BASELINE);
		qkv_out_char(o, ' ');
		qkv_out_count(o, m->y + m->h);
		qkv_out_text(o, ") rotate(-90)\"");
	}
	/* what the font of pictures lacks has another width in others */
	if (!l->missing) {
		put_attribute(o, "textLength", l->width);
		qkv_out_text(o, " lengthAdjust=\"spacingAndGlyphs\"");
	}
	/* the cell below is what a browser tells of */
	if (m->kind == QKV_MARK_OVER)
		qkv_out_text(o, " pointer-events=\"none\"");
	if (m->ink != QKV_INK_TEXT)
		put_colour(d, "fill", m->ink);
	qkv_out_char(o, '>');
	put_text(o, l->text);
	qkv_out_text(o, "</text>\n");
}

static void
paint_rect(struct drawing *d, const struct qkv_mark *m)
{
	begin_box(&d->out, "rect", m->x, m->y, m->w, m->h);
	put_colour(d, "fill", m->ink);
	qkv_out_text(&d->out, "/>\n");
}

/* a gradient of its own, and a rectangle of it */
static void
paint_ramp(struct drawing *d, const struct qkv_mark *m)
{
	struct qkv_out *o = &d->out;
	size_t low, high;

	qkv_palette_ends(&low, &high, m->of.span, &d->figure->palette);
	qkv_out_text(o, "<linearGradient id=\"ramp");
	qkv_out_count(o, d->ramps);
	qkv_out_text(o, "\">\n");
	for (size_t i = 0; i <= STOPS; i++) {
		qkv_out_text(o, "<stop offset=\"");
		qkv_out_float(o, (float)i / STOPS);
		qkv_out_char(o, '"');
		put_colour(d, "stop-color", low + (i * (high - low) + STOPS / 2) / STOPS);
		qkv_out_text(o, "/>\n");
	}
	qkv_out_text(o, "</linearGradient>\n");
	begin_box(o, "rect", m->x, m->y, m->w, m->h);
	qkv_out_text(o, " fill=\"url(#ramp");
	qkv_out_count(o, d->ramps++);
	qkv_out_text(o, ")\"/>\n");
}

/* what the tokens or features of an axis are called, for free_names whatever is returned */
static int
make_names(struct qkv_label **names, const struct qkv_axis *a, struct qkv_err *e)
{
	*names = qkv_mem_new(a->n, sizeof **names, e);
	if (!*names)
		return -1;
	for (size_t i = 0; i < a->n; i++) {
		char name[QKV_AXIS_NAME];

		qkv_axis_name(name, a, i);
		if (qkv_label_new(&(*names)[i], name, (size_t)-1, e))
			return -1;
	}
	return 0;
}

static void
free_names(struct qkv_label *names, const struct qkv_axis *a)
{
	for (size_t i = 0; names && i < a->n; i++)
		qkv_label_free(&names[i]);
	qkv_mem_free(names);
}

/* what a browser shows of a cell that is pointed at */
static void
put_title(struct qkv_out *o, const struct qkv_panel *p, const char *row, const char *col, float value)
{
	qkv_out_text(o, p->row_axis->tokens ? "<title>" : "<title>feature ");
	put_text(o, row);
	qkv_out_text(o, p->col_axis->tokens ? " \xE2\x86\x92 " : " \xE2\x86\x92 feature ");
	put_text(o, col);
	qkv_out_text(o, ": ");
	if (value == value)
		qkv_out_float(o, value);
	else
		qkv_out_text(o, "masked");
	qkv_out_text(o, "</title>");
}

/* a rectangle a cell; rows, cols: the names of tokens and features, NULL: without titles */
static void
put_cells(struct drawing *d, const struct qkv_mark *m, const struct qkv_label *rows,
	const struct qkv_label *cols)
{
	const struct qkv_panel *p = m->of.panel;
	struct qkv_out *o = &d->out;

	for (size_t i = 0; i < p->high; i++) {
		const float *cells = p->cells + i * p->wide;

		qkv_palette_index(d->indices, cells, p->wide, p->span, &d->figure->palette, p->kern);
		for (size_t j = 0; j < p->wide; j++) {
			begin_box(
				o, "rect", m->x + j * p->cell_w, m->y + i * p->cell_h, p->cell_w, p->cell_h);
			put_colour(d, "fill", d->indices[j]);
			qkv_out_text(o, rows ? ">" : "/>\n");
			if (!rows)
				continue;
			put_title(o, p, rows[i].text, cols[j].text, cells[j]);
			qkv_out_text(o, "</rect>\n");
		}
	}
}

static int
paint_elements(struct drawing *d, const struct qkv_mark *m, struct qkv_err *e)
{
	const struct qkv_panel *p = m->of.panel;
	int has_titles = p->row_axis && p->row_pool == 1 && p->col_pool == 1;
	struct qkv_label *rows = NULL, *cols = NULL;
	int failed = has_titles && (make_names(&rows, p->row_axis, e) || make_names(&cols, p->col_axis, e));

	if (!failed)
		put_cells(d, m, rows, cols);
	free_names(rows, p->row_axis);
	free_names(cols, p->col_axis);
	return failed ? -1 : 0;
}

/* the cells as a PNG of their size, so that nobody has to enlarge it */
static int
paint_image(struct drawing *d, const struct qkv_mark *m, struct qkv_err *e)
{
	struct qkv_mark cells = *m;
	struct qkv_figure alone = *d->figure;
	struct qkv_memory_sink png;
	char *text = NULL;
	int failed;

	cells.x = cells.y = 0;
	alone.width = m->w;
	alone.height = m->h;
	alone.marks = &cells;
	alone.count = 1;
	alone.zoom = 1;
	qkv_memory_sink_init(&png, (size_t)-1);
	failed = qkv_png_write(&png.sink, &alone, e) || !(text = qkv_mem_new(png.size / 3 + 1, 4, e));
	if (!failed) {
		begin_box(&d->out, "image", m->x, m->y, m->w, m->h);
		qkv_out_text(&d->out, " image-rendering=\"pixelated\" preserveAspectRatio=\"none\"");
		qkv_out_text(&d->out, " xlink:href=\"data:image/png;base64,");
		qkv_out_bytes(
			&d->out, text, qkv_base64_write(text, (const unsigned char *)png.data, png.size));
		qkv_out_text(&d->out, "\"/>\n");
	}
	qkv_mem_free(text);
	qkv_memory_sink_free(&png);
	return failed ? -1 : 0;
}

static int
paint_mark(struct drawing *d, const struct qkv_mark *m, struct qkv_err *e)
{
	switch (m->kind) {
	case QKV_MARK_RECT:
		paint_rect(d, m);
		break;
	case QKV_MARK_WORDS:
	case QKV_MARK_WORDS_UP:
	case QKV_MARK_OVER:
		paint_words(d, m);
		break;
	case QKV_MARK_CELLS:
		return d->has_elements ? paint_elements(d, m, e) : paint_image(d, m, e);
	case QKV_MARK_RAMP:
		paint_ramp(d, m);
		break;
	}
	return 0;
}

static void
put_head(struct drawing *d)
{
	const struct qkv_figure *f = d->figure;
	struct qkv_out *o = &d->out;

	qkv_out_text(
		o, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
	put_attribute(o, "width", f->width * f->zoom);
	put_attribute(o, "height", f->height * f->zoom);
	qkv_out_text(o, " viewBox=\"0 0 ");
	qkv_out_count(o, f->width);
	qkv_out_char(o, ' ');
	qkv_out_count(o, f->height);
	qkv_out_text(o, "\" font-family=\"monospace\" font-size=\"13.3px\" shape-rendering=\"crispEdges\"");
	qkv_out_text(o, " xml:space=\"preserve\"");
	put_colour(d, "fill", QKV_INK_TEXT);
	/* a label runs in the direction of its first letter, as in the layout */
	qkv_out_text(o, ">\n<style>text{white-space:pre;unicode-bidi:plaintext}</style>\n");
	if (f->title[0]) {
		qkv_out_text(o, "<title>");
		put_text(o, f->title);
		qkv_out_text(o, "</title>\n");
	}
	if (f->parameters[0]) {
		qkv_out_text(o, "<desc>");
		put_text(o, f->parameters);
		qkv_out_text(o, "</desc>\n");
	}
	begin_box(o, "rect", 0, 0, f->width, f->height);
	put_colour(d, "fill", QKV_INK_PAPER);
	qkv_out_text(o, "/>\n");
}

/* sets what depends on the cells: whether they become elements, and room for a row of them */
static int
measure(struct drawing *d, struct qkv_err *e)
{
	size_t cells = 0, widest = 0;

	for (size_t i = 0; i < d->figure->count; i++) {
		const struct qkv_mark *m = &d->figure->marks[i];

		if (m->kind != QKV_MARK_CELLS)
			continue;
		cells += m->of.panel->high * m->of.panel->wide;
		widest = m->of.panel->wide > widest ? m->of.panel->wide : widest;
	}
	d->has_elements = cells <= MOST_CELLS;
	d->indices = qkv_mem_new(widest, 1, e);
	return d->indices ? 0 : -1;
}

static int
write_svg(struct qkv_sink *s, const struct qkv_figure *f, struct qkv_err *e)
{
	struct drawing d = {.figure = f};
	int failed;

	qkv_number_style_set(&d.style, 0, 0, ' ');
	failed = qkv_out_open(&d.out, s, f->kern, &d.style, e) || measure(&d, e);

	if (!failed) {
		put_head(&d);
		for (size_t i = 0; i < f->count && !failed; i++)
			failed = paint_mark(&d, &f->marks[i], e);
		qkv_out_text(&d.out, "</svg>\n");
	}
	if (!failed)
		failed = qkv_out_flush(&d.out, e);
	qkv_mem_free(d.indices);
	qkv_out_close(&d.out);
	return failed ? -1 : 0;
}

int
qkv_svg_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_draw_options *o,
	struct qkv_notes *notes, struct qkv_err *e)
{
	return qkv_picture_new(c, s, write_svg, o, notes, e);
}

/* The consumer that becomes a picture: it keeps the cells of one document, and paints them when all are there. */
#include "draw/picture.h"

#include "base/mem.h"

#include <string.h>

struct picture {
	struct qkv_consumer consumer; /* first: the consumer is the picture */
	struct qkv_sink *sink;
	qkv_painter *paint;
	struct qkv_draw_options o;
	struct qkv_notes *notes;
	const struct qkv_doc *doc; /* NULL: none came yet */
	struct qkv_panel *panels;
	size_t count, room;
	size_t pixels; /* of the cells of all panels, at least */
};

static int
begin_doc(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct picture *p = (struct picture *)c;

	if (p->doc && !p->o.term.width)
		return qkv_fail(
			e, QKV_EUSAGE, "one picture holds one document, use {doc} in the output name");
	p->doc = doc;
	return 0;
}

/* refuses panels that are too many together, before there is memory for all */
static int
check_size(struct picture *p, const struct qkv_panel *panel, struct qkv_err *e)
{
	size_t cell = p->o.cell ? p->o.cell : 1, width = panel->wide * cell;

	if (!width)
		return 0;
	p->pixels += width * panel->high * cell;
	return qkv_figure_check(width, p->pixels / width, "at least ", &p->o, e);
}

static int
begin_matrix(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct picture *p = (struct picture *)c;

	enum qkv_keep keep = p->o.extent && p->o.extent->count && qkv_extent_saves(&p->o, m->rows, m->cols)
		? QKV_KEEP_COLOURS
		: QKV_KEEP_CELLS;

	if (qkv_panel_push(&p->panels, &p->count, &p->room, m, &p->o, keep, e))
		return -1;
	return check_size(p, &p->panels[p->count - 1], e);
}

static int
take_rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct picture *p = (struct picture *)c;

	(void)e;
	qkv_panel_add(&p->panels[p->count - 1], b);
	return 0;
}

static int
end_matrix(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct picture *p = (struct picture *)c;

	(void)e;
	qkv_panel_end(&p->panels[p->count - 1], col_sums);
	return 0;
}

static void
forget(struct picture *p)
{
	for (size_t i = 0; i < p->count; i++)
		qkv_panel_free(&p->panels[i]);
	p->count = p->pixels = 0;
}

static int
end_doc(struct qkv_consumer *c, struct qkv_err *e)
{
	struct picture *p = (struct picture *)c;
	struct qkv_figure f;
	int status;

	if (!p->count)
		return qkv_fail(e, QKV_EINPUT, "nothing to draw, expected at least one matrix");
	status = qkv_figure_new(&f, p->doc, p->panels, p->count, &p->o, p->notes, e);
	if (!status)
		status = p->paint(p->sink, &f, e);
	qkv_figure_free(&f);
	for (size_t i = 0; i < p->count && !status; i++) {
		const struct qkv_panel *panel = &p->panels[i];
		int is_pooled = panel->high < panel->rows || panel->wide < panel->cols;

		qkv_note_add(p->notes, QKV_NOTE_POOLED, is_pooled ? 1 : 0,
			"%zu x %zu cells shown as %zu x %zu, the %s of each group", panel->rows, panel->cols,
			panel->high, panel->wide, p->o.pool_mean ? "mean" : "largest");
	}
	forget(p);
	return status;
}

static void
free_picture(struct qkv_consumer *c)
{
	struct picture *p = (struct picture *)c;

	forget(p);
	qkv_mem_free(p->panels);
	qkv_mem_free(p);
}

int
qkv_picture_new(struct qkv_consumer **c, struct qkv_sink *s, qkv_painter *paint,
	const struct qkv_draw_options *o, struct qkv_notes *notes, struct qkv_err *e)
{
	struct picture *p = qkv_mem_new(1, sizeof *p, e);

	if (!p)
		return -1;
	p->consumer = (struct qkv_consumer){
		.wants = QKV_WANTS_HIDDEN,
		.doc_begin = begin_doc,
		.matrix_begin = begin_matrix,
		.rows = take_rows,
		.matrix_end = end_matrix,
		.doc_end = end_doc,
		.free = free_picture,
	};
	p->sink = s;
	p->paint = paint;
	p->o = *o;
	p->notes = notes;
	*c = &p->consumer;
	return 0;
}

/* The scales that several pictures of a document share: a consumer that keeps what they depend on. */
#include "base/mem.h"
#include "draw/scale.h"

enum { LARGE = 1 << 24 }; /* cells, 64 MB of them */

struct measure {
	struct qkv_consumer consumer; /* first: the consumer is the measure */
	struct qkv_extent *x;
	struct qkv_draw_options o;
	struct qkv_panel
		*panels; /* pooled as they will be drawn; their cells are kept for percentiles alone */
	size_t count, room;
};

static void
clear(struct measure *m)
{
	for (size_t i = 0; i < m->count; i++)
		qkv_panel_free(&m->panels[i]);
	m->count = 0;
}

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	struct measure *m = (struct measure *)c;

	(void)doc;
	(void)e;
	qkv_extent_clear(m->x);
	return 0;
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *matrix, struct qkv_err *e)
{
	struct measure *m = (struct measure *)c;

	return qkv_panel_push(&m->panels, &m->count, &m->room, matrix, &m->o,
		m->o.robust ? QKV_KEEP_CELLS : QKV_KEEP_REACH, e);
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct measure *m = (struct measure *)c;

	(void)e;
	qkv_panel_add(&m->panels[m->count - 1], b);
	return 0;
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct measure *m = (struct measure *)c;
	struct qkv_panel *p = &m->panels[m->count - 1];

	(void)e;
	qkv_panel_end(p, col_sums);
	if (!m->o.robust) {
		qkv_mem_free(p->cells);
		p->cells = NULL;
	}
	return 0;
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	struct measure *m = (struct measure *)c;
	int status = qkv_scale_find(m->x, m->panels, m->count, &m->o, e);

	clear(m);
	return status;
}

static void
measure_free(struct qkv_consumer *c)
{
	struct measure *m = (struct measure *)c;

	clear(m);
	qkv_mem_free(m->panels);
	qkv_mem_free(m);
}

int
qkv_extent_consumer(
	struct qkv_consumer **c, struct qkv_extent *x, const struct qkv_draw_options *o, struct qkv_err *e)
{
	struct measure *m = qkv_mem_new(1, sizeof *m, e);

	if (!m)
		return -1;
	m->consumer = (struct qkv_consumer){
		.wants = QKV_WANTS_HIDDEN,
		.doc_begin = doc_begin,
		.matrix_begin = matrix_begin,
		.rows = rows,
		.matrix_end = matrix_end,
		.doc_end = doc_end,
		.free = measure_free,
	};
	m->x = x;
	m->o = *o;
	m->o.no_row_sums = m->o.no_col_sums = 1;
	*c = &m->consumer;
	return 0;
}

int
qkv_extent_new(struct qkv_extent **x, struct qkv_err *e)
{
	*x = qkv_mem_new(1, sizeof **x, e);
	return *x ? 0 : -1;
}

void
qkv_extent_free(struct qkv_extent *x)
{
	if (x)
		qkv_extent_clear(x);
	qkv_mem_free(x);
}

int
qkv_extent_saves(const struct qkv_draw_options *o, size_t rows, size_t cols)
{
	return o->cell && !o->annotate && !o->robust && !o->term.width && cols && rows > LARGE / cols;
}

/* From where to where do the values of a document reach? What several pictures need to share one scale. */
#include "base/mem.h"
#include "draw/panel.h"

struct extent {
	struct qkv_consumer consumer; /* first: the consumer is the extent */
	struct qkv_extent *x;
	struct qkv_draw_options o;
	struct qkv_panel panel; /* of the matrix that comes in, pooled as it will be drawn */
};

static int
doc_begin(struct qkv_consumer *c, const struct qkv_doc *doc, struct qkv_err *e)
{
	(void)c;
	(void)doc;
	(void)e;
	return 0;
}

static int
matrix_begin(struct qkv_consumer *c, const struct qkv_matrix *m, struct qkv_err *e)
{
	struct extent *x = (struct extent *)c;

	return qkv_panel_new(&x->panel, m, &x->o, e);
}

static int
rows(struct qkv_consumer *c, const struct qkv_block *b, struct qkv_err *e)
{
	struct extent *x = (struct extent *)c;

	(void)e;
	qkv_panel_add(&x->panel, b);
	return 0;
}

static int
matrix_end(struct qkv_consumer *c, const double *col_sums, struct qkv_err *e)
{
	struct extent *x = (struct extent *)c;
	struct qkv_panel *p = &x->panel;
	float *low = &x->x->low[p->stage], *high = &x->x->high[p->stage];

	(void)e;
	qkv_panel_end(p, col_sums);
	*low = p->low < *low ? p->low : *low;
	*high = p->top > *high ? p->top : *high;
	qkv_panel_free(p);
	*p = (struct qkv_panel){0};
	return 0;
}

static int
doc_end(struct qkv_consumer *c, struct qkv_err *e)
{
	(void)c;
	(void)e;
	return 0;
}

static void
extent_free(struct qkv_consumer *c)
{
	struct extent *x = (struct extent *)c;

	qkv_panel_free(&x->panel);
	qkv_mem_free(x);
}

int
qkv_extent_new(
	struct qkv_consumer **c, struct qkv_extent *x, const struct qkv_draw_options *o, struct qkv_err *e)
{
	struct extent *new = qkv_mem_new(1, sizeof *new, e);

	if (!new)
		return -1;
	new->consumer = (struct qkv_consumer){
		.wants = QKV_WANTS_HIDDEN,
		.doc_begin = doc_begin,
		.matrix_begin = matrix_begin,
		.rows = rows,
		.matrix_end = matrix_end,
		.doc_end = doc_end,
		.free = extent_free,
	};
	new->x = x;
	new->o = *o;
	*c = &new->consumer;
	return 0;
}

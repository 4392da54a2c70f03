/* Legends. */
#include "draw/legend.h"

#include "draw/glyph.h"
#include "kern/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	LETTER = 8,
	LINE = QKV_GLYPH_HEIGHT + 6, /* from one line of text to the next */
	GAP = 8,
	RAMP_HEIGHT = 12,
};

static const char masked[] = "masked";

/* appends to text, after a comma where it is not empty */
static void
append(char text[256], const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	if (used && used < 254) {
		memcpy(text + used, ", ", 3);
		used += 2;
	}
	va_start(args, format);
	vsnprintf(text + used, 256 - used, format, args);
	va_end(args);
}

static int
is_several(unsigned stages)
{
	return (stages & (stages - 1)) != 0;
}

/* whether panel i is of a head, and none before it is of the same */
static int
is_new_head(const struct qkv_panel *panels, size_t i)
{
	size_t head = panels[i].head, j = 0;

	while (panels[j].head != head)
		j++;
	return j == i && head != QKV_MEAN && head != QKV_NONE;
}

static void
append_counts(char text[256], const struct qkv_doc *doc, const struct qkv_panel *panels, size_t count)
{
	size_t layers = 1, heads = 0;

	for (size_t i = 0; i < count; i++) {
		layers += i && panels[i].layer != panels[i - 1].layer;
		heads += is_new_head(panels, i) ? 1 : 0;
	}
	if (doc->self_attention)
		append(text, "%zu token%s", doc->n_q, doc->n_q == 1 ? "" : "s");
	else
		append(text, "%zu quer%s, %zu key%s", doc->n_q, doc->n_q == 1 ? "y" : "ies", doc->n_k,
			doc->n_k == 1 ? "" : "s");
	if (layers > 1)
		append(text, "%zu layers", layers);
	else if (doc->has_layers)
		append(text, "layer %zu", panels[0].layer);
	if (heads > 1)
		append(text, "%zu heads", heads);
}

/* what stands along an axis: the usual, or the other in some stages */
static void
append_axis(char text[256], unsigned stages, unsigned others, const char *usual, const char *other,
	const char *way)
{
	char names[256] = "";

	for (unsigned s = 0; s < QKV_STAGES; s++)
		if (stages & others & 1u << s)
			append(names, "%s", qkv_stage_names[s]);
	if (names[0] && stages & ~others)
		append(text, "%s %s (%s in %s)", usual, way, other, names);
	else
		append(text, "%s %s", names[0] ? other : usual, way);
}

/* how many tokens or features there are to a label, where that is not one */
static void
append_steps(char text[256], const struct qkv_figure *f, const struct qkv_doc *doc)
{
	char steps[256] = "";

	for (size_t i = 0; i < f->num_axes; i++) {
		const struct qkv_axis *a = &f->axes[i];
		size_t k = a->step * a->pool;

		if (k <= 1)
			continue;
		if (i > 1)
			append(steps, "%zu features of %zu", k, a->n);
		else if (!doc->self_attention)
			append(steps, "%zu %s", k, i ? "keys" : "queries");
		else if (!i || f->axes[0].step * f->axes[0].pool != k)
			append(steps, "%zu tokens", k);
	}
	if (steps[0])
		append(text, "a label for every %s", steps);
}

static void
append_pools(char text[256], const struct qkv_panel *panels, size_t count)
{
	size_t rows = 1, cols = 1;
	int differ = 0;

	for (size_t i = 0; i < count; i++) {
		const struct qkv_panel *p = &panels[i];

		rows = p->row_pool > rows ? p->row_pool : rows;
		cols = p->col_pool > cols ? p->col_pool : cols;
		differ |= p->row_pool != panels[0].row_pool || p->col_pool != panels[0].col_pool;
	}
	if (rows > 1 || cols > 1)
		append(text, "a cell shows the largest of %s%zu x %zu", differ ? "up to " : "", rows, cols);
}

void
qkv_legend_words(
	struct qkv_figure *f, const struct qkv_doc *doc, const struct qkv_panel *panels, size_t count)
{
	unsigned key_rows = 0, features = 0;
	int sums = 0, same_mask = 1;

	for (unsigned s = 0; s < QKV_STAGES; s++) {
		key_rows |= (unsigned)qkv_stage_has_key_rows(s) << s;
		features |= (unsigned)!qkv_stage_has_key_columns(s) << s;
		if (f->stages >> s & 1)
			append(f->title, "%s", qkv_stage_names[s]);
	}
	append_counts(f->title, doc, panels, count);
	for (size_t i = 0; i < count; i++) {
		sums |= panels[i].row_sums || panels[i].col_sums;
		same_mask &= !strcmp(panels[i].mask, panels[0].mask);
	}
	if (same_mask && panels[0].mask[0] && strcmp(panels[0].mask, "none"))
		append(f->title, "mask %s", panels[0].mask);
	append_axis(f->caption, f->stages, key_rows, "queries", "keys", "down");
	append_axis(f->caption, f->stages, features, "keys", "features", "across");
	if (doc->left_out)
		append(f->caption, "%s", doc->left_out);
	if (sums)
		append(f->caption, doc->left_out ? "bars: sums of all" : "bars: sums");
	append_steps(f->caption, f, doc);
	append_pools(f->caption, panels, count);
}

void
qkv_legend_heading(
	char text[96], const struct qkv_figure *f, const struct qkv_doc *doc, const struct qkv_panel *p)
{
	char all[256] = "";

	if (doc->has_layers)
		append(all, "layer %zu", p->layer);
	if (p->head == QKV_MEAN)
		append(all, "mean");
	else if (p->head != QKV_NONE)
		append(all, "head %zu", p->head);
	if (p->head == QKV_NONE || is_several(f->stages))
		append(all, "%s", qkv_stage_names[p->stage]);
	snprintf(text, 96, "%.95s", all);
}

static void
widen(size_t *width, const char *text)
{
	if (*width < LETTER * strlen(text))
		*width = LETTER * strlen(text);
}

void
qkv_legend_size(struct qkv_legend *l, const struct qkv_figure *f, size_t x, size_t y, size_t content)
{
	size_t lines = 0;

	memset(l, 0, sizeof *l);
	l->x = x;
	l->y = y;
	l->ramp = content / 4 < 160 ? 160 : content / 4 > 400 ? 400 : content / 4;
	for (unsigned s = 0; s < QKV_STAGES; s++) {
		if (!(f->stages >> s & 1))
			continue;
		l->low[s][qkv_number_write_digits(l->low[s], f->spans[s].low, 4)] = 0;
		l->high[s][qkv_number_write_digits(l->high[s], f->spans[s].high, 4)] = 0;
		widen(&l->lows, l->low[s]);
		widen(&l->highs, l->high[s]);
		if (is_several(f->stages))
			widen(&l->names, qkv_stage_names[s]);
		lines++;
	}
	l->names += l->names ? 2 * GAP : 0;
	l->width = l->names + l->lows + GAP + l->ramp + GAP + l->highs;
	if (f->has_masked)
		l->width += 3 * GAP + 2 * RAMP_HEIGHT + GAP + LETTER * strlen(masked);
	widen(&l->width, f->title);
	widen(&l->width, f->caption);
	l->height = LINE * ((f->caption[0] ? 2 : 1) + lines);
}

static int
mark_ramp(const struct qkv_legend *l, struct qkv_figure *f, unsigned stage, size_t y, struct qkv_err *e)
{
	size_t x = l->x + l->names, low = LETTER * strlen(l->low[stage]);
	struct qkv_mark ramp = {QKV_MARK_RAMP, QKV_INK_PAPER, x + l->lows + GAP,
		y + (QKV_GLYPH_HEIGHT - RAMP_HEIGHT) / 2, l->ramp, RAMP_HEIGHT, {NULL}};

	ramp.of.span = &f->spans[stage];
	if (l->names && qkv_figure_text(f, QKV_INK_TEXT, l->x, y, qkv_stage_names[stage], e))
		return -1;
	if (qkv_figure_text(f, QKV_INK_TEXT, x + l->lows - low, y, l->low[stage], e) ||
		qkv_figure_mark(f, &ramp, e))
		return -1;
	return qkv_figure_text(f, QKV_INK_TEXT, ramp.x + ramp.w + GAP, y, l->high[stage], e);
}

int
qkv_legend_mark(const struct qkv_legend *l, struct qkv_figure *f, struct qkv_err *e)
{
	size_t x = l->x + l->names + l->lows + GAP + l->ramp + GAP + l->highs + 3 * GAP, y = l->y;

	if (qkv_figure_text(f, QKV_INK_TEXT, l->x, y, f->title, e))
		return -1;
	y += LINE;
	if (f->caption[0]) {
		if (qkv_figure_text(f, QKV_INK_QUIET, l->x, y, f->caption, e))
			return -1;
		y += LINE;
	}
	if (f->has_masked) {
		if (qkv_figure_rect(f, QKV_INK_MASKED, x, y + (QKV_GLYPH_HEIGHT - RAMP_HEIGHT) / 2,
			    2 * RAMP_HEIGHT, RAMP_HEIGHT, e))
			return -1;
		if (qkv_figure_text(f, QKV_INK_TEXT, x + 2 * RAMP_HEIGHT + GAP, y, masked, e))
			return -1;
	}
	for (unsigned s = 0; s < QKV_STAGES; s++) {
		if (!(f->stages >> s & 1))
			continue;
		if (mark_ramp(l, f, s, y, e))
			return -1;
		y += LINE;
	}
	return 0;
}

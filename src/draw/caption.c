/* Captions. */
#include "draw/caption.h"

#include "base/utf8.h"
#include "kern/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const map_names[QKV_MAPS] = {"viridis", "cividis", "magma", "grey", "balance"};
static const char *const norm_names[] = {"linear", "sqrt", "log"};

const char *const qkv_caption_norms[] = {"", "square root", "logarithmic"};

/* a text that grows by parts */
struct words {
	char *text;
	size_t size, used;
	const char *between;
};

/* appends to words as much as fits, whole characters of UTF-8 */
static void
append(struct words *w, const char *format, ...)
{
	va_list args;
	int length;
	size_t end;

	if (w->used)
		w->used += (size_t)snprintf(w->text + w->used, w->size - w->used, "%s", w->between);
	if (w->used >= w->size)
		w->used = w->size - 1;
	va_start(args, format);
	length = vsnprintf(w->text + w->used, w->size - w->used, format, args);
	va_end(args);
	end = length < 0 ? w->used : w->used + (size_t)length;
	end = end < w->size ? end : w->size - 1;
	while (w->used < end) {
		uint32_t code;
		size_t n = qkv_utf8_read(&code, w->text + w->used, w->text + end);

		if (!n)
			break;
		w->used += n;
	}
	w->text[w->used] = 0;
}

static int
is_several(unsigned stages)
{
	return (stages & (stages - 1)) != 0;
}

static size_t
count_scales(const struct qkv_figure *f, enum qkv_stage stage)
{
	size_t count = 0;

	for (size_t i = 0; i < f->scales->count; i++)
		count += f->scales->spans[i].stage == stage;
	return count;
}

/* whether panel i is of a head, and none before it is of the same; stages: those that count */
static int
is_new_head(const struct qkv_panel *panels, size_t i, unsigned stages)
{
	size_t head = panels[i].head, j = 0;

	if (!(stages >> panels[i].stage & 1) || head == QKV_MEAN || head == QKV_NONE)
		return 0;
	while (panels[j].head != head || !(stages >> panels[j].stage & 1))
		j++;
	return j == i;
}

static void
append_counts(struct words *w, struct qkv_figure *f, const struct qkv_doc *doc,
	const struct qkv_panel *panels, size_t count)
{
	/* heads of keys and values have numbers of their own, and count where there are no others */
	unsigned keys = 1u << QKV_K | 1u << QKV_V, stages = f->stages & ~keys ? f->stages & ~keys : keys;
	size_t layers = 1, heads = 0;

	f->head = QKV_ANY;
	for (size_t i = 0; i < count; i++) {
		layers += i && panels[i].layer != panels[i - 1].layer;
		if (!is_new_head(panels, i, stages))
			continue;
		f->head = panels[i].head;
		heads++;
	}
	if (heads != 1 || layers > 1 || !is_several(f->stages))
		f->head = QKV_ANY;
	if (doc->self_attention)
		append(w, "%zu token%s", doc->n_q, doc->n_q == 1 ? "" : "s");
	else
		append(w, "%zu quer%s, %zu key%s", doc->n_q, doc->n_q == 1 ? "y" : "ies", doc->n_k,
			doc->n_k == 1 ? "" : "s");
	if (layers > 1)
		append(w, "%zu layers", layers);
	else if (doc->has_layers)
		append(w, "layer %zu", panels[0].layer);
	if (heads > 1)
		append(w, "%zu heads", heads);
	else if (f->head != QKV_ANY)
		append(w, "head %zu", f->head);
}

/* what is shown: stages, sizes, the mask where all have the same */
static void
append_facts(struct words *w, struct qkv_figure *f, const struct qkv_doc *doc, const struct qkv_panel *panels,
	size_t count)
{
	int same_mask = 1;

	for (unsigned s = 0; s < QKV_STAGES; s++)
		if (f->stages >> s & 1)
			append(w, "%s", qkv_stage_names[s]);
	append_counts(w, f, doc, panels, count);
	for (size_t i = 0; i < count; i++)
		same_mask &= !strcmp(panels[i].mask, panels[0].mask);
	if (same_mask && panels[0].mask[0] && strcmp(panels[0].mask, "none"))
		append(w, "mask %s", panels[0].mask);
}

/* what stands along an axis: the usual, or the other in some stages */
static void
append_axis(struct words *w, unsigned stages, unsigned others, const char *usual, const char *other,
	const char *way)
{
	char text[128] = "";
	struct words names = {text, sizeof text, 0, ", "};

	for (unsigned s = 0; s < QKV_STAGES; s++)
		if (stages & others & 1u << s)
			append(&names, "%s", qkv_stage_names[s]);
	if (names.used && stages & ~others)
		append(w, "%s %s (%s in %s)", usual, way, other, text);
	else
		append(w, "%s %s", names.used ? other : usual, way);
}

/* how many tokens or features of an axis there are to a label */
static size_t
step_of(const struct qkv_axis *a)
{
	size_t k = a->step * a->pool;

	return k < a->n ? k : a->n;
}

/* says that, where it is not one */
static void
append_steps(struct words *w, const struct qkv_figure *f, const struct qkv_doc *doc)
{
	char text[256] = "";
	struct words steps = {text, sizeof text, 0, ", "};
	int differ = !doc->self_attention || step_of(&f->axes[0]) != step_of(&f->axes[1]);
	int has_special = 0;

	for (size_t i = 0; i < f->num_axes; i++) {
		const struct qkv_axis *a = &f->axes[i];
		size_t k = step_of(a);

		if (k <= 1)
			continue;
		has_special |= a->has_special;
		if (i > 1)
			append(&steps, "%zu features of %zu", k, a->n);
		else if (differ)
			append(&steps, "%zu %s", k, i ? "keys" : "queries");
		else if (!i)
			append(&steps, "%zu tokens", k);
	}
	if (steps.used)
		append(w, "a label for every %s%s", text,
			has_special ? " and for the last and special ones" : "");
}

static void
append_pools(struct words *w, const struct qkv_panel *panels, size_t count, int by_mean)
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
		append(w, "a cell shows the %s of %s%zu x %zu", by_mean ? "mean" : "largest",
			differ ? "up to " : "", rows, cols);
}

static void
append_scales(struct words *w, const struct qkv_figure *f, const struct qkv_draw_options *o)
{
	int several = 0;

	for (unsigned s = 0; s < QKV_STAGES; s++)
		several |= f->stages >> s & 1 && count_scales(f, s) > 1;
	if (several)
		append(w, "a scale for each %s", o->range_by == QKV_RANGE_HEAD ? "head" : "layer");
	if (o->robust)
		append(w, "scale from the 2nd to the 98th percentile");
}

/* what the file says beside title and caption, for who wants to draw it again */
static void
write_parameters(struct qkv_figure *f, const struct qkv_panel *panels, const struct qkv_draw_options *o)
{
	struct words w = {f->parameters, sizeof f->parameters, 0, "; "};

	append(&w, "map: %s%s", map_names[o->map], o->reversed ? "_r" : "");
	append(&w, "norm: %s", norm_names[o->norm]);
	append(&w, "theme: %s", o->dark ? "dark" : "light");
	append(&w, "labels: %s", o->raw_labels ? "raw" : "text");
	append(&w, "cell: %zu x %zu", panels[0].cell_w, panels[0].cell_h);
	append(&w, "zoom: %zu", f->zoom);
	for (size_t i = 0; i < f->scales->count; i++) {
		const struct qkv_span *s = &f->scales->spans[i];
		char low[QKV_NUMBER_MAX + 1], high[QKV_NUMBER_MAX + 1], which[64] = "";
		struct words of = {which, sizeof which, 0, ""};

		if (s->layer != QKV_ANY)
			append(&of, " layer %zu", s->layer);
		if (s->head != QKV_ANY && s->head != QKV_MEAN && s->head != QKV_NONE)
			append(&of, " head %zu", s->head);
		low[qkv_number_write(low, s->low)] = 0;
		high[qkv_number_write(high, s->high)] = 0;
		append(&w, "scale of %s%s: %s to %s", qkv_stage_names[s->stage], which, low, high);
	}
}

void
qkv_caption_write(struct qkv_figure *f, const struct qkv_doc *doc, const struct qkv_panel *panels,
	size_t count, const struct qkv_draw_options *o)
{
	struct words title = {f->title, sizeof f->title, 0, ", "};
	struct words caption = {f->caption, sizeof f->caption, 0, ", "};
	unsigned key_rows = 0, features = 0;
	int sums = 0, marks = 0;

	for (unsigned s = 0; s < QKV_STAGES; s++) {
		key_rows |= (unsigned)qkv_stage_has_key_rows(s) << s;
		features |= (unsigned)!qkv_stage_has_key_columns(s) << s;
	}
	if (o->title)
		append(&title, "%s", o->title);
	append_facts(o->title ? &caption : &title, f, doc, panels, count);
	for (size_t i = 0; i < count; i++) {
		sums |= panels[i].row_sums || panels[i].col_sums;
		marks |= panels[i].row_even || panels[i].col_even;
	}
	append_axis(&caption, f->stages, key_rows, "queries", "keys", "down");
	append_axis(&caption, f->stages, features, "keys", "features", "across");
	if (doc->left_out)
		append(&caption, "%s", doc->left_out);
	if (sums)
		append(&caption, "bars: sums%s%s", doc->left_out ? " of all" : "",
			marks && !doc->left_out ? ", marks: uniform attention" : "");
	append_steps(&caption, f, doc);
	append_pools(&caption, panels, count, o->pool_mean);
	append_scales(&caption, f, o);
	write_parameters(f, panels, o);
}

void
qkv_caption_heading(char text[QKV_HEADING], const struct qkv_figure *f, const struct qkv_doc *doc,
	const struct qkv_panel *p)
{
	struct words w = {text, QKV_HEADING, 0, ", "};

	text[0] = 0;
	if (doc->has_layers && f->head == QKV_ANY)
		append(&w, "layer %zu", p->layer);
	if (p->head == QKV_MEAN)
		append(&w, "mean");
	else if (p->head != QKV_NONE && p->head != f->head)
		append(&w, "head %zu", p->head);
	if (p->head == QKV_NONE || is_several(f->stages))
		append(&w, "%s", qkv_stage_names[p->stage]);
	if (count_scales(f, p->stage) > 1) {
		char low[QKV_NUMBER_MAX + 1], high[QKV_NUMBER_MAX + 1];

		low[qkv_number_write_digits(low, p->span->low, 3)] = 0;
		high[qkv_number_write_digits(high, p->span->high, 3)] = 0;
		append(&w, "%s to %s", low, high);
	}
}

static void
write_end(char text[QKV_CAPTION_END], int has_beyond, const char *sign, float x)
{
	char number[QKV_NUMBER_MAX + 1];

	number[qkv_number_write_digits(number, x, 4)] = 0;
	snprintf(text, QKV_CAPTION_END, "%s%s", has_beyond ? sign : "", number);
}

const struct qkv_span *
qkv_caption_scale(char low[QKV_CAPTION_END], char high[QKV_CAPTION_END], const struct qkv_figure *f,
	enum qkv_stage stage)
{
	const struct qkv_span *s = f->scales->spans;

	while (s->stage != stage)
		s++;
	if (count_scales(f, stage) > 1) {
		snprintf(low, QKV_CAPTION_END, "lowest");
		snprintf(high, QKV_CAPTION_END, "highest");
	} else {
		write_end(low, s->has_lower, "\u2264", s->low);
		write_end(high, s->has_higher, "\u2265", s->high);
	}
	return s;
}

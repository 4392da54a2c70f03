/* Legends: lines of words, then a line for the colours of each stage. */
#include "draw/legend.h"

#include "draw/caption.h"
#include "draw/glyph.h"

#include <string.h>

enum {
	LINE = QKV_GLYPH_HEIGHT + 6, /* from one line of text to the next */
	GAP = 8,
	RAMP_HEIGHT = 12,
	LETTER = 8,
	NARROW = 360, /* pixels that a caption may take, however narrow the panels are */
};

/* a label of text into *l, and its width into *width if that is more */
static int
add(const struct qkv_label **l, size_t *width, struct qkv_figure *f, const char *text, size_t limit,
	struct qkv_err *e)
{
	*l = qkv_figure_label(f, text, limit, e);
	if (!*l)
		return -1;
	*width = *width < (*l)->width ? (*l)->width : *width;
	return 0;
}

static int
add_line(struct qkv_legend *l, struct qkv_figure *f, const char *text, size_t limit, struct qkv_err *e)
{
	return add(&l->lines[l->count++], &l->width, f, text, limit, e);
}

/* the caption in lines of at most limit pixels, broken after commas */
static int
add_caption(struct qkv_legend *l, struct qkv_figure *f, size_t limit, struct qkv_err *e)
{
	const char *p = f->caption;

	for (int i = 0; *p && i < QKV_LEGEND_LINES; i++) {
		size_t length = strlen(p), cut = 0;
		char line[sizeof f->caption];

		for (size_t k = 1;
			length * LETTER > limit && k < length && (!cut || (k + 1) * LETTER <= limit); k++)
			if (p[k] == ' ' && p[k - 1] == ',')
				cut = k;
		length = cut && i < QKV_LEGEND_LINES - 1 ? cut : length;
		memcpy(line, p, length);
		line[length] = 0;
		if (add_line(l, f, line, (size_t)-1, e))
			return -1;
		p += length;
		p += *p == ' ';
	}
	return 0;
}

/* the name, the ends and the norm of a colour bar */
static int
add_scale(struct qkv_legend *l, struct qkv_figure *f, unsigned stage, struct qkv_err *e)
{
	char low[QKV_CAPTION_END], high[QKV_CAPTION_END];
	const struct qkv_span *s = l->span[stage] = qkv_caption_scale(low, high, f, stage);

	if (f->stages & (f->stages - 1) &&
		add(&l->name[stage], &l->names, f, qkv_stage_names[stage], (size_t)-1, e))
		return -1;
	if (s->norm != QKV_NORM_LINEAR &&
		add(&l->norm[stage], &l->norms, f, qkv_caption_norms[s->norm], (size_t)-1, e))
		return -1;
	return add(&l->low[stage], &l->lows, f, low, (size_t)-1, e) ||
			add(&l->high[stage], &l->highs, f, high, (size_t)-1, e)
		? -1
		: 0;
}

int
qkv_legend_size(
	struct qkv_legend *l, struct qkv_figure *f, size_t x, size_t y, size_t content, struct qkv_err *e)
{
	size_t limit = content < NARROW ? NARROW : content, lines = 0, key = 0, wide;

	memset(l, 0, sizeof *l);
	l->x = x;
	l->y = y;
	l->ramp = content / 4 < 160 ? 160 : content / 4 > 400 ? 400 : content / 4;
	if (add_line(l, f, f->title, 2 * limit, e))
		return -1;
	/* the caption is as wide as a title that is wider than the panels */
	if (add_caption(l, f, l->width < limit ? limit : l->width, e))
		return -1;
	for (unsigned s = 0; s < QKV_STAGES; s++) {
		if (!(f->stages >> s & 1))
			continue;
		if (add_scale(l, f, s, e))
			return -1;
		lines++;
	}
	if (f->has_masked && add(&l->masked, &key, f, "masked", (size_t)-1, e))
		return -1;
	l->names += l->names ? 2 * GAP : 0;
	l->norms += l->norms ? GAP : 0;
	wide = l->names + l->lows + GAP + l->ramp + GAP + l->highs + l->norms;
	wide += l->masked ? 3 * GAP + 2 * RAMP_HEIGHT + GAP + key : 0;
	l->width = l->width < wide ? wide : l->width;
	l->height = LINE * (l->count + lines);
	return 0;
}

static int
mark_ramp(const struct qkv_legend *l, struct qkv_figure *f, unsigned stage, size_t y, struct qkv_err *e)
{
	size_t x = l->x + l->names;
	struct qkv_mark ramp = {QKV_MARK_RAMP, QKV_INK_PAPER, x + l->lows + GAP,
		y + (QKV_GLYPH_HEIGHT - RAMP_HEIGHT) / 2, l->ramp, RAMP_HEIGHT, {NULL}};

	ramp.of.span = l->span[stage];
	if (l->name[stage] && qkv_figure_words(f, QKV_INK_TEXT, l->x, y, l->name[stage], e))
		return -1;
	if (qkv_figure_words(f, QKV_INK_TEXT, x + l->lows - l->low[stage]->width, y, l->low[stage], e) ||
		qkv_figure_mark(f, &ramp, e))
		return -1;
	x = ramp.x + ramp.w + GAP;
	if (qkv_figure_words(f, QKV_INK_TEXT, x, y, l->high[stage], e))
		return -1;
	return l->norm[stage] ? qkv_figure_words(f, QKV_INK_QUIET, x + l->highs + GAP, y, l->norm[stage], e)
			      : 0;
}

int
qkv_legend_mark(const struct qkv_legend *l, struct qkv_figure *f, struct qkv_err *e)
{
	size_t x = l->x + l->names + l->lows + GAP + l->ramp + GAP + l->highs + l->norms + 3 * GAP, y = l->y;

	for (size_t i = 0; i < l->count; i++, y += LINE)
		if (qkv_figure_words(f, i ? QKV_INK_QUIET : QKV_INK_TEXT, l->x, y, l->lines[i], e))
			return -1;
	if (l->masked &&
		(qkv_figure_rect(f, QKV_INK_MASKED, x, y + (QKV_GLYPH_HEIGHT - RAMP_HEIGHT) / 2,
			 2 * RAMP_HEIGHT, RAMP_HEIGHT, e) ||
			qkv_figure_words(f, QKV_INK_TEXT, x + 2 * RAMP_HEIGHT + GAP, y, l->masked, e)))
		return -1;
	for (unsigned s = 0; s < QKV_STAGES; s++) {
		if (!(f->stages >> s & 1))
			continue;
		if (mark_ramp(l, f, s, y, e))
			return -1;
		y += LINE;
	}
	return 0;
}

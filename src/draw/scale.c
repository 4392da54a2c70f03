/*
 * Scales: from 0 to the largest value, or, where values have signs, as far below 0 as above; or between percentiles; or
 * what is asked for. A percentile is found by its bits: three counts of 11, 11 and 10 of them, of all cells.
 */
#include "draw/scale.h"

#include "base/mem.h"
#include "kern/number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define REACH 1e-6f /* of the largest value: how far down a logarithmic scale goes at most */

/* what the values of a group of panels are like */
struct group {
	float least, most, least_positive;
};

static int
belongs(const struct qkv_span *s, const struct qkv_panel *p)
{
	return s->stage == p->stage && (s->layer == QKV_ANY || s->layer == p->layer) &&
		(s->head == QKV_ANY || s->head == p->head);
}

const struct qkv_span *
qkv_scale_of(const struct qkv_extent *x, const struct qkv_panel *p)
{
	for (size_t i = 0; i < x->count; i++)
		if (belongs(&x->spans[i], p))
			return &x->spans[i];
	return NULL;
}

/* the bits of v, in the order of the numbers */
static uint32_t
key_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static float
value_of(uint32_t key)
{
	uint32_t bits = key >> 31 ? key & 0x7FFFFFFFu : ~key;
	float v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

/* counts the cells of a group by the digit of their keys at shift, among those whose higher bits are those of key */
static size_t
count_digits(size_t counts[2048], const struct qkv_span *s, const struct qkv_panel *panels, size_t count,
	uint32_t key, int shift, int above)
{
	size_t total = 0;

	memset(counts, 0, 2048 * sizeof *counts);
	for (size_t i = 0; i < count; i++) {
		const struct qkv_panel *p = &panels[i];

		for (size_t c = 0; belongs(s, p) && c < p->high * p->wide; c++) {
			uint32_t k = key_of(p->cells[c]);

			if (p->cells[c] != p->cells[c] || (above < 32 && k >> above != key >> above))
				continue;
			counts[k >> shift & 2047]++;
			total++;
		}
	}
	return total;
}

/* the smallest value with at least percent of the cells of a group at or below it; there is one */
static float
percentile(unsigned percent, const struct qkv_span *s, const struct qkv_panel *panels, size_t count)
{
	static const int shifts[] = {21, 10, 0}, aboves[] = {32, 21, 10};
	size_t counts[2048], rank = 0;
	uint32_t key = 0;

	for (int pass = 0; pass < 3; pass++) {
		size_t total = count_digits(counts, s, panels, count, key, shifts[pass], aboves[pass]);
		uint32_t digit = 0;

		if (!pass)
			rank = total / 100 * percent + (total % 100 * percent + 99) / 100;
		rank = rank ? rank : 1;
		while (counts[digit] < rank)
			rank -= counts[digit++];
		key |= digit << shifts[pass];
	}
	return value_of(key);
}

static struct group
measure(const struct qkv_span *s, const struct qkv_panel *panels, size_t count)
{
	struct group g = {INFINITY, -INFINITY, INFINITY};

	for (size_t i = 0; i < count; i++) {
		const struct qkv_panel *p = &panels[i];

		if (!belongs(s, p))
			continue;
		g.least = p->least < g.least ? p->least : g.least;
		g.most = p->most > g.most ? p->most : g.most;
		g.least_positive =
			p->least_positive < g.least_positive ? p->least_positive : g.least_positive;
	}
	return g;
}

/* as far below 0 as above, unless both ends are asked for; then a part of the map that has 0 in the middle */
static void
set_two_sided(struct qkv_span *s, const struct qkv_draw_options *o)
{
	float bound = -s->low > s->high ? -s->low : s->high;

	s->map = QKV_MAP_BALANCE;
	if (o->has_vmin != o->has_vmax)
		bound = o->has_vmin ? -o->vmin : o->vmax;
	if (!o->has_vmin || !o->has_vmax) {
		s->low = -bound;
		s->high = bound;
		return;
	}
	if (s->norm == QKV_NORM_LINEAR) {
		s->from = 0.5 + 0.5 * (double)s->low / (double)bound;
		s->to = 0.5 + 0.5 * (double)s->high / (double)bound;
	} else {
		s->from = 0.5 + (s->low < 0 ? -0.5 : 0.5) * sqrt(fabs((double)s->low / (double)bound));
		s->to = 0.5 + (s->high < 0 ? -0.5 : 0.5) * sqrt(fabs((double)s->high / (double)bound));
	}
}

static int
fail_empty(const struct qkv_span *s, const struct qkv_draw_options *o, struct qkv_err *e)
{
	char low[QKV_NUMBER_MAX + 1], high[QKV_NUMBER_MAX + 1];

	low[qkv_number_write(low, s->low)] = 0;
	high[qkv_number_write(high, s->high)] = 0;
	return qkv_fail(e, QKV_EINPUT,
		"scale of %s from %s to %s, expected the low end below the high; use %s",
		qkv_stage_names[s->stage], low, high,
		o->has_vmin && !o->has_vmax ? "--vmax, too" : "another --vmin or --vmax");
}

/* gives a scale to values that are all the same, or to none */
static void
widen(struct qkv_span *s, int has_signs)
{
	if (s->high <= 0 || has_signs)
		s->high = 1;
	s->low = has_signs ? -1 : s->norm == QKV_NORM_LOG ? s->high * REACH : 0;
}

static int
set_span(struct qkv_span *s, const struct qkv_panel *panels, size_t count, const struct qkv_draw_options *o,
	struct qkv_err *e)
{
	struct group g = measure(s, panels, count);
	int has_values = g.least <= g.most, has_signs;

	/* of all stages alpha alone has none, and those before it shall look alike */
	has_signs = s->stage != QKV_ALPHA || g.least < 0 || o->map == QKV_MAP_BALANCE;
	s->norm = has_signs && o->norm == QKV_NORM_LOG ? QKV_NORM_LINEAR : o->norm;
	s->map = o->map;
	s->from = 0;
	s->to = 1;
	s->low = g.least < 0 ? g.least : 0;
	s->high = g.most > 0 ? g.most : 0;
	if (o->robust && has_values) {
		s->low = percentile(2, s, panels, count);
		s->high = percentile(98, s, panels, count);
	}
	if (s->norm == QKV_NORM_LOG) {
		s->high = s->high < FLT_MIN / REACH ? FLT_MIN / REACH : s->high;
		s->low = g.least_positive < s->high * REACH ? s->high * REACH : g.least_positive;
	}
	s->low = o->has_vmin ? o->vmin : s->low;
	s->high = o->has_vmax ? o->vmax : s->high;
	if (has_signs)
		set_two_sided(s, o);
	if (s->high <= s->low && (o->has_vmin || o->has_vmax))
		return fail_empty(s, o, e);
	if (s->high <= s->low)
		widen(s, has_signs);
	s->has_lower = has_values && g.least < s->low;
	s->has_higher = has_values && g.most > s->high;
	return 0;
}

int
qkv_scale_find(struct qkv_extent *x, const struct qkv_panel *panels, size_t count,
	const struct qkv_draw_options *o, struct qkv_err *e)
{
	x->spans = qkv_mem_new(count, sizeof *x->spans, e);
	x->count = 0;
	if (!x->spans)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct qkv_span *s = &x->spans[x->count];

		if (qkv_scale_of(x, &panels[i]))
			continue;
		s->stage = panels[i].stage;
		s->layer = o->range_by == QKV_RANGE_ALL ? QKV_ANY : panels[i].layer;
		s->head = o->range_by == QKV_RANGE_HEAD ? panels[i].head : QKV_ANY;
		if (set_span(s, panels, count, o, e))
			return -1;
		x->count++;
	}
	return 0;
}

void
qkv_scale_palette(struct qkv_palette *palette, const struct qkv_extent *x, const struct qkv_draw_options *o)
{
	unsigned maps = 0;

	for (size_t i = 0; i < x->count; i++)
		maps |= 1u << x->spans[i].map;
	qkv_palette_fill(palette, maps, o);
}

void
qkv_extent_clear(struct qkv_extent *x)
{
	qkv_mem_free(x->spans);
	x->spans = NULL;
	x->count = 0;
}

/* Scales: from where to where they reach, for groups of panels and every way to ask for it. */
#include "draw/scale.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* a panel of the cells given, measured as qkv_panel_end does */
static struct qkv_panel
panel_of(enum qkv_stage stage, size_t layer, size_t head, float *cells, size_t n)
{
	struct qkv_panel p = {.kern = qkv_kern_find(NULL),
		.stage = stage,
		.layer = layer,
		.head = head,
		.high = 1,
		.wide = n,
		.cells = cells,
		.least = INFINITY,
		.most = -INFINITY,
		.least_positive = INFINITY,
		.wants_positive = 1};

	qkv_panel_end(&p, NULL);
	return p;
}

static void
check(enum qkv_stage stage, float *cells, size_t n, const struct qkv_draw_options *o, float low, float high)
{
	struct qkv_panel p = panel_of(stage, 0, 0, cells, n);
	struct qkv_extent x;
	struct qkv_err e;

	if (qkv_scale_find(&x, &p, 1, o, &e))
		fail_msg("%s", e.text);
	if (x.spans[0].low != low || x.spans[0].high != high)
		fail_msg("%.9g to %.9g", (double)x.spans[0].low, (double)x.spans[0].high);
	qkv_extent_clear(&x);
}

static void
ends(void **state)
{
	float some[] = {0.25f, NAN, 0.5f}, signs[] = {-1, 3}, below[] = {-4, -2}, nothing[] = {NAN, NAN},
	      zero[] = {0}, tiny[] = {1e-30f, 0.5f}, same[] = {0.3f, 0.3f};

	(void)state;
	check(QKV_ALPHA, some, 3, &(struct qkv_draw_options){0}, 0, 0.5f);
	check(QKV_ALPHA, nothing, 2, &(struct qkv_draw_options){0}, 0, 1);
	check(QKV_ALPHA, zero, 1, &(struct qkv_draw_options){0}, 0, 1);
	check(QKV_ALPHA, signs, 2, &(struct qkv_draw_options){0}, -3, 3);
	check(QKV_SCORES, some, 3, &(struct qkv_draw_options){0}, -0.5f, 0.5f);
	check(QKV_SCORES, below, 2, &(struct qkv_draw_options){0}, -4, 4);
	check(QKV_SCORES, zero, 1, &(struct qkv_draw_options){0}, -1, 1);
	check(QKV_ALPHA, some, 3, &(struct qkv_draw_options){.map = QKV_MAP_BALANCE}, -0.5f, 0.5f);
	check(QKV_ALPHA, some, 3, &(struct qkv_draw_options){.has_vmin = 1, .vmin = 0.1f}, 0.1f, 0.5f);
	check(QKV_ALPHA, some, 3, &(struct qkv_draw_options){.has_vmax = 1, .vmax = 2}, 0, 2);
	check(QKV_SCORES, signs, 2, &(struct qkv_draw_options){.has_vmax = 1, .vmax = 2}, -2, 2);
	check(QKV_SCORES, signs, 2, &(struct qkv_draw_options){.has_vmin = 1, .vmin = -2}, -2, 2);
	check(QKV_SCORES, signs, 2,
		&(struct qkv_draw_options){.has_vmin = 1, .has_vmax = 1, .vmin = -1, .vmax = 2}, -1, 2);
	check(QKV_ALPHA, some, 3, &(struct qkv_draw_options){.norm = QKV_NORM_LOG}, 0.25f, 0.5f);
	check(QKV_ALPHA, tiny, 2, &(struct qkv_draw_options){.norm = QKV_NORM_LOG}, 0.5f * 1e-6f, 0.5f);
	check(QKV_ALPHA, same, 2, &(struct qkv_draw_options){.norm = QKV_NORM_LOG}, 0.3f * 1e-6f, 0.3f);
	check(QKV_ALPHA, same, 2, &(struct qkv_draw_options){.robust = 1}, 0, 0.3f);
	check(QKV_SCORES, signs, 2, &(struct qkv_draw_options){.norm = QKV_NORM_LOG}, -3, 3);
}

/* the nearest rank of the 2nd and 98th percentile */
static void
percentiles(void **state)
{
	static float cells[1000];
	struct qkv_draw_options o = {.robust = 1};
	unsigned seed = 7;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		cells[i] = (float)(i + 1);
	for (size_t i = 999; i > 0; i--) {
		size_t j = (seed = seed * 1664525u + 1013904223u) % (i + 1);
		float t = cells[i];

		cells[i] = cells[j];
		cells[j] = t;
	}
	check(QKV_ALPHA, cells, 1000, &o, 20, 980);
	/* from -500 to 499: as far below as above */
	for (size_t i = 0; i < 1000; i++)
		cells[i] -= 501;
	check(QKV_SCORES, cells, 1000, &o, -481, 481);
}

static void
groups(void **state)
{
	float a[] = {1}, b[] = {2}, c[] = {3}, d[] = {4};
	struct qkv_panel panels[] = {
		panel_of(QKV_ALPHA, 0, 0, a, 1),
		panel_of(QKV_ALPHA, 0, 1, b, 1),
		panel_of(QKV_ALPHA, 1, 0, c, 1),
		panel_of(QKV_SCORES, 1, 0, d, 1),
	};
	static const float high[3][4] = {{3, 3, 3, 4}, {2, 2, 3, 4}, {1, 2, 3, 4}};
	static const size_t counts[] = {2, 3, 4};

	(void)state;
	for (int by = 0; by < 3; by++) {
		struct qkv_draw_options o = {.range_by = (enum qkv_range_by)by};
		struct qkv_extent x;
		struct qkv_err e;

		assert_int_equal(qkv_scale_find(&x, panels, 4, &o, &e), 0);
		assert_int_equal(x.count, counts[by]);
		for (size_t i = 0; i < 4; i++)
			assert_true(qkv_scale_of(&x, &panels[i])->high == high[by][i]);
		qkv_extent_clear(&x);
	}
}

/* uneven ends keep 0 in the middle of the map; values beyond are told */
static void
parts_of_a_map(void **state)
{
	float signs[] = {-8, 8};
	struct qkv_panel p = panel_of(QKV_SCORES, 0, 0, signs, 2);
	struct qkv_draw_options o = {.has_vmin = 1, .has_vmax = 1, .vmin = -1, .vmax = 4};
	struct qkv_extent x;
	struct qkv_err e;

	(void)state;
	assert_int_equal(qkv_scale_find(&x, &p, 1, &o, &e), 0);
	assert_true(x.spans[0].from == 0.375 && x.spans[0].to == 1);
	assert_true(x.spans[0].has_lower && x.spans[0].has_higher);
	qkv_extent_clear(&x);
	o.norm = QKV_NORM_SQRT;
	assert_int_equal(qkv_scale_find(&x, &p, 1, &o, &e), 0);
	assert_true(x.spans[0].from == 0.25 && x.spans[0].to == 1);
	qkv_extent_clear(&x);
}

static void
ends_that_cross_are_refused(void **state)
{
	float some[] = {0.25f, 0.5f};
	struct qkv_panel p = panel_of(QKV_ALPHA, 0, 0, some, 2);
	struct qkv_draw_options o = {.has_vmin = 1, .vmin = 0.5f};
	struct qkv_extent x;
	struct qkv_err e;

	(void)state;
	assert_int_equal(qkv_scale_find(&x, &p, 1, &o, &e), -1);
	assert_int_equal(e.status, QKV_EINPUT);
	assert_string_equal(e.text,
		"scale of alpha from 0.5 to 0.5, expected the low end below the high; use --vmax, too");
	qkv_extent_clear(&x);
	qkv_mem_fail_at(1);
	assert_int_equal(qkv_scale_find(&x, &p, 1, &o, &e), -1);
	qkv_mem_fail_at(0);
	assert_int_equal(e.status, QKV_EMEMORY);
	qkv_extent_clear(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(groups),
		cmocka_unit_test(parts_of_a_map),
		cmocka_unit_test(ends_that_cross_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Geometry: nothing overlaps, nothing is cut, labels stand at their cells, sizes are checked. */
#include "figure.h"

static const struct trial trials[] = {
	{1, 1, 1, 1, ALPHA, 0, {0}, 1, 1, 40, 1},
	{3, 3, 1, 1, ALPHA, 0, {0}, 1, 1, 40, 1},
	{3, 3, 1, 1, ALPHA, 0, {.no_row_sums = 1}, 1, 1, 40, 1},
	{3, 3, 1, 1, ALPHA, 0, {.no_col_sums = 1}, 1, 1, 40, 1},
	{3, 3, 1, 1, ALPHA, 0, {.no_row_sums = 1, .no_col_sums = 1}, 1, 1, 40, 1},
	{3, 3, 1, 1, ALPHA, 0, {.cell = 1}, 1, 1, 1, 16},
	{40, 40, 1, 1, ALPHA, 0, {.cell = 5}, 1, 1, 5, 4},
	{40, 40, 1, 1, ALPHA, 0, {.cell = 15}, 1, 1, 15, 2},
	{3, 3, 1, 5, ALPHA, 0, {.bare = 1, .cell = 4}, 2, 3, 4, 1},
	{2, 5, 1, 1, ALPHA, 0, {0}, 1, 1, 40, 1},
	{64, 64, 1, 1, ALPHA, 0, {0}, 1, 1, 16, 1},
	{65, 65, 1, 1, ALPHA, 0, {0}, 1, 1, 15, 2},
	{128, 128, 1, 1, ALPHA, 0, {0}, 1, 1, 8, 2},
	{512, 512, 1, 2, ALPHA, 0, {0}, 1, 2, 1, 16},
	{9, 9, 1, 12, ALPHA, 0, {0}, 3, 4, 21, 1},
	{3, 3, 1, 64, ALPHA, 0, {0}, 8, 8, 24, 1},
	{9, 9, 3, 12, ALPHA, 0, {0}, 3, 12, 16, 1},
	{9, 9, 5, 1, ALPHA, 0, {0}, 2, 3, 28, 1},
	{3, 3, 1, 2, LESSON, 0, {0}, 2, 4, 40, 1},
	{1, 1, 2, 2, LESSON, 0, {0}, 4, 4, 40, 1},
	{3, 4, 2, 3, ALL, 20, {0}, 6, 9, 24, 1},
	{4, 3, 1, 1, ALL, 800, {0}, 1, 9, 24, 1},
	{5, 5, 1, 3, 1u << QKV_CONTEXT, 64, {0}, 2, 2, 40, 1},
	{5000, 5000, 1, 1, ALPHA, 0, {0}, 1, 1, 1, 16},
	{1, 5000, 1, 1, ALPHA, 0, {0}, 1, 1, 40, 1},
	{5000, 1, 1, 1, ALPHA, 0, {0}, 1, 1, 1, 16},
	{100, 1, 1, 1, 1u << QKV_Q, 2, {0}, 1, 1, 10, 2},
};

enum { TRIALS = sizeof trials / sizeof *trials };

static void
check_disjoint(const struct qkv_figure *f, size_t trial)
{
	unsigned char *owned = calloc(f->width, f->height);

	for (size_t i = 0; i < f->count; i++) {
		const struct qkv_mark *m = &f->marks[i];
		int words = m->kind == QKV_MARK_WORDS || m->kind == QKV_MARK_WORDS_UP;

		if (m->kind == QKV_MARK_OVER)
			continue;

		if (!m->w || !m->h || m->x > f->width || m->y > f->height || m->w > f->width - m->x ||
			m->h > f->height - m->y)
			fail_msg("trial %zu: mark %zu is outside", trial, i);
		if (words && (!m->x || !m->y || m->x + m->w == f->width || m->y + m->h == f->height))
			fail_msg("trial %zu: words %zu reach the border", trial, i);
		for (size_t y = m->y; y < m->y + m->h; y++)
			for (size_t x = m->x; x < m->x + m->w; x++)
				if (owned[y * f->width + x]++)
					fail_msg("trial %zu: mark %zu overlaps at %zu, %zu", trial, i, x, y);
	}
	free(owned);
}

static void
nothing_overlaps(void **state)
{
	(void)state;
	for (size_t i = 0; i < TRIALS; i++) {
		struct qkv_err e;
		struct made m;

		if (make(&m, &trials[i], &e))
			fail_msg("trial %zu: %s", i, e.text);
		check_disjoint(&m.f, i);
		unmake(&m);
	}
}

/* label k * step of an axis stands within half a pixel of the centre of its cell, beside its panel */
static size_t
check_labels(const struct made *m, const struct qkv_panel *p, const struct qkv_axis *a, int up)
{
	size_t found = 0;

	for (size_t i = 0; i < m->f.count; i++) {
		const struct qkv_mark *mark = &m->f.marks[i];
		long index = mark->kind == (up ? QKV_MARK_WORDS_UP : QKV_MARK_WORDS)
			? mark->of.label - a->labels
			: -1;
		size_t first = up ? p->x : p->y, at = up ? mark->x : mark->y,
		       cell = up ? p->cell_w : p->cell_h;
		size_t twice; /* the centre, doubled */

		if (index < 0 || (size_t)index >= a->count)
			continue;
		twice = 2 * first + 2 * (a->of[index] / a->pool) * cell + cell;
		if (up ? mark->y + mark->h + 8 != p->y : mark->x + mark->w + 8 != p->x)
			continue;
		if (2 * at + 16 != twice && 2 * at + 16 != twice - 1)
			continue;
		found++;
	}
	return found;
}

static void
labels_stand_at_their_cells(void **state)
{
	(void)state;
	for (size_t i = 0; i < TRIALS; i++) {
		const struct trial *t = &trials[i];
		struct qkv_err e;
		struct made m;

		if (t->o.bare)
			continue;
		assert_int_equal(make(&m, t, &e), 0);
		for (size_t k = 0; k < m.count; k++) {
			const struct qkv_panel *p = &m.panels[k];

			assert_int_equal(check_labels(&m, p, p->row_axis, 0), p->row_axis->count);
			assert_int_equal(check_labels(&m, p, p->col_axis, 1), p->col_axis->count);
			assert_int_equal(p->row_axis->step, t->step);
			assert_int_equal(p->row_axis->count, (p->high + t->step - 1) / t->step);
			assert_true(p->row_axis->extent <= QKV_LABEL_LIMIT);
		}
		unmake(&m);
	}
}

static void
panels_form_a_grid(void **state)
{
	(void)state;
	for (size_t i = 0; i < TRIALS; i++) {
		const struct trial *t = &trials[i];
		size_t rows = 0, cols = 0;
		struct qkv_err e;
		struct made m;

		assert_int_equal(make(&m, t, &e), 0);
		for (size_t k = 0; k < m.count; k++) {
			const struct qkv_panel *p = &m.panels[k];

			rows = p->grid_row + 1 > rows ? p->grid_row + 1 : rows;
			cols = p->grid_col + 1 > cols ? p->grid_col + 1 : cols;
			assert_int_equal(p->cell_h, t->cell);
			assert_true(qkv_stage_has_key_columns(p->stage) || p->wide * p->cell_w <= 1024);
			for (size_t j = 0; j < k; j++) {
				const struct qkv_panel *q = &m.panels[j];

				assert_int_equal(p->x == q->x, p->grid_col == q->grid_col);
				/* what belongs to a layer stands between its heads */
				if (p->head != QKV_NONE && q->head != QKV_NONE)
					assert_int_equal(p->y == q->y, p->grid_row == q->grid_row);
			}
		}
		if (rows != t->rows || cols != t->cols)
			fail_msg("trial %zu: %zu x %zu panels", i, rows, cols);
		unmake(&m);
	}
}

static void
layers_and_stages_have_rows_and_columns(void **state)
{
	struct trial layers = {2, 2, 2, 3, ALPHA, 0, {0}, 0, 0, 0, 0},
		     stages = {2, 2, 2, 2, LESSON | 1u << QKV_OUTPUT, 4, {0}, 0, 0, 0, 0};
	struct qkv_err e;
	struct made m;

	(void)state;
	assert_int_equal(make(&m, &layers, &e), 0);
	for (size_t i = 0; i < m.count; i++) {
		assert_int_equal(m.panels[i].grid_row, m.panels[i].layer);
		assert_int_equal(m.panels[i].grid_col, m.panels[i].head);
	}
	unmake(&m);
	assert_int_equal(make(&m, &stages, &e), 0);
	for (size_t i = 0; i < m.count; i++) {
		const struct qkv_panel *p = &m.panels[i];
		int is_output = p->stage == QKV_OUTPUT;

		assert_int_equal(p->grid_row, 2 * p->layer + (is_output ? 1 : p->head));
		assert_int_equal(p->grid_col, is_output ? 4 : p->stage - QKV_SCORES);
	}
	unmake(&m);
}

static void
scales(void **state)
{
	struct trial t = {2, 2, 1, 1, LESSON, 0, {0}, 0, 0, 0, 0};
	struct qkv_err e;
	struct made m;

	(void)state;
	assert_int_equal(make(&m, &t, &e), 0);
	assert_true(m.panels[3].span->low == 0 && m.panels[3].span->high == 1);
	assert_int_equal(m.panels[3].span->map, QKV_MAP_VIRIDIS);
	assert_true(m.panels[0].span->low == -2.5f && m.panels[0].span->high == 2.5f);
	assert_int_equal(m.panels[0].span->map, QKV_MAP_BALANCE);
	/* nothing but zeros */
	qkv_figure_free(&m.f);
	for (size_t i = 0; i < m.count; i++)
		m.panels[i].least = m.panels[i].most = 0;
	assert_int_equal(qkv_figure_new(&m.f, &m.doc, m.panels, m.count, &t.o, &m.notes, &e), 0);
	for (size_t i = 0; i < m.count; i++)
		assert_true(m.panels[i].span->low == (m.panels[i].stage == QKV_ALPHA ? 0 : -1) &&
			m.panels[i].span->high == 1);
	unmake(&m);
}

/* the largest sum has a bar of 32 pixels; what is not zero has one */
static void
bars_are_as_long_as_sums(void **state)
{
	static const double sums[] = {2, 1, 1e-9, 0};
	static const size_t lengths[] = {32, 16, 1};
	struct trial t = {4, 4, 1, 1, ALPHA, 0, {.cell = 8}, 0, 0, 0, 0};
	size_t found[2] = {0};
	struct qkv_err e;
	struct made m;

	(void)state;
	assert_int_equal(make(&m, &t, &e), 0);
	qkv_figure_free(&m.f);
	memcpy(m.panels[0].row_sums, sums, sizeof sums);
	memcpy(m.panels[0].col_sums, sums, sizeof sums);
	memset(m.panels[0].row_even, 0, 4 * sizeof(double));
	memset(m.panels[0].col_even, 0, 4 * sizeof(double));
	assert_int_equal(qkv_figure_new(&m.f, &m.doc, m.panels, m.count, &t.o, &m.notes, &e), 0);
	for (size_t i = 0; i < m.f.count; i++) {
		const struct qkv_mark *mark = &m.f.marks[i];
		int below = mark->y > m.panels[0].y + 32;

		if (mark->kind != QKV_MARK_RECT || mark->ink != QKV_INK_BAR)
			continue;
		assert_int_equal(below ? mark->h : mark->w, lengths[found[below]]);
		assert_int_equal(below ? mark->w : mark->h, 4);
		found[below]++;
	}
	assert_int_equal(found[0], 3);
	assert_int_equal(found[1], 3);
	unmake(&m);
}

/* sums below 0: no bars, and the largest sum where a bar of no length ends */
static void
sums_below_zero_have_no_bars(void **state)
{
	static const float row[] = {-2, -4, -1, -3};
	static const double sums[] = {-2.5, -4, -1.5, -3};
	struct qkv_draw_options o = {.cell = 8};
	struct qkv_doc doc = {
		.n_q = 4, .n_k = 4, .query_tokens = tokens, .key_tokens = tokens, .left_out = "-"};
	struct qkv_matrix matrix = {.doc = &doc, .stage = QKV_ALPHA, .rows = 4, .cols = 4};
	struct qkv_block b = {.matrix = &matrix, .rows = 4, .data = row, .row_sums = sums};
	struct qkv_notes notes = {0};
	struct qkv_panel p;
	struct qkv_figure f;
	struct qkv_err e;
	int lines = 0;

	(void)state;
	assert_int_equal(qkv_panel_new(&p, &matrix, &o, QKV_KEEP_CELLS, &e), 0);
	qkv_panel_add(&p, &b);
	qkv_panel_end(&p, sums);
	assert_int_equal(qkv_figure_new(&f, &doc, &p, 1, &o, &notes, &e), 0);
	for (size_t i = 0; i < f.count; i++) {
		const struct qkv_mark *m = &f.marks[i];

		assert_false(m->kind == QKV_MARK_RECT && m->ink == QKV_INK_BAR);
		lines += m->kind == QKV_MARK_RECT && m->w == 1 && m->h == 32 && m->x == p.x + 32 + 8;
		lines += m->kind == QKV_MARK_RECT && m->h == 1 && m->w == 32 && m->y == p.y + 32 + 8;
		if (m->kind == QKV_MARK_WORDS && m->ink == QKV_INK_TEXT && m->x > p.x + 32 &&
			m->y >= p.y - 32) {
			assert_int_equal(m->of.label->count, 4);
			assert_int_equal(m->of.label->spots[1].code, '1');
			assert_int_equal(m->of.label->spots[3].code, '5');
			lines++;
		}
	}
	assert_int_equal(lines, 4);
	qkv_figure_free(&f);
	qkv_panel_free(&p);
}

/* where rows share a cell, the largest of their sums counts, also below 0 */
static void
sums_are_pooled(void **state)
{
	static double sums[3000];
	static const float zero;
	struct qkv_draw_options o = {0};
	struct qkv_doc doc = {.n_q = 3000, .n_k = 1};
	struct qkv_matrix matrix = {.doc = &doc, .stage = QKV_ALPHA, .rows = 3000, .cols = 1};
	struct qkv_block b = {.matrix = &matrix, .rows = 3000, .data = &zero, .row_sums = sums};
	struct qkv_panel p;
	struct qkv_err e;

	(void)state;
	for (size_t i = 0; i < 3000; i++)
		sums[i] = -1 - (double)(i ^ 1);
	assert_int_equal(qkv_panel_new(&p, &matrix, &o, QKV_KEEP_CELLS, &e), 0);
	qkv_panel_add(&p, &b);
	assert_int_equal(p.high, 1500);
	for (size_t i = 0; i < p.high; i++)
		assert_true(p.row_sums[i] == -1 - (double)(2 * i));
	qkv_panel_free(&p);
}

static void
notes_say_what_is_left_out(void **state)
{
	struct trial thinned = {65, 65, 1, 3, ALPHA, 0, {0}, 0, 0, 0, 0},
		     features = {3, 3, 1, 1, 1u << QKV_K | 1u << QKV_V, 100, {0}, 0, 0, 0, 0},
		     all = {3, 3, 1, 1, ALPHA, 0, {0}, 0, 0, 0, 0};
	struct qkv_err e;
	struct made m;

	(void)state;
	assert_int_equal(
		make(&m, &thinned, &e), 0); /* three heads abreast in two columns: 11 pixels a cell */
	assert_int_equal(m.notes.of[QKV_NOTE_LABELS].count, 32);
	assert_string_equal(m.notes.of[QKV_NOTE_LABELS].first, "every 2nd label is drawn");
	unmake(&m);
	assert_int_equal(make(&m, &all, &e), 0);
	assert_int_equal(m.notes.of[QKV_NOTE_LABELS].count, 0);
	assert_int_equal(m.notes.of[QKV_NOTE_SHORTENED].count, 1);
	assert_string_equal(m.notes.of[QKV_NOTE_SHORTENED].first, "token 1, drawn 192 pixels long");
	unmake(&m);
	/* one axis for both stages, of which every second label is drawn; the tokens are those of keys */
	assert_int_equal(make(&m, &features, &e), 0);
	assert_int_equal(m.notes.of[QKV_NOTE_LABELS].count, 50);
	assert_string_equal(m.notes.of[QKV_NOTE_LABELS].first, "every 2nd label of features is drawn");
	assert_int_equal(m.notes.of[QKV_NOTE_SHORTENED].count, 1);
	unmake(&m);
}

/* where not all labels fit: the first, the last and special ones, then others that keep their distance */
static void
special_tokens_have_labels(void **state)
{
	static const char *words[40];
	static const size_t expected[] = {0, 6, 12, 16, 20, 24, 30, 35, 39};
	struct qkv_axis a;
	struct qkv_err e;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		words[i] = "w";
	words[6] = "[SEP]";
	words[8] = "[SEP]"; /* too near */
	words[30] = "<unk>";
	words[35] = words[36] = words[37] = words[38] = words[39] = "[PAD]";
	assert_int_equal(qkv_axis_new(&a, words, 40, 1, 4, 0, &e), 0);
	assert_int_equal(a.step, 4);
	assert_true(a.has_special);
	assert_int_equal(a.count, sizeof expected / sizeof *expected);
	for (size_t i = 0; i < a.count; i++) {
		assert_int_equal(a.of[i], expected[i]);
		assert_int_equal(qkv_axis_place(&a, i), (long)expected[i] * 4 + 2 - 8);
	}
	qkv_axis_free(&a);
	/* merged cells have the label of a special token in them */
	assert_int_equal(qkv_axis_new(&a, words, 40, 4, 16, 0, &e), 0);
	assert_int_equal(a.count, 10);
	assert_int_equal(a.of[1], 6);
	assert_int_equal(a.of[7], 30);
	assert_int_equal(a.of[9], 39);
	qkv_axis_free(&a);
}

/* heads side by side, also where each has several stages */
static void
columns_are_counted(void **state)
{
	static const struct trial table[] = {
		{2, 2, 1, 12, ALPHA, 0, {.columns = 6}, 2, 6, 0, 0},
		{2, 2, 1, 12, ALPHA, 0, {.columns = 50}, 1, 12, 0, 0},
		{2, 2, 3, 4, ALPHA, 0, {.columns = 1}, 12, 1, 0, 0},
		{2, 2, 1, 5, LESSON, 0, {.columns = 2}, 3, 8, 0, 0},
		{2, 2, 1, 2, LESSON, 0, {.columns = 1}, 2, 4, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		size_t rows = 0, cols = 0;
		struct qkv_err e;
		struct made m;

		assert_int_equal(make(&m, &table[i], &e), 0);
		check_disjoint(&m.f, i);
		for (size_t k = 0; k < m.count; k++) {
			rows = m.panels[k].grid_row + 1 > rows ? m.panels[k].grid_row + 1 : rows;
			cols = m.panels[k].grid_col + 1 > cols ? m.panels[k].grid_col + 1 : cols;
		}
		assert_int_equal(rows, table[i].rows);
		assert_int_equal(cols, table[i].cols);
		unmake(&m);
	}
}

/* panels that fit each by itself, but not together */
static void
grids_are_checked(void **state)
{
	struct trial t = {1, 300, 1, 16, ALPHA, 0, {.cell = 1000}, 0, 0, 0, 0};
	struct qkv_err e;
	struct made m;

	(void)state;
	assert_int_equal(make(&m, &t, &e), -1);
	assert_int_equal(e.status, QKV_EINPUT);
	assert_string_equal(e.text,
		"picture would be 1200488 x 5266 pixels, at most 1000000 a side and 1073741824 in all; "
		"use a smaller --cell, or leave it out");
	unmake(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_overlaps),
		cmocka_unit_test(labels_stand_at_their_cells),
		cmocka_unit_test(panels_form_a_grid),
		cmocka_unit_test(layers_and_stages_have_rows_and_columns),
		cmocka_unit_test(scales),
		cmocka_unit_test(bars_are_as_long_as_sums),
		cmocka_unit_test(sums_below_zero_have_no_bars),
		cmocka_unit_test(sums_are_pooled),
		cmocka_unit_test(notes_say_what_is_left_out),
		cmocka_unit_test(special_tokens_have_labels),
		cmocka_unit_test(columns_are_counted),
		cmocka_unit_test(grids_are_checked),
	};

	return cmocka_run_group_tests(tests, fill_tokens, NULL);
}

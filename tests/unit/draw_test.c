/* Pictures as pixels: origin, colours, hidden cells, pooling, labels. */
#include "picture.h"

#include "draw/map.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

enum {
	LOWEST = 0x440154,
	HALF = 0x21918d,
	HIGHEST = 0xfde725,
	HIDDEN = 0xd4d4d4,
};

static const char *const abc[] = {"a", "b", "c", "d", "e"};

/* draws f, which must succeed, and reads the picture back */
static struct shot
draw(const struct feed *f, struct qkv_notes *notes)
{
	struct qkv_memory_sink m;
	struct shot s = {0};
	struct qkv_err e;

	if (feed_png(&m, 1u << 28, f, notes, &e))
		fail_msg("%s", e.text);
	assert_int_equal(shot_read(&s, m.data, m.size), 0);
	qkv_memory_sink_free(&m);
	return s;
}

static size_t
count_colour(const struct shot *s, unsigned rgb)
{
	size_t n = 0;

	for (size_t y = 0; y < s->h; y++)
		for (size_t x = 0; x < s->w; x++)
			n += shot_at(s, x, y) == rgb;
	return n;
}

static float
causal(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)stage;
	(void)head;
	return j > i ? NAN : 1 / (float)(i + 1);
}

/* R09: rows and columns are whole, query 0 on top, key 0 at the left */
static void
bare_cells_are_exact(void **state)
{
	struct feed f = {3, 3, abc, abc, 1, 1, 0, 0, causal, {.bare = 1, .cell = 10}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);

	(void)state;
	assert_int_equal(s.w, 30);
	assert_int_equal(s.h, 30);
	for (size_t y = 0; y < 30; y++)
		for (size_t x = 0; x < 30; x++) {
			unsigned expected = x / 10 > y / 10 ? HIDDEN
				: y < 10                    ? HIGHEST
				: y < 20                    ? HALF
							    : 0x31688e;

			if (shot_at(&s, x, y) != expected)
				fail_msg("%zu, %zu is %06x", x, y, shot_at(&s, x, y));
		}
	free(s.rgb);
}

static float
weak_and_strong(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)stage;
	return head ? (float)(i == j) : 0.5f;
}

/* R07: one scale for all heads; several bare matrices stand a cell apart */
static void
heads_share_a_scale(void **state)
{
	struct feed f = {2, 2, abc, abc, 1, 2, 0, 0, weak_and_strong, {.bare = 1, .cell = 4}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);

	(void)state;
	assert_int_equal(s.w, 20);
	assert_int_equal(s.h, 8);
	for (size_t y = 0; y < 8; y++)
		for (size_t x = 0; x < 20; x++)
			assert_int_equal(shot_at(&s, x, y),
				x < 8                           ? HALF
					: x < 12                ? 0xffffff
					: (x - 12) / 4 == y / 4 ? HIGHEST
								: LOWEST);
	free(s.rgb);
}

static float
padded(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)stage;
	(void)head;
	return i == 2 || j == 2 ? NAN : i == j ? 0.5f : 0.25f;
}

static float
all_hidden(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)stage;
	(void)head;
	(void)i;
	(void)j;
	return NAN;
}

/* R03, R04, R05: a colour outside the maps, and the range from the other cells alone */
static void
hidden_cells_stand_apart(void **state)
{
	struct feed f = {3, 3, abc, abc, 1, 1, 0, 0, padded, {.bare = 1, .cell = 1}};
	struct qkv_palette p;
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);

	(void)state;
	for (size_t y = 0; y < 3; y++)
		for (size_t x = 0; x < 3; x++)
			assert_int_equal(shot_at(&s, x, y),
				x == 2 || y == 2 ? HIDDEN
					: x == y ? HIGHEST
						 : HALF);
	free(s.rgb);
	qkv_palette_fill(&p, 1u << QKV_MAP_VIRIDIS | 1u << QKV_MAP_BALANCE, &f.o);
	for (size_t i = QKV_INKS; i < p.size; i++)
		assert_memory_not_equal(p.rgb[i], p.rgb[QKV_INK_MASKED], 3);
	f.value = all_hidden;
	s = draw(&f, &notes);
	assert_int_equal(count_colour(&s, HIDDEN), 9);
	free(s.rgb);
}

/* the key "masked" is there if and only if it is needed */
static void
hidden_cells_are_explained(void **state)
{
	struct feed f = {3, 3, abc, abc, 1, 1, 0, 0, causal, {.cell = 20}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);

	(void)state;
	assert_int_equal(count_colour(&s, HIDDEN), 3 * 400 + 24 * 12);
	free(s.rgb);
	f.o.no_row_sums = f.o.no_col_sums = 1; /* the key is then the widest part */
	s = draw(&f, &notes);
	assert_int_equal(count_colour(&s, HIDDEN), 3 * 400 + 24 * 12);
	free(s.rgb);
	f.value = weak_and_strong;
	s = draw(&f, &notes);
	assert_int_equal(count_colour(&s, HIDDEN), 0);
	free(s.rgb);
}

static float
with_sign(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)head;
	if (stage == QKV_ALPHA)
		return j > i ? NAN : 1;
	return stage == QKV_MASKED && j > i ? NAN : i == j ? 0 : i < j ? 8 : -2;
}

/* a stage with signs has zero in the middle of a map of its own; -infinity is hidden, not the lowest */
static void
signs_have_a_map_of_their_own(void **state)
{
	struct feed f = {2, 2, abc, abc, 1, 1, 1u << QKV_SCORES | 1u << QKV_MASKED | 1u << QKV_ALPHA, 0,
		with_sign, {.bare = 1, .cell = 1}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);
	/* columns 0 1 scores, 3 4 masked, 6 7 alpha */
	static const unsigned expected[2][8] = {
		{0xf7f7f5, 0x8a1a24, 0xffffff, 0xf7f7f5, HIDDEN, 0xffffff, HIGHEST, HIDDEN},
		{0, 0xf7f7f5, 0xffffff, 0x123a7c, 0xf7f7f5, 0xffffff, HIGHEST, HIGHEST},
	};

	(void)state;
	assert_int_equal(s.w, 8);
	assert_int_equal(s.h, 2);
	for (size_t y = 0; y < 2; y++)
		for (size_t x = 0; x < 8; x++)
			if (x || !y)
				assert_int_equal(shot_at(&s, x, y), expected[y][x]);
	assert_int_equal(shot_at(&s, 0, 1), 0xa8c5e2); /* -2 of 8: half way from white to the middle blue */
	free(s.rgb);
}

static float
zero(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)stage;
	(void)head;
	(void)i;
	(void)j;
	return 0;
}

static void
nothing_but_zeros(void **state)
{
	struct feed f = {3, 3, abc, abc, 1, 1, 0, 0, zero, {.bare = 1, .cell = 1}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);

	(void)state;
	assert_int_equal(count_colour(&s, LOWEST), 9);
	free(s.rgb);
}

enum { LONG = 5000 };

static float
thin(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)stage;
	return head ? (float)(j == 4321) : (float)(i == j);
}

/* R08: what is one cell wide survives; every cell of the matrix is in one pixel */
static void
thin_structures_survive_pooling(void **state)
{
	static const char *tokens[LONG];
	struct feed f = {LONG, LONG, tokens, tokens, 1, 2, 0, 0, thin, {.bare = 1}};
	struct qkv_notes notes;
	struct shot s;

	(void)state;
	for (size_t i = 0; i < LONG; i++)
		tokens[i] = "t";
	s = draw(&f, &notes);
	assert_int_equal(s.w, 1667 * 2 + 1);
	assert_int_equal(s.h, 1667);
	for (size_t y = 0; y < 1667; y++)
		for (size_t x = 0; x < 1667; x++) {
			assert_int_equal(shot_at(&s, x, y), x == y ? HIGHEST : LOWEST);
			assert_int_equal(shot_at(&s, 1668 + x, y), x == 4321 / 3 ? HIGHEST : LOWEST);
		}
	assert_int_equal(notes.of[QKV_NOTE_POOLED].count, 2);
	assert_string_equal(notes.of[QKV_NOTE_POOLED].first,
		"5000 x 5000 cells shown as 1667 x 1667, the largest of each group");
	free(s.rgb);
}

/* each axis is pooled, and sized, by its own length */
static void
short_axes_stay_visible(void **state)
{
	static const struct {
		size_t n_q, n_k, w, h;
		const char *note;
	} table[] = {
		{1, 3000, 1500, 40, "1 x 3000 cells shown as 1 x 1500, the largest of each group"},
		{3000, 1, 40, 1500, "3000 x 1 cells shown as 1500 x 1, the largest of each group"},
		{3000, 5000, 1667, 1500, "3000 x 5000 cells shown as 1500 x 1667, the largest of each group"},
	};
	static const char *tokens[LONG];

	(void)state;
	for (size_t i = 0; i < LONG; i++)
		tokens[i] = "t";
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct feed f = {table[i].n_q, table[i].n_k, tokens, tokens, 1, 1, 0, 0, zero, {.bare = 1}};
		struct qkv_notes notes;
		struct shot s = draw(&f, &notes);

		assert_int_equal(s.w, table[i].w);
		assert_int_equal(s.h, table[i].h);
		assert_int_equal(count_colour(&s, LOWEST), s.w * s.h);
		assert_string_equal(notes.of[QKV_NOTE_POOLED].first, table[i].note);
		free(s.rgb);
	}
}

/* a size that is asked for is kept, however many cells there are */
static void
a_given_cell_is_never_pooled(void **state)
{
	static const char *tokens[LONG];
	struct feed f = {2, LONG, tokens, tokens, 1, 1, 0, 0, zero, {.bare = 1, .cell = 1}};
	struct qkv_notes notes;
	struct shot s;

	(void)state;
	for (size_t i = 0; i < LONG; i++)
		tokens[i] = "t";
	s = draw(&f, &notes);
	assert_int_equal(s.w, LONG);
	assert_int_equal(s.h, 2);
	assert_int_equal(notes.of[QKV_NOTE_POOLED].count, 0);
	free(s.rgb);
}

/* R15: as many panels as heads, each with its own value */
static void
every_head_is_shown(void **state)
{
	static const size_t heads[] = {12, 64};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct feed f = {1, 1, abc, abc, 1, heads[i], 0, 0, causal, {.bare = 1, .cell = 3}};
		struct qkv_notes notes;
		struct shot s = draw(&f, &notes);

		assert_int_equal(count_colour(&s, HIGHEST), 9 * heads[i]);
		free(s.rgb);
	}
}

/* R02, T04 to T08: no label touches the border, and what cannot be drawn is counted */
static void
labels_of_any_kind(void **state)
{
	static const struct {
		const char *tokens[4];
		size_t missing, shortened;
	} table[] = {
		{{"antidisestablishmentarianism", "a", "b", "c"}, 0, 1},
		{{"a\nb", "c\td", "e\rf", " "}, 0, 0},
		{{"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
			 "\xE2\x9D\xA4\xEF\xB8\x8F", "e\xCC\x81", "\xE2\x80\x8B"},
			3, 0},
		{{"\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D", "abc", "\xD9\x85\xD9\x84\xD9\x83", ""}, 0, 0},
		{{"\xF0\xA0\x80\x80", "\xF0\x9F\x98\x80", "a", "\xE4\xB8\x89"}, 2, 0},
		{{"<s>", "[CLS]", "a<b&c", "</s>"}, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct feed f = {4, 4, table[i].tokens, table[i].tokens, 1, 1, 0, 0, causal, {0}};
		struct qkv_notes notes;
		struct shot s = draw(&f, &notes);

		assert_int_equal(notes.of[QKV_NOTE_GLYPH].count, table[i].missing);
		assert_int_equal(notes.of[QKV_NOTE_SHORTENED].count, table[i].shortened);
		for (size_t x = 0; x < s.w; x++)
			assert_true(shot_at(&s, x, 0) == 0xffffff && shot_at(&s, x, s.h - 1) == 0xffffff);
		for (size_t y = 0; y < s.h; y++)
			assert_true(shot_at(&s, 0, y) == 0xffffff && shot_at(&s, s.w - 1, y) == 0xffffff);
		free(s.rgb);
	}
}

/* the mean of the cells of a group that have a value; the last group is smaller */
static float
ramp(enum qkv_stage stage, size_t head, size_t i, size_t j)
{
	(void)stage;
	(void)head;
	return j == 4 && i < 2 ? NAN : j == 4 ? 1 : i == 4 ? 0 : (float)((i + j) % 2);
}

static void
means(void **state)
{
	struct feed f = {5, 5, abc, abc, 1, 1, 0, 0, ramp, {.bare = 1, .max_size = 3, .pool_mean = 1}};
	static const unsigned expected[3][3] = {
		{HALF, HALF, HIDDEN}, {HALF, HALF, HIGHEST}, {LOWEST, LOWEST, HIGHEST}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);

	(void)state;
	assert_int_equal(s.w, 3);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(shot_at(&s, i % 3, i / 3), expected[i / 3][i % 3]);
	assert_string_equal(
		notes.of[QKV_NOTE_POOLED].first, "5 x 5 cells shown as 3 x 3, the mean of each group");
	free(s.rgb);
	/* a size that is asked for wins */
	f.o.cell = 2;
	s = draw(&f, &notes);
	assert_int_equal(s.w, 10);
	free(s.rgb);
}

/* everything is as many times as large, cells to the pixel; text has shades between paper and ink */
static void
zoom(void **state)
{
	struct feed f = {3, 3, abc, abc, 1, 1, 0, 0, causal, {.bare = 1, .cell = 5}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes), large;
	size_t shades = 0;

	(void)state;
	f.o.zoom = 3;
	large = draw(&f, &notes);
	assert_int_equal(large.w, 3 * s.w);
	assert_int_equal(large.h, 3 * s.h);
	for (size_t y = 0; y < large.h; y++)
		for (size_t x = 0; x < large.w; x++)
			assert_int_equal(shot_at(&large, x, y), shot_at(&s, x / 3, y / 3));
	free(s.rgb);
	free(large.rgb);
	f.o.bare = 0;
	f.o.zoom = 0;
	s = draw(&f, &notes);
	f.o.zoom = 3;
	large = draw(&f, &notes);
	assert_int_equal(large.w, 3 * s.w);
	assert_int_equal(large.h, 3 * s.h);
	/* the middle of a pixel of text keeps its colour, where its neighbours along a line do */
	for (size_t y = 1; y + 1 < s.h; y++)
		for (size_t x = 1; x + 1 < s.w; x++) {
			unsigned at = shot_at(&s, x, y), here = shot_at(&large, 3 * x + 1, 3 * y + 1);

			if (at == 0x1c1c1c || at == 0xffffff)
				shades += here != at;
		}
	/* dots and corners alone */
	assert_true(shades < s.w * s.h / 1000);
	for (size_t i = shades = 0; i < large.w * large.h; i++) {
		const unsigned char *p = large.rgb + 3 * i;

		shades += p[0] == p[1] && p[1] == p[2] && p[0] > 0x1c && p[0] < 0xff && p[0] != 0xd4 &&
			p[0] != 0xb0;
	}
	assert_true(shades > 100);
	free(s.rgb);
	free(large.rgb);
}

/* R10: dark on light cells and light on dark ones, in the middle of each; none where there is no room */
static void
values_in_cells(void **state)
{
	struct feed f = {2, 2, abc, abc, 1, 1, 0, 0, causal, {.bare = 1, .cell = 40, .annotate = 1}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);
	size_t ink[4] = {0};

	(void)state;
	assert_int_equal(s.w, 80);
	for (size_t y = 0; y < 80; y++)
		for (size_t x = 0; x < 80; x++) {
			unsigned at = shot_at(&s, x, y),
				 ground = x < 40 && y < 40 ? HIGHEST
				: y < 40                   ? HIDDEN
							   : HALF;

			assert_true(at == ground || at == 0x000000);
			ink[y / 40 * 2 + x / 40] += at != ground;
			/* "1" is one letter wide, "0.50" four */
			if (at != ground)
				assert_true(y % 40 >= 12 && y % 40 < 28 && x % 40 >= 4 && x % 40 < 36);
		}
	assert_true(ink[0] > 8 && ink[1] == 0 && ink[2] == ink[3] && ink[2] > 4 * ink[0] / 2);
	assert_int_equal(notes.of[QKV_NOTE_VALUES].count, 0);
	free(s.rgb);
	f.o.zoom = 2;
	s = draw(&f, &notes);
	assert_true(count_colour(&s, 0) > 4 * ink[2]);
	free(s.rgb);
	/* four letters and a margin need 36 pixels */
	f.o.zoom = 0;
	for (f.o.cell = 35; f.o.cell <= 36; f.o.cell++) {
		s = draw(&f, &notes);
		assert_int_equal(notes.of[QKV_NOTE_VALUES].count, f.o.cell == 35 ? 2 : 0);
		free(s.rgb);
	}
	f.o.cell = 20;
	s = draw(&f, &notes);
	/* the 1 fits */
	assert_int_equal(notes.of[QKV_NOTE_VALUES].count, 2);
	assert_string_equal(notes.of[QKV_NOTE_VALUES].first, "cells are 20 x 20 pixels");
	assert_int_equal(count_colour(&s, 0), ink[0]);
	free(s.rgb);
}

/* the sums that uniform attention would have, where a mask hides keys */
static void
marks_of_uniform_attention(void **state)
{
	struct feed f = {3, 3, abc, abc, 1, 1, 0, 0, causal, {.cell = 16}};
	struct qkv_notes notes;
	struct shot s = draw(&f, &notes);
	size_t top = 0, left = 0, rows = 0;

	(void)state;
	for (size_t y = 0; y < s.h && !rows; y++)
		for (size_t x = 0; x < s.w; x++)
			rows += shot_at(&s, x, y) == HIGHEST && y > 100;
	for (size_t y = s.h; y-- > 0;)
		for (size_t x = s.w; x-- > 0;)
			if (shot_at(&s, x, y) == 0xb3261e && (!left || x < left))
				left = x, top = y;
	/* the columns would sum to 11/6, 5/6 and 1/3, of a scale of 32 pixels to 11/6: marks at 32, 15 and 6 */
	assert_int_equal(shot_at(&s, left, top), 0xb3261e);
	assert_int_equal(shot_at(&s, left + 16, top - 17), 0xb3261e);
	assert_int_equal(shot_at(&s, left + 32, top - 26), 0xb3261e);
	assert_int_equal(count_colour(&s, 0xb3261e), 3 * 16 + 3 * 16);
	free(s.rgb);
}

/* whole pictures, pixel by pixel */
static void
golden_pictures(void **state)
{
	static const char *const korean[] = {"\xEB\x82\x98\xEB\x8A\x94",
		"\xEC\x82\xAC\xEA\xB3\xBC\xEB\xA5\xBC", "\xEB\xA8\xB9\xEC\x97\x88\xEB\x8B\xA4"};
	static const char *const english[] = {"apple", "ate"};
	static const struct {
		const char *name;
		struct feed f;
	} table[] = {
		{"picture_causal.png", {3, 3, korean, korean, 1, 1, 0, 0, causal, {0}}},
		{"picture_zoom.png",
			{3, 3, korean, korean, 1, 1, 0, 0, causal,
				{.zoom = 2,
					.dark = 1,
					.annotate = 1,
					.map = QKV_MAP_MAGMA,
					.title = "zoom"}}},
		{"picture_stages.png",
			{2, 3, english, korean, 1, 1, 1u << QKV_SCORES | 1u << QKV_ALPHA, 0, with_sign, {0}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct qkv_notes notes;
		struct shot s = draw(&table[i].f, &notes), golden = {0};
		char path[64], *data = malloc(1u << 20);
		FILE *file;
		size_t size;

		snprintf(path, sizeof path, "tests/golden/%s", table[i].name);
		file = fopen(path, "rb");
		if (!file)
			fail_msg("%s cannot be read", path);
		size = fread(data, 1, 1u << 20, file);
		fclose(file);
		assert_int_equal(shot_read(&golden, data, size), 0);
		assert_int_equal(s.w, golden.w);
		assert_int_equal(s.h, golden.h);
		assert_memory_equal(s.rgb, golden.rgb, 3 * s.w * s.h);
		free(data);
		free(s.rgb);
		free(golden.rgb);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_cells_are_exact),
		cmocka_unit_test(heads_share_a_scale),
		cmocka_unit_test(hidden_cells_stand_apart),
		cmocka_unit_test(hidden_cells_are_explained),
		cmocka_unit_test(signs_have_a_map_of_their_own),
		cmocka_unit_test(nothing_but_zeros),
		cmocka_unit_test(thin_structures_survive_pooling),
		cmocka_unit_test(short_axes_stay_visible),
		cmocka_unit_test(a_given_cell_is_never_pooled),
		cmocka_unit_test(every_head_is_shown),
		cmocka_unit_test(labels_of_any_kind),
		cmocka_unit_test(means),
		cmocka_unit_test(zoom),
		cmocka_unit_test(values_in_cells),
		cmocka_unit_test(marks_of_uniform_attention),
		cmocka_unit_test(golden_pictures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

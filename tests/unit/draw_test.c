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
	qkv_palette_fill(&p, 1u << QKV_MAP_VIRIDIS | 1u << QKV_MAP_BALANCE);
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
	assert_string_equal(notes.of[QKV_NOTE_POOLED].first, "5000 x 5000 cells shown as 1667 x 1667");
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
		{1, 3000, 1500, 40, "1 x 3000 cells shown as 1 x 1500"},
		{3000, 1, 40, 1500, "3000 x 1 cells shown as 1500 x 1"},
		{3000, 5000, 1667, 1500, "3000 x 5000 cells shown as 1500 x 1667"},
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
		cmocka_unit_test(golden_pictures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

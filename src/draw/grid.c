/* The grid of panels. */
#include "draw/grid.h"

#include "draw/glyph.h"

enum {
	ANNOTATED = 64,    /* tokens a side up to which values decide how large cells are */
	VALUE = 5 * 8 + 8, /* pixels that -0.12 takes with room about it */
};

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* the first panel of the layer after that of panel i, or count */
static size_t
layer_end(const struct qkv_panel *panels, size_t count, size_t i)
{
	size_t layer = panels[i].layer;

	while (i < count && panels[i].layer == layer)
		i++;
	return i;
}

/* stages as columns in their order, heads as rows; what belongs to a whole layer joins its last head */
static void
arrange_stages(struct qkv_panel *panels, size_t count, unsigned stages, size_t *rows, size_t *cols)
{
	*rows = *cols = 0;
	for (unsigned s = stages; s; s &= s - 1)
		(*cols)++;
	for (size_t first = 0, end; first < count; first = end) {
		end = layer_end(panels, count, first);
		for (size_t i = first; i < end; i++) {
			struct qkv_panel *p = &panels[i];
			size_t same = first;

			p->grid_col = 0;
			for (unsigned s = 0; s < (unsigned)p->stage; s++)
				p->grid_col += stages >> s & 1;
			while (same < i && panels[same].head != p->head)
				same++;
			if (same < i)
				p->grid_row = panels[same].grid_row;
			else if (p->head == QKV_NONE && i > first)
				p->grid_row = *rows - 1;
			else
				p->grid_row = (*rows)++;
		}
	}
}

/* a layer a row */
static void
arrange_layers(struct qkv_panel *panels, size_t count, size_t *rows, size_t *cols)
{
	*rows = *cols = 0;
	for (size_t first = 0, end; first < count; first = end, (*rows)++) {
		end = layer_end(panels, count, first);
		for (size_t i = first; i < end; i++) {
			panels[i].grid_row = *rows;
			panels[i].grid_col = i - first;
		}
		*cols = larger(*cols, end - first);
	}
}

/* one after another */
static void
arrange_flow(struct qkv_panel *panels, size_t count, size_t abreast, size_t *rows, size_t *cols)
{
	*cols = smaller(count, abreast);
	*rows = (count + *cols - 1) / *cols;
	for (size_t i = 0; i < count; i++) {
		panels[i].grid_row = i / *cols;
		panels[i].grid_col = i % *cols;
	}
}

/* as near a square as can be, rather wide than tall */
static size_t
side_of_square(size_t count)
{
	size_t side = 1;

	while (side * side < count)
		side++;
	return side;
}

/* rows of a grid beside each other */
static void
fold(struct qkv_panel *panels, size_t count, size_t abreast, size_t *rows, size_t *cols)
{
	for (size_t i = 0; i < count; i++) {
		struct qkv_panel *p = &panels[i];

		p->grid_col += p->grid_row % abreast * *cols;
		p->grid_row /= abreast;
	}
	*cols *= smaller(*rows, abreast);
	*rows = (*rows + abreast - 1) / abreast;
}

void
qkv_grid_arrange(
	struct qkv_panel *panels, size_t count, unsigned stages, size_t abreast, size_t *rows, size_t *cols)
{
	if (stages & (stages - 1)) {
		arrange_stages(panels, count, stages, rows, cols);
		if (abreast > 1)
			fold(panels, count, abreast, rows, cols);
		return;
	}
	if (abreast) {
		arrange_flow(panels, count, abreast, rows, cols);
		return;
	}
	arrange_layers(panels, count, rows, cols);
	if (*rows == 1 || *cols == 1)
		arrange_flow(panels, count, side_of_square(count), rows, cols);
}

/*
 * A single panel of up to 64 tokens has cells as high as text, and so has one of up to 16 among many;
 * more tokens share a side that leaves the figure a few thousand pixels wide.
 */
static size_t
choose(size_t n, size_t abreast)
{
	size_t side = abreast == 1 ? 1024 : larger(256, 1536 / abreast);
	size_t most = abreast <= 4 ? 40 : 24;
	size_t roomy = smaller(most, side / 2 / n), tight = smaller(QKV_GLYPH_HEIGHT, side / n);

	return larger(1, larger(roomy, tight));
}

/* a cell that lets n of them be as many pixels as are wanted at most */
static size_t
fit(size_t cell, size_t n, const struct qkv_draw_options *o)
{
	return o->max_size ? larger(1, smaller(cell, o->max_size / larger(1, n))) : cell;
}

void
qkv_grid_size(struct qkv_panel *panels, size_t count, size_t cols, const struct qkv_draw_options *o)
{
	size_t n = 1, cell;

	for (size_t i = 0; i < count; i++) {
		n = larger(n, panels[i].high);
		if (qkv_stage_has_key_columns(panels[i].stage))
			n = larger(n, panels[i].wide);
	}
	cell = o->cell ? o->cell : choose(n, cols);
	/* values need room */
	if (!o->cell && o->annotate && n <= ANNOTATED)
		cell = larger(cell, VALUE);
	cell = o->cell ? cell : fit(cell, n, o);
	for (size_t i = 0; i < count; i++) {
		struct qkv_panel *p = &panels[i];

		p->cell_w = p->cell_h = cell;
		if (o->cell)
			continue;
		/* squares that are lower than text would make a thin line of a short axis */
		if (cell < QKV_GLYPH_HEIGHT) {
			p->cell_h = choose(larger(1, p->high), cols);
			p->cell_w = choose(larger(1, p->wide), cols);
		}
		/* features are many and need no room for words */
		if (!qkv_stage_has_key_columns(p->stage))
			p->cell_w = smaller(p->cell_w, larger(1, 1024 / larger(1, p->wide)));
		p->cell_w = fit(p->cell_w, p->wide, o);
		p->cell_h = fit(p->cell_h, p->high, o);
	}
}

/* In which row and column of a figure each panel stands, and how large its cells are. */
#ifndef QKV_DRAW_GRID_H
#define QKV_DRAW_GRID_H

#include "draw/panel.h"

/* sets grid_row and grid_col of count panels, in the order in which matrices come; stages has a bit for each shown;
 * abreast: how many heads, 0 for what suits them */
void qkv_grid_arrange(
	struct qkv_panel *panels, size_t count, unsigned stages, size_t abreast, size_t *rows, size_t *cols);

/* sets cell_w and cell_h of panels that stand cols abreast: what o says, or what suits their number and size */
void qkv_grid_size(struct qkv_panel *panels, size_t count, size_t cols, const struct qkv_draw_options *o);

#endif

/* How long the bars are that stand for row sums, right of a panel, and for column sums, below it. */
#ifndef QKV_DRAW_BARS_H
#define QKV_DRAW_BARS_H

#include "draw/figure.h"
#include "kern/number.h"

/* one scale of each kind for all panels: from 0 to the largest sum, or mark of uniform attention, whose number stands
 * at a line; what is below 0 has no bar, and where all is, the line is at 0 */
struct qkv_bars {
	double row_top, col_top;
	char row_number[QKV_NUMBER_MAX + 1], col_number[QKV_NUMBER_MAX + 1];
	size_t right, below; /* pixels that bars take right of a panel, and below it */
};

void qkv_bars_scale(struct qkv_bars *b, const struct qkv_panel *panels, size_t count);

/* pixels of the bar of a sum, 32 at most; what is not zero shows */
size_t qkv_bars_length(double sum, double top);

int
qkv_bars_mark(const struct qkv_bars *b, struct qkv_figure *f, const struct qkv_panel *p, struct qkv_err *e);

#endif

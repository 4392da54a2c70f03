/* Which values are written into their cells. */
#ifndef QKV_DRAW_VALUES_H
#define QKV_DRAW_VALUES_H

#include "draw/figure.h"

/* how many texts they are at most */
size_t qkv_values_count(const struct qkv_panel *p);

/* marks those of a panel that fit, dark or light by the colour below; adds the number of others to *left_out */
int qkv_values_mark(struct qkv_figure *f, const struct qkv_panel *p, size_t *left_out, struct qkv_err *e);

#endif

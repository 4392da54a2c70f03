/* Which palette index each pixel of an enlarged figure has, row by row from the top. */
#ifndef QKV_DRAW_RASTER_H
#define QKV_DRAW_RASTER_H

#include "draw/figure.h"

struct qkv_raster {
	const struct qkv_figure *figure;
	size_t zoom;
	unsigned char *line;    /* (width * zoom,): the row that was painted last */
	unsigned char *indices; /* of a row of cells */
	size_t *starts;         /* (height,): the first mark that begins in a row, plus 1; 0: none */
	size_t *following;      /* (count,): the next mark that begins in the same row, plus 1; 0: none */
	size_t *active;         /* marks in the row */
	size_t num_active;
	int has_over; /* text stands upon cells */
};

/* r is to be freed whatever is returned */
int qkv_raster_new(struct qkv_raster *r, const struct qkv_figure *f, struct qkv_err *e);

/* paints row y of height * zoom into r->line, after row y - 1; whether the cells in it are those of the row before */
int qkv_raster_paint(struct qkv_raster *r, size_t y);

void qkv_raster_free(struct qkv_raster *r);

#endif

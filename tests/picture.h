/*
 * For the tests of pictures: a document that is fed to the consumer, and the picture read back.
 * A value that is NaN is a hidden cell. Rows come in blocks of three, with a stride wider than they are.
 */
#ifndef QKV_TESTS_PICTURE_H
#define QKV_TESTS_PICTURE_H

#include "base/mem.h"
#include "base/sink.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef float value_of(enum qkv_stage stage, size_t head, size_t i, size_t j);

struct feed {
	size_t n_q, n_k;
	const char *const *query_tokens, *const *key_tokens;
	size_t layers, heads;
	unsigned stages; /* 0: alpha */
	size_t features;
	value_of *value;
	struct qkv_draw_options o;
};

struct shot {
	size_t w, h;
	unsigned char *rgb;
};

static inline int
feed_rows(struct qkv_consumer *c, const struct qkv_matrix *m, value_of *value, size_t first, double *col_sums,
	struct qkv_err *e)
{
	size_t rows = m->rows - first < 3 ? m->rows - first : 3, stride = m->cols + 5;
	float *data = calloc(rows * stride, sizeof *data);
	unsigned char *hidden = calloc(rows * m->cols, 1);
	double row_sums[3] = {0};
	struct qkv_block b = {
		.matrix = m,
		.row = first,
		.rows = rows,
		.stride = stride,
		.data = data,
		.hidden = hidden,
		.row_sums = m->stage == QKV_ALPHA ? row_sums : NULL,
	};
	int status;

	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < m->cols; j++) {
			float v = value(m->stage, m->head, first + i, j);

			/* scores tell which cells a mask will hide, and have values there */
			hidden[i * m->cols + j] = v != v || (m->stage < QKV_MASKED && j > first + i);
			if (v != v)
				v = m->stage == QKV_MASKED ? -INFINITY : 0;
			data[i * stride + j] = v;
			row_sums[i] += (double)v;
			col_sums[j] += (double)v;
		}
	status = c->rows(c, &b, e);
	free(data);
	free(hidden);
	return status;
}

static inline int
feed_matrix(struct qkv_consumer *c, const struct qkv_matrix *m, value_of *value, struct qkv_err *e)
{
	double *col_sums = calloc(m->cols, sizeof *col_sums);
	int status = c->matrix_begin(c, m, e);

	for (size_t i = 0; !status && i < m->rows; i += 3)
		status = feed_rows(c, m, value, i, col_sums, e);
	if (!status)
		status = c->matrix_end(c, m->stage == QKV_ALPHA ? col_sums : NULL, e);
	free(col_sums);
	return status;
}

static inline struct qkv_doc
feed_doc(const struct feed *f)
{
	return (struct qkv_doc){
		.n_q = f->n_q,
		.n_k = f->n_k,
		.query_tokens = f->query_tokens,
		.key_tokens = f->key_tokens,
		.self_attention = f->query_tokens == f->key_tokens,
		.num_layers = f->layers,
		.has_layers = f->layers > 1,
		.num_heads = f->heads,
		.num_kv_heads = f->heads,
		.head_limit = f->heads,
		.shown_layers = f->layers,
		.shown_heads = f->heads,
	};
}

static inline struct qkv_matrix
feed_shape(const struct feed *f, const struct qkv_doc *doc, enum qkv_stage stage, size_t layer, size_t head)
{
	int keys_across = stage >= QKV_SCORES && stage <= QKV_ALPHA,
	    keys_down = stage == QKV_K || stage == QKV_V;

	return (struct qkv_matrix){
		.doc = doc,
		.stage = stage,
		.layer = layer,
		.head = stage == QKV_OUTPUT ? QKV_NONE : head,
		.rows = keys_down ? f->n_k : f->n_q,
		.cols = keys_across ? f->n_k : f->features,
		.mask = "none",
	};
}

/* hands all matrices of f to c, in the order that consumers are promised */
static inline int
feed_consumer(struct qkv_consumer *c, const struct feed *f, struct qkv_err *e)
{
	struct qkv_doc doc = feed_doc(f);
	unsigned stages = f->stages ? f->stages : 1u << QKV_ALPHA;
	int status = c->doc_begin(c, &doc, e);

	for (size_t l = 0; l < f->layers; l++)
		for (size_t h = 0; h < f->heads; h++)
			for (unsigned s = 0; s < QKV_STAGES; s++) {
				struct qkv_matrix m = feed_shape(f, &doc, s, l, h);

				if (!status && (stages >> s & 1) && (s != QKV_OUTPUT || h == f->heads - 1))
					status = feed_matrix(c, &m, f->value, e);
			}
	return status ? status : c->doc_end(c, e);
}

/* makes the consumer of a format of pictures */
typedef int picture_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_draw_options *o,
	struct qkv_notes *notes, struct qkv_err *e);

/* the picture of f as bytes in m, which takes limit of them */
static inline int
feed_picture(picture_new *make, struct qkv_memory_sink *m, size_t limit, const struct feed *f,
	struct qkv_notes *notes, struct qkv_err *e)
{
	struct qkv_consumer *c;
	int status;

	memset(notes, 0, sizeof *notes);
	qkv_memory_sink_init(m, limit);
	status = make(&c, &m->sink, &f->o, notes, e);
	if (status)
		return status;
	status = feed_consumer(c, f, e);
	c->free(c);
	return status;
}

static inline int
feed_png(struct qkv_memory_sink *m, size_t limit, const struct feed *f, struct qkv_notes *notes,
	struct qkv_err *e)
{
	return feed_picture(qkv_png_new, m, limit, f, notes, e);
}

/* reads size bytes of PNG; 0, or -1 */
static inline int
shot_read(struct shot *s, const void *data, size_t size)
{
	png_image image = {.version = PNG_IMAGE_VERSION};

	if (!png_image_begin_read_from_memory(&image, data, size))
		return -1;
	image.format = PNG_FORMAT_RGB;
	s->w = image.width;
	s->h = image.height;
	s->rgb = malloc(PNG_IMAGE_SIZE(image));
	return png_image_finish_read(&image, NULL, s->rgb, 0, NULL) ? 0 : -1;
}

/* 0xRRGGBB of a pixel */
static inline unsigned
shot_at(const struct shot *s, size_t x, size_t y)
{
	const unsigned char *p = s->rgb + 3 * (y * s->w + x);

	return (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];
}

#endif

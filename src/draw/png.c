/*
 * PNG through libpng, but for the pixels, which are compressed here, in the same bytes everywhere.
 *
 * No filter on the first line of a row of cells, UP on its repeats, which become zeros. libpng leaves by longjmp: what
 * must be freed stands in a struct outside.
 */
#include "draw/png.h"

#include "base/mem.h"
#include "draw/deflate.h"
#include "draw/picture.h"
#include "draw/raster.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

enum {
	PIXELS_PER_METRE = 3780, /* 96 an inch */
	SMALL = 4000000,         /* pixels that no thread is started for */
};

struct writer {
	struct qkv_sink *sink;
	struct qkv_err *e;
	int failed; /* e is filled */
	int no_memory;
	png_structp png;
	png_infop info;
	struct qkv_raster raster;
	struct qkv_deflate *deflate;
	unsigned char *rows; /* (2, width): the row before, and the filtered one */
};

static void *
allocate(png_structp png, png_alloc_size_t size)
{
	struct writer *w = png_get_mem_ptr(png);
	void *p = qkv_mem_hook(size);

	w->no_memory |= !p;
	return p;
}

static void
release(png_structp png, void *p)
{
	(void)png;
	qkv_mem_free(p);
}

static void
leave(png_structp png, const char *text)
{
	struct writer *w = png_get_error_ptr(png);

	if (!w->failed && !w->no_memory)
		qkv_fail(w->e, QKV_EIO, "picture cannot be written: %s", text);
	w->failed |= !w->no_memory;
	png_longjmp(png, 1);
}

static void
ignore(png_structp png, const char *text)
{
	(void)png;
	(void)text;
}

static void
put(png_structp png, unsigned char *data, size_t size)
{
	struct writer *w = png_get_io_ptr(png);

	if (w->sink->write(w->sink, data, size, w->e)) {
		w->failed = 1;
		png_error(png, "sink");
	}
}

static void
flush(png_structp png)
{
	(void)png;
}

/* iTXt, in UTF-8 */
static void
add_text(png_text *text, char *key, char *value)
{
	text->compression = PNG_ITXT_COMPRESSION_NONE;
	text->key = key;
	text->text = value;
	text->itxt_length = strlen(value);
}

static void
write_header(struct writer *w)
{
	const struct qkv_figure *f = w->raster.figure;
	char keys[4][12] = {"Title", "Description", "Parameters", "Software"}, software[] = "qkv";
	char title[sizeof f->title], caption[sizeof f->caption], parameters[sizeof f->parameters];
	png_text text[4] = {{0}};
	png_color colours[256];

	png_set_IHDR(w->png, w->info, (png_uint_32)(f->width * f->zoom), (png_uint_32)(f->height * f->zoom),
		8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
		PNG_FILTER_TYPE_DEFAULT);
	for (size_t i = 0; i < f->palette.size; i++) {
		const unsigned char *rgb = f->palette.rgb[i];

		colours[i] = (png_color){rgb[0], rgb[1], rgb[2]};
	}
	png_set_PLTE(w->png, w->info, colours, (int)f->palette.size);
	png_set_sRGB(w->png, w->info, PNG_sRGB_INTENT_PERCEPTUAL);
	png_set_pHYs(w->png, w->info, PIXELS_PER_METRE, PIXELS_PER_METRE, PNG_RESOLUTION_METER);
	/* libpng takes no constants */
	memcpy(title, f->title, sizeof title);
	memcpy(caption, f->caption, sizeof caption);
	memcpy(parameters, f->parameters, sizeof parameters);
	add_text(&text[0], keys[0], title);
	add_text(&text[1], keys[1], caption);
	add_text(&text[2], keys[2], parameters);
	add_text(&text[3], keys[3], software);
	png_set_text(w->png, w->info, text, 4);
	png_write_info(w->png, w->info);
}

static void
put_pixels(void *to, const unsigned char *data, size_t size)
{
	png_write_chunk(((struct writer *)to)->png, (png_const_bytep) "IDAT", data, size);
}

static void
write_row(struct writer *w, size_t y)
{
	size_t width = w->raster.figure->width * w->raster.figure->zoom;
	int repeats = qkv_raster_paint(&w->raster, y);
	unsigned char *line = w->raster.line, *before = w->rows, *filtered = w->rows + width;
	unsigned char filter = repeats ? PNG_FILTER_VALUE_UP : PNG_FILTER_VALUE_NONE;

	qkv_deflate_add(w->deflate, &filter, 1);
	for (size_t x = 0; repeats && x < width; x++)
		filtered[x] = (unsigned char)(line[x] - before[x]);
	qkv_deflate_add(w->deflate, repeats ? filtered : line, width);
	memcpy(before, line, width);
}

/* everything that may leave by longjmp; 0, or -1 */
static int
write_all(struct writer *w)
{
	size_t height = w->raster.figure->height * w->raster.figure->zoom;

	if (setjmp(png_jmpbuf(w->png)))
		return -1;
	w->info = png_create_info_struct(w->png);
	if (!w->info)
		return -1;
	png_set_write_fn(w->png, w, put, flush);
	write_header(w);
	for (size_t y = 0; y < height; y++)
		write_row(w, y);
	qkv_deflate_end(w->deflate);
	png_write_chunk(w->png, (png_const_bytep) "IEND", NULL, 0);
	return 0;
}

int
qkv_png_write(struct qkv_sink *s, const struct qkv_figure *f, struct qkv_err *e)
{
	struct writer w = {.sink = s, .e = e};
	int is_small = f->width * f->zoom * f->height * f->zoom < SMALL;
	int status = qkv_raster_new(&w.raster, f, e);

	if (!status)
		status = qkv_deflate_new(&w.deflate, put_pixels, &w, is_small ? 1 : f->threads, e);
	if (!status && !(w.rows = qkv_mem_new(2 * f->zoom, f->width, e)))
		status = -1;
	if (!status) {
		w.png = png_create_write_struct_2(
			PNG_LIBPNG_VER_STRING, &w, leave, ignore, &w, allocate, release);
		status = w.png ? write_all(&w) : -1;
		if (status && !w.failed)
			qkv_fail(e, QKV_EMEMORY, "out of memory, writing a picture of %zu x %zu pixels",
				f->width * f->zoom, f->height * f->zoom);
		png_destroy_write_struct(&w.png, &w.info);
	}
	qkv_mem_free(w.rows);
	qkv_deflate_free(w.deflate);
	qkv_raster_free(&w.raster);
	return status;
}

const char *
qkv_png_version(void)
{
	return png_get_libpng_ver(NULL);
}

int
qkv_png_new(struct qkv_consumer **c, struct qkv_sink *s, const struct qkv_draw_options *o,
	struct qkv_notes *notes, struct qkv_err *e)
{
	return qkv_picture_new(c, s, qkv_png_write, o, notes, e);
}

/*
 * The inputs, the same in every run: a BERT-sized layer as text, layers as base64, and small ones.
 *
 * Embeddings are even between -1 and 1, weights of 768 features between -0.18 and 0.18: the scores then deviate
 * by 2.8 after the scale, and a row of alpha has a few large weights and many near zero, as real ones have.
 */
#include "bench.h"

#include "random.h"

#include <stdlib.h>

static void
put_tokens(FILE *f, size_t n)
{
	fputs("{\"tokens\":[", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s\"token %zu\"", i ? "," : "", i);
	fputc(']', f);
}

/* 8 to 10 decimals, 8.8 on average: 2.16 million numbers are 26.6 MB */
static void
put_decimals(FILE *f, double range)
{
	static const int decimals[] = {8, 8, 9, 9, 10};
	double x = (random_bits() * 0x1p-31 - 1) * range;

	fprintf(f, "%.*f", decimals[random_below(5)], x);
}

/* float32 as Python writes it, through double */
static void
put_python(FILE *f, double range)
{
	fprintf(f, "%.17g", (double)(float)((random_bits() * 0x1p-31 - 1) * range));
}

static void
put_matrix(
	FILE *f, const char *key, size_t rows, size_t cols, double range, void (*put)(FILE *f, double range))
{
	fprintf(f, ",\"%s\":[", key);
	for (size_t i = 0; i < rows; i++) {
		fputs(i ? ",[" : "[", f);
		for (size_t j = 0; j < cols; j++) {
			if (j)
				fputc(',', f);
			put(f, range);
		}
		fputc(']', f);
	}
	fputc(']', f);
}

static float
draw(float range)
{
	return (float)(int32_t)random_bits() * 0x1p-31f * range;
}

/* count floats, little-endian, in base64 (RFC 4648) */
static void
put_base64(FILE *f, size_t count, float range)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	/* three floats are 12 bytes, 16 digits */
	for (size_t i = 0; i < count; i += 3) {
		size_t size = count - i < 3 ? 4 * (count - i) : 12;
		unsigned char bytes[12] = {0};
		char text[16];

		for (size_t k = 0; 4 * k < size; k++) {
			float x = draw(range);
			uint32_t bits;

			memcpy(&bits, &x, sizeof bits);
			for (size_t b = 0; b < 4; b++)
				bytes[4 * k + b] = (unsigned char)(bits >> 8 * b);
		}
		for (size_t k = 0; k < 16; k++) {
			const unsigned char *p = bytes + k / 4 * 3;
			uint32_t group = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

			text[k] = digits[group >> (18 - 6 * (k % 4)) & 63];
		}
		/* n bytes are ceil(4 n / 3) digits, and fill up to groups of four */
		for (size_t k = (4 * size + 2) / 3; k < (size + 2) / 3 * 4; k++)
			text[k] = '=';
		fwrite(text, 1, (size + 2) / 3 * 4, f);
	}
}

static void
put_tensor(FILE *f, const char *key, size_t a, size_t b, size_t c, float range)
{
	fprintf(f, ",\"%s\":{\"shape\":[", key);
	if (a)
		fprintf(f, "%zu,", a);
	fprintf(f, "%zu,%zu],\"dtype\":\"float32\",\"data\":\"", b, c);
	put_base64(f, (a ? a : 1) * b * c, range);
	fputs("\"}", f);
}

/* n tokens, d = 768, 12 heads, no W_O: one document on one line */
static void
put_numbers(FILE *f, size_t n, void (*put)(FILE *f, double range))
{
	put_tokens(f, n);
	fputs(",\"num_heads\":12,\"weight_layout\":\"in_out\"", f);
	put_matrix(f, "embeddings", n, 768, 1, put);
	put_matrix(f, "W_Q", 768, 768, 0.18, put);
	put_matrix(f, "W_K", 768, 768, 0.18, put);
	put_matrix(f, "W_V", 768, 768, 0.18, put);
}

static void
numbers(FILE *f, size_t n)
{
	put_numbers(f, n, put_decimals);
}

static void
python(FILE *f, size_t n)
{
	put_numbers(f, n, put_python);
}

static void
layer(FILE *f, size_t n)
{
	put_tokens(f, n);
	fputs(",\"num_heads\":12,\"weight_layout\":\"out_in\"", f);
	put_tensor(f, "embeddings", 0, n, 768, 1);
	put_tensor(f, "W_Q", 0, 768, 768, 0.18f);
	put_tensor(f, "W_K", 0, 768, 768, 0.18f);
	put_tensor(f, "W_V", 0, 768, 768, 0.18f);
	put_tensor(f, "W_O", 0, 768, 768, 0.18f);
}

/* ready Q and K, heads 64 wide */
static void
put_ready(FILE *f, size_t heads, size_t n)
{
	put_tokens(f, n);
	put_tensor(f, "Q", heads, n, 64, 1.7f);
	put_tensor(f, "K", heads, n, 64, 1.7f);
}

static void
ready(FILE *f, size_t n)
{
	put_ready(f, 1, n);
}

static void
small(FILE *f, size_t heads)
{
	put_ready(f, heads, 16);
}

/* one token of n features: a row that is as long as can be */
static void
columns(FILE *f, size_t n)
{
	put_tokens(f, 1);
	put_matrix(f, "embeddings", 1, n, 1, put_decimals);
	put_matrix(f, "W_Q", n, 1, 0.1, put_decimals);
	put_matrix(f, "W_K", n, 1, 0.1, put_decimals);
}

/* n tokens, d = 64, 12 heads */
static void
tokens(FILE *f, size_t n)
{
	put_tokens(f, n);
	fputs(",\"num_heads\":12,\"weight_layout\":\"in_out\"", f);
	put_matrix(f, "embeddings", n, 64, 1, put_decimals);
	put_matrix(f, "W_Q", 64, 768, 0.3, put_decimals);
	put_matrix(f, "W_K", 64, 768, 0.3, put_decimals);
}

/* n tokens of four features, one head */
static void
short_text(FILE *f, size_t n)
{
	put_tokens(f, n);
	fputs(",\"weight_layout\":\"in_out\"", f);
	put_matrix(f, "embeddings", n, 4, 1, put_decimals);
	put_matrix(f, "W_Q", 4, 4, 1, put_decimals);
	put_matrix(f, "W_K", 4, 4, 1, put_decimals);
}

/* names are KIND-N */
static const struct kind {
	const char *name;
	void (*put)(FILE *f, size_t n);
} kinds[] = {{"numbers-", numbers}, {"python-", python}, {"layer-", layer}, {"ready-", ready},
	{"small-", small}, {"columns-", columns}, {"tokens-", tokens}, {"short-", short_text}};

void
bench_document(FILE *f, const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t length = strlen(kinds[i].name);

		if (strncmp(name, kinds[i].name, length))
			continue;
		kinds[i].put(f, strtoul(name + length, NULL, 10));
		fputs("}\n", f);
		if (fflush(f))
			bench_die(name, "cannot be written");
		return;
	}
	bench_die(name, "no such document");
}

char *
bench_document_text(const char *name, size_t *size)
{
	char *text;
	FILE *f = open_memstream(&text, size);

	if (!f)
		bench_die(name, "out of memory");
	bench_document(f, name);
	if (fclose(f))
		bench_die(name, "out of memory");
	return text;
}

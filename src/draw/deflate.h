/* Compression for pictures: a zlib stream (RFC 1950) of deflate blocks (RFC 1951) that know runs of a byte, no more. */
#ifndef QKV_DRAW_DEFLATE_H
#define QKV_DRAW_DEFLATE_H

#include "base/err.h"

#include <stdint.h>

/* takes a piece of the stream; may leave by longjmp */
typedef void qkv_deflate_put(void *to, const unsigned char *data, size_t size);

struct qkv_deflate;

/* threads as for qkv_pool_new; they change no byte, and put is always called by the caller's */
int qkv_deflate_new(struct qkv_deflate **d, qkv_deflate_put *put, void *to, int threads, struct qkv_err *e);

void qkv_deflate_add(struct qkv_deflate *d, const unsigned char *data, size_t size);

/* ends the stream */
void qkv_deflate_end(struct qkv_deflate *d);

void qkv_deflate_free(struct qkv_deflate *d);

/*
 * Lengths of a Huffman code for symbols that occur count (n,) times, n up to QKV_SYMBOLS: at most limit bits, 0 for
 * those that do not occur; at least one bit.
 */
enum { QKV_SYMBOLS = 286 };
void qkv_huffman_lengths(uint8_t *lengths, const uint32_t *count, size_t n, unsigned limit);

/* the codes that belong to lengths (n,), as deflate orders them, the first bit lowest */
void qkv_huffman_codes(uint16_t *codes, const uint8_t *lengths, size_t n);

#endif

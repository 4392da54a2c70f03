/* The number formats of tensors in files: bits that become float32. */
#ifndef QKV_LOAD_DTYPE_H
#define QKV_LOAD_DTYPE_H

#include <stddef.h>
#include <stdint.h>

/* numbers are read from text and written to files with the bytes of memory in little-endian order */
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "qkv needs a little-endian machine"
#endif

struct qkv_dtype {
	const char *name;
	const char *npy; /* what NPY calls it, without the byte order; "": nothing */
	size_t size;     /* bytes */
	float (*from_bits)(uint64_t bits);
};

enum { QKV_DTYPES = 4 };

extern const struct qkv_dtype qkv_dtypes[QKV_DTYPES];

/* the nearest float32 to the element at p; big: its most significant byte comes first */
float qkv_dtype_read(const struct qkv_dtype *d, const unsigned char *p, int big);

#endif

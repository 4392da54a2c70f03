/* Base64 as of RFC 4648, section 4, with padding. */
#ifndef QKV_BASE_BASE64_H
#define QKV_BASE_BASE64_H

#include <stddef.h>

/*
 * Decodes size characters at text into out, which has room for size / 4 * 3 bytes, and
 * sets *length to their number; 0, or -1 with *bad the offset of the character that is wrong.
 */
int qkv_base64_read(unsigned char *out, size_t *length, const char *text, size_t size, size_t *bad);

/* encodes size bytes into out, which has room for (size + 2) / 3 * 4 characters; their number */
size_t qkv_base64_write(char *out, const unsigned char *data, size_t size);

#endif

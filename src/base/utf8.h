/* UTF-8 as of RFC 3629: shortest forms, no surrogates, up to U+10FFFF. */
#ifndef QKV_BASE_UTF8_H
#define QKV_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* decodes the code point at p (p < end); its length in bytes, or 0: not UTF-8 */
size_t qkv_utf8_read(uint32_t *code, const char *p, const char *end);

/* encodes a code point; the number of bytes, 1 to 4 */
size_t qkv_utf8_write(char buf[4], uint32_t code);

#endif

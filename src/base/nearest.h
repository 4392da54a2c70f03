/* Which of the known names was meant by an unknown one. */
#ifndef QKV_BASE_NEAREST_H
#define QKV_BASE_NEAREST_H

#include <stddef.h>

/* the one of count names that is nearest to name, or NULL where none is near enough to be meant */
const char *qkv_nearest(const char *name, const char *const *names, size_t count);

#endif

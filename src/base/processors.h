/* How many processors there are for this process. */
#ifndef QKV_BASE_PROCESSORS_H
#define QKV_BASE_PROCESSORS_H

#include <stddef.h>

/* those that it may run on, and no more than the limits of its control groups, found below root ("": the machine's),
 * come to, rounded up; at least 1 */
size_t qkv_processors(const char *root);

#endif

/* Arrays of NumPy's NPY files. */
#ifndef QKV_LOAD_NPY_H
#define QKV_LOAD_NPY_H

#include "load/scan.h"

/* the array in text: t->data lies in it if it is float32 as memory has it, else converted in the arena */
int qkv_npy_read(struct qkv_tensor *t, const struct qkv_text *text, struct qkv_arena *a, struct qkv_err *e);

#endif

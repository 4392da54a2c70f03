/* The instruction sets of this machine's family, the fastest first: X(name) for each. */
#ifndef QKV_KERN_ISAS_H
#define QKV_KERN_ISAS_H

#if defined __x86_64__
#define QKV_ISAS(X) X(avx512) X(avx2) X(portable)
#elif defined __aarch64__
#define QKV_ISAS(X) X(neon) X(portable)
#else
#define QKV_ISAS(X) X(portable)
#endif

#endif

/* The natural logarithm, with the same bits everywhere. */
#ifndef QKV_KERN_LOG_H
#define QKV_KERN_LOG_H

/* ln x, x positive, normal and finite; off by two units of the last place at most where |ln x| > 0.1 */
double qkv_log(double x);

#endif

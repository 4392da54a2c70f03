/* What every test includes: cmocka, which wants these four before it. */
#ifndef QKV_TEST_H
#define QKV_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif

/* cmocka, with the headers that it needs before it. */
#ifndef SPG_TESTS_TEST_SUPPORT_H
#define SPG_TESTS_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif

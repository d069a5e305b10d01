/* Where tests run: on the host, or on a device where the program's first argument is `device`.
 *
 * Matrices and vectors are built on the host, in test_host(), and copied to the place under test; results are copied
 * back and compared on the host. So one suite holds every backend to the same bits. */
#ifndef SPG_TESTS_PLACE_H
#define SPG_TESTS_PLACE_H

#include "test_support.h"

#include "spg/spg.h"

#include <stdbool.h>

/* For main: runs the tests at the place asked for; 77, by which CTest knows a skipped test, where there is none. */
int test_run_here(int argc, char **argv, const char *name, const struct CMUnitTest *tests, size_t count);

#define TEST_RUN_HERE(argc, argv, name, tests) test_run_here(argc, argv, name, tests, sizeof(tests) / sizeof *(tests))

/* For a main that runs other tests on a device. */
bool test_asks_for_device(int argc, char **argv);

/* For programs without a main of tests: the place and the contexts below; false if there is no such place, or if
 * something allocated in them was not freed. */
bool test_open_place(spg_place place);
bool test_close_place(void);

spg_place test_place(void);

/* The other one. */
spg_place test_place_elsewhere(void);

/* The context of everything on the host: one thread, no freed memory kept. Whatever a test allocates here it must free.
 */
spg_context *test_host(void);

/* A context at the place, beside those under test, for arrays that are not to be counted among theirs. Likewise. */
spg_context *test_lender(void);

/* The defaults at the place under test. */
spg_config test_config(void);
spg_context *test_context_of(const spg_config *config);
spg_context *test_context_at_place(int threads);

/* Skips the running test unless the environment's SPG_TEST_LARGE is 1 and so much of the host's memory is free. */
void test_require_large(int64_t gigabytes);

/* Whether the environment's SPG_TEST_SHORT is 1: under what slows tests many times, such as sanitizers, tests take
 * fewer cases of a kind, which reach the same code. */
bool test_is_short(void);

/* Skips the running test in a build without threads. */
void test_require_threads(void);

/* A copy at the place of the context, and one back on the host, in test_host(). */
void test_to_place(spg_context *context, const spg_csr *host, spg_csr *here);
void test_to_host(spg_context *context, const spg_csr *here, spg_csr *host);
void test_coo_to_place(spg_context *context, const spg_coo *host, spg_coo *here);
void test_coo_to_host(spg_context *context, const spg_coo *here, spg_coo *host);

/* The same for plain bytes, at the place under test, lent by test_lender(). */
void *test_lend(const void *host, size_t bytes);
void test_fetch(const void *here, size_t bytes, void *host);
void test_send(const void *host, size_t bytes, void *here);
void test_give_back(void *here, size_t bytes);

#endif

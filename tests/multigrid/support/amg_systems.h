/* Systems for tests of multigrid: a matrix at the place under test (place.h), its hierarchy, and vectors. */
#ifndef SPG_TESTS_AMG_SYSTEMS_H
#define SPG_TESTS_AMG_SYSTEMS_H

#include "place.h"

typedef struct test_system {
    spg_context *context;
    spg_csr A, A_here; /* on the host, and at the place */
    spg_amg *amg;
    void *b, *x;  /* at the place; b is 1 and x 0 */
    size_t bytes; /* of each */
} test_system;

/* The matrix that a name generates (generators.h), in test_host(). */
spg_csr test_generate(const char *name, spg_type type);

/* A real matrix (real_matrices.h); skips the running test where it is not at hand. */
spg_csr test_read_real(const char *name);

/* Likewise a dense one, column-major, malloc'ed. */
double *test_read_real_dense(const char *name, int64_t rows, int64_t cols);

/* Sets up; A becomes the system's. options may be NULL. */
void test_system_begin(const spg_csr *A, const spg_amg_options *options, int threads, test_system *system);
void test_system_end(test_system *system);

/* Options by which small matrices get several levels, and the system of a generated matrix with them and two threads.
 */
spg_amg_options test_several_levels(void);
void test_system_of(const char *name, spg_type type, test_system *system);

/* x = 0 and b = 1 again. */
void test_system_reset(test_system *system);

/* The solve from x as it is; fails the test unless the status is this. options may be NULL. */
spg_amg_solve_result test_system_solve(test_system *system, const spg_amg_solve_options *options, spg_status expected);

/* Either way to solve. */
enum { TEST_METHODS = 2 };
extern const spg_amg_method test_methods[TEST_METHODS];

/* A vector of the system on the host, malloc'ed. */
double *test_system_fetch(const test_system *system, const void *vector);

/* ||b - A x|| of vectors on the host, in double, and of the system's own. */
double test_residual(const spg_csr *A, const double *b, const double *x);
double test_system_residual(const test_system *system);

#endif

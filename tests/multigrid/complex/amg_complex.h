/* Complex systems for tests of multigrid. */
#ifndef SPG_TESTS_AMG_COMPLEX_H
#define SPG_TESTS_AMG_COMPLEX_H

#include "amg_systems.h"

#include <complex.h>

/* D^H L D for the real matrix L that a name generates and random phases D: Hermitian bit for bit, and as L in all but
 * its vectors. closed: L's rows sum to zero. *gauge, if not NULL: the diagonal of D^H, malloc'ed, which is to A what
 * ones are to L. */
spg_csr test_gauged(const char *name, bool closed, spg_type type, double complex **gauge);

/* The number of these parts, which may be NaN. (Not every compiler has CMPLX.) */
double complex test_complex(double real, double imaginary);

/* Complex values of either type. */
double complex test_complex_at(const void *values, spg_type type, int64_t k);
void test_set_complex(void *values, spg_type type, int64_t k, double complex value);

/* Sends values to a vector of the system. */
void test_send_complex(test_system *system, const double complex *values, void *vector);

/* n values of random parts, malloc'ed. */
double complex *test_random_complex(uint64_t seed, int64_t n);

/* A vector of the system on the host, malloc'ed. */
double complex *test_fetch_complex(const test_system *system, const void *vector);

/* y = A x on the host, malloc'ed; ||b - A x|| of the system's vectors; the norm. */
double complex *test_complex_product(const spg_csr *A, const double complex *x);
double test_complex_residual(const test_system *system);
double test_complex_norm(const double complex *x, int64_t n);

/* A^-1 b by LAPACK, malloc'ed. */
double complex *test_dense_solution(const spg_csr *A, const double complex *b);

/* What the context of a system logs, if its options hear it. */
typedef struct test_told {
    int lines;
    char text[4096]; /* all lines */
} test_told;

/* As test_system_begin, with one thread, for a context that logs to `told`. */
void test_system_begin_told(const spg_csr *A, const spg_amg_options *options, test_told *told, test_system *system);

#endif

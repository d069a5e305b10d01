/* Several right-hand sides and solutions on the host, and solves of them at the place under test. */
#ifndef SPG_TESTS_AMG_MANY_VECTORS_H
#define SPG_TESTS_AMG_MANY_VECTORS_H

#include "amg_systems.h"

typedef struct test_vectors {
    int64_t n, count, stride;
    spg_layout layout;
    spg_type type;
    void *B, *X;  /* malloc'ed */
    size_t bytes; /* of each */
} test_vectors;

/* Random right-hand sides and guesses, with so much more stride than needed. */
test_vectors test_vectors_random(const test_system *system, int64_t count, spg_layout layout, int64_t gap,
                                 uint64_t seed);
/* A copy of the vectors from `first` on, laid out anew; gaps hold the number 77. */
test_vectors test_vectors_part(const test_vectors *of, int64_t first, int64_t count, spg_layout layout, int64_t gap);
void test_vectors_free(const test_vectors *vectors);

/* Where element i of vector j is. */
int64_t test_place_of(const test_vectors *vectors, int64_t i, int64_t j);

/* spg_amg_solve_many; fails the test unless the status is this and the gaps are as before. options and results may be
 * NULL. */
void test_vectors_solve(const test_system *system, test_vectors *vectors, const spg_amg_solve_options *options,
                        spg_amg_solve_result *results, spg_status expected);
/* spg_amg_apply_many, likewise. */
void test_vectors_apply(const test_system *system, test_vectors *vectors);

/* Fails the test unless these vectors of X are the same bit for bit. */
void test_assert_same_vector(const test_vectors *a, int64_t j, const test_vectors *b, int64_t k);

/* ||b - A x|| of vector j, for doubles. */
double test_vectors_residual(const test_system *system, const test_vectors *of_b, const test_vectors *of_x, int64_t j);

#endif

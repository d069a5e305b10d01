/* What tests of multigrid's set-up compare with: plain code on dense matrices and lists, and copies of a hierarchy on
 * the host. */
#ifndef SPG_TESTS_AMG_REFERENCE_H
#define SPG_TESTS_AMG_REFERENCE_H

#include "amg_systems.h"
#include "matrices_for_tests.h"

/* A level fetched to the host; A of level 0 as well. */
typedef struct test_level {
    spg_amg_level_view view; /* its sizes; its arrays lie at the place */
    spg_csr A, P, R;         /* in test_host() */
    int32_t *aggregate_of;   /* malloc'ed, as are the candidates; NULL where there are none */
    void *candidates;
} test_level;

enum { TEST_MOST_LEVELS = 20 };

typedef struct test_hierarchy {
    int levels;
    test_level level[TEST_MOST_LEVELS];
} test_hierarchy;

void test_fetch_hierarchy(const test_system *system, test_hierarchy *hierarchy);
void test_free_hierarchy(test_hierarchy *hierarchy);

/* Fails the test unless every array and number is the same. */
void test_assert_same_hierarchy(const test_hierarchy *a, const test_hierarchy *b);

/* Fails the test unless all integers are the same, and numbers to within `share` of the largest of their array. */
void test_assert_near_hierarchy(const test_hierarchy *a, const test_hierarchy *b, double share);

/* Entry k of real values of either type. */
double test_real(const spg_csr *matrix, int64_t k);

/* dense[i*cols + j] of a real matrix on the host; malloc'ed. */
double *test_dense(const spg_csr *matrix);

/* Fails the test unless C = P^T A P by dense loops, each entry to within the rounding of its products. */
void test_assert_triple_product(const spg_csr *A, const spg_csr *P, const spg_csr *C);

/* Fails the test unless a_ij = a_ji bit for bit, pattern and values. */
void test_assert_symmetric(const spg_csr *A);

/* Fails the test unless R = P^T bit for bit. */
void test_assert_transpose(const spg_csr *P, const spg_csr *R);

/* A symmetric matrix of n rows and about `mean` entries a row beside its diagonal, which dominates; with weights of
 * either sign, sorted. In test_host(). */
spg_csr test_symmetric(int64_t n, double mean, spg_type type, uint64_t seed);

/* From triples, added up where they repeat; in test_host(). */
spg_csr test_from_triples(int64_t n, int64_t count, const int32_t *rows, const int32_t *columns, const double *values,
                          spg_type type);

#endif

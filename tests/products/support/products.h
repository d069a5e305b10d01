/* What the tests of products share: the plain reference, and comparison bit for bit.
 *
 * Where they run, and what is copied where: place.h. */
#ifndef SPG_TESTS_PRODUCTS_H
#define SPG_TESTS_PRODUCTS_H

#include "matrices_for_tests.h"
#include "place.h"

#include <stdbool.h>

/* A context at the place. */
spg_context *test_context(int threads, spg_row_limits limits);

/* Row limits by which all rows fall into one class, or into all classes. */
typedef struct test_limits {
    const char *name;
    spg_row_limits limits;
} test_limits;

enum { TEST_LIMITS = 6, TEST_THREADS = 4, TEST_VALUE_TYPES = 4, TEST_OFFSET_TYPES = 2 };
extern const test_limits test_limit_sets[TEST_LIMITS];
extern const int test_thread_counts[TEST_THREADS]; /* 1, 2, 3, 5 */
extern const spg_type test_value_types[TEST_VALUE_TYPES];
extern const spg_type test_offset_types[TEST_OFFSET_TYPES];
extern const spg_row_limits test_default_limits;

/* C = A*B by the call under test; all three on the host. Fails the test unless it succeeds. */
void test_multiply(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C);

/* C = A*B by a plain sequential loop after Gustavson: every entry the sum, from zero, of its products in order. */
void test_reference_product(const spg_csr *A, const spg_csr *B, spg_csr *C);

/* The products of row i. */
int64_t test_row_products(const spg_csr *A, const spg_csr *B, int64_t i);

/* Fail the test, naming the first difference, unless both are the same bit for bit; a NaN equals any NaN. */
void test_assert_same_product(const spg_csr *actual, const spg_csr *expected, const char *where);

/* Fail the test unless the product at the place has the bits of the reference: with these limits and threads; with
 * every set of limits on two threads; and with every set of limits and every number of threads. The latter two also
 * multiply many copies of A below each other. Each is done as usual, with little workspace, and on poisoned memory. */
void test_check_product(const spg_csr *A, const spg_csr *B, spg_row_limits limits, int threads);
void test_check_limits(const spg_csr *A, const spg_csr *B);
void test_check_all(const spg_csr *A, const spg_csr *B);

/* Patterns, written row by row. Start with {0}. */
typedef struct test_pattern {
    int64_t rows, nnz, row_room, room;
    int64_t *offsets;
    int32_t *columns;
} test_pattern;

void test_add(test_pattern *pattern, int64_t column);
void test_end_row(test_pattern *pattern);

/* Adds n distinct columns from [begin, end), in random order or ascending. */
void test_add_random(test_pattern *pattern, uint64_t *state, int64_t n, int64_t begin, int64_t end, bool sorted);

void test_free_pattern(test_pattern *pattern);

/* A matrix of this pattern in test_host(), with values by test_random_values. */
void test_matrix_of(const test_pattern *pattern, int64_t cols, spg_type offset_type, spg_type value_type, uint64_t seed,
                    unsigned flags, spg_csr *matrix);

/* test_check_product of matrices of these patterns, of every type of values, by the default limits on two threads.
 * Frees the patterns. */
void test_check_patterns(test_pattern *a, test_pattern *b, int64_t cols);

/* Fails the test unless the place refuses the product as malformed, and keeps no memory of it. */
void test_assert_malformed(const spg_csr *A, const spg_csr *B);

/* A number below n. */
int64_t test_below(uint64_t *state, int64_t n);

#endif

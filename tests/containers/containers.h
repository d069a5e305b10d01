/* What the tests of the containers share: the cases, and plain references to compare with bit for bit. */
#ifndef SPG_TESTS_CONTAINERS_H
#define SPG_TESTS_CONTAINERS_H

#include "matrices_for_tests.h"
#include "place.h"

/* Calls `check` with a context at the place and random matrices on the host: all types, sorted or not, with and without
 * repeated columns, sizes of 0, 1, 31 to 33 and larger, without entries, with long rows, and with many empty ones; on
 * the host each by 1, 2 and 3 threads. */
typedef void test_csr_check(spg_context *context, const spg_csr *matrix);
typedef void test_coo_check(spg_context *context, const spg_coo *matrix);
void test_for_each_csr(test_csr_check *check);
void test_for_each_coo(test_coo_check *check);

/* Fail the test unless a matrix at the place is the same as one on the host, bit for bit. */
void test_assert_fetched_csr(const spg_csr *here, const spg_csr *expected);
void test_assert_fetched_coo(const spg_coo *here, const spg_coo *expected);

/* Where an entry lies, and which one it is in order of storage. */
typedef struct test_entry {
    int64_t row, column, index;
} test_entry;

/* The entries of a matrix on the host in order of storage; freed by free(). */
test_entry *test_csr_entries(const spg_csr *matrix);
test_entry *test_coo_entries(const spg_coo *matrix);

/* By row, then column, then order of storage. */
void test_order_entries(test_entry *entries, int64_t count);

/* Fails the test unless `here`, at the place, is sound and holds just these entries in this order, with the values they
 * index. */
void test_assert_csr_entries(const spg_csr *here, const test_entry *entries, int64_t count, const void *values);

/* Entries as a test lists them, of a matrix of rows x cols; entries index values. */
typedef struct test_triples {
    const test_entry *entries;
    int64_t count, rows, cols;
    const void *values;
    spg_type value_type;
} test_triples;

/* A product with a vector to check: after _open, y = alpha*A*x + beta*y is for the call under test, with x and y at the
 * place; _close fails the test unless y has the bits of a plain loop over the entries. alpha and beta may be NULL;
 * without beta, y is full of NaNs, not to be read. */
typedef struct test_spmv {
    void *x, *y, *expected;
    size_t x_bytes, y_bytes;
} test_spmv;

void test_open_spmv(const test_triples *of, const void *alpha, const void *beta, test_spmv *spmv);
void test_close_spmv(test_spmv *spmv);

/* The sum of values[entries[0].index], ...; one alone is kept as it is. */
void test_reference_sum(const test_entry *entries, int64_t count, const void *values, spg_type value_type, void *sum);

/* calloc of at least one element that fails the test rather than to return NULL. */
void *test_array(int64_t count, size_t size);

#endif

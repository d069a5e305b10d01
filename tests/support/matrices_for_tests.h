/* Matrices for tests: random ones of any type, the same on every machine, and comparison bit for bit. */
#ifndef SPG_TESTS_MATRICES_FOR_TESTS_H
#define SPG_TESTS_MATRICES_FOR_TESTS_H

#include "spg/spg.h"

enum {
    TEST_UNSORTED = 1,   /* columns of a row in random order; else ascending */
    TEST_DUPLICATES = 2, /* about a quarter of a row's entries repeat a column of it; else none does */
    TEST_INTEGER = 4     /* whole values from -4 to 4, zero included; else uniform in [-1, 1) */
};

/* What a random matrix is like. */
typedef struct test_matrix {
    int64_t rows, cols;
    double mean; /* entries a row */
    spg_type offset_type, value_type;
} test_matrix;

/* A random matrix at the context's place, freed by spg_csr_free. Row lengths vary from 0 to about twice the mean, about
 * one row in eight is empty, and no row is longer than cols unless it may hold duplicates. Complex values get both
 * parts. Fails the running test if it cannot be allocated. */
void test_random_csr(spg_context *context, test_matrix of, uint64_t seed, unsigned flags, spg_csr *out);

/* As test_random_csr, as triples in random order. */
void test_random_coo(spg_context *context, int64_t rows, int64_t cols, double mean_entries_per_row, spg_type value_type,
                     uint64_t seed, unsigned flags, spg_coo *out);

/* n elements of a value type: whole numbers or uniform in [-1, 1), as by TEST_INTEGER. */
void test_random_values(uint64_t seed, unsigned flags, spg_type value_type, int64_t n, void *values);

/* Fail the running test unless shape, types and the bytes of all arrays (on the host) are the same. */
void test_assert_same_csr(const spg_csr *a, const spg_csr *b);
void test_assert_same_coo(const spg_coo *a, const spg_coo *b);

/* Fail the running test unless every byte of the struct is zero. */
void test_assert_zeroed(const void *object, size_t bytes);

/* Fails the running test unless the context's message has this in it. */
void test_assert_message(const spg_context *context, const char *text);

/* Element k of floats or doubles. */
double test_element(const void *values, spg_type type, int64_t k);
void test_set_element(void *values, spg_type type, int64_t k, double value);

/* Entry k of row offsets of either type. */
int64_t test_offset(const spg_csr *matrix, int64_t k);

/* The next number of a splitmix64 stream. */
uint64_t test_random(uint64_t *state);

#endif

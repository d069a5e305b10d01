/* What an oracle holds; for verify.c and oracle.c. */
#ifndef SPG_BENCH_ORACLE_H
#define SPG_BENCH_ORACLE_H

#include "verify.h"

/* Rows first_row .. first_row + rows - 1 of C, columns in no order. */
typedef struct oracle_slice {
    int64_t first_row, rows, products;
    int *offsets; /* rows + 1, from 0 */
    int *columns;
    void *values; /* double, or double complex */
    double *allowed;
    double *magnitudes, *counts; /* kept for a factor of another product, else NULL: sum|a||b|, and how many products */
} oracle_slice;

/* A factor as the three products of an oracle need it. */
typedef struct factor {
    const spg_csr *matrix;       /* its value type says how much error is allowed */
    double *magnitudes, *counts; /* of each entry; the products it is made of, 1 for a matrix as given */
    double *converted;           /* values in double or double complex; NULL where the matrix has them so */
} factor;

struct oracle {
    int64_t rows, cols, nnz, products;
    spg_type value_type; /* A's */
    bool is_complex;
    int threads, slice_count;
    oracle_slice *slices;
};

void factor_free(factor *given);
bool factor_create(const spg_csr *matrix, factor *result);

/* The oracle of a product of factors. keeps_parts: with what a factor made of it needs. */
spg_status oracle_multiply(spg_context *errors, const factor *A, const factor *B, int threads, bool keeps_parts,
                           oracle **result);

#endif

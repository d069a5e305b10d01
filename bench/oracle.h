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
} oracle_slice;

struct oracle {
    int64_t rows, cols, nnz, products;
    spg_type value_type; /* A's */
    bool is_complex;
    int threads, slice_count;
    oracle_slice *slices;
};

#endif

/* The product by Gustavson's loop, one row after the other: what "the sum from zero of the products in order" means.
 * Gustavson: Two fast algorithms for sparse matrices: multiplication and permuted transposition, 1978. */
#include "products.h"

#include <stdlib.h>
#include <string.h>

/* sum += a*b, each operation rounded. This file is compiled without contraction to fused multiply-adds. */
typedef void (*add_product)(void *sum, const void *a, const void *b);

static void add_f32(void *sum, const void *a, const void *b)
{
    float product = *(const float *)a * *(const float *)b;
    *(float *)sum = *(float *)sum + product;
}

static void add_f64(void *sum, const void *a, const void *b)
{
    double product = *(const double *)a * *(const double *)b;
    *(double *)sum = *(double *)sum + product;
}

static void add_c32(void *sum, const void *a, const void *b)
{
    const float *x = a, *y = b;
    float *z = sum;
    float rr = x[0] * y[0], ii = x[1] * y[1], ri = x[0] * y[1], ir = x[1] * y[0];
    float real = rr - ii, imaginary = ri + ir;
    z[0] = z[0] + real;
    z[1] = z[1] + imaginary;
}

static void add_c64(void *sum, const void *a, const void *b)
{
    const double *x = a, *y = b;
    double *z = sum;
    double rr = x[0] * y[0], ii = x[1] * y[1], ri = x[0] * y[1], ir = x[1] * y[0];
    double real = rr - ii, imaginary = ri + ir;
    z[0] = z[0] + real;
    z[1] = z[1] + imaginary;
}

static add_product adder_of(spg_type type)
{
    if (type == SPG_F32) return add_f32;
    if (type == SPG_F64) return add_f64;
    return type == SPG_C32 ? add_c32 : add_c64;
}

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void *zeroed(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

/* Sums over the columns that B has, renumbered in order, so that no array is as long as B is wide. */
typedef struct workspace {
    int64_t count;
    int32_t *columns, *ranks; /* of each rank; of each entry of B */
    int64_t *seen;            /* the last row + 1 that had this rank */
    char *sums;
} workspace;

static workspace open_workspace(const spg_csr *B)
{
    workspace w = {.columns = zeroed(B->nnz, sizeof(int32_t)), .ranks = zeroed(B->nnz, sizeof(int32_t))};
    if (B->nnz > 0) memcpy(w.columns, B->columns, (size_t)B->nnz * sizeof(int32_t));
    qsort(w.columns, (size_t)B->nnz, sizeof(int32_t), ascending);
    for (int64_t k = 0; k < B->nnz; ++k)
        if (w.count == 0 || w.columns[w.count - 1] != w.columns[k]) w.columns[w.count++] = w.columns[k];
    for (int64_t k = 0; k < B->nnz; ++k) {
        const int32_t *found = bsearch(&B->columns[k], w.columns, (size_t)w.count, sizeof(int32_t), ascending);
        w.ranks[k] = (int32_t)(found - w.columns);
    }
    w.seen = zeroed(w.count, sizeof(int64_t));
    w.sums = zeroed(w.count, spg_type_size(B->value_type));
    return w;
}

static void close_workspace(workspace *w)
{
    free(w->columns);
    free(w->ranks);
    free(w->seen);
    free(w->sums);
}

/* Adds the products of row i up; returns how many entries it has, their ranks in order in `row`. */
static int64_t sum_row(const spg_csr *A, const spg_csr *B, int64_t i, workspace *w, int32_t *row)
{
    add_product add = adder_of(A->value_type);
    size_t size = spg_type_size(A->value_type);
    int64_t count = 0;
    for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k) {
        int64_t j = A->columns[k];
        for (int64_t l = test_offset(B, j); l < test_offset(B, j + 1); ++l) {
            int32_t rank = w->ranks[l];
            char *sum = w->sums + (size_t)rank * size;
            if (w->seen[rank] != i + 1) {
                w->seen[rank] = i + 1;
                memset(sum, 0, size);
                row[count++] = rank;
            }
            add(sum, (const char *)A->values + (size_t)k * size, (const char *)B->values + (size_t)l * size);
        }
    }
    qsort(row, (size_t)count, sizeof *row, ascending);
    return count;
}

static void set_offset(spg_csr *C, int64_t i, int64_t offset)
{
    if (C->offset_type == SPG_I64)
        ((int64_t *)C->row_offsets)[i] = offset;
    else
        ((int32_t *)C->row_offsets)[i] = (int32_t)offset;
}

/* Rows are summed twice: to count, then to write. */
void test_reference_product(const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    workspace w = open_workspace(B);
    int32_t *row = zeroed(w.count, sizeof *row);
    int64_t *counts = zeroed(A->rows, sizeof *counts), nnz = 0;
    for (int64_t i = 0; i < A->rows; ++i) nnz += counts[i] = sum_row(A, B, i, &w, row);
    memset(w.seen, 0, (size_t)w.count * sizeof *w.seen);
    bool wide = A->offset_type == SPG_I64 || B->offset_type == SPG_I64;
    spg_status status = spg_csr_alloc(test_host(), A->rows, B->cols, nnz, wide ? SPG_I64 : SPG_I32, A->value_type, C);
    assert_int_equal(status, SPG_OK);
    size_t size = spg_type_size(A->value_type);
    int64_t at = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        sum_row(A, B, i, &w, row);
        for (int64_t k = 0; k < counts[i]; ++k, ++at) {
            C->columns[at] = w.columns[row[k]];
            memcpy((char *)C->values + (size_t)at * size, w.sums + (size_t)row[k] * size, size);
        }
        set_offset(C, i + 1, at);
    }
    free(row);
    free(counts);
    close_workspace(&w);
}

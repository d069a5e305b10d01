/* What is multiplied: a matrix from a file or a generator, and the products made of it. */
#ifndef SPG_BENCH_PROBLEM_H
#define SPG_BENCH_PROBLEM_H

#include "options.h"

#include "spg/spg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One product. A and B are views of matrices that live longer. */
typedef struct problem {
    const char *matrix;
    product_kind product;
    spg_csr A, B;     /* the same arrays for A*A; B is P for R*A*P */
    spg_csr R, AP;    /* for R*A*P, else zeroed: P^T and A*P, to verify and to count; implementations make their own */
    int64_t products; /* nnz of the expanded matrix; of both for R*A*P */
} problem;

/* "AP", "AA", "RAP". */
const char *product_name(product_kind product);

/* Whether the argument names a file or a generator. */
bool names_a_matrix(const char *argument);

/* Reads or generates what the argument names, with the value type of the options, and a short name for tables. */
spg_status load_matrix(spg_context *context, const options *chosen, const char *argument, spg_csr *A, char *name,
                       size_t name_size);

/* "A*P", "A*A", "R*A*P". */
const char *product_text(product_kind product);

/* NULL if the product can be made of A, else why not. */
const char *product_obstacle(product_kind product, const spg_csr *A);

bool is_complex_type(spg_type type);

/* True if the values, or their parts, are floats. */
bool is_single_type(spg_type type);

/* Row offset i of either width. */
static inline int64_t row_offset(const spg_csr *matrix, int64_t i)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[i]
                                          : ((const int32_t *)matrix->row_offsets)[i];
}

/* Bytes of the three arrays. */
int64_t csr_bytes(const spg_csr *matrix);

/* A malloc'ed 32-bit copy of the row offsets; NULL if memory is short or nnz does not fit. */
int32_t *offsets_as_int32(const spg_csr *matrix);

#ifdef __cplusplus
}
#endif

#endif

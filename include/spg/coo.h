/* Matrices as coordinates (COO): the format of assembly and of files. */
#ifndef SPG_COO_H
#define SPG_COO_H

#include "spg/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rows x cols matrix as triples (row_indices[k], columns[k], values[k]) in any order. Triples of the same row and
 * column add up. Ownership is as for spg_csr. rows and cols are at most 2^31 - 1. Every call except copy and transpose
 * checks the indices as spg_coo_check does. */
typedef struct spg_coo {
    int64_t rows, cols;   /* the size */
    int64_t nnz;          /* number of triples */
    spg_type value_type;  /* SPG_F32, SPG_F64, SPG_C32 or SPG_C64 */
    spg_place place;      /* where the three arrays lie */
    int32_t *row_indices; /* nnz, 0-based */
    int32_t *columns;     /* nnz, 0-based */
    void *values;         /* nnz */
} spg_coo;

/* A view of arrays that may be const; see spg_csr_view. */
SPG_API spg_coo spg_coo_view(int64_t rows, int64_t cols, int64_t nnz, spg_type value_type, spg_place place,
                             const int32_t *row_indices, const int32_t *columns, const void *values);

/* Allocates the three arrays at the context's place, uninitialised. ARGUMENT: negative sizes, more than 2^31 - 1 rows
 * or columns, an invalid type. */
SPG_API spg_status spg_coo_alloc(spg_context *context, int64_t rows, int64_t cols, int64_t nnz, spg_type value_type,
                                 spg_coo *matrix);

/* As spg_csr_free. */
SPG_API void spg_coo_free(spg_context *context, spg_coo *matrix);

/* As spg_csr_copy. */
SPG_API spg_status spg_coo_copy(spg_context *context, const spg_coo *source, spg_coo *copy);

/* FORMAT if a row or column is out of range; the message names the first such triple. */
SPG_API spg_status spg_coo_check(spg_context *context, const spg_coo *matrix);

/* Sorts the triples by row, then by column, in place and stably. */
SPG_API spg_status spg_coo_sort(spg_context *context, spg_coo *matrix);

/* The transpose: rows and columns exchanged, triples in the same order. */
SPG_API spg_status spg_coo_transpose(spg_context *context, const spg_coo *matrix, spg_coo *transpose);

/* y = alpha*A*x + beta*y, as spg_csr_spmv. The sum of a row adds its triples in storage order. */
SPG_API spg_status spg_coo_spmv(spg_context *context, const void *alpha, const spg_coo *matrix, const void *x,
                                const void *beta, void *y);

/* COO to CSR, rows sorted by column. Triples of the same row and column are summed from zero in storage order, and a
 * sum of zero stays; a single triple keeps its bits. offset_type: SPG_I32 or SPG_I64; OVERFLOW if the number of entries
 * does not fit it. */
SPG_API spg_status spg_csr_from_coo(spg_context *context, const spg_coo *source, spg_type offset_type, spg_csr *matrix);

/* CSR to COO, entry by entry in storage order. ARGUMENT: more than 2^31 - 1 rows. */
SPG_API spg_status spg_coo_from_csr(spg_context *context, const spg_csr *source, spg_coo *matrix);

#ifdef __cplusplus
}
#endif

#endif

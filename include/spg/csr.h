/* Matrices as compressed sparse rows (CSR). */
#ifndef SPG_CSR_H
#define SPG_CSR_H

#include "spg/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rows x cols matrix: the entries of row i are columns[k], values[k] for row_offsets[i] <= k < row_offsets[i+1].
 *
 * The struct is transparent. It is either a view of arrays that the caller owns, or it holds arrays that spg_csr_alloc,
 * or a call that returns a matrix, allocated through a context. Free the latter by spg_csr_free with that context, or
 * with another one of the same allocator, whose byte count then drops. Row offsets start at 0, end at nnz and are 32 or
 * 64 bits wide. Columns are 0-based and 32 bits wide, so cols <= 2^31 - 1. Rows may be unsorted and may repeat a
 * column: repeated entries add up. columns and values may be NULL if nnz is 0. On a device each array must be aligned
 * to the size of its elements, complex values to the size of both parts.
 *
 * Every call checks the struct. spg_csr_sort, spg_csr_transpose and spg_coo_from_csr also check the contents, as
 * spg_csr_check does. spg_csr_copy needs no check. spg_csr_spmv does not check the contents: check them once before. */
typedef struct spg_csr {
    int64_t rows, cols;   /* the size */
    int64_t nnz;          /* number of entries */
    spg_type offset_type; /* SPG_I32 or SPG_I64 */
    spg_type value_type;  /* SPG_F32, SPG_F64, SPG_C32 or SPG_C64 */
    spg_place place;      /* where the three arrays lie */
    void *row_offsets;    /* rows + 1 offsets */
    int32_t *columns;     /* nnz */
    void *values;         /* nnz */
} spg_csr;

/* The struct with these members, as a view of arrays that may be const: an operand, without a cast. No call writes
 * through an operand (const spg_csr *); do not pass a view of const arrays to spg_csr_sort, spg_csr_free or as a
 * result. Nothing is checked here; the calls that use the view do.
 *
 *     const spg_csr A =
 *         spg_csr_view(rows, cols, nnz, SPG_I32, SPG_F64, SPG_PLACE_HOST, row_offsets, columns, values); */
SPG_API spg_csr spg_csr_view(int64_t rows, int64_t cols, int64_t nnz, spg_type offset_type, spg_type value_type,
                             spg_place place, const void *row_offsets, const int32_t *columns, const void *values);

/* Allocates the three arrays at the context's place; row_offsets are zeroed, columns and values are uninitialised.
 * ARGUMENT: negative sizes, more than 2^31 - 1 columns, an invalid type. OVERFLOW: nnz does not fit offset_type. */
SPG_API spg_status spg_csr_alloc(spg_context *context, int64_t rows, int64_t cols, int64_t nnz, spg_type offset_type,
                                 spg_type value_type, spg_csr *matrix);

/* Frees the arrays and zeroes the struct; a zeroed struct or NULL is allowed. On a device the memory is freed in stream
 * order: work that this context queues next may reuse it at once. If another stream still reads the matrix, make the
 * context's stream wait for that work before you free it. */
SPG_API void spg_csr_free(spg_context *context, spg_csr *matrix);

/* A deep copy at the context's place; the source may be at either place. A host context copies from any device, after
 * all work queued on that device has ended; a device context copies from the host. To copy from one device to another,
 * go through the host. */
SPG_API spg_status spg_csr_copy(spg_context *context, const spg_csr *source, spg_csr *copy);

/* Checks sizes, types, offsets (start at 0, never decrease, end at nnz) and columns (in [0, cols)), in O(nnz). FORMAT
 * with a message that names the first invalid row. Unsorted rows and repeated columns are valid. */
SPG_API spg_status spg_csr_check(spg_context *context, const spg_csr *matrix);

/* Sorts every row by column, in place and stably; repeated columns stay, in their order. UNSUPPORTED on a device: a row
 * index and a column index that need more than 64 bits together. */
SPG_API spg_status spg_csr_sort(spg_context *context, spg_csr *matrix);

/* The transpose, not conjugated, with rows sorted by column; entries of the same row and column keep their order.
 * ARGUMENT: more than 2^31 - 1 rows, which become columns. */
SPG_API spg_status spg_csr_transpose(spg_context *context, const spg_csr *matrix, spg_csr *transpose);

/* y = alpha*A*x + beta*y. x has cols and y has rows elements of A's value type, at A's place. alpha and beta each point
 * to one element on the host; NULL means 1 for alpha and 0 for beta (if beta is 0, y need not be initialised). Sums are
 * in storage order, so results do not depend on the number of threads. ARGUMENT: y overlaps x or an array of A. */
SPG_API spg_status spg_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                                const void *beta, void *y);

#ifdef __cplusplus
}
#endif

#endif

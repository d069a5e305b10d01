/* Compressed sparse rows. */
#ifndef SPG_CSR_H
#define SPG_CSR_H

#include "spg/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rows x cols matrix: the entries of row i are columns[k], values[k] for row_offsets[i] <= k < row_offsets[i+1].
 *
 * The struct is transparent. It either views arrays that the caller owns, or holds arrays that spg_csr_alloc and the
 * calls that return matrices took through a context; the latter are given back by spg_csr_free with that context (or
 * another one of the same allocator, from whose count of bytes they then go). Row offsets begin at 0, may be 32 or 64
 * bits wide and end at nnz. Columns are 0-based and 32 bits wide, so cols <= 2^31 - 1. Rows may be unsorted and may
 * repeat a column: repeated entries add up. columns and values may be NULL where nnz is 0. On a device an array begins
 * at a multiple of its elements' size, of complex ones that of both parts.
 *
 * Every call checks the struct. spg_csr_sort, spg_csr_transpose and spg_coo_from_csr check the contents, too, as
 * spg_csr_check does; spg_csr_copy needs no check, and spg_csr_spmv trusts what has been checked once. */
typedef struct spg_csr {
    int64_t rows, cols, nnz;
    spg_type offset_type; /* SPG_I32 or SPG_I64 */
    spg_type value_type;  /* SPG_F32, SPG_F64, SPG_C32 or SPG_C64 */
    spg_place place;      /* where the three arrays lie */
    void *row_offsets;    /* rows + 1 offsets */
    int32_t *columns;     /* nnz */
    void *values;         /* nnz */
} spg_csr;

/* Allocates the three arrays at the context's place; row_offsets are zeroed, columns and values are not.
 * ARGUMENT: negative sizes, more than 2^31 - 1 columns, a wrong type. OVERFLOW: nnz does not fit offset_type. */
SPG_API spg_status spg_csr_alloc(spg_context *context, int64_t rows, int64_t cols, int64_t nnz, spg_type offset_type,
                                 spg_type value_type, spg_csr *matrix);

/* Gives the arrays back and zeroes the struct; a zeroed struct or NULL is allowed. On a device the memory is free in
 * the order of the context's stream: what this context queues next may write to it at once. So before a matrix is freed
 * that work on another stream still reads, make the context's stream wait for that work. */
SPG_API void spg_csr_free(spg_context *context, spg_csr *matrix);

/* A deep copy, to the context's place; the source may lie on either. So a context on the host fetches from any device,
 * once all work that the device was given is done, and a context on a device takes from the host. From one device to
 * another matrices go by way of the host. */
SPG_API spg_status spg_csr_copy(spg_context *context, const spg_csr *source, spg_csr *copy);

/* O(nnz): sizes, types, offsets that start at 0, never fall and end at nnz, columns within [0, cols). FORMAT with a
 * message that names the first offending row. Unsorted rows and repeated columns are no fault. */
SPG_API spg_status spg_csr_check(spg_context *context, const spg_csr *matrix);

/* Sorts every row by column, in place and stably; repeated columns stay, in their order. UNSUPPORTED on a device: a
 * row and a column that take more than 64 bits together. */
SPG_API spg_status spg_csr_sort(spg_context *context, spg_csr *matrix);

/* The transpose, rows sorted by column; entries of the same row and column keep their order. Not conjugated. ARGUMENT:
 * more than 2^31 - 1 rows, which become columns. */
SPG_API spg_status spg_csr_transpose(spg_context *context, const spg_csr *matrix, spg_csr *transpose);

/* y = alpha*A*x + beta*y. x has cols and y has rows elements of A's value type, at A's place; alpha and beta point to
 * one element on the host each, NULL meaning 1 and 0 (where beta is 0, y need not be initialised). Sums run in
 * storage order, so results do not depend on the number of threads. ARGUMENT: y overlaps x or an array of A. */
SPG_API spg_status spg_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                                const void *beta, void *y);

#ifdef __cplusplus
}
#endif

#endif

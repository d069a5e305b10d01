/* Everyday operations on CSR matrices: sums, scaling, diagonals, permutations, parts, comparison, products with several
 * vectors, real forms of complex matrices. */
#ifndef SPG_OPERATIONS_H
#define SPG_OPERATIONS_H

#include "spg/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All calls take any value type (those on real forms: complex ones), either offset type, unsorted rows and repeated
 * columns. Every array that is passed, vectors and indices too, lies at the context's place, and the operands of a call
 * have one value type. Results are the same bits on GPU and host and at any number of threads. Each call but
 * spg_csr_spmm and spg_csr_real_form_values checks the contents of its matrices, as spg_csr_check does: FORMAT. A
 * matrix that a call makes is owned by the context, free it by spg_csr_free; it is zeroed if the call fails. */

/* C = alpha*A + beta*B, of the union of both patterns; A and B have the same shape. alpha and beta each point to one
 * element on the host; NULL means 1. Rows of C are sorted and have no duplicates; entries that cancel stay as zeros.
 * Entries of one place are added in storage order, those of A first. C has 64-bit offsets if A or B has.
 * SHAPE: different sizes. ARGUMENT: different value types, or more than 2^31 - 1 rows. OVERFLOW: C has more entries
 * than 32-bit offsets can count. */
SPG_API spg_status spg_csr_add(spg_context *context, const void *alpha, const spg_csr *A, const void *beta,
                               const spg_csr *B, spg_csr *C);

/* Multiplies, in place, row i by row_factors[i] and then column j by column_factors[j]. There are rows and cols factors
 * of the matrix's value type; NULL: none. ARGUMENT: factors overlap the values. */
SPG_API spg_status spg_csr_scale(spg_context *context, const void *row_factors, const void *column_factors,
                                 spg_csr *matrix);

/* Writes the min(rows, cols) elements of the diagonal: 0 where there is no entry, the sum in storage order where there
 * are several. ARGUMENT: the diagonal is NULL or overlaps an array of the matrix. */
SPG_API spg_status spg_csr_diagonal(spg_context *context, const spg_csr *matrix, void *diagonal);

/* permuted(i, j) = matrix(row_order[i], column_order[j]), for the orders of all rows and columns; NULL keeps their
 * order. Twice the same order permutes a square matrix symmetrically. Rows are sorted; repeated columns stay, in their
 * order. ARGUMENT: an order that is no permutation; the message names the first entry at fault. */
SPG_API spg_status spg_csr_permute(spg_context *context, const spg_csr *matrix, const int32_t *row_order,
                                   const int32_t *column_order, spg_csr *permuted);

/* Which rows or columns of a matrix: indices[0], ..., indices[count - 1] in this order; or, if indices is NULL, the
 * range from `first` to first + count - 1. */
typedef struct spg_indices {
    int64_t first;          /* of a range */
    int64_t count;          /* how many */
    const int32_t *indices; /* at the context's place; NULL: a range */
} spg_indices;

/* part(i, j) = matrix(rows[i], columns[j]). Rows may be named more than once, columns only once. NULL: all of them.
 * Rows of the part are sorted; repeated columns stay, in their order. ARGUMENT: an index or a range outside of the
 * matrix, or a column named twice; the message names it. OVERFLOW: more entries than the offset type can count. */
SPG_API spg_status spg_csr_extract(spg_context *context, const spg_csr *matrix, const spg_indices *rows,
                                   const spg_indices *columns, spg_csr *part);

/* Which entries spg_csr_drop drops: those of a modulus of at most `absolute`, or below `relative` times the largest of
 * their row. Zeroed: explicit zeros only. */
typedef struct spg_drop_rule {
    double absolute;   /* at least 0 */
    double relative;   /* from 0 to 1 */
    int keep_diagonal; /* 1: entries on the diagonal stay */
} spg_drop_rule;

/* A copy without small entries, in the order of storage. Each entry is judged alone, repeated ones too; NaN stays.
 * ARGUMENT: a number of the rule out of its range. */
SPG_API spg_status spg_csr_drop(spg_context *context, const spg_csr *matrix, const spg_drop_rule *rule, spg_csr *kept);

/* How two matrices differ. Repeated entries are added up before, and an entry that is missing is 0. NaN differs from
 * everything, NaN too. */
typedef struct spg_difference {
    int same_pattern;    /* 1: the same places have entries */
    int same_values;     /* 1: no entry differs */
    int64_t row, column; /* the first entry that differs, by row, then column; -1 if none does */
    double absolute;     /* the largest |a - b|; NaN if an entry of one matrix is NaN */
    double relative;     /* the largest |a - b| / max(|a|, |b|); likewise */
} spg_difference;

/* Compares two matrices of the same shape and value type; offset types may differ. On a GPU it waits for the result.
 * SHAPE: different sizes. ARGUMENT: different value types, or more than 2^31 - 1 rows. */
SPG_API spg_status spg_csr_compare(spg_context *context, const spg_csr *A, const spg_csr *B,
                                   spg_difference *difference);

/* How several vectors lie in memory, `stride` being the distance of rows or of vectors in elements. */
typedef enum spg_layout {
    SPG_ROW_MAJOR = 0,   /* element i of vector j at i * stride + j; stride at least the number of vectors */
    SPG_COLUMN_MAJOR = 1 /* element i of vector j at j * stride + i; stride at least the length of a vector */
} spg_layout;

/* Y = alpha*A*X + beta*Y for `count` vectors at once: X has cols and Y has rows elements a vector. alpha, beta and all
 * else as in spg_csr_spmv, whose bits each vector gets; elements between the vectors are not touched. */
SPG_API spg_status spg_csr_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, int64_t count,
                                spg_layout layout, const void *X, int64_t x_stride, const void *beta, void *Y,
                                int64_t y_stride);

/* The real form of a complex matrix: 2*rows x 2*cols reals, in blocks [re, -im; im, re] in the place of each entry, so
 * that its product with a vector's real and imaginary parts in turn, as complex vectors lie in memory, is the complex
 * product. It is symmetric if the matrix is Hermitian. Sorted rows stay sorted; unsorted rows and repeated columns stay
 * as they are. Imaginary parts of zero become +0 twice. Its value type is that of the parts; its offsets are of 64 bits
 * if the matrix's are, or if 32 do not suffice. ARGUMENT: real values, or more than 2^30 - 1 columns. */
SPG_API spg_status spg_csr_real_form(spg_context *context, const spg_csr *matrix, spg_csr *real_form);

/* New values of a real form that spg_csr_real_form made, for new values on the same pattern. Nothing is allocated, and
 * on a device the call does not wait. SHAPE: not the sizes of the matrix's real form. ARGUMENT: real values, another
 * type of the parts, or arrays that overlap. */
SPG_API spg_status spg_csr_real_form_values(spg_context *context, const spg_csr *matrix, spg_csr *real_form);

#ifdef __cplusplus
}
#endif

#endif

/* The operations of spg/operations.h, for each backend. Private.
 *
 * Arguments and the contents of matrices are checked; results are zeroed. alpha and beta: NULL is the number that the
 * call says. */
#ifndef SPG_SRC_OPERATIONS_BACKEND_H
#define SPG_SRC_OPERATIONS_BACKEND_H

#include "context.h"

/* The rows and columns of a part. Their contents are not yet checked: ARGUMENT if they are out of range, or if one that
 * may not be named twice is. The names are those of the caller's arguments. */
typedef struct spg_selection {
    spg_indices rows, columns;
    bool distinct_rows; /* columns always are */
    const char *rows_name, *columns_name;
} spg_selection;

/* The vectors of Y = A*X: element i of vector j at i * row_step + j * vector_step. */
typedef struct spg_vectors {
    int64_t count;
    const void *X;
    void *Y;
    int64_t x_row_step, x_vector_step, y_row_step, y_vector_step;
} spg_vectors;

typedef struct spg_operations_backend {
    /* C's shape and types are set. */
    spg_status (*add)(spg_context *context, const void *alpha, const spg_csr *A, const void *beta, const spg_csr *B,
                      spg_csr *C);
    spg_status (*scale)(spg_context *context, const void *row_factors, const void *column_factors, spg_csr *matrix);
    spg_status (*diagonal)(spg_context *context, const spg_csr *matrix, void *diagonal);
    spg_status (*select)(spg_context *context, const spg_csr *matrix, const spg_selection *selection, spg_csr *part);
    spg_status (*drop)(spg_context *context, const spg_csr *matrix, const spg_drop_rule *rule, spg_csr *kept);
    spg_status (*compare)(spg_context *context, const spg_csr *A, const spg_csr *B, spg_difference *difference);
    spg_status (*spmm)(spg_context *context, const void *alpha, const spg_csr *matrix, const void *beta,
                       const spg_vectors *vectors);
    /* The pattern of a real form whose arrays are allocated, but for its values; and its values. */
    spg_status (*real_form_pattern)(spg_context *context, const spg_csr *matrix, spg_csr *real_form);
    spg_status (*real_form_values)(spg_context *context, const spg_csr *matrix, spg_csr *real_form);
    /* SHAPE unless the real form's pattern is that of the matrix. NULL on a backend that would have to wait. */
    spg_status (*real_form_check)(spg_context *context, const spg_csr *matrix, const spg_csr *real_form);
} spg_operations_backend;

/* Allocates columns and values of a matrix whose row offsets are allocated, for `nnz` entries. OVERFLOW if they do not
 * fit its offsets. On failure the matrix is freed and zeroed. */
spg_status spg_allocate_entries(spg_context *context, int64_t nnz, spg_csr *matrix);

/* Refusals of indices[k], in the words of every backend. */
spg_status spg_fail_outside(spg_context *context, const char *name, int64_t k, int64_t index, int64_t limit);
spg_status spg_fail_repeated(spg_context *context, const char *name, int64_t k, int64_t index, int64_t before);

#endif

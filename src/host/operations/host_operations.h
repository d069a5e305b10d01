/* The host's operations, one per file, and what they share. Private. For signatures and contracts see
 * src/operations/operations_backend.h. */
#ifndef SPG_SRC_HOST_OPERATIONS_HOST_OPERATIONS_H
#define SPG_SRC_HOST_OPERATIONS_HOST_OPERATIONS_H

#include "operations/operations_backend.h"

extern const spg_operations_backend spg_host_operations;

spg_status spg_host_add(spg_context *context, const void *alpha, const spg_csr *A, const void *beta, const spg_csr *B,
                        spg_csr *C);
spg_status spg_host_scale(spg_context *context, const void *row_factors, const void *column_factors, spg_csr *matrix);
spg_status spg_host_diagonal(spg_context *context, const spg_csr *matrix, void *diagonal);
spg_status spg_host_select(spg_context *context, const spg_csr *matrix, const spg_selection *selection, spg_csr *part);
spg_status spg_host_drop(spg_context *context, const spg_csr *matrix, const spg_drop_rule *rule, spg_csr *kept);
spg_status spg_host_compare(spg_context *context, const spg_csr *A, const spg_csr *B, spg_difference *difference);
spg_status spg_host_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, const void *beta,
                         const spg_vectors *vectors);
spg_status spg_host_real_form_pattern(spg_context *context, const spg_csr *matrix, spg_csr *real_form);
spg_status spg_host_real_form_values(spg_context *context, const spg_csr *matrix, spg_csr *real_form);
spg_status spg_host_real_form_check(spg_context *context, const spg_csr *matrix, const spg_csr *real_form);

/* Gives the number of entries of a row; writes them unless columns is NULL. */
typedef int64_t spg_row_function(const void *job, int64_t row, int32_t *columns, void *values);

/* Builds a matrix, whose shape and types are set, from the entries of its rows. `entries`: about how many there are. */
spg_status spg_host_assemble_rows(spg_context *context, int64_t entries, spg_row_function *function, const void *job,
                                  spg_csr *matrix);

/* A matrix with rows that ascend, repeated columns in their order: itself, or a sorted copy within the workspace limit,
 * of which `held` bytes are in use. */
typedef struct spg_host_sorted {
    spg_csr rows;
    int64_t copy_bytes; /* 0: no copy */
} spg_host_sorted;

spg_status spg_host_sorted_rows(spg_context *context, const spg_csr *matrix, int64_t held, spg_host_sorted *sorted);
void spg_host_free_sorted(spg_context *context, spg_host_sorted *sorted);

#endif

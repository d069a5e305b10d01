/* The device's operations, one per file. Private. For signatures and contracts see src/operations/operations_backend.h.
 */
#ifndef SPG_KERNELS_OPERATIONS_CUDA_OPERATIONS_H
#define SPG_KERNELS_OPERATIONS_CUDA_OPERATIONS_H

#include "../device.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "operations/operations_backend.h"

extern const spg_operations_backend spg_cuda_operations;

spg_status spg_cuda_add(spg_context *context, const void *alpha, const spg_csr *A, const void *beta, const spg_csr *B,
                        spg_csr *C);
spg_status spg_cuda_scale(spg_context *context, const void *row_factors, const void *column_factors, spg_csr *matrix);
spg_status spg_cuda_diagonal(spg_context *context, const spg_csr *matrix, void *diagonal);
spg_status spg_cuda_select(spg_context *context, const spg_csr *matrix, const spg_selection *selection, spg_csr *part);
spg_status spg_cuda_drop(spg_context *context, const spg_csr *matrix, const spg_drop_rule *rule, spg_csr *kept);
spg_status spg_cuda_compare(spg_context *context, const spg_csr *A, const spg_csr *B, spg_difference *difference);
spg_status spg_cuda_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, const void *beta,
                         const spg_vectors *vectors);
spg_status spg_cuda_real_form_pattern(spg_context *context, const spg_csr *matrix, spg_csr *real_form);
spg_status spg_cuda_real_form_values(spg_context *context, const spg_csr *matrix, spg_csr *real_form);

#ifdef __cplusplus
}
#endif

#endif

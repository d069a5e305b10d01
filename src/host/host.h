/* The functions of the host backend, one stage per file. Private. For signatures and contracts see src/backend.h. */
#ifndef SPG_SRC_HOST_HOST_H
#define SPG_SRC_HOST_HOST_H

#include "backend.h"

spg_status spg_host_csr_check(spg_context *context, const spg_csr *matrix);
spg_status spg_host_csr_sort(spg_context *context, spg_csr *matrix);
spg_status spg_host_csr_transpose(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose);
spg_status spg_host_csr_transpose_begin(spg_context *context, const spg_csr *matrix, bool checks, int64_t *map,
                                        spg_csr *transpose, void **pending);
spg_status spg_host_csr_transpose_end(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose,
                                      void *pending);
spg_status spg_host_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                             const void *beta, void *y);
spg_status spg_host_csr_from_coo(spg_context *context, const spg_coo *source, spg_csr *matrix);
spg_status spg_host_coo_check(spg_context *context, const spg_coo *matrix);
spg_status spg_host_coo_sort(spg_context *context, spg_coo *matrix);
spg_status spg_host_coo_spmv(spg_context *context, const void *alpha, const spg_coo *matrix, const void *x,
                             const void *beta, void *y);
spg_status spg_host_coo_from_csr(spg_context *context, const spg_csr *source, spg_coo *matrix);

spg_status spg_host_product_analysis(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                                     const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis);
spg_status spg_host_product_begin(spg_product *product);
spg_status spg_host_product_multiply(spg_product *product);
spg_status spg_host_product_assemble(spg_product *product);
void spg_host_product_end(spg_product *product);

spg_status spg_host_plan_create(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan *plan);
spg_status spg_host_plan_allocate_result(spgemm_plan *plan, spg_csr *C);
spg_status spg_host_plan_compare_result(spgemm_plan *plan, const spg_csr *C);
spg_status spg_host_plan_check(spgemm_plan *plan, const spg_csr *A, const spg_csr *B);
spg_status spg_host_plan_run(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C);
void spg_host_plan_destroy(spgemm_plan *plan);

#endif

/* The CUDA backend's table. */
#include "cuda_backend.h"

#include "amg/amg_backend.h"
#include "operations/cuda_operations.h"
#include "sampling/sampling.h"

/* The paper's limits (section 3.1); those of the classes' kernels are in spgemm/rows.cuh. */
static const spg_backend backend = {
    .place = SPG_PLACE_DEVICE,
    .default_limits = {32, 736, 6144},
    .open = spg_cuda_open,
    .close = spg_cuda_close,
    .describe = spg_cuda_describe,
    .allocate = spg_cuda_allocate,
    .release = spg_cuda_release,
    .copy_bytes = spg_cuda_copy_bytes,
    .zero_bytes = spg_cuda_zero_bytes,
    .is_captured = spg_cuda_is_captured,
    .begin_side_stream = spg_cuda_begin_side_stream,
    .use_side_stream = spg_cuda_use_side_stream,
    .when_waiting = spg_cuda_when_waiting,
    .end_side_stream = spg_cuda_end_side_stream,
    .csr_check = spg_cuda_csr_check,
    .csr_sort = spg_cuda_csr_sort,
    .csr_transpose = spg_cuda_csr_transpose,
    .csr_transpose_begin = spg_cuda_csr_transpose_begin,
    .csr_transpose_end = spg_cuda_csr_transpose_end,
    .csr_spmv = spg_cuda_csr_spmv,
    .csr_from_coo = spg_cuda_csr_from_coo,
    .coo_check = spg_cuda_coo_check,
    .coo_sort = spg_cuda_coo_sort,
    .coo_spmv = spg_cuda_coo_spmv,
    .coo_from_csr = spg_cuda_coo_from_csr,
    .product_analysis = spg_cuda_product_analysis,
    .product_begin = spg_cuda_product_begin,
    .product_multiply = spg_cuda_product_multiply,
    .product_assemble = spg_cuda_product_assemble,
    .product_end = spg_cuda_product_end,
    .plan_create = spg_cuda_plan_create,
    .plan_allocate_result = spg_cuda_plan_allocate_result,
    .plan_compare_result = spg_cuda_plan_compare_result,
    .plan_check = spg_cuda_plan_check,
    .plan_run = spg_cuda_plan_run,
    .plan_destroy = spg_cuda_plan_destroy,
    .operations = &spg_cuda_operations,
    .amg = &spg_cuda_amg_backend,
    .sampling = &spg_cuda_sampling,
};

const spg_backend *spg_cuda_backend(void) { return spg_cuda_is_present() ? &backend : NULL; }

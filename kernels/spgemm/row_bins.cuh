/* Row binning (primitives/bins.cuh) for the rows of a product. Private. */
#ifndef SPG_KERNELS_SPGEMM_ROW_BINS_CUH
#define SPG_KERNELS_SPGEMM_ROW_BINS_CUH

#include "../primitives/bins.cuh"
#include "product.cuh"

namespace spg
{

/* spg_classify (row_class.h) on the device. */
__device__ inline int class_of_row(int64_t products, const spg_row_limits &limits)
{
    if (products <= 0) return SPG_ROW_EMPTY;
    if (products <= limits.thread) return SPG_ROW_THREAD;
    if (products <= limits.warp) return SPG_ROW_WARP;
    return products <= limits.cta ? SPG_ROW_CTA : SPG_ROW_GLOBAL;
}

/* Permutes all rows of A by class (A.rows numbers). begins, which may be NULL, takes where each class begins, and after
 * them how many rows each has. */
template <typename Class>
spg_status bin_rows(cuda_product &product, const Class &row_class, int classes, int32_t *permutation, uint32_t *begins)
{
    binned_rows all{nullptr, (int32_t)product.A->rows, nullptr};
    int64_t bytes = 0;
    void *workspace = nullptr;
    spg_status status = bins_workspace_bytes(product.context, all.count, classes, &bytes);
    if (status == SPG_OK) status = take_workspace(product, bytes, "binning rows", &workspace);
    if (status != SPG_OK) return status;
    row_bins result{permutation, begins, begins != nullptr ? begins + classes : nullptr};
    status = bin_rows(product.context, all, row_class, classes, workspace, result);
    give_workspace(product, workspace, bytes);
    return status;
}

} // namespace spg

#endif

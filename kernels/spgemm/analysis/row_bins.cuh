/* Row binning (primitives/bins.cuh) for the rows of a product. Private. */
#ifndef SPG_KERNELS_SPGEMM_ANALYSIS_ROW_BINS_CUH
#define SPG_KERNELS_SPGEMM_ANALYSIS_ROW_BINS_CUH

#include "../../primitives/bins.cuh"
#include "../product.cuh"
#include "spgemm/row_class.h"

namespace spg
{

/* Permutes the row numbers of A by class (all.count numbers). begins (may be NULL) receives where each class begins,
 * followed by the number of rows of each. */
template <typename Class>
spg_status bin_rows(cuda_product &product, const binned_rows &all, const Class &row_class, int classes,
                    int32_t *permutation, uint32_t *begins)
{
    int64_t bytes = 0;
    scoped_workspace workspace(product);
    spg_status status = bins_workspace_bytes(product.context, all.count, classes, &bytes);
    if (status == SPG_OK) status = workspace.take(bytes, "binning rows");
    if (status != SPG_OK) return status;
    row_bins result{permutation, begins, begins != nullptr ? begins + classes : nullptr};
    return bin_rows(product.context, all, row_class, classes, workspace.held.memory, result);
}

} // namespace spg

#endif

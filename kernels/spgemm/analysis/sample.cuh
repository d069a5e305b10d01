/* A sample of the rows of a product, which tells how they are best done (route/route.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_ANALYSIS_SAMPLE_CUH
#define SPG_KERNELS_SPGEMM_ANALYSIS_SAMPLE_CUH

#include "../product.cuh"

namespace spg
{

/* Looks at so many rows and at the order of all columns of B, and waits for what was found. Faults of the operands are
 * left to the counting kernels to find. */
spg_status take_sample(cuda_product &product, int32_t samples, spg_sample *found);

} // namespace spg

#endif

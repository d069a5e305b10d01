/* A sample of a product's rows, by which route/route.cu chooses. Private. */
#ifndef SPG_KERNELS_SPGEMM_ANALYSIS_SAMPLE_CUH
#define SPG_KERNELS_SPGEMM_ANALYSIS_SAMPLE_CUH

#include "../product.cuh"

namespace spg
{

/* Looks at `samples` rows and at the order of all columns of B, and waits for the result. Faults of the operands are
 * left for the counting kernels to report. */
spg_status take_sample(cuda_product &product, int32_t samples, spg_sample *found);

} // namespace spg

#endif

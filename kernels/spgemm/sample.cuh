/* A sample of the rows of a product, which tells how they are best done (route.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_SAMPLE_CUH
#define SPG_KERNELS_SPGEMM_SAMPLE_CUH

#include "product.cuh"

namespace spg
{

/* Looks at so many rows, and waits for what was found. Faults of the operands are left to the counting kernels to find,
 * but for rows of B that were seen not to ascend. */
spg_status take_sample(cuda_product &product, int32_t samples, spg_tally *found);

/* Rows whose columns are the next row's less one: a word of the tally that means something else elsewhere. */
inline unsigned int sampled_shifted(const spg_tally &found) { return found.scattered; }

} // namespace spg

#endif

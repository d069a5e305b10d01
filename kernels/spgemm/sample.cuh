/* A sample of the rows of a product, which tells how they are best done (route.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_SAMPLE_CUH
#define SPG_KERNELS_SPGEMM_SAMPLE_CUH

#include "product.cuh"

namespace spg
{

/* Looks at so many rows and at the order of all columns of B, and waits for what was found. Faults of the operands are
 * left to the counting kernels to find. */
spg_status take_sample(cuda_product &product, int32_t samples, spg_tally *found);

/* Words of the tally that mean something else elsewhere: rows whose columns are the next row's less one; and entries of
 * B whose columns are not greater than those before them in their rows, so that 0 says that every row ascends
 * (b_descents.cuh). */
inline unsigned int sampled_shifted(const spg_tally &found) { return found.scattered; }
inline unsigned long long b_descents(const spg_tally &found) { return found.products; }
__device__ inline unsigned long long *b_descents_in(spg_tally *tally) { return &tally->products; }

} // namespace spg

#endif

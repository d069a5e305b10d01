/* Assembly (section 3.4): scans row lengths into row offsets, allocates C's arrays at their exact size. Private. */
#ifndef SPG_KERNELS_SPGEMM_ASSEMBLE_ASSEMBLE_CUH
#define SPG_KERNELS_SPGEMM_ASSEMBLE_ASSEMBLE_CUH

#include "../rows.cuh"

namespace spg
{

/* Exclusive scan in place: c_offsets[i] = length of row i becomes the sum of the lengths before it, c_offsets[rows] the
 * sum of all. Frees the sums, if any. */
spg_status scan_lengths(cuda_product &product, length_sums *sums);

/* Makes every length 0, for kernels that leave out rows without products. */
spg_status zero_lengths(cuda_product &product);

/* The inverse of the scan. */
spg_status restore_lengths(cuda_product &product);

/* Allocates `nnz` entries; OVERFLOW if the offsets cannot count them. */
spg_status allocate_entries(cuda_product &product, unsigned long long nnz);

/* The operand's offsets widened to 64 bits, if they have 32 and the product's have 64; else *widened is unchanged. */
spg_status widen_offsets(cuda_product &product, const spg_csr *matrix, const char *what, held_memory *widened);

} // namespace spg

#endif

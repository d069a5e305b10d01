/* Reassembly (section 3.4): lengths of rows to row offsets, and C's arrays at their exact size. Private. */
#ifndef SPG_KERNELS_SPGEMM_ASSEMBLE_ASSEMBLE_CUH
#define SPG_KERNELS_SPGEMM_ASSEMBLE_ASSEMBLE_CUH

#include "../rows.cuh"

namespace spg
{

/* c_offsets[i] = length of row i becomes the sum of the lengths before it, in place, and c_offsets[rows] that of all.
 * The sums, if there are any, are given back. */
spg_status scan_lengths(cuda_product &product, length_sums *sums);
void give_sums(cuda_product &product, length_sums *sums);

/* The inverse. scratch: NULL, or room for the lengths, else workspace is taken. */
spg_status restore_lengths(cuda_product &product, void *scratch);

/* nnz entries: OVERFLOW if the offsets cannot count them. */
spg_status allocate_entries(cuda_product &product, unsigned long long nnz);

/* The operand's offsets as 64-bit ones, in workspace; `offsets` is left alone where they are that wide already. */
spg_status widen_offsets(cuda_product &product, const spg_csr *matrix, const char *what, void **widened);

} // namespace spg

#endif

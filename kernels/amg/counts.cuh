/* Lengths of rows that kernels have found, made offsets, and counts that kernels have added up, told to the host.
 * Private. */
#ifndef SPG_KERNELS_AMG_COUNTS_CUH
#define SPG_KERNELS_AMG_COUNTS_CUH

#include "../containers/entries.cuh"

namespace spg
{

namespace amg
{

/* offsets[i] = lengths[0] + ... + lengths[i - 1], 0 <= i <= rows, of either offset type. lengths has room for rows + 1.
 */
spg_status scan_lengths(spg_context *context, const int32_t *lengths, int64_t rows, spg_type offset_type,
                        void *offsets);

/* Clears the context's counters: a call that failed may have left counts in it. Before kernels that add to it. */
spg_status clear_counts(spg_context *context);

/* Waits for what kernels have added to the context's counters, and zeroes it: its `nnz` and `long_rows`. */
spg_status take_counts(spg_context *context, spg_counters *counters);

} // namespace amg

} // namespace spg

#endif

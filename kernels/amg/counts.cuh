/* Turns row lengths found by kernels into offsets, and sends counts that kernels added up to the host. Private. */
#ifndef SPG_KERNELS_AMG_COUNTS_CUH
#define SPG_KERNELS_AMG_COUNTS_CUH

#include "../containers/entries.cuh"

namespace spg
{

namespace amg
{

/* offsets[i] = lengths[0] + ... + lengths[i - 1], 0 <= i <= rows, of either offset type. lengths has room for rows + 1
 * numbers. */
spg_status scan_lengths(spg_context *context, const int32_t *lengths, int64_t rows, spg_type offset_type,
                        void *offsets);

/* Clears the context's counters, before kernels that add to them: a failed call may have left counts there. */
spg_status clear_counts(spg_context *context);

/* Waits for the counts that kernels added to the context's counters (`nnz`, `long_rows` and `longest_row`), and zeroes
 * the counters. */
spg_status take_counts(spg_context *context, spg_counters *counters);

} // namespace amg

} // namespace spg

#endif

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

/* A transfer of counts to the host, which waits for its number (spg_cuda_wait_for_counters). */
struct count_post {
    spg_counters *counters;
    spg_mailbox *mailbox;
    unsigned int number;
};

inline count_post new_post(const spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    return {cuda->counters, cuda->device_mailbox, ++cuda->posts};
}

/* Sends `nnz`, `long_rows` and `longest_row`, and zeroes them. One thread calls it, after all counts are visible to
 * it. */
__device__ inline void tell_counts(const count_post &post)
{
    spg_counters *counts = post.counters;
    post.mailbox->counters.nnz = counts->nnz;
    post.mailbox->counters.long_rows = counts->long_rows;
    post.mailbox->counters.longest_row = counts->longest_row;
    counts->nnz = 0;
    counts->long_rows = 0;
    counts->longest_row = 0;
    __threadfence_system();
    post.mailbox->number = post.number;
}

/* Waits for the counts that kernels added to the context's counters (`nnz`, `long_rows` and `longest_row`), and zeroes
 * the counters. */
spg_status take_counts(spg_context *context, spg_counters *counters);

} // namespace amg

} // namespace spg

#endif

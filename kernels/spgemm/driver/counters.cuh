/* How counters reach the host while later kernels are already queued: a kernel writes them to mapped memory, then the
 * number of the post, for which the host polls. Private. */
#ifndef SPG_KERNELS_SPGEMM_DRIVER_COUNTERS_CUH
#define SPG_KERNELS_SPGEMM_DRIVER_COUNTERS_CUH

#include "../product.cuh"

namespace spg
{

static_assert(sizeof(spg_counters) % sizeof(unsigned long long) == 0, "the counters are sent by words of eight bytes");
static_assert(sizeof(spg_counters) <= 32 * sizeof(unsigned long long), "a warp sends it at once");

/* Sends the counters and zeroes them for the next product. One whole warp calls it, after everything that was added is
 * visible to it. */
__device__ inline void send_counters(spg_counters *counters, spg_mailbox *mailbox, unsigned int number)
{
    auto *from = reinterpret_cast<volatile unsigned long long *>(counters);
    auto *to = reinterpret_cast<volatile unsigned long long *>(&mailbox->counters);
    const unsigned int word = threadIdx.x % 32;
    if (word < sizeof(spg_counters) / sizeof(unsigned long long)) {
        to[word] = from[word];
        from[word] = 0;
    }
    __threadfence_system();
    __syncwarp();
    if (threadIdx.x % 32 == 0) mailbox->number = number;
}

/* The last block of the grid that gets here sends the counters. If `kept` is given and *kept, a word of the counters,
 * is not 0, it does not: a later kernel sends them. One whole warp of every block calls it, the warp that added the
 * block's counts. */
__device__ inline void send_counters_if_last(spg_counters *counters, spg_mailbox *mailbox, unsigned int number,
                                             const unsigned int *kept = nullptr)
{
    unsigned int before = 0;
    if (threadIdx.x % 32 == 0) {
        __threadfence();
        before = atomicAdd(&counters->blocks_done, 1u);
    }
    before = __shfl_sync(~0u, before, 0);
    if (before != gridDim.x - 1) return;
    __threadfence();
    if (kept != nullptr && *const_cast<const volatile unsigned int *>(kept) > 0) {
        if (threadIdx.x % 32 == 0) counters->blocks_done = 0;
        return;
    }
    send_counters(counters, mailbox, number);
}

/* Whether a fault of an operand is recorded; other blocks may be about to record one. */
__device__ inline bool is_malformed(const spg_counters *counters)
{
    return (*const_cast<const volatile unsigned int *>(&counters->faults) & (SPG_FAULT_A | SPG_FAULT_B)) != 0;
}

/* assemble/assemble.cu. Queues a kernel that sends the counters, after kernels that do not send them. Also zeroes
 * c_offsets[rows], because the scan takes one more length than there are rows. */
spg_status post_counters(cuda_product &product, unsigned int number);

} // namespace spg

#endif

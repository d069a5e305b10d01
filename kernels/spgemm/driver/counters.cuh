/* How counters travel to the host while its kernels may still be followed by others: written to mapped memory, and
 * after it the number of the post, which the host polls for. Private. */
#ifndef SPG_KERNELS_SPGEMM_DRIVER_COUNTERS_CUH
#define SPG_KERNELS_SPGEMM_DRIVER_COUNTERS_CUH

#include "../product.cuh"

namespace spg
{

static_assert(sizeof(spg_counters) % sizeof(unsigned long long) == 0, "the counters are sent by words of eight bytes");
static_assert(sizeof(spg_counters) <= 32 * sizeof(unsigned long long), "a warp sends it at once");

/* Sends the counters and zeroes it for the next product. By one whole warp, to which all that was added is visible. */
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

/* The last block of the grid to come here sends the counters; not, if so asked, while `kept`, a word of it, is not 0:
 * then a kernel that follows does. By one whole warp of every block, which added to the counters what its block found.
 */
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

/* Whether an operand was found to be so; other blocks may be about to tell. */
__device__ inline bool is_malformed(const spg_counters *counters)
{
    return (*const_cast<const volatile unsigned int *>(&counters->faults) & (SPG_FAULT_A | SPG_FAULT_B)) != 0;
}

/* Queues the sending of the counters, for kernels that do not send it themselves, and zeroes the length after the last
 * row's, for one more is scanned than there are rows. */
spg_status post_counters(cuda_product &product, unsigned int number);

} // namespace spg

#endif

/* Copies a few numbers from the device to the host. A kernel writes them to mapped memory, where the host polls for
 * them: a third of what a copy from pageable memory and a wait for the stream take. */
#include "device.h"

#include <cstring>

static __global__ void __launch_bounds__(SPG_MOST_WORDS)
    post_words(const unsigned int *from, int count, spg_mailbox *mailbox, unsigned int number)
{
    const int i = (int)threadIdx.x;
    if (i < count) mailbox->words[i] = from[i];
    __threadfence_system();
    __syncthreads();
    if (i == 0) mailbox->words_number = number;
}

bool spg_cuda_is_small(const void *from, int64_t bytes)
{
    return bytes <= SPG_MOST_WORDS * 4 && bytes % 4 == 0 && reinterpret_cast<uintptr_t>(from) % 4 == 0;
}

spg_status spg_cuda_copy_small(spg_context *context, void *to, const void *from, int64_t bytes)
{
    spg_cuda *cuda = spg_cuda_of(context);
    const unsigned int number = ++cuda->posts;
    post_words<<<1, SPG_MOST_WORDS, 0, cuda->stream>>>(static_cast<const unsigned int *>(from), (int)(bytes / 4),
                                                       cuda->device_mailbox, number);
    spg_status status = spg_cuda_check_launch(context, "a copy");
    if (status == SPG_OK) status = spg_cuda_poll(context, &cuda->mailbox->words_number, ~0u, number);
    if (status == SPG_OK) memcpy(to, (const void *)cuda->mailbox->words, (size_t)bytes);
    return status;
}

/* See driver/counters.cuh. */
#include "counters.cuh"

namespace spg
{

namespace
{

template <typename Offset>
__global__ void send_counters_alone(spg_counters *counters, spg_mailbox *mailbox, unsigned int number,
                                    Offset *last_length)
{
    send_counters(counters, mailbox, number);
    if (threadIdx.x == 0) *last_length = 0;
}

} // namespace

spg_status post_counters(cuda_product &product, unsigned int number)
{
    const spg_cuda *cuda = product.cuda;
    return with_offset_type(product.offset_type, [&](auto offset) {
        auto *lengths = static_cast<decltype(offset) *>(product.C->row_offsets);
        send_counters_alone<<<1, 32, 0, cuda->stream>>>(cuda->product_counters, cuda->device_mailbox, number,
                                                        lengths + product.C->rows);
        return spg_cuda_check_launch(product.context, "sending counters");
    });
}

} // namespace spg

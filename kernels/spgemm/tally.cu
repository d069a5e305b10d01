/* See tally.cuh. */
#include "tally.cuh"

namespace spg
{

namespace
{

__global__ void send_tally_alone(spg_tally *tally, spg_mailbox *mailbox, unsigned int number)
{
    send_tally(tally, mailbox, number);
}

} // namespace

spg_status post_tally(cuda_product &product, unsigned int number)
{
    const spg_cuda *cuda = product.cuda;
    send_tally_alone<<<1, 32, 0, cuda->stream>>>(cuda->tally, cuda->device_mailbox, number);
    return spg_cuda_check_launch(product.context, "sending a tally");
}

} // namespace spg

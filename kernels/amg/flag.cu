/* Sends a flag to the host: one word in mapped memory holds the flag and the number of the transfer, for which the host
 * polls. */
#include "../containers/entries.cuh"
#include "amg_stages.h"

spg_status spg_cuda_tell_flag(spg_context *context, const int32_t *flag)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg_cuda *cuda = spg_cuda_of(context);
    volatile unsigned int *told = cuda->device_told;
    const unsigned int number = ++cuda->tellings << 1;
    status = spg::for_each(context, 1, "telling a flag", [=] __device__(int64_t) { *told = number | (*flag == 1); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_flag_on_host(spg_context *context, const int32_t *flag, bool *is_set)
{
    (void)flag;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg_cuda *cuda = spg_cuda_of(context);
    const unsigned int number = cuda->tellings << 1;
    status = spg_cuda_poll(context, cuda->told, ~1u, number);
    *is_set = status == SPG_OK && (*cuda->told & 1) != 0;
    spg_cuda_leave(context);
    return status;
}

/* Waits for the flag that a search for symmetry sends: one word in mapped memory has the flag and the number of the
 * transfer (symmetry.cuh). */
#include "amg_stages.h"

spg_status spg_cuda_flag_on_host(spg_context *context, const int32_t *flag, bool *is_set)
{
    (void)flag;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg_cuda *cuda = spg_cuda_of(context);
    const unsigned int number = cuda->flag_copies << 1;
    status = spg_cuda_poll(context, cuda->flag_copy, ~1u, number);
    *is_set = status == SPG_OK && (*cuda->flag_copy & 1) != 0;
    spg_cuda_leave(context);
    return status;
}

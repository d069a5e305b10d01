/* The GPU of a build without CUDA. No context works on a device there, so none of this is reached. */
#include "device.h"

static spg_status refuse(spg_context *errors)
{
    return spg_context_fail(errors, SPG_ERROR_PLACE, "this build has no CUDA");
}

void device_start(void) {}

spg_status device_wait(spg_context *errors) { return refuse(errors); }

spg_status device_copy_to_host(spg_context *errors, void *to, const void *from, int64_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return refuse(errors);
}

double device_copy_bandwidth(void) { return 0.0; }

/* Copies memory from a device on which the context does not work. */
#include "device.h"

static cudaError_t copy_from_current(void *to, const void *from, int64_t bytes)
{
    cudaError_t error = cudaDeviceSynchronize();
    return error == cudaSuccess ? cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyDeviceToHost) : error;
}

/* Managed memory is of no device: whichever is current can read it. */
spg_status spg_cuda_copy_to_host(spg_context *context, void *to, const void *from, int64_t bytes)
{
    if (bytes == 0) return SPG_OK;
    const char *what = "a copy from a device";
    const int device = spg_cuda_locate(context, from).device;
    if (device < 0) return spg_cuda_check(context, copy_from_current(to, from, bytes), what);
    spg_driver driver;
    CUcontext primary = NULL, previous = NULL;
    spg_status status = spg_cuda_find_driver(context, &driver);
    if (status != SPG_OK) return status;
    if (driver.get_current(&previous) != CUDA_SUCCESS || driver.retain_primary(&primary, device) != CUDA_SUCCESS)
        return spg_cuda_check(context, cudaErrorInvalidDevice, what);
    driver.set_current(primary);
    status = spg_cuda_check(context, copy_from_current(to, from, bytes), what);
    driver.set_current(previous);
    driver.release_primary(device);
    return status;
}

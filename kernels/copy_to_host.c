/* Copies memory from a device on which the context does not work. */
#include "device.h"

static cudaError_t copy_from_current(void *to, const void *from, int64_t bytes)
{
    cudaError_t error = cudaDeviceSynchronize();
    return error == cudaSuccess ? cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyDeviceToHost) : error;
}

spg_status spg_cuda_copy_to_host(spg_context *context, void *to, const void *from, int64_t bytes)
{
    if (bytes == 0) return SPG_OK;
    struct cudaPointerAttributes attributes;
    int current = 0;
    cudaError_t error = cudaPointerGetAttributes(&attributes, from);
    if (error == cudaSuccess) error = cudaGetDevice(&current);
    if (error == cudaSuccess) error = cudaSetDevice(attributes.device);
    if (error == cudaSuccess) {
        error = copy_from_current(to, from, bytes);
        cudaSetDevice(current);
    }
    return spg_cuda_check(context, error, "a copy from a device");
}

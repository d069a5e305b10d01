/* See ../sampling_device.h. */
#include "sampling_device.h"

#include <cuda_runtime_api.h>

static spg_status check(spg_context *errors, cudaError_t error, spg_status kind, const char *what)
{
    if (error == cudaSuccess) return SPG_OK;
    cudaGetLastError();
    return spg_context_fail(errors, kind, "%s: %s", what, cudaGetErrorString(error));
}

spg_status device_allocate(spg_context *errors, int64_t bytes, void **array)
{
    *array = NULL;
    return check(errors, cudaMalloc(array, (size_t)bytes), SPG_ERROR_MEMORY, "memory for the bench's arrays");
}

void device_free(void *array)
{
    if (cudaFree(array) != cudaSuccess) cudaGetLastError();
}

spg_status device_copy_from_host(spg_context *errors, void *to, const void *from, int64_t bytes)
{
    if (bytes == 0) return SPG_OK;
    return check(errors, cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyHostToDevice), SPG_ERROR_DEVICE,
                 "a copy to the device");
}

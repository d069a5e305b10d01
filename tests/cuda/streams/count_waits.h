/* Counts the waits of the library for the device: the linker leads its calls here (--wrap in this folder's
 * CMakeLists.txt). Holds definitions: for one source of a program. */
#ifndef SPG_TESTS_CUDA_COUNT_WAITS_H
#define SPG_TESTS_CUDA_COUNT_WAITS_H

#include "spg/spg.h"

#include <cuda_runtime_api.h>

static int waits;

#define WRAP(name, parameters, arguments)                                                                              \
    cudaError_t __real_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters;                                                                              \
    cudaError_t __wrap_##name parameters                                                                               \
    {                                                                                                                  \
        ++waits;                                                                                                       \
        return __real_##name arguments;                                                                                \
    }

WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream))
WRAP(cudaDeviceSynchronize, (void), ())
WRAP(cudaEventSynchronize, (cudaEvent_t event), (event))
WRAP(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind), (to, from, bytes, kind))
WRAP(cudaFree, (void *memory), (memory))

struct spg_counters;
spg_status __real_spg_cuda_wait_for_counters(spg_context *context, unsigned int number, struct spg_counters *counters);
spg_status __wrap_spg_cuda_wait_for_counters(spg_context *context, unsigned int number, struct spg_counters *counters);
spg_status __wrap_spg_cuda_wait_for_counters(spg_context *context, unsigned int number, struct spg_counters *counters)
{
    ++waits;
    return __real_spg_cuda_wait_for_counters(context, number, counters);
}

spg_status __real_spg_cuda_copy_small(spg_context *context, void *to, const void *from, int64_t bytes);
spg_status __wrap_spg_cuda_copy_small(spg_context *context, void *to, const void *from, int64_t bytes);
spg_status __wrap_spg_cuda_copy_small(spg_context *context, void *to, const void *from, int64_t bytes)
{
    ++waits;
    return __real_spg_cuda_copy_small(context, to, from, bytes);
}

#endif

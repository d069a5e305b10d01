/* See ../device.h. */
#include "device.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

enum { REPETITIONS = 12 };
static const size_t most_array_bytes = (size_t)1 << 30, least_array_bytes = (size_t)64 << 20;

static spg_status check(spg_context *errors, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return SPG_OK;
    cudaGetLastError();
    return spg_context_fail(errors, SPG_ERROR_DEVICE, "%s: %s", what, cudaGetErrorString(error));
}

void device_start(void)
{
    if (cudaSetDeviceFlags(cudaDeviceScheduleSpin) != cudaSuccess) cudaGetLastError();
}

spg_status device_wait(spg_context *errors) { return check(errors, cudaDeviceSynchronize(), "waiting for the device"); }

spg_status device_copy_to_host(spg_context *errors, void *to, const void *from, int64_t bytes)
{
    if (bytes == 0) return SPG_OK;
    return check(errors, cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyDeviceToHost), "a copy of the result");
}

/* Seconds of one copy; 0 if it cannot be made. */
static double time_copy(void *to, const void *from, size_t bytes, cudaEvent_t begin, cudaEvent_t end)
{
    float ms = 0.0F;
    const bool made = cudaEventRecord(begin, NULL) == cudaSuccess &&
                      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, NULL) == cudaSuccess &&
                      cudaEventRecord(end, NULL) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess &&
                      cudaEventElapsedTime(&ms, begin, end) == cudaSuccess;
    return made ? (double)ms * 1e-3 : 0.0;
}

static double best_of_copies(void *to, void *from, size_t bytes)
{
    double best = 0.0;
    cudaEvent_t begin = NULL, end = NULL;
    if (cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess &&
        cudaMemset(from, 1, bytes) == cudaSuccess) {
        for (int k = 0; k < REPETITIONS; k++) {
            const double seconds = time_copy(to, from, bytes, begin, end);
            const double bandwidth = seconds > 0.0 ? 2.0 * (double)bytes / seconds : 0.0;
            if (bandwidth > best) best = bandwidth;
        }
    }
    if (begin != NULL) cudaEventDestroy(begin);
    if (end != NULL) cudaEventDestroy(end);
    return best;
}

double device_copy_bandwidth(void)
{
    double best = 0.0;
    for (size_t bytes = most_array_bytes; best == 0.0 && bytes >= least_array_bytes; bytes /= 2) {
        void *from = NULL, *to = NULL;
        if (cudaMalloc(&from, bytes) == cudaSuccess && cudaMalloc(&to, bytes) == cudaSuccess)
            best = best_of_copies(to, from, bytes);
        cudaFree(from);
        cudaFree(to);
        cudaGetLastError();
    }
    return best;
}

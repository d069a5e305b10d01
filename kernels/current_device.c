/* Makes a context's device current during its calls, and afterwards what was current before. By contexts of the driver:
 * cudaSetDevice would create one on the caller's device, which takes hundreds of megabytes there, only to make it
 * current again. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NOLOAD */
#endif
#include "device.h"

#include <dlfcn.h>
#include <string.h>

static bool find(void *driver, const char *name, void *function)
{
    void *symbol = dlsym(driver, name);
    memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast from an object pointer to a function pointer */
    return symbol != NULL;
}

/* The runtime has loaded the driver before. */
spg_status spg_cuda_find_driver(spg_context *context, spg_driver *of)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const bool is_found = driver != NULL && find(driver, "cuCtxGetCurrent", &of->get_current) &&
                          find(driver, "cuCtxSetCurrent", &of->set_current) &&
                          find(driver, "cuCtxGetDevice", &of->get_device) &&
                          find(driver, "cuDevicePrimaryCtxRetain", &of->retain_primary) &&
                          find(driver, "cuDevicePrimaryCtxRelease_v2", &of->release_primary);
    if (driver != NULL) dlclose(driver); /* it stays loaded by the runtime */
    if (!is_found) memset(of, 0, sizeof *of);
    return is_found ? SPG_OK : spg_context_fail(context, SPG_ERROR_DEVICE, "the NVIDIA driver lacks a function");
}

static bool is_of_device(const spg_cuda *cuda, CUcontext current)
{
    CUdevice device = -1;
    return current != NULL && cuda->driver.get_device(&device) == CUDA_SUCCESS && device == cuda->device;
}

/* A caller's context of the device stays current, whether it is the device's primary one or not. */
static CUresult make_current(spg_cuda *cuda)
{
    CUresult error = CUDA_SUCCESS;
    if (cuda->primary == NULL) error = cuda->driver.retain_primary(&cuda->primary, cuda->device);
    return error == CUDA_SUCCESS ? cuda->driver.set_current(cuda->primary) : error;
}

/* An error that a call of the caller's left behind is not the library's: it is cleared. */
spg_status spg_cuda_enter(spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    CUcontext current = NULL;
    if (cuda->driver.get_current == NULL) return SPG_ERROR_DEVICE;
    CUresult error = cuda->driver.get_current(&current);
    const bool stays = error == CUDA_SUCCESS && is_of_device(cuda, current);
    if (error == CUDA_SUCCESS && !stays) error = make_current(cuda);
    if (error != CUDA_SUCCESS)
        return spg_context_fail(context, SPG_ERROR_DEVICE, "device %d cannot be made current: error %d of the driver",
                                cuda->device, (int)error);
    if (cuda->entered++ > 0) return SPG_OK;
    cuda->previous = current;
    cuda->restores = !stays;
    cudaGetLastError();
    return SPG_OK;
}

void spg_cuda_leave(spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    if (--cuda->entered == 0 && cuda->restores) cuda->driver.set_current(cuda->previous);
}

void spg_cuda_release_primary(spg_cuda *cuda)
{
    if (cuda->primary != NULL) cuda->driver.release_primary(cuda->device);
    cuda->primary = NULL;
}

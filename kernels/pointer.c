/* Where an address lies. The driver is asked if the process has it loaded; else nothing can lie on a device. So a
 * context on the host neither loads nor starts it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NOLOAD */
#endif
#include "device.h"

#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

typedef CUresult(CUDAAPI *get_attribute)(void *data, CUpointer_attribute attribute, CUdeviceptr memory);

spg_place spg_cuda_pointer_place(const void *memory)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == NULL) return SPG_PLACE_HOST;
    get_attribute attribute = NULL;
    void *symbol = dlsym(driver, "cuPointerGetAttribute");
    memcpy(&attribute, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function */
    unsigned int type = 0;
    CUresult result = CUDA_ERROR_NOT_FOUND;
    if (attribute != NULL) result = attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)memory);
    dlclose(driver);
    return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE ? SPG_PLACE_DEVICE : SPG_PLACE_HOST;
}

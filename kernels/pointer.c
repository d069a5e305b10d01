/* Where an address lies. The driver is asked if the process has it loaded; else nothing can lie on a device. So a
 * context on the host neither loads nor starts it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NOLOAD, dl_iterate_phdr */
#endif
#include "device.h"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* In the plural it takes an address that the driver does not know as no error, and answers 0. */
typedef CUresult(CUDAAPI *pointer_attributes)(unsigned int count, CUpointer_attribute *attributes, void **data,
                                              CUdeviceptr memory);

void *spg_cuda_find_pointer_attribute(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == NULL) return NULL;
    void *symbol = dlsym(driver, "cuPointerGetAttributes");
    dlclose(driver); /* it stays loaded, for whoever loaded it */
    return symbol;
}

static int is_driver(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    return library->dlpi_name != NULL && strstr(library->dlpi_name, "libcuda.so") != NULL;
}

/* Cheaper than dlopen, which searches the disk for a library that is not loaded: six arrays are asked about a product.
 */
static bool driver_is_loaded(void) { return dl_iterate_phdr(is_driver, NULL) != 0; }

/* A context on a device has looked the function up when it was made. */
spg_place spg_cuda_pointer_place(const spg_context *context, const void *memory)
{
    spg_cuda *cuda = spg_cuda_of(context);
    if (cuda == NULL && !driver_is_loaded()) return SPG_PLACE_HOST;
    void *symbol = cuda != NULL ? cuda->pointer_attribute : spg_cuda_find_pointer_attribute();
    if (symbol == NULL) return SPG_PLACE_HOST;
    pointer_attributes ask;
    memcpy(&ask, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function */
    unsigned int type = 0;
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *data = &type;
    CUresult result = ask(1, &attribute, &data, (CUdeviceptr)(uintptr_t)memory);
    return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE ? SPG_PLACE_DEVICE : SPG_PLACE_HOST;
}

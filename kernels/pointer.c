/* Finds out where an address lies. Asks the driver if the process has loaded it; otherwise no memory can be on a
 * device. A context on the host therefore neither loads nor starts the driver. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NOLOAD, dl_iterate_phdr */
#endif
#include "device.h"

#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* The plural function does not treat an unknown address as an error; it answers 0. */
typedef CUresult(CUDAAPI *pointer_attributes)(unsigned int count, CUpointer_attribute *attributes, void **data,
                                              CUdeviceptr memory);

void *spg_cuda_find_pointer_attribute(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == NULL) return NULL;
    void *symbol = dlsym(driver, "cuPointerGetAttributes");
    dlclose(driver); /* it stays loaded by whoever loaded it */
    return symbol;
}

static int is_driver(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    return library->dlpi_name != NULL && strstr(library->dlpi_name, "libcuda.so") != NULL;
}

/* Cheaper than dlopen, which searches the disk for a library that is not loaded; a product asks about six arrays. */
static bool driver_is_loaded(void) { return dl_iterate_phdr(is_driver, NULL) != 0; }

/* A context on a device looked the function up when it was created. */
spg_location spg_cuda_locate(const spg_context *context, const void *memory)
{
    const spg_location host = {SPG_PLACE_HOST, -1};
    spg_cuda *cuda = spg_cuda_of(context);
    if (cuda == NULL && !driver_is_loaded()) return host;
    void *symbol = cuda != NULL ? cuda->pointer_attribute : spg_cuda_find_pointer_attribute();
    if (symbol == NULL) return host;
    pointer_attributes ask;
    memcpy(&ask, &symbol, sizeof symbol); /* ISO C has no cast from an object pointer to a function pointer */
    unsigned int type = 0, is_managed = 0;
    int device = -1;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL},
                        managed = CU_POINTER_ATTRIBUTE_IS_MANAGED;
    void *answers[] = {&type, &device}, *managed_answer = &is_managed;
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)memory;
    if (ask(2, attributes, answers, address) != CUDA_SUCCESS || type != CU_MEMORYTYPE_DEVICE) return host;
    if (device != context->config.device && ask(1, &managed, &managed_answer, address) == CUDA_SUCCESS &&
        (is_managed & 1) != 0)
        device = -1;
    return (spg_location){SPG_PLACE_DEVICE, device};
}

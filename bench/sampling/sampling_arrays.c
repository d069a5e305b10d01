#include "sampling_arrays.h"

#include "device.h"
#include "sampling_device.h"

#include <stdlib.h>
#include <string.h>

static int on_device(const spg_context *context) { return spg_context_place(context) == SPG_PLACE_DEVICE; }

spg_status array_allocate(spg_context *context, int64_t count, int64_t size, void **array)
{
    *array = NULL;
    if (count > INT64_MAX / size)
        return spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for %lld elements of %lld bytes",
                                (long long)count, (long long)size);
    const int64_t bytes = count > 0 ? count * size : size;
    if (on_device(context)) return device_allocate(context, bytes, array);
    *array = aligned_alloc(64, ((size_t)bytes + 63) / 64 * 64);
    if (*array != NULL) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for %lld bytes", (long long)bytes);
}

void array_free(const spg_context *context, void *array)
{
    if (array != NULL && on_device(context))
        device_free(array);
    else
        free(array);
}

spg_status array_put(spg_context *context, void *to, const void *from, int64_t bytes)
{
    if (on_device(context)) return device_copy_from_host(context, to, from, bytes);
    if (bytes > 0) memcpy(to, from, (size_t)bytes);
    return SPG_OK;
}

spg_status array_get(spg_context *context, void *to, const void *from, int64_t bytes)
{
    if (on_device(context)) return device_copy_to_host(context, to, from, bytes);
    if (bytes > 0) memcpy(to, from, (size_t)bytes);
    return SPG_OK;
}

spg_status array_lend(spg_context *context, const void *from, int64_t bytes, void **there)
{
    *there = NULL;
    if (!on_device(context)) {
        memcpy(there, &from, sizeof *there); /* only ever read */
        return SPG_OK;
    }
    spg_status status = array_allocate(context, bytes, 1, there);
    if (status == SPG_OK) status = array_put(context, *there, from, bytes);
    return status;
}

void array_unlend(const spg_context *context, void *there)
{
    if (on_device(context)) array_free(context, there);
}

/* See sampling/check.h. */
#include "check.h"

#include "argument.h"
#include "backend.h"
#include "memory.h"

spg_status spg_check_samples_here(spg_context *context)
{
    if (context->backend->sampling != NULL) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_UNSUPPORTED, "this build has no sampling at the context's place");
}

spg_status spg_check_weights(spg_context *context, const spg_csr *weights)
{
    if (weights == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "weights is NULL");
    spg_csr checked = *weights;
    if (checked.columns == NULL) checked.columns = checked.row_offsets; /* there are none; this one has been checked */
    spg_status status = spg_check_csr_here(context, &checked, "weights");
    if (status == SPG_OK && weights->value_type != SPG_F32 && weights->value_type != SPG_F64)
        status = spg_context_fail(context, SPG_ERROR_ARGUMENT, "weights: value_type %s; weights are f32 or f64",
                                  spg_type_name(weights->value_type));
    return status;
}

spg_status spg_check_array(spg_context *context, int64_t count, const void *array, size_t size, const char *name)
{
    if (count == 0) return SPG_OK;
    if (array == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is NULL", name);
    return spg_check_array_here(context, array, size, name);
}

spg_status spg_check_apart(spg_context *context, const spg_csr *weights, int outputs, int count,
                           const spg_call_array arrays[])
{
    for (int k = 0; k < outputs; ++k) {
        const spg_call_array written = arrays[k];
        const int64_t bytes = spg_array_bytes(written.count, written.size);
        for (int j = k + 1; j < count; ++j)
            if (spg_overlap(written.memory, bytes, arrays[j].memory, spg_array_bytes(arrays[j].count, arrays[j].size)))
                return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s and %s overlap", written.name, arrays[j].name);
        if (weights == NULL) continue;
        spg_status status = spg_check_apart_from_csr(context, written.memory, bytes, written.name, weights, "weights");
        if (status != SPG_OK) return status;
    }
    return SPG_OK;
}

spg_status spg_check_count(spg_context *context, int64_t count, const char *name)
{
    if (count >= 0) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is %lld; it must not be negative", name, (long long)count);
}

spg_status spg_check_random(spg_context *context, const spg_random *random, const void *uniforms)
{
    if (random != NULL || uniforms != NULL) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "random is NULL");
}

spg_status spg_check_built_here(spg_context *context, const spg_context *made, const char *name)
{
    const spg_config *there = &made->config, *here = &context->config;
    if (there->place != here->place)
        return spg_context_fail(context, SPG_ERROR_PLACE, "%s was built at another place than the context", name);
    if (here->place == SPG_PLACE_HOST || there->device == here->device) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_PLACE, "%s was built on device %d, the context works on device %d", name,
                            there->device, here->device);
}

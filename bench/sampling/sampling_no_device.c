/* The GPU of a build without CUDA. No context works on a device there, so none of this is reached. */
#include "sampling_device.h"

static spg_status refuse(spg_context *errors)
{
    return spg_context_fail(errors, SPG_ERROR_PLACE, "this build has no CUDA");
}

spg_status device_allocate(spg_context *errors, int64_t bytes, void **array)
{
    (void)bytes;
    *array = NULL;
    return refuse(errors);
}

void device_free(void *array) { (void)array; }

spg_status device_copy_from_host(spg_context *errors, void *to, const void *from, int64_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return refuse(errors);
}

spg_status device_count(spg_context *errors, int64_t count, const int32_t *draws, int64_t items, uint32_t *counts)
{
    (void)count, (void)draws, (void)items, (void)counts;
    return refuse(errors);
}

spg_status device_stratified(spg_context *errors, uint64_t seed, int64_t count, double *uniforms)
{
    (void)seed, (void)count, (void)uniforms;
    return refuse(errors);
}

spg_status device_cumulate(spg_context *errors, spg_type type, int64_t items, const void *weights, double **cumulated)
{
    (void)type, (void)items, (void)weights;
    *cumulated = NULL;
    return refuse(errors);
}

void device_drop(double *cumulated) { (void)cumulated; }

spg_status device_search(spg_context *errors, int64_t items, const double *cumulated, uint64_t seed, int64_t count,
                         int32_t *draws)
{
    (void)items, (void)cumulated, (void)seed, (void)count, (void)draws;
    return refuse(errors);
}

spg_status device_read_rows(spg_context *errors, const spg_lda *lda, float *sums)
{
    (void)lda, (void)sums;
    return refuse(errors);
}

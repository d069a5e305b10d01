/* Shared by the samplers of alias tables. Private. */
#ifndef SPG_KERNELS_SAMPLING_ALIAS_DRAW_CUH
#define SPG_KERNELS_SAMPLING_ALIAS_DRAW_CUH

#include "../sampling.cuh"
#include "sampling/alias.h"

namespace spg
{
namespace alias
{

struct draw_job {
    const int64_t *offsets;
    const int32_t *columns; /* or NULL */
    const void *table;
    int64_t count;
    spg_random random;
    int32_t *draws;
};

template <bool EXACT> struct bucket_type {
    using type = spg_alias_compact;
};
template <> struct bucket_type<true> {
    using type = spg_alias_exact;
};

template <bool EXACT> __device__ inline const typename bucket_type<EXACT>::type *table_of(const draw_job &job)
{
    return static_cast<const typename bucket_type<EXACT>::type *>(job.table);
}

/* Loads a bucket by one read. */
__device__ inline spg_alias_compact load_bucket(const spg_alias_compact *bucket)
{
    uint2 bytes = *reinterpret_cast<const uint2 *>(bucket);
    return {bytes.x, (int32_t)bytes.y};
}
__device__ inline spg_alias_exact load_bucket(const spg_alias_exact *bucket)
{
    double2 bytes = *reinterpret_cast<const double2 *>(bucket);
    return {bytes.x, (int32_t)__double2loint(bytes.y), 0};
}

/* spg_alias_draw_compact and spg_alias_draw_exact; items may be 0. */
__device__ inline int32_t draw_from(const spg_alias_compact *table, int64_t items, uint64_t number)
{
    uint64_t position = spg_compact_position(number, (uint32_t)items); /* items < 2^31: half of the multiplications */
    int32_t bucket = (int32_t)(position >> 32);
    if (items == 0) return SPG_NO_ITEM;
    return spg_compact_choice(load_bucket(table + bucket), bucket, (uint32_t)position);
}
__device__ inline int32_t draw_from(const spg_alias_exact *table, int64_t items, uint64_t number)
{
    int32_t bucket = (int32_t)spg_multiply_high(number, (uint64_t)items);
    if (items == 0) return SPG_NO_ITEM;
    spg_alias_exact row = load_bucket(table + bucket);
    return spg_exact_choice(&row, bucket, number * (uint64_t)items);
}

/* sections.cu. Draws grouped by sections of the table. */
spg_status draw_grouped(spg_context *context, const spg_alias &alias, const draw_job &job, int64_t row,
                        spg_alias_sampler sampler);

} // namespace alias
} // namespace spg

#endif

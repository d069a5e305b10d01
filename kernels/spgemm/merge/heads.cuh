/* Shared by counting and filling by merging (merge/count.cu, merge/fill.cu). Private.
 *
 * A head is the current column of a row of B in a merge. Loads that not every thread needs are predicated: branches
 * instead would serialise the loads of a thread's heads, which should be in flight together. */
#ifndef SPG_KERNELS_SPGEMM_MERGE_HEADS_CUH
#define SPG_KERNELS_SPGEMM_MERGE_HEADS_CUH

#include "../../values.cuh"
#include "../rows.cuh"

namespace spg
{

constexpr uint32_t NO_HEAD = 0xffffffffu; /* the head of a row of B that has ended */

/* *from if `wanted`, else `otherwise`. */
__device__ inline int32_t load_if(bool wanted, const int32_t *from, int32_t otherwise)
{
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.b32 %0, [%1]; }"
        : "+r"(otherwise)
        : "l"(from), "r"((int)wanted));
    return otherwise;
}
__device__ inline int64_t load_if(bool wanted, const int64_t *from, int64_t otherwise)
{
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.b64 %0, [%1]; }"
        : "+l"(otherwise)
        : "l"(from), "r"((int)wanted));
    return otherwise;
}

/* *from if `wanted`, else undefined. */
__device__ inline float value_if(bool wanted, const float *from)
{
    float value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.f32 %0, [%1]; }"
        : "=f"(value)
        : "l"(from), "r"((int)wanted));
    return value;
}
__device__ inline double value_if(bool wanted, const double *from)
{
    double value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.f64 %0, [%1]; }"
        : "=d"(value)
        : "l"(from), "r"((int)wanted));
    return value;
}
__device__ inline complex<float> value_if(bool wanted, const complex<float> *from)
{
    complex<float> value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %3, 0; @wanted ld.global.nc.v2.f32 {%0, %1}, [%2]; }"
        : "=f"(value.re), "=f"(value.im)
        : "l"(from), "r"((int)wanted));
    return value;
}
__device__ inline complex<double> value_if(bool wanted, const complex<double> *from)
{
    complex<double> value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %3, 0; @wanted ld.global.nc.v2.f64 {%0, %1}, [%2]; }"
        : "=d"(value.re), "=d"(value.im)
        : "l"(from), "r"((int)wanted));
    return value;
}

/* If the head equals the column just taken, replaces it by the next of its row. Predicated and in place, so that it
 * needs only three registers. */
__device__ inline void step_if_taken(uint32_t &head, int32_t &at, int32_t end, uint32_t column, const int32_t *columns)
{
    asm("{ .reg .pred steps; .reg .b64 from;\n\t"
        "setp.eq.u32 steps, %0, %3;\n\t"
        "@steps add.s32 %1, %1, 1;\n\t"
        "@steps mov.b32 %0, -1;\n\t"
        "setp.lt.and.s32 steps, %1, %2, steps;\n\t"
        "mad.wide.s32 from, %1, 4, %4;\n\t"
        "@steps ld.global.nc.b32 %0, [from]; }"
        : "+&r"(head), "+&r"(at)
        : "r"(end), "r"(column), "l"(columns));
}
__device__ inline void step_if_taken(uint32_t &head, int64_t &at, int64_t end, uint32_t column, const int32_t *columns)
{
    const bool taken = head == column;
    at += taken;
    head = (uint32_t)load_if(taken && at < end, columns + at, (int32_t)(taken ? NO_HEAD : head));
}

template <int HEADS> __device__ inline uint32_t least(const uint32_t (&heads)[HEADS])
{
    uint32_t column = heads[0];
#pragma unroll
    for (int k = 1; k < HEADS; ++k) column = min(column, heads[k]);
    return column;
}

} // namespace spg

#endif

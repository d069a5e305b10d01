/* Shared by counting and filling by merging (merge/count.cu, merge/fill.cu). Private.
 *
 * A head is the current column of a row of B in a merge. Loads of heads are predicated (primitives/loads.cuh). */
#ifndef SPG_KERNELS_SPGEMM_MERGE_HEADS_CUH
#define SPG_KERNELS_SPGEMM_MERGE_HEADS_CUH

#include "../../primitives/loads.cuh"
#include "../rows.cuh"

namespace spg
{

constexpr uint32_t NO_HEAD = 0xffffffffu; /* the head of a row of B that has ended */

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

/* How few_columns lays out a row's products while it fills (bitmap/few_columns_fill.cu): in turns of a few steps; all
 * products of a turn belong to one entry of A. Private. */
#ifndef SPG_KERNELS_SPGEMM_BITMAP_FEW_COLUMNS_TURNS_CUH
#define SPG_KERNELS_SPGEMM_BITMAP_FEW_COLUMNS_TURNS_CUH

#include "../../primitives/warp.cuh"
#include "../rows.cuh"

#include <type_traits>

namespace spg
{

enum {
    FEW_COLUMNS_WARPS = 8,   /* of a block, at most */
    FEW_COLUMNS_EACH = 2,    /* entries of A that a thread looks up together */
    FEW_COLUMNS_TURNS = 512, /* laid out together; a row of B, which is no longer than C's, has fewer */
    STEPS = 4,               /* of a turn */
    TURN = 32 * STEPS
};

/* An entry's products: those of turn t are at shift + TURN * t and after in B, below end. */
template <typename Offset> struct alignas(2 * sizeof(Offset)) entry_part {
    Offset shift, end;
};

template <typename Offset, typename Value> struct few_columns_memory {
    Value *sums;       /* by slot */
    uint32_t *map;     /* a bit for each of 16 columns, and 65536 * the rank of the first */
    uint16_t *columns; /* by slot */
    uint16_t *entries; /* of A, by turn */
    Value *a;          /* by entry, like parts */
    entry_part<Offset> *parts;
};

/* What a warp reads in a turn: a product a lane in each step; column < 0: none. */
template <typename Value> struct turn_products {
    int32_t columns[STEPS];
    Value terms[STEPS];
};

/* Inclusive sum over the block. All threads call it. */
__device__ inline uint32_t sum_over_block(uint32_t value)
{
    __shared__ uint32_t sums[FEW_COLUMNS_WARPS];
    const int warp = threadIdx.x / 32;
    value = inclusive_scan(value, plus{});
    if (threadIdx.x % 32 == 31) sums[warp] = value;
    __syncthreads();
    for (int w = 0; w < warp; ++w) value += sums[w];
    return value;
}

/* The number of entries of A and turns that are laid out. */
struct laid_turns {
    int entries, turns;
};

/* Lays out entries of A from `at` on, as many as fit. All threads call it. */
template <typename Offset, typename Value>
__device__ inline laid_turns lay_turns(const few_columns_memory<Offset, Value> &memory, const patterns<Offset> &pattern,
                                       const Value *a_values, Offset at, Offset end)
{
    constexpr int BITS = 22;
    constexpr uint32_t LOW = (1u << BITS) - 1;
    __shared__ laid_turns laid;
    span<Offset> rows[FEW_COLUMNS_EACH];
    Value a[FEW_COLUMNS_EACH];
    const Offset left = end - at - (Offset)(FEW_COLUMNS_EACH * threadIdx.x);
#pragma unroll
    for (int e = 0; e < FEW_COLUMNS_EACH; ++e) {
        const Offset entry = at + (Offset)(FEW_COLUMNS_EACH * threadIdx.x + e);
        rows[e] = e < left ? b_row(pattern, pattern.a_columns[entry]) : span<Offset>{0, 0};
        a[e] = e < left ? a_values[entry] : zero<Value>();
    }
    uint32_t own = 0;
#pragma unroll
    for (int e = 0; e < FEW_COLUMNS_EACH; ++e) {
        const uint32_t turns = (uint32_t)(rows[e].end - rows[e].begin + TURN - 1) / TURN;
        own += turns | (turns > 0) << BITS;
    }
    uint32_t before = sum_over_block(own) - own;
#pragma unroll
    for (int e = 0; e < FEW_COLUMNS_EACH; ++e) {
        const uint32_t turns = (uint32_t)(rows[e].end - rows[e].begin + TURN - 1) / TURN, first = before & LOW,
                       last = first + turns, entry = before >> BITS;
        before += turns | (turns > 0) << BITS;
        if (last > FEW_COLUMNS_TURNS) {
            if (first <= FEW_COLUMNS_TURNS) laid = {(int)(FEW_COLUMNS_EACH * threadIdx.x) + e, (int)first};
            continue;
        }
        if (turns == 0) continue;
        memory.a[entry] = a[e];
        memory.parts[entry] = {rows[e].begin - (Offset)(TURN * first), rows[e].end};
        for (uint32_t turn = first; turn < last; ++turn) memory.entries[turn] = (uint16_t)entry;
    }
    if (threadIdx.x == blockDim.x - 1 && (before & LOW) <= FEW_COLUMNS_TURNS)
        laid = {(int)(FEW_COLUMNS_EACH * blockDim.x), (int)(before & LOW)};
    __syncthreads();
    return laid;
}

/* Where a turn's products begin in B, and how many of the entry's are left for this lane and the lanes after it. */
template <typename Offset> struct turn_place {
    int entry, steps; /* 1 or STEPS; the last may be empty */
    Offset first, left;
};

template <typename Offset, typename Value>
__device__ inline turn_place<Offset> find_turn(const few_columns_memory<Offset, Value> &memory, int turn)
{
    const int entry = memory.entries[turn];
    const entry_part<Offset> part = memory.parts[entry];
    const Offset first = part.shift + (Offset)(TURN * turn), left = part.end - first;
    return {entry, left <= 32 ? 1 : (int)STEPS, first, left - (Offset)(threadIdx.x % 32)};
}

/* Calls function(steps) with `steps` as a constant. */
template <typename Function> __device__ inline void with_steps(int steps, Function &&function)
{
    if (steps == 1)
        function(std::integral_constant<int, 1>());
    else
        function(std::integral_constant<int, STEPS>());
}

template <int N, typename Offset>
__device__ inline void load_columns(const patterns<Offset> &pattern, const turn_place<Offset> &place,
                                    int32_t (&columns)[STEPS])
{
    const int32_t *b_columns = pattern.b_columns + place.first + threadIdx.x % 32;
#pragma unroll
    for (int u = 0; u < N; ++u) columns[u] = 32 * u < place.left ? b_columns[32 * u] : -1;
}

template <int N, typename Offset, typename Value>
__device__ inline void load_terms(const few_columns_memory<Offset, Value> &memory, const Value *b_values,
                                  const turn_place<Offset> &place, Value (&terms)[STEPS])
{
#pragma unroll
    for (int u = 0; u < N; ++u) {
        terms[u] = zero<Value>();
        if (32 * u < place.left) terms[u] = b_values[place.first + (Offset)(32 * u + threadIdx.x % 32)];
    }
#pragma unroll
    for (int u = 0; u < N; ++u) terms[u] = multiply(memory.a[place.entry], terms[u]);
}

} // namespace spg

#endif

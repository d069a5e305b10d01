/* How few_columns lays out a row's products while it fills (bitmap/few_columns_fill.cu): in turns of a few steps; all
 * products of a turn belong to one entry of A. Private. */
#ifndef SPG_KERNELS_SPGEMM_BITMAP_FEW_COLUMNS_TURNS_CUH
#define SPG_KERNELS_SPGEMM_BITMAP_FEW_COLUMNS_TURNS_CUH

#include "../long_rows/long_rows.cuh"

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

/* Lays out entries of A from `at` on, as many as fit; their units are turns. All threads call it. */
template <typename Offset, typename Value>
__device__ inline laid_entries lay_turns(const few_columns_memory<Offset, Value> &memory,
                                         const patterns<Offset> &pattern, const Value *a_values, Offset at, Offset end)
{
    const auto place = [&](uint32_t entry, uint32_t first, uint32_t last, span<Offset> row) {
        memory.parts[entry] = {row.begin - (Offset)(TURN * first), row.end};
        for (uint32_t turn = first; turn < last; ++turn) memory.entries[turn] = (uint16_t)entry;
    };
    return lay_entries<FEW_COLUMNS_EACH, FEW_COLUMNS_WARPS, TURN, FEW_COLUMNS_TURNS>(
        pattern, a_values, memory.a, at, end, [](span<Offset>(&)[FEW_COLUMNS_EACH]) {}, place);
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

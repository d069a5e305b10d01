/* How a group of lanes counts a row of C with a hash table of its columns. Private.
 *
 * Checks that rows of B ascend strictly. Invariant: a search of a full table ends, and its row is an overflow row. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_COUNT_ROW_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_COUNT_ROW_CUH

#include "table.cuh"

#include <climits>

namespace spg
{

/* The state of a group's current row; a lane's share. */
struct row_count_state {
    unsigned long long products;
    bool full; /* the lane gave up; at the end: the group did */
};

/* STEPS_AT_ONCE steps: lane l takes entry first[u] + l of B's row if l < length[u]. The entry before first[u] is in the
 * same row of B if `begun`, and if `pieces` and u > 0. */
template <bool Pieces, typename Offset, typename Group>
__device__ inline void count_steps(const patterns<Offset> &pattern, const Group &group, column_table &table,
                                   const Offset (&first)[STEPS_AT_ONCE], const int (&length)[STEPS_AT_ONCE], bool begun,
                                   row_count_state &state, unsigned int &faults)
{
    constexpr int U = STEPS_AT_ONCE;
    const int lane = state.full ? INT_MAX : group.lane, inner = group.lane > 0 ? lane : INT_MAX;
    int32_t column[U];
    bool unsorted = false, outside = false;
#pragma unroll
    for (int u = 0; u < U; u++) column[u] = lane < length[u] ? pattern.b_columns[first[u] + lane] : NO_COLUMN;
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int32_t before = __shfl_up_sync(~0u, column[u], 1, Group::lanes);
        if (inner < length[u] && column[u] <= before) unsorted = true;
        if (lane < length[u] && (uint32_t)column[u] >= (uint32_t)pattern.cols) outside = true;
        if (Pieces && lane == 0 && length[u] > 0 && (begun || u > 0) && column[u] <= pattern.b_columns[first[u] - 1])
            unsorted = true;
    }
    faults |= (unsorted ? SPG_FAULT_B_UNSORTED : 0) | (outside ? SPG_FAULT_B : 0);
    int slot[U];
    const bool full = table.place(column, slot);
    if (!__any_sync(~0u, full)) return;
    const bool group_is_full = group.any(full); /* all lanes call it, also those of groups that gave up earlier */
    state.full = state.full || group_is_full;
}

/* Counts the row; state.full if the table does not hold it. The whole warp calls it. */
template <bool Pieces, typename Offset, typename Group>
__device__ inline int count_row(const patterns<Offset> &pattern, const Group &group, column_table &table,
                                span<Offset> row, row_count_state &state, unsigned int &faults)
{
    constexpr int U = STEPS_AT_ONCE, G = Group::lanes;
    const int most = table_holds(table.slots);
    state = {0, false};
    const auto bounds = [&](int32_t column) {
        const span<Offset> b = checked_b_row(pattern, column, faults);
        const Offset length = b.end - b.begin;
        const bool fits = length <= most;
        if (!fits) state.full = true;
        return b_rows<Offset>{b.begin, fits ? (int)length : 0};
    };
    for_each_batch(pattern, group, row, bounds, [&](const b_rows<Offset> &b, Offset, bool, int entries) {
        state.products += (unsigned)b.length;
        Offset first[U];
        int length[U];
        if (!Pieces)
            for (int j = 0; j < entries; j += U) {
                shuffle_rows<G>(pattern, b, j, first, length);
                count_steps<false>(pattern, group, table, first, length, false, state, faults);
            }
        if (Pieces || __any_sync(~0u, b.length > G))
            for (int j = 0; j < entries; j++) {
                const Offset begin = __shfl_sync(~0u, b.begin, j, G);
                const int all = __shfl_sync(~0u, b.length, j, G);
                for (int base = Pieces ? 0 : G; __any_sync(~0u, base < all); base += U * G) {
#pragma unroll
                    for (int u = 0; u < U; u++) first[u] = begin + base + u * G, length[u] = all - base - u * G;
                    count_steps<true>(pattern, group, table, first, length, base > 0, state, faults);
                }
            }
        return group.any(state.full);
    });
    __syncwarp();
    const int length = table.taken(group);
    state.full = group.any(state.full) || length > most;
    return state.full ? 0 : length;
}

} // namespace spg

#endif

/* Counting, class table: how many distinct columns the rows of B named by a row of A have.
 *
 * Input: rows, rows of B checked here to ascend strictly. Output: c_offsets[i] = length of row i, MISFIT if that is
 * more than table_holds. Invariant: a search of a full table ends, and its row is a misfit. Chosen by route.cu.
 * Contraction while expanding takes the place of the paper's sort (section 3.3). */
#include "table.cuh"

#include <climits>

namespace spg
{
namespace
{

/* A group's row under way; a lane's share. */
struct row_count_state {
    unsigned long long products;
    bool full; /* given up */
};

/* STEPS_AT_ONCE steps: lane l takes entry first[u] + l of B's row if l <
 * length[u]. The entry before first[u] is of the same row of B where `begun`,
 * and where `pieces` if u > 0. */
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
    if (__any_sync(~0u, full)) state.full = state.full || group.any(full);
}

/* Counts the row, by the whole warp; MISFIT if the table does not hold it. */
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
    return group.any(state.full) || length > most ? (int)MISFIT : length;
}

/* Registers are to leave room for so many blocks. */
template <typename Offset> constexpr int resident_blocks() { return sizeof(Offset) == 4 ? 8 : 6; }

template <typename Offset, int R, int Lanes, bool Pieces>
__global__ __launch_bounds__(GROUP_THREADS,
                             resident_blocks<Offset>()) void count_table_kernel(const table_shape shape,
                                                                                const patterns<Offset> pattern,
                                                                                const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    column_table table{reinterpret_cast<int32_t *>(shared) + group.in_block * (shape.group_bytes / 4), shape.slots,
                       shape.shift};
    counts found{};
    for_each_unit(group, row_count(set), shape, [&](int32_t first, int unit_rows) {
        for (int done = 0; __any_sync(~0u, done < unit_rows);) {
            const int32_t i = done < unit_rows ? row_at(set, first + done) : 0;
            const row_bundle<Offset, R> bundle = bundle_rows<Offset, R>(
                pattern, group, unit_rows - done, [&](int r) { return checked_a_row(pattern, i + r, found.faults); });
            table.clear(group);
            __syncwarp();
            row_count_state state;
            const int length = count_row<Pieces>(pattern, group, table, bundle.row[0], state, found.faults);
            record(pattern, group, i, bundle.rows, length, (Offset)(bundle.row[0].end - bundle.row[0].begin),
                   state.products, found);
            done += bundle.rows;
        }
    });
    tally_groups(pattern.tally, found);
}

template <typename Offset, int R>
spg_status launch_count(cuda_product &product, const row_set &rows, int slots, int together)
{
    const table_shape shape = table_shape_of(product, rows, slots, together, sizeof(int32_t));
    return with_group_shape(shape, [&](auto lanes, auto pieces) {
        return launch_groups(product, rows, shape, "counting, class table",
                             count_table_kernel<Offset, R, lanes.value, pieces.value>, patterns_of<Offset>(product),
                             rows);
    });
}

} // namespace

spg_status count_rows_table(cuda_product &product, const row_set &rows, int slots, int together)
{
    if (rows.rows != nullptr) together = 1;
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        if (together == 1) return launch_count<Offset, 1>(product, rows, slots, 1);
        return launch_count<Offset, MOST_TOGETHER>(product, rows, slots, together);
    });
}

} // namespace spg

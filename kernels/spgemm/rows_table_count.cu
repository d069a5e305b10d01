/* Counting, class table: how many distinct columns the rows of B named by a row
 * of A have.
 *
 * Input: rows, rows of B checked here to ascend strictly. Output: c_offsets[i]
 * = length of row i, MISFIT if that is more than table_holds. Invariant: a
 * search of a full table ends, and its row is a misfit. Chosen by route.cu.
 * Contraction while expanding takes the place of the paper's sort
 * (section 3.3). */
#include "table.cuh"

namespace spg
{
namespace
{

/* A group's row under way; a lane's share. */
struct row_count_state {
    unsigned long long products;
    int inserted;
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
    int32_t column[U], left[U], found[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const bool live = group.lane < length[u];
        column[u] = live ? pattern.b_columns[first[u] + group.lane] : NO_COLUMN;
        left[u] = NO_COLUMN;
        if (Pieces && live && group.lane == 0 && (begun || u > 0)) left[u] = pattern.b_columns[first[u] - 1];
    }
    bool missed = false, unsorted = false, outside = false;
    int slot[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const bool live = group.lane < length[u];
        const int32_t before = __shfl_up_sync(~0u, column[u], 1, Group::lanes);
        unsorted = unsorted || (live && column[u] <= (group.lane > 0 ? before : left[u]));
        outside = outside || (live && (uint32_t)column[u] >= (uint32_t)pattern.cols);
        slot[u] = table.first_slot(column[u]);
        found[u] = live ? table.at(slot[u]) : NO_COLUMN;
        missed = missed || found[u] != column[u];
    }
    faults |= (unsorted ? SPG_FAULT_B_UNSORTED : 0) | (outside ? SPG_FAULT_B : 0);
    if (missed && !state.full)
#pragma unroll
        for (int u = 0; u < U; u++)
            if (found[u] != column[u]) state.inserted += table.insert(column[u], slot[u], found[u], state.full);
    __syncwarp();
}

/* Counts the row, by the whole warp; MISFIT if the table does not hold it. */
template <bool Pieces, typename Offset, typename Group>
__device__ inline int count_row(const patterns<Offset> &pattern, const Group &group, column_table &table,
                                span<Offset> row, row_count_state &state, unsigned int &faults)
{
    constexpr int U = STEPS_AT_ONCE, G = Group::lanes;
    const int most = table_holds(table.slots);
    state = {0, 0, false};
    const auto bounds = [&](int32_t column) {
        const span<Offset> b = checked_b_row(pattern, column, faults);
        const Offset length = b.end - b.begin;
        if (length > most) state.full = true;
        return b_rows<Offset>{b.begin, length > most ? 0 : (int)length};
    };
    for_each_batch(pattern, group, row, bounds, [&](const b_rows<Offset> &b, Offset, bool, int entries) {
        state.products += (unsigned)b.length;
        Offset first[U];
        int length[U];
        if (!Pieces)
            for (int j = 0; j < entries; j += U) {
#pragma unroll
                for (int u = 0; u < U; u++) {
                    first[u] = __shfl_sync(~0u, b.begin, j + u, G);
                    length[u] = __shfl_sync(~0u, b.length, j + u, G);
                }
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
    const int length = group.sum(state.inserted);
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

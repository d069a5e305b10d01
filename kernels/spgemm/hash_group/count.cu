/* Counting, class table: how many distinct columns the rows of B named by a row of A have.
 *
 * Input: rows, rows of B checked here to ascend strictly. Output: c_offsets[i] = length of row i; it is left if that is
 * more than table_holds. Invariant: a search of a full table ends, and its row is a misfit. Chosen by route/route.cu.
 * Contraction while expanding takes the place of the paper's sort (section 3.3). */
#include "count_row.cuh"

namespace spg
{
namespace
{

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
            record(pattern, group, i, bundle.rows, !state.full, length,
                   (Offset)(bundle.row[0].end - bundle.row[0].begin), state.products, found);
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

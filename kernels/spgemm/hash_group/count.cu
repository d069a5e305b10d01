/* Method hash_group, counting pass: the number of distinct columns in the rows of B that a row of A names.
 *
 * Input: rows; checks that rows of B ascend strictly. Output: c_offsets[i] = length of row i; a row longer than
 * table_holds becomes an overflow row. Invariant: a search of a full table ends, and its row is an overflow row. Chosen
 * by route/route.cu. Contraction while expanding replaces the paper's sort (section 3.3). */
#include "count_row.cuh"

namespace spg
{
namespace
{

/* Blocks a multiprocessor for which registers must leave room. */
template <typename Offset> constexpr int resident_blocks() { return sizeof(Offset) == 4 ? 8 : 6; }

template <typename Offset, int Lanes, bool Pieces>
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
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows_in_group) {
        const int32_t i = rows_in_group > 0 ? row_at(set, first) : 0;
        const span<Offset> row = rows_in_group > 0 ? checked_a_row(pattern, i, found.faults) : span<Offset>{0, 0};
        table.clear(group);
        __syncwarp();
        row_count_state state;
        const int length = count_row<Pieces>(pattern, group, table, row, state, found.faults);
        record(pattern, group, i, rows_in_group, !state.full, length, (Offset)(row.end - row.begin), state.products,
               found);
    });
    add_counts_of_groups(pattern.counters, found);
}

} // namespace

spg_status count_rows_hash_group(cuda_product &product, const row_set &rows, int slots)
{
    const table_shape shape = table_shape_of(product, slots, sizeof(int32_t));
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        return with_group_shape(shape, [&](auto lanes, auto pieces) {
            return launch_groups(product, rows, shape, "counting, class hash_group",
                                 count_table_kernel<Offset, lanes.value, pieces.value>, patterns_of<Offset>(product),
                                 rows);
        });
    });
}

} // namespace spg

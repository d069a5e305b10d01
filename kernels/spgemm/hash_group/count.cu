/* Method hash_group, counting pass: the number of distinct columns in the rows of B that a row of A names.
 *
 * Input: rows; checks that rows of B ascend strictly. Output: c_offsets[i] = length of row i; a row longer than
 * table_holds becomes an overflow row. Invariant: a search of a full table ends, and its row is an overflow row. Chosen
 * by route/route.cu. Contraction while expanding replaces the paper's sort (section 3.3). */
#include "row_sums.cuh"
#include "with_lanes.cuh"

namespace spg
{
namespace
{

/* Blocks a multiprocessor for which registers must leave room. */
template <typename Offset> constexpr int resident_blocks() { return sizeof(Offset) == 4 ? 8 : 6; }

template <typename Offset, int Lanes, int Piece>
__global__ __launch_bounds__(GROUP_THREADS,
                             resident_blocks<Offset>()) void count_table_kernel(const sums_shape shape,
                                                                                const patterns<Offset> pattern,
                                                                                const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    counts found{};
    const numbers<none> number{};
    row_sums<Offset, none, Lanes, Piece, reads::checked> sums(pattern, number, group, shape.slots,
                                                              shape.memory_of(group, shared), found);
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows) {
        const int32_t i = rows > 0 ? row_at(set, first) : 0;
        const span<Offset> row = rows > 0 ? checked_a_row(pattern, i, found.faults) : span<Offset>{0, 0};
        sums.take_row(i, row);
        const int length = sums.table.taken(group);
        const bool fits = !group.any(sums.full) && length <= table_holds(shape.slots);
        record(pattern, group, {i, rows, fits, length, sums.products}, (Offset)(row.end - row.begin), found);
        sums.clear();
        __syncwarp();
    });
    add_counts_of_groups(pattern.counters, found);
}

} // namespace

spg_status count_rows_hash_group(cuda_product &product, const row_set &rows, int slots)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        return with_lanes(product, slots, [&](auto lanes, auto piece) {
            return launch_groups(product, rows, sums_shape_of<Offset, none>(lanes.value, slots, COUNTED_SLOT_BYTES),
                                 "counting, class hash_group", count_table_kernel<Offset, lanes.value, piece.value>,
                                 patterns_of<Offset>(product), rows);
        });
    });
}

} // namespace spg

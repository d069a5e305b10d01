/* Method hash_group, filling pass: sums the products of a row of C at the slots of their columns, then sorts by column.
 *
 * Input: rows and c_offsets; rows outside 1 to table_holds(slots) entries are skipped. Output: columns and values.
 * Chosen by product_fill.cu and route/binned_rows.cu. Contraction while expanding replaces the paper's sort (section
 * 3.3). */
#include "row_sums.cuh"
#include "sort_columns.cuh"
#include "with_lanes.cuh"

namespace spg
{
namespace
{

/* Where a row of C is written. */
template <typename Offset, typename Value, typename Sums> struct row_writer {
    const numbers<Value> &number;
    const Sums &sums;
    Offset begin;

    __device__ void write(int rank, int32_t column, int slot) const
    {
        number.c_columns[begin + rank] = column;
        if constexpr (has_values<Value>) number.c_values[begin + rank] = sums.sums[slot];
    }
};

/* Writes a row of more than MOST_RANKED entries by a warp: sorts chunks in registers and ranks by searches in the other
 * chunks. */
template <typename Sums, typename Writer> __device__ inline void write_sorted(Sums &sums, int length, const Writer &to)
{
    int32_t *const list = sums.columns;
    const int lane = sums.group.lane;
    if (length <= CHUNK / 2)
        sort_chunk<CHUNK / 64, 32>(list, length, lane);
    else
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            sort_chunk<CHUNK / 32, 32>(list + chunk, length - chunk, lane);
    for (int x = lane; x < length; x += 32) {
        const int32_t column = list[x];
        int rank = x % CHUNK;
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            if (chunk != x / CHUNK * CHUNK) rank += rank_in_chunk(list + chunk, column);
        to.write(rank, column, sums.table.find(column));
    }
    __syncwarp();
    sums.clear();
}

/* Writes rows of up to 64 entries by 16 lanes each: sorted in registers, with far fewer instructions than by ranks. */
template <typename Sums, typename Writer>
__device__ inline void write_sorted_at_once(Sums &sums, int length, const Writer &to)
{
    sort_chunk<4, 16>(sums.columns, length, sums.group.lane);
    for (int x = sums.group.lane; x < length; x += 16) to.write(x, sums.columns[x], sums.table.find(sums.columns[x]));
    __syncwarp();
    sums.clear();
}

/* Writes the row and empties the table. */
template <int Lanes, typename Sums, typename Writer>
__device__ inline void write_row(Sums &sums, int length, const Writer &to)
{
    if (Lanes == 32 && length > MOST_RANKED)
        write_sorted(sums, length, to);
    else if (Lanes == 16 && __any_sync(~0u, length > 32) && !__any_sync(~0u, length > 64))
        write_sorted_at_once(sums, length, to);
    else
        sums.write(
            length, [](int, int32_t) {},
            [&](int, int rank, int32_t column, int slot) { to.write(rank, column, slot); });
    __syncwarp();
}

template <typename Offset, typename Value, int Lanes, int Piece>
__global__ __launch_bounds__(GROUP_THREADS, blocks_of_sums<Offset, Value>()) void fill_table_kernel(
    const sums_shape shape, const patterns<Offset> pattern, const numbers<Value> number, const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    counts found{};
    using row_of_sums = row_sums<Offset, Value, Lanes, Piece, reads::trusted>;
    row_of_sums sums(pattern, number, group, shape.slots, shape.memory_of(group, shared), found);
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows) {
        const int32_t i = rows > 0 ? row_at(set, first) : 0;
        const Offset begin = pattern.c_offsets[i], held = pattern.c_offsets[i + 1] - begin;
        const bool mine = rows > 0 && held > 0 && held <= table_holds(shape.slots);
        sums.take_row(i, mine ? a_row(pattern, i) : span<Offset>{0, 0});
        const int length = sums.list_columns();
        write_row<Lanes>(sums, length, row_writer<Offset, Value, row_of_sums>{number, sums, begin});
    });
}

} // namespace

spg_status fill_rows_hash_group(cuda_product &product, const row_set &rows, int slots)
{
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        return with_lanes(product, slots, [&](auto lanes, auto piece) {
            return launch_groups(
                product, rows, sums_shape_of<Offset, Value>(lanes.value, slots, listed_slot_bytes<Value>),
                "filling, class hash_group", fill_table_kernel<Offset, Value, lanes.value, piece.value>,
                patterns_of<Offset>(product), numbers_of<Value>(product), rows);
        });
    });
}

} // namespace spg

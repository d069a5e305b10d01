/* Kept rows, counting and filling in one pass: a warp a row contracts into a hash table in shared memory, sorts, and
 * keeps its row of C in workspace. After C is allocated, the kept rows are copied (hash_group/kept_rows.cu).
 *
 * Input: rows; checks that rows of B ascend strictly. Output: c_offsets[i] = length of row i; a row longer than
 * table_holds becomes an overflow row. Rows up to `stride` entries are kept. Chosen by route/route.cu for many products
 * per entry of C, where expanding again costs more than copying. Replaces the paper's sort (section 3.3). */
#include "kept_rows.cuh"

#include "row_sums.cuh"

namespace spg
{
namespace
{

template <typename Offset, typename Value, int Piece>
__global__ __launch_bounds__(GROUP_THREADS,
                             blocks_of_sums<Offset, Value>()) void kept_kernel(const sums_shape shape,
                                                                               const patterns<Offset> pattern,
                                                                               const numbers<Value> number, int stride,
                                                                               int32_t *columns, Value *values)
{
    extern __shared__ int4 shared[];
    const lane_group<32> group;
    counts found{};
    row_sums<Offset, Value, 32, Piece, reads::checked> sums(pattern, number, group, shape.slots,
                                                            shape.memory_of(group, shared), found);
    for_each_row_group(group, pattern.rows, shape, [&](int32_t i, int rows) {
        if (rows == 0) return;
        const span<Offset> row = checked_a_row(pattern, i, found.faults);
        sums.take_row(i, row);
        const int count = sums.list_columns();
        const bool fits = count <= table_holds(shape.slots) && !group.any(sums.full), keep = count <= stride;
        const int64_t begin = (int64_t)i * stride;
        if (!fits) sums.clear();
        const auto each = [&](int, int rank, int32_t column, int slot) {
            if (keep) columns[begin + rank] = column, values[begin + rank] = sums.sums[slot];
        };
        sums.write(
            fits ? count : 0, [](int, int32_t) {}, each);
        record(pattern, group, {i, rows, fits, count, sums.products}, (Offset)(row.end - row.begin), found);
    });
    add_counts_of_groups(pattern.counters, found);
}

/* Piece: lanes for a row of B. */
template <typename Offset, typename Value, int Piece> spg_status launch(cuda_product &product, const kept_rows &kept)
{
    const row_set rows{nullptr, (int32_t)product.A->rows, nullptr, nullptr};
    return launch_groups(product, rows, sums_shape_of<Offset, Value>(32, kept.slots, listed_slot_bytes<Value>),
                         "counting, kept rows", kept_kernel<Offset, Value, Piece>, patterns_of<Offset>(product),
                         numbers_of<Value>(product), kept.stride, kept.columns, static_cast<Value *>(kept.values));
}

} // namespace

spg_status count_rows_kept(cuda_product &product, const kept_rows &kept)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_value_type(product.A->value_type, [&](auto value) {
            using Offset = decltype(offset);
            using Value = decltype(value);
            return mean_b_row(product) <= 8 ? launch<Offset, Value, 8>(product, kept)
                                            : launch<Offset, Value, 16>(product, kept);
        });
    });
}

} // namespace spg

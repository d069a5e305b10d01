/* Method bitmap, filling pass: columns are found by their position in a window, not by a search.
 *
 * Input: rows whose lengths are known. Output: columns and values. The marks of a window are packed into words of bits,
 * each with the number of columns before it, so every column has its index in the row of C: sums are dense and already
 * sorted. Entries of A that name a run of equal rows of B share one read of the sums. Invariant: a sum takes the
 * products of its column in storage order, because the warp is synchronised between runs. Chosen by route/route.cu for
 * rows of narrow span. Replaces the paper's sort (section 3.3). */
#include "fill_window.cuh"

namespace spg
{
namespace
{

/* Several rounds next to other bins, so that the blocks of long_rows, which have high priority, get in (spgemm_bench,
 * H100, R*(A*P) of econ: 0.56 ms with several rounds, 0.68 with one). */
enum { ROUNDS_BESIDE = 8 };

/* Blocks a multiprocessor for which registers must leave room (spgemm_bench, H100: elast3d A*P fills in 0.092 ms with
 * 5, 0.134 with 4, 0.098 with 6). Groups of a whole warp also hold the next step's entries. */
template <typename Value, int R, int Lanes> constexpr int resident_blocks()
{
    return sizeof(Value) > 8 || (R > 1 && Lanes == 32) ? 4 : R > 1 ? 5 : 6;
}

template <typename Offset, typename Value, int R, int Lanes, bool Pieces>
__global__ __launch_bounds__(GROUP_THREADS, resident_blocks<Value, R, Lanes>()) void fill_bitmap_kernel(
    const bitmap_shape shape, const patterns<Offset> pattern, const numbers<Value> number, const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    int4 *const mine = shared + group.in_block * (shape.group_bytes / 16);
    bitmap_fill<Offset, Value, R, lane_group<Lanes>> fill{pattern,
                                                          number,
                                                          group,
                                                          {reinterpret_cast<uint2 *>(mine), mine + shape.width / 64},
                                                          reinterpret_cast<Value *>(mine + shape.factors / 16),
                                                          shape.most,
                                                          {},
                                                          {}};
    unsigned int faults = 0;
    const auto bounds = [&](int32_t column) { return b_bounds(pattern, column); };
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows_in_group) {
        for (int done = 0; __any_sync(~0u, done < rows_in_group);) {
            const int32_t i = done < rows_in_group ? row_at(set, first + done) : 0;
            const auto row = [&](int r) {
                fill.begin[r] = pattern.c_offsets[i + r];
                const Offset held = pattern.c_offsets[i + r + 1] - fill.begin[r];
                return held > 0 && held <= shape.most ? a_row(pattern, i + r) : span<Offset>{0, 0};
            };
            column_span columns{NONE, 0};
            if (R > 1 && shape.row_groups != nullptr && done == 0 && rows_in_group == shape.together) {
                const uint2 unit = shape.row_groups[first / shape.together];
                columns = {unit.x, unit.y};
            }
            if (R > 1 && __all_sync(~0u, columns.first != NONE || rows_in_group == 0)) {
                fill.bundle.rows = rows_in_group;
#pragma unroll
                for (int r = 0; r < R; r++) fill.bundle.row[r] = r < rows_in_group ? row(r) : span<Offset>{0, 0};
            } else {
                fill.bundle = bundle_rows<Offset, R>(pattern, group, rows_in_group - done, row);
                unsigned long long products = 0;
                columns = find_span<R>(pattern, group, shape, fill.bundle.row[0], products, bounds);
            }
            for_each_window<R, Pieces, false>(
                pattern, group, shape, {reinterpret_cast<uint8_t *>(fill.memory.rest), columns}, fill.bundle.row[0],
                faults, bounds, [&](const marked_window &window, bool live) {
                    fill.template fill_window<Pieces>(shape, window, live);
                });
            done += fill.bundle.rows;
        }
    });
}

template <typename Offset, typename Value, int R>
spg_status launch_fill(cuda_product &product, const row_set &rows, int span, int longest, int together)
{
    bitmap_shape shape = bitmap_shape_of(product, rows, span, together);
    shape.most = longest < BITMAP_MOST ? (longest + 3) / 4 * 4 : (int)BITMAP_MOST;
    set_fill_bytes<Value, R>(shape, together);
    if (rows.rows != nullptr) shape.rounds = ROUNDS_BESIDE;
    return with_group_shape(shape, [&](auto lanes, auto pieces) {
        return launch_groups(product, rows, shape, "filling, class bitmap",
                             fill_bitmap_kernel<Offset, Value, R, lanes.value, pieces.value>,
                             patterns_of<Offset>(product), numbers_of<Value>(product), rows);
    });
}

} // namespace

spg_status fill_rows_bitmap(cuda_product &product, const row_set &rows, int span, int longest, int together)
{
    if (rows.rows != nullptr) together = 1;
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        if (together == 1) return launch_fill<Offset, Value, 1>(product, rows, span, longest, 1);
        return launch_fill<Offset, Value, MOST_TOGETHER>(product, rows, span, longest, together);
    });
}

} // namespace spg

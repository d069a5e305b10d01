/* Method bitmap, counting pass: the number of columns that a row marks in its windows.
 *
 * Input: rows; checks that rows of B ascend strictly. Output: c_offsets[i] = length of row i, without overflow rows;
 * for the notes on equal rows, the column range of each unit. If windows are small, a row's columns are marked by their
 * remainders, so that its span need not be known in advance; a row that turns out wider is done again, in windows.
 * Chosen by route/route.cu for rows of narrow span. Replaces the paper's sort (section 3.3). */
#include "window.cuh"

namespace spg
{
namespace
{

template <typename Offset, int R, int Lanes, bool Pieces>
__global__ __launch_bounds__(GROUP_THREADS, 6) void count_bitmap_kernel(const bitmap_shape shape,
                                                                        const patterns<Offset> pattern,
                                                                        const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    uint8_t *const marks = reinterpret_cast<uint8_t *>(shared + group.in_block * (shape.group_bytes / 16));
    counts found{};
    const auto bounds = [&](int32_t column) { return checked_b_bounds(pattern, column, found.faults); };
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows_in_group) {
        for (int done = 0; __any_sync(~0u, done < rows_in_group);) {
            const int32_t i = done < rows_in_group ? row_at(set, first + done) : 0;
            const row_bundle<Offset, R> bundle =
                bundle_rows<Offset, R>(pattern, group, rows_in_group - done,
                                       [&](int r) { return checked_a_row(pattern, i + r, found.faults); });
            unsigned long long products = 0;
            int length = 0;
            column_span columns;
            bool counted = false;
            if (Lanes == 8 && shape.wraps) {
                wrapped_window window{marks, (uint32_t)shape.width, NONE, 0};
                clear_marks(group, marks, window.width);
                __syncwarp();
                products =
                    mark_row<R, Pieces, true>(pattern, group, shape, window, bundle.row[0], found.faults, bounds);
                columns = {group.least(window.first), ~group.least(~window.last)};
                __syncwarp();
                counted = __all_sync(~0u, columns.first == NONE || columns.last - columns.first < window.width);
                if (counted) length = count_marks(group, window);
                __syncwarp();
            } else
                columns = find_span<R>(pattern, group, shape, bundle.row[0], products, bounds);
            if (R > 1 && shape.row_groups != nullptr && done == 0 && rows_in_group > 0 && group.lane == 0)
                shape.row_groups[first / shape.together] =
                    bundle.rows == shape.together ? uint2{columns.first, columns.last} : uint2{NONE, 0};
            if (!counted)
                for_each_window<R, Pieces, true>(
                    pattern, group, shape, {marks, columns}, bundle.row[0], found.faults, bounds,
                    [&](const marked_window &window, bool) { length += count_marks(group, window); });
            record(pattern, group, {i, bundle.rows, true, length, products},
                   (Offset)(bundle.row[0].end - bundle.row[0].begin), found);
            done += bundle.rows;
        }
    });
    add_counts_of_groups(pattern.counters, found);
}

template <typename Offset, int R>
spg_status launch_count(cuda_product &product, const row_set &rows, int span, int together)
{
    bitmap_shape shape = bitmap_shape_of(product, rows, span, together);
    shape.wraps = shape.lanes == 8;
    if (shape.wraps) shape.width = wrapped_width(span);
    shape.group_bytes = bitmap_bytes(0, mark_bytes(shape.lanes, shape.width));
    return with_group_shape(shape, [&](auto lanes, auto pieces) {
        return launch_groups(product, rows, shape, "counting, class bitmap",
                             count_bitmap_kernel<Offset, R, lanes.value, pieces.value>, patterns_of<Offset>(product),
                             rows);
    });
}

} // namespace

spg_status count_rows_bitmap(cuda_product &product, const row_set &rows, int span, int together)
{
    if (rows.rows != nullptr) together = 1;
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        if (together == 1) return launch_count<Offset, 1>(product, rows, span, 1);
        return launch_count<Offset, MOST_TOGETHER>(product, rows, span, together);
    });
}

} // namespace spg

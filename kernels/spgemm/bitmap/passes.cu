/* Method bitmap: a group of lanes a row marks its columns in windows of columns, where they are found by position, not
 * by a search. Chosen by route/route.cu for rows of narrow span. Replaces the paper's sort (section 3.3).
 *
 * Counting: the number of columns that a row marks in its windows. Input: rows; checks that rows of B ascend strictly.
 * Output: c_offsets[i] = length of row i, without overflow rows; for the notes on equal rows, the column range of each
 * unit.
 *
 * Filling. Input: rows whose lengths are known. Output: columns and values. The marks of a window are packed into words
 * of bits, each with the number of columns before it, so every column has its index in the row of C: sums are dense and
 * already sorted. Entries of A that name a run of equal rows of B share one read of the sums. Invariant: a sum takes
 * the products of its column in storage order, because the warp is synchronised between runs.
 *
 * One pass, for equal neighbours (spgemm_bench, H100, A*P of elast3d: 0.14 ms, 0.19 in two passes). Input: A and B,
 * unchecked, notes on equal rows, and reserved arrays for C (assemble/reserved.cu). Output: C's row offsets, columns
 * and values, and the notes that filling needs. Units whose rows are not all equal, or longer or wider than expected,
 * are only counted. A row's columns are marked by their remainders, so that its span need not be known in advance; a
 * row that turns out wider is done again, in windows. A block takes tiles of a unit a group: while it sums the
 * products, look-back finds where its rows begin in C (primitives/look_back.cuh). */
#include "../assemble/tile_places.cuh"
#include "../driver/counters.cuh"
#include "fill_window.cuh"

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
    uint8_t *const marks = reinterpret_cast<uint8_t *>(shape.memory_of(group, shared));
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
            const column_span columns =
                find_span<R>(pattern, group, shape, bundle.row[0], products, found.faults, bounds);
            if (R > 1 && shape.row_groups != nullptr && done == 0 && rows_in_group > 0 && group.lane == 0)
                shape.row_groups[first / shape.together] =
                    bundle.rows == shape.together ? uint2{columns.first, columns.last} : uint2{NONE, 0};
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
    shape.group_bytes = bitmap_bytes(0, mark_bytes(shape.lanes, shape.width));
    return with_group_shape(shape, [&](auto lanes, auto pieces) {
        return launch_groups(product, rows, shape, "counting, class bitmap",
                             count_bitmap_kernel<Offset, R, lanes.value, pieces.value>, patterns_of<Offset>(product),
                             rows);
    });
}

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
    bitmap_fill<Offset, Value, R, lane_group<Lanes>> fill(pattern, number, group, shape,
                                                          shape.memory_of(group, shared));
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
                columns = find_span<R>(pattern, group, shape, fill.bundle.row[0], products, faults, bounds);
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

enum { LANES = 8, ROWS = MOST_TOGETHER, GROUPS = 32 / LANES, MOST_WARPS = GROUP_THREADS / 32 };
using row_group = lane_group<LANES>;

/* A group's results for its unit: the lengths of its rows of C; its window, or an empty window if the unit is not to be
 * filled. */
struct group_found {
    int length[ROWS];
    marked_window window;
};

/* Marks and counts a unit of rows; leaves it packed in fill.memory if it can be filled at once. */
template <typename Value>
__device__ inline group_found count_group(const bitmap_shape &shape, const patterns<int32_t> &pattern,
                                          bitmap_fill<int32_t, Value, ROWS, row_group> &fill, int32_t first, int rows,
                                          counts &found, unsigned int &left)
{
    const row_group &group = fill.group;
    auto *const marks = reinterpret_cast<uint8_t *>(fill.memory.rest);
    const auto bounds = [&](int32_t column) { return checked_b_bounds(pattern, column, found.faults); };
    group_found unit{{0, 0, 0}, {marks, 0, 0, NONE}};
    row_bundle<int32_t, ROWS> whole{};
    for (int done = 0; __any_sync(~0u, done < rows);) {
        const row_bundle<int32_t, ROWS> bundle = bundle_rows<int32_t, ROWS>(
            pattern, group, rows - done, [&](int r) { return checked_a_row(pattern, first + done + r, found.faults); });
        wrapped_window wrapped{marks, (uint32_t)shape.width, NONE, 0};
        clear_marks(group, marks, wrapped.width);
        __syncwarp();
        const unsigned long long products =
            mark_row<ROWS, false, true>(pattern, group, shape, wrapped, bundle.row[0], found.faults, bounds);
        const column_span columns{group.least(wrapped.first), ~group.least(~wrapped.last)};
        __syncwarp();
        const uint32_t base = columns.first & ~31u;
        const bool fits = columns.first == NONE || columns.last - base < wrapped.width;
        int length = 0;
        if (__all_sync(~0u, fits || bundle.rows == 0)) {
            length = count_marks(group, wrapped);
            const bool fills = done == 0 && bundle.rows == rows && length > 0 && length <= shape.most;
            marked_window window{marks, base, fills ? wrapped.width : 0, NONE};
            const int first_word = (int)(base / 32), words = (int)wrapped.width / 32;
            if (__any_sync(~0u, fills))
                pack_window(group, window, fill.memory.words,
                            [&](int w) { return marks_word<row_group>(window.marks, (first_word + w) & (words - 1)); });
            if (fills) unit.window = window, whole = bundle;
        } else {
            __syncwarp();
            for_each_window<ROWS, false, true>(
                pattern, group, shape, {marks, columns}, bundle.row[0], found.faults, bounds,
                [&](const marked_window &window, bool) { length += count_marks(group, window); });
        }
        if (shape.row_groups != nullptr && done == 0 && rows > 0 && group.lane == 0)
            shape.row_groups[first / ROWS] = bundle.rows == ROWS ? uint2{columns.first, columns.last} : uint2{NONE, 0};
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (r >= done && r < done + bundle.rows) unit.length[r] = length;
        found.products += products * (unsigned)bundle.rows;
        if (group.lane == 0) {
            found.rows += (unsigned)bundle.rows;
            found.nnz += (unsigned long long)length * (unsigned)bundle.rows;
            found.longest = max(found.longest, (unsigned)length);
            if (length > 0 && whole.rows == 0) left += (unsigned)bundle.rows;
        }
        done += bundle.rows;
    }
    fill.bundle = whole;
    return unit;
}

/* Blocks a multiprocessor for which registers must leave room, as for filling. */
template <typename Value>
__global__ __launch_bounds__(GROUP_THREADS,
                             5) void one_pass_bitmap_kernel(const bitmap_shape shape, const patterns<int32_t> pattern,
                                                            const numbers<Value> number, const reserved_job job)
{
    extern __shared__ int4 shared[];
    __shared__ tile_board<MOST_WARPS> board;
    const row_group group;
    tile_places<LANES, MOST_WARPS> places(job, board);
    bitmap_fill<int32_t, Value, ROWS, row_group> fill(pattern, number, group, shape, shape.memory_of(group, shared));
    counts found{};
    unsigned int left = 0;
    while (true) {
        const int64_t tile = places.take_tile();
        if (tile >= job.tiles) break;
        const int64_t first = (tile * places.warps * GROUPS + group.in_block) * ROWS, rest = pattern.rows - first;
        const int rows = rest <= 0 ? 0 : rest < ROWS ? (int)rest : (int)ROWS;
        const group_found unit = count_group(shape, pattern, fill, (int32_t)first, rows, found, left);
        const int all_lengths = unit.length[0] + unit.length[1] + unit.length[2];
        places.publish_own(tile, all_lengths);
        /* Summing does not check what it reads, so it is skipped after any fault; C is then not used. */
        const bool sound = !__any_sync(~0u, found.faults != 0);
        const int length = sound && fill.bundle.rows > 0 ? unit.length[0] : 0;
        fill.template add_window<false>(shape, unit.window, length,
                                        length > 0 ? fill.bundle.row[0] : span<int32_t>{0, 0});
        const int64_t begin = places.begin(tile, &pattern.c_offsets[pattern.rows]);
        fill.begin[0] = (int32_t)begin;
        fill.begin[1] = fill.begin[0] + unit.length[0];
        fill.begin[2] = fill.begin[1] + unit.length[1];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (group.lane == r && r < rows) pattern.c_offsets[first + r] = fill.begin[r];
        const int written = places.has_room(begin, all_lengths) ? length : 0;
        fill.write_values(written);
        __syncwarp();
        fill.write_columns(unit.window, written);
    }
    add_counts_of_groups(pattern.counters, found);
    left = __reduce_add_sync(~0u, left);
    if (places.lane == 0 && left > 0) atomicAdd(&pattern.counters->rows_left, left);
    __syncthreads();
    if (places.warp == 0) send_counters_if_last(pattern.counters, job.mailbox, job.post);
}

} // namespace

spg_status note_equal_rows(cuda_product &product, int together)
{
    const int64_t rows = product.B->rows, row_groups = (product.A->rows + together - 1) / together;
    const int64_t bytes = row_groups * (int64_t)sizeof(uint2) + rows;
    if (rows == 0) return SPG_OK;
    equal_notes &notes = product.notes;
    if (!take_spare(product, bytes, &notes)) return SPG_OK;
    notes.row_groups = static_cast<uint2 *>(notes.memory);
    notes.repeats = reinterpret_cast<uint8_t *>(notes.row_groups + row_groups);
    return with_offset_type(product.offset_type, [&](auto offset) {
        return mark_rows_like_before<decltype(offset), 0>(product, notes.repeats);
    });
}

spg_status count_rows_bitmap(cuda_product &product, const row_set &rows, int span, int together)
{
    if (rows.rows != nullptr) together = 1;
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        if (together == 1) return launch_count<Offset, 1>(product, rows, span, 1);
        return launch_count<Offset, MOST_TOGETHER>(product, rows, span, together);
    });
}

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

bool may_go_bitmap(const cuda_product &product, int span)
{
    if (!may_reserve(product)) return false;
    const bitmap_shape shape = bitmap_shape_of(product, all_rows(product), span, ROWS);
    return shape.lanes == LANES && !shape.pieces;
}

int64_t bitmap_one_pass_words(const cuda_product &product)
{
    return look_back::words_for((product.A->rows + GROUPS * ROWS - 1) / (GROUPS * ROWS));
}

spg_status one_pass_bitmap(cuda_product &product, const reserved_arrays &reserved, int span, unsigned int post)
{
    return with_common_value(product, [&](auto value) {
        using Value = decltype(value);
        const char *what = "one pass, class bitmap";
        bitmap_shape shape = bitmap_shape_of(product, all_rows(product), span, ROWS);
        shape.width = wrapped_width(span);
        shape.most = (reserved.most + 3) / 4 * 4;
        set_fill_bytes<Value, ROWS>(shape, ROWS);
        auto *kernel = one_pass_bitmap_kernel<Value>;
        const int threads = group_block_threads(product, shape), bytes = threads / LANES * shape.group_bytes;
        if (threads == 0)
            return spg_context_fail(product.context, SPG_ERROR_DEVICE, "%s: too little shared memory", what);
        int resident = 0;
        spg_status status = allow_shared(product.context, what, kernel, product.cuda->block_shared_bytes - 1024);
        if (status == SPG_OK) status = resident_blocks_of(product.context, what, kernel, threads, bytes, &resident);
        if (status != SPG_OK) return status;
        const reserved_job job = reserved_job_of(product, reserved, (int64_t)threads / LANES * ROWS, post);
        kernel<<<reserved_blocks(product, job, resident), threads, bytes, product.cuda->stream>>>(
            shape, patterns_of<int32_t>(product), reserved_numbers<Value>(product, reserved), job);
        return spg_cuda_check_launch(product.context, what);
    });
}

} // namespace spg

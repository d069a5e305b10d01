/* Method bitmap, counting and filling of equal neighbours in one pass; the invariants of bitmap/count.cu and
 * bitmap/fill.cu hold (spgemm_bench, H100, A*P of elast3d: 0.14 ms, 0.19 in two passes).
 *
 * Input: A and B, unchecked, notes on equal rows, and reserved arrays for C (assemble/reserved.cu). Output: C's row
 * offsets, columns and values, and the notes that filling needs. Units whose rows are not all equal, or longer or wider
 * than expected, are only counted. A block takes tiles of a unit a group: while it sums the products, look-back finds
 * where its rows begin in C (assemble/look_back.cuh). Chosen by route/route.cu. */
#include "../assemble/tile_places.cuh"
#include "../driver/counters.cuh"
#include "fill_window.cuh"

namespace spg
{
namespace
{

enum { LANES = 8, R = MOST_TOGETHER, GROUPS = 32 / LANES, MOST_WARPS = GROUP_THREADS / 32 };
using row_group = lane_group<LANES>;

/* A group's results for its unit: the lengths of its rows of C; its window, or an empty window if the unit is not to be
 * filled. */
struct group_found {
    int length[R];
    marked_window window;
};

/* Marks and counts a unit of rows; leaves it packed in fill.memory if it can be filled at once. */
template <typename Value>
__device__ inline group_found count_group(const bitmap_shape &shape, const patterns<int32_t> &pattern,
                                          bitmap_fill<int32_t, Value, R, row_group> &fill, int32_t first, int rows,
                                          counts &found, unsigned int &left)
{
    const row_group &group = fill.group;
    auto *const marks = reinterpret_cast<uint8_t *>(fill.memory.rest);
    const auto bounds = [&](int32_t column) { return checked_b_bounds(pattern, column, found.faults); };
    group_found unit{{0, 0, 0}, {marks, 0, 0, NONE}};
    row_bundle<int32_t, R> whole{};
    for (int done = 0; __any_sync(~0u, done < rows);) {
        const row_bundle<int32_t, R> bundle = bundle_rows<int32_t, R>(
            pattern, group, rows - done, [&](int r) { return checked_a_row(pattern, first + done + r, found.faults); });
        wrapped_window wrapped{marks, (uint32_t)shape.width, NONE, 0};
        clear_marks(group, marks, wrapped.width);
        __syncwarp();
        const unsigned long long products =
            mark_row<R, false, true>(pattern, group, shape, wrapped, bundle.row[0], found.faults, bounds);
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
            for_each_window<R, false, true>(
                pattern, group, shape, {marks, columns}, bundle.row[0], found.faults, bounds,
                [&](const marked_window &window, bool) { length += count_marks(group, window); });
        }
        if (shape.row_groups != nullptr && done == 0 && rows > 0 && group.lane == 0)
            shape.row_groups[first / R] = bundle.rows == R ? uint2{columns.first, columns.last} : uint2{NONE, 0};
#pragma unroll
        for (int r = 0; r < R; r++)
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
    int4 *const mine = shared + group.in_block * (shape.group_bytes / 16);
    bitmap_fill<int32_t, Value, R, row_group> fill{pattern,
                                                   number,
                                                   group,
                                                   {reinterpret_cast<uint2 *>(mine), mine + shape.width / 64},
                                                   reinterpret_cast<Value *>(mine + shape.factors / 16),
                                                   shape.most,
                                                   {},
                                                   {}};
    counts found{};
    unsigned int left = 0;
    while (true) {
        const int64_t tile = places.take_tile();
        if (tile >= job.tiles) break;
        const int64_t first = (tile * places.warps * GROUPS + group.in_block) * R, rest = pattern.rows - first;
        const int rows = rest <= 0 ? 0 : rest < R ? (int)rest : (int)R;
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
        for (int r = 0; r < R; r++)
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

template <typename Value>
spg_status launch(cuda_product &product, const reserved_arrays &reserved, int span, unsigned int post)
{
    bitmap_shape shape = bitmap_shape_of(product, all_rows(product), span, R);
    shape.width = wrapped_width(span);
    shape.most = (reserved.most + 3) / 4 * 4;
    set_fill_bytes<Value, R>(shape, R);
    auto *kernel = one_pass_bitmap_kernel<Value>;
    const int threads = group_block_threads(product, shape), bytes = threads / LANES * shape.group_bytes;
    if (threads == 0)
        return spg_context_fail(product.context, SPG_ERROR_DEVICE, "one pass, class bitmap: too little shared memory");
    int resident = 0;
    /* Always the maximum: the setting belongs to the process. */
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             product.cuda->block_shared_bytes - 1024);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, (size_t)bytes);
    spg_status status = spg_cuda_check(product.context, error, "one pass, class bitmap");
    if (status != SPG_OK) return status;
    const reserved_job job = reserved_job_of(product, reserved, (int64_t)threads / LANES * R, post);
    kernel<<<reserved_blocks(product, job, resident), threads, bytes, product.cuda->stream>>>(
        shape, patterns_of<int32_t>(product), reserved_numbers<Value>(product, reserved), job);
    return spg_cuda_check_launch(product.context, "one pass, class bitmap");
}

} // namespace

bool may_go_bitmap(const cuda_product &product, int span)
{
    if (!has_types_to_reserve(product)) return false;
    const bitmap_shape shape = bitmap_shape_of(product, all_rows(product), span, R);
    return shape.lanes == LANES && !shape.pieces;
}

int64_t bitmap_one_pass_words(const cuda_product &product)
{
    return look_back::words_for((product.A->rows + GROUPS * R - 1) / (GROUPS * R));
}

spg_status one_pass_bitmap(cuda_product &product, const reserved_arrays &reserved, int span, unsigned int post)
{
    if (product.A->value_type == SPG_F32) return launch<float>(product, reserved, span, post);
    return launch<double>(product, reserved, span, post);
}

} // namespace spg

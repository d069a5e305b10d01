/* Symmetric half, filling pass: C has been allocated; writes each row as the mirror images of the entries above the
 * diagonal in its column, then the kept row (symmetric_half/one_pass.cu).
 *
 * Input: c_offsets and the kept rows. Output: C. Images were recorded in the order in which rows happened to be done;
 * their codes are sorted here, so that C does not depend on that order. */
#include "half_rows.cuh"

#include "../../launch.cuh"
#include "../../primitives/parts.cuh"
#include "../driver/groups.cuh"

#include <cub/block/block_reduce.cuh>

#include <climits>

namespace spg
{
namespace
{

enum { ADD_THREADS = 256, PLACE_THREADS = 128 };

/* A block writes the sum of its rows' lengths. */
template <typename Offset>
__global__ void __launch_bounds__(ADD_THREADS)
    add_lengths(const int32_t *lower_counts, int32_t rows, Offset *lengths, long long *sums)
{
    using reduction = cub::BlockReduce<long long, ADD_THREADS>;
    __shared__ typename reduction::TempStorage shared;
    wait_and_trigger();
    const int64_t i = (int64_t)blockIdx.x * ADD_THREADS + threadIdx.x;
    long long length = 0;
    if (i < rows) length = (long long)lengths[i] + lower_counts[i], lengths[i] = (Offset)length;
    const long long sum = reduction(shared).Sum(length);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/* Words for the codes of a row, long or not. */
__host__ __device__ inline int codes_room(int stride) { return (2 * stride + 3) / 4 * 4; }

/* Lists the codes of a row, padded with all bits set to a multiple of four; `lanes` lanes call it. */
template <typename Value>
__device__ inline void list_codes(const half_view<Value> &kept, int32_t i, int lower, int lane, int lanes,
                                  uint32_t *codes)
{
    const int near = min(lower, kept.stride);
    for (int x = lane; x < near; x += lanes) codes[x] = kept.lower[(int64_t)i * kept.stride + x];
    if (lower > near && lane == 0) {
        uint32_t node = kept.first_node[i];
        for (int x = near; x < lower; ++x, node = kept.nodes[node - 1].next) codes[x] = kept.nodes[node - 1].code;
    }
    if (lane < (-lower & 3)) codes[lower + lane] = UINT_MAX;
}

/* The number of codes less than `code`; the list is padded with all bits set to a multiple of four. */
__device__ inline int rank_of(uint32_t code, const uint32_t *codes, int count)
{
    int rank = 0;
    for (int x = 0; x < count; x += 4) {
        const uint4 other = *reinterpret_cast<const uint4 *>(codes + x);
        rank += (other.x < code) + (other.y < code) + (other.z < code) + (other.w < code);
    }
    return rank;
}

/* A group of lanes a row. */
template <typename Offset, typename Value, int Lanes>
__global__ void __launch_bounds__(PLACE_THREADS)
    place_rows(const Offset *c_offsets, int32_t rows, const half_view<Value> kept, int32_t *c_columns, Value *c_values)
{
    extern __shared__ uint4 shared[];
    const lane_group<Lanes> group;
    const int64_t i = (int64_t)blockIdx.x * (PLACE_THREADS / Lanes) + group.in_block;
    uint32_t *const codes = reinterpret_cast<uint32_t *>(shared) + group.in_block * codes_room(kept.stride);
    int lower = 0;
    Offset begin = 0;
    if (i < rows) {
        begin = c_offsets[i];
        lower = kept.lower_counts[i];
        const int half = (int)(c_offsets[i + 1] - begin) - lower;
        list_codes(kept, (int32_t)i, lower, group.lane, Lanes, codes);
        const Offset to = begin + lower;
        for (int x = group.lane; x < half; x += Lanes) {
            const int64_t from = kept.place_of((int32_t)i, x);
            c_columns[to + x] = kept.columns[from];
            c_values[to + x] = kept.values[from];
        }
    }
    __syncwarp();
    const uint32_t mask = (1u << kept.bits) - 1;
    for (int x = group.lane; x < lower; x += Lanes) {
        const uint32_t code = codes[x], row = code >> kept.bits;
        const Value value = kept.values[kept.place_of((int32_t)row, (int)(code & mask))];
        const Offset to = begin + rank_of(code, codes, lower);
        c_columns[to] = (int32_t)row;
        c_values[to] = value;
    }
}

/* Divides the memory into the arrays of a view whose sizes are set; returns their bytes. */
int64_t deal_arrays(half_view<void> &view, int64_t value_size, void *memory)
{
    const int64_t rows = view.rows, entries = rows * view.stride, strips = rows + view.most_long;
    part_taker parts{static_cast<char *>(memory), 0};
    parts.take(strips * view.stride * value_size, &view.values);
    parts.take_array(strips * view.stride, &view.columns);
    parts.take_array(entries, &view.lower);
    parts.take_array(view.most_nodes, &view.nodes);
    parts.take_array(rows, &view.second);
    parts.take_array(view.most_long, &view.long_rows);
    parts.take_array(2 * rows + 1, &view.lower_counts);
    view.first_node = reinterpret_cast<uint32_t *>(view.lower_counts + rows);
    view.nodes_taken = view.first_node + rows;
    return parts.used;
}

} // namespace

spg_status take_half_rows(cuda_product &product, const half_shape &shape, half_rows *kept)
{
    const int64_t rows = product.A->rows;
    const auto value_size = (int64_t)spg_type_size(product.A->value_type);
    half_view<void> view = {};
    while (1 << view.bits < 2 * shape.stride) view.bits++;
    *kept = {};
    if (rows > (int64_t)UINT32_MAX >> view.bits) return SPG_OK;
    view.stride = shape.stride;
    view.rows = (int32_t)rows;
    view.most_long = (int32_t)(rows / LONG_ROWS_OF + LONG_ROWS_MORE);
    view.most_nodes = (uint32_t)(rows * shape.stride / NODES_OF + NODES_MORE);
    const int64_t bytes = deal_arrays(view, value_size, nullptr);
    if (!take_spare(product, bytes, kept)) return SPG_OK;
    deal_arrays(view, value_size, kept->memory);
    kept->shape = shape;
    kept->view = view;
    return spg_cuda_zero_bytes(product.context, view.lower_counts, (2 * rows + 1) * (int64_t)sizeof(int32_t));
}

spg_status add_lower_lengths(cuda_product &product, const half_rows &kept, length_sums *sums)
{
    const auto rows = (int32_t)product.C->rows;
    const int blocks = (int)(((int64_t)rows + ADD_THREADS - 1) / ADD_THREADS);
    spg_status status = take_sums(product, ADD_THREADS, blocks, sums);
    if (status != SPG_OK) return status;
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        return launch_programmatic(product.context, product.cuda->stream, "add_lengths", blocks, ADD_THREADS, 0,
                                   add_lengths<Offset>, kept.view.lower_counts, rows,
                                   static_cast<Offset *>(product.C->row_offsets), sums->memory);
    });
}

template <typename Offset, typename Value, int Lanes>
static spg_status place(cuda_product &product, const half_rows &kept)
{
    const auto rows = (int32_t)product.C->rows;
    const int groups = PLACE_THREADS / Lanes;
    const size_t bytes = groups * (size_t)codes_room(kept.view.stride) * sizeof(uint32_t);
    place_rows<Offset, Value, Lanes><<<(rows + groups - 1) / groups, PLACE_THREADS, bytes, product.cuda->stream>>>(
        static_cast<const Offset *>(product.C->row_offsets), rows, view_of<Value>(kept), product.C->columns,
        static_cast<Value *>(product.C->values));
    return spg_cuda_check_launch(product.context, "place_rows");
}

spg_status place_half_rows(cuda_product &product, const half_rows &kept)
{
    return with_value_types(product, [&](auto offset, auto value) {
        if (kept.shape.lanes == 4) return place<decltype(offset), decltype(value), 8>(product, kept);
        return place<decltype(offset), decltype(value), 16>(product, kept);
    });
}

} // namespace spg

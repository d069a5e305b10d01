/* Filling, class upper: rows kept in workspace while they were counted (rows_upper.cu) are copied to C, which is
 * allocated since, behind the mirror images of the entries above the diagonal in their columns.
 *
 * Input: c_offsets, and the kept rows. Output: C. Which images a row has was noted in the order in which rows happened
 * to be done; their codes are sorted here, so that C does not depend on it. */
#include "rows_upper.cuh"

#include "groups.cuh"

#include <cub/block/block_reduce.cuh>

#include <algorithm>
#include <climits>
#include <cstring>

namespace spg
{
namespace
{

enum { ADD_THREADS = 256, PLACE_THREADS = 128 };

/* A block leaves the sum of its rows' lengths. */
template <typename Offset>
__global__ void __launch_bounds__(ADD_THREADS)
    add_lengths(const int32_t *lower_counts, int32_t rows, Offset *lengths, long long *sums)
{
    using reduction = cub::BlockReduce<long long, ADD_THREADS>;
    __shared__ typename reduction::TempStorage shared;
    const int64_t i = (int64_t)blockIdx.x * ADD_THREADS + threadIdx.x;
    long long length = 0;
    if (i < rows) length = (long long)lengths[i] + lower_counts[i], lengths[i] = (Offset)length;
    const long long sum = reduction(shared).Sum(length);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/* How many of the codes, which are followed by others of all bits up to a multiple of four, are less than `code`. */
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
    place_rows(const Offset *c_offsets, int32_t rows, const upper_view<Value> kept, int32_t *c_columns, Value *c_values)
{
    extern __shared__ uint4 shared[];
    const lane_group<Lanes> group;
    const int64_t i = (int64_t)blockIdx.x * (PLACE_THREADS / Lanes) + group.in_block, from = i * kept.stride;
    uint32_t *const codes = reinterpret_cast<uint32_t *>(shared) + group.in_block * ((kept.stride + 3) / 4 * 4);
    int lower = 0;
    Offset begin = 0;
    if (i < rows) {
        begin = c_offsets[i];
        lower = kept.lower_counts[i];
        const int upper = (int)(c_offsets[i + 1] - begin) - lower;
        for (int x = group.lane; x < lower; x += Lanes) codes[x] = kept.lower[from + x];
        if (group.lane < (-lower & 3)) codes[lower + group.lane] = UINT_MAX;
        const Offset to = begin + lower;
        for (int x = group.lane; x < upper; x += Lanes) {
            c_columns[to + x] = kept.columns[from + x];
            c_values[to + x] = kept.values[from + x];
        }
    }
    __syncwarp();
    const uint32_t mask = (1u << kept.bits) - 1;
    for (int x = group.lane; x < lower; x += Lanes) {
        const uint32_t code = codes[x], row = code >> kept.bits;
        const Value value = kept.values[(int64_t)row * kept.stride + (code & mask)];
        const Offset to = begin + rank_of(code, codes, lower);
        c_columns[to] = (int32_t)row;
        c_values[to] = value;
    }
}

/* Bytes of an array, so that the next begins at a multiple of 256. */
int64_t rounded(int64_t bytes) { return (bytes + 255) / 256 * 256; }

} // namespace

spg_status take_upper_rows(cuda_product &product, const upper_shape &shape, upper_rows *kept)
{
    const int64_t limit = product.context->config.workspace_limit, rows = product.A->rows;
    const int stride = shape.stride;
    int bits = 0;
    while (1 << bits < stride) bits++;
    const int64_t entries = rows * stride, columns_bytes = rounded(entries * (int64_t)sizeof(int32_t));
    const int64_t values_bytes = rounded(entries * (int64_t)spg_type_size(product.A->value_type));
    const int64_t bytes = values_bytes + 2 * columns_bytes + rows * (int64_t)sizeof(int32_t);
    memset(kept, 0, sizeof *kept);
    if (rows > (int64_t)UINT32_MAX >> bits) return SPG_OK;
    if (limit > 0 && bytes > (limit - product.held_bytes) / 2) return SPG_OK;
    spg_status status = take_workspace(product, bytes, "rows kept", &kept->memory);
    if (status != SPG_OK) return status;
    char *memory = static_cast<char *>(kept->memory);
    kept->bytes = bytes;
    kept->shape = shape;
    kept->view = {memory,
                  reinterpret_cast<int32_t *>(memory + values_bytes),
                  reinterpret_cast<uint32_t *>(memory + values_bytes + columns_bytes),
                  reinterpret_cast<int32_t *>(memory + values_bytes + 2 * columns_bytes),
                  stride,
                  bits};
    return spg_cuda_zero_bytes(product.context, kept->view.lower_counts, rows * (int64_t)sizeof(int32_t));
}

void release_upper_rows(cuda_product &product, upper_rows *kept)
{
    give_workspace(product, kept->memory, kept->bytes);
    memset(kept, 0, sizeof *kept);
}

spg_status add_lower_lengths(cuda_product &product, const upper_rows &kept, length_sums *sums)
{
    const auto rows = (int32_t)product.C->rows;
    const int blocks = (int)(((int64_t)rows + ADD_THREADS - 1) / ADD_THREADS);
    spg_status status = take_sums(product, ADD_THREADS, blocks, sums);
    if (status != SPG_OK) return status;
    return with_offset_type(product.offset_type, [&](auto offset) {
        add_lengths<<<blocks, ADD_THREADS, 0, product.cuda->stream>>>(
            kept.view.lower_counts, rows, static_cast<decltype(offset) *>(product.C->row_offsets), sums->memory);
        return spg_cuda_check_launch(product.context, "add_lengths");
    });
}

template <typename Offset, typename Value, int Lanes>
static spg_status place(cuda_product &product, const upper_rows &kept)
{
    const auto rows = (int32_t)product.C->rows;
    const int groups = PLACE_THREADS / Lanes;
    const size_t bytes = groups * (size_t)((kept.view.stride + 3) / 4 * 4) * sizeof(uint32_t);
    place_rows<Offset, Value, Lanes><<<(rows + groups - 1) / groups, PLACE_THREADS, bytes, product.cuda->stream>>>(
        static_cast<const Offset *>(product.C->row_offsets), rows, view_of<Value>(kept), product.C->columns,
        static_cast<Value *>(product.C->values));
    return spg_cuda_check_launch(product.context, "place_rows");
}

spg_status place_upper_rows(cuda_product &product, const upper_rows &kept)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_value_type(product.A->value_type, [&](auto value) {
            if (kept.shape.lanes == 4) return place<decltype(offset), decltype(value), 8>(product, kept);
            return place<decltype(offset), decltype(value), 16>(product, kept);
        });
    });
}

} // namespace spg

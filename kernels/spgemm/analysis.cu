/* Analysis: how many products each row needs, and of which class it is (section 3.1 of the paper). See rows.cuh.
 *
 * In: A's pattern and B's offsets, unchecked. Out: row_products, class counts, totals and faults. A group of lanes sums
 * the lengths of the rows of B that a row of A names, as many lanes as suit A's mean row; rows far longer than the mean
 * are left to the whole block. */
#include "../primitives/warp.cuh"
#include "row_bins.cuh"
#include "rows.cuh"

#include <cub/block/block_reduce.cuh>

namespace spg
{
namespace
{

enum { THREADS = 256, LONG_STEPS = 64 }; /* a group takes no more steps over a row; longer ones are the block's */

/* What the rows of a block add up to. */
struct shared_state {
    unsigned int class_rows[SPG_ROW_CLASSES];
    int long_rows;
    int32_t long_row[THREADS];
    typename cub::BlockReduce<unsigned long long, THREADS>::TempStorage reduce;
};

/* This thread's share of the products of a row: entries begin + first, begin + first + stride, ... */
template <typename Offset>
__device__ unsigned long long count_products(const patterns<Offset> &pattern, const span<Offset> &row, int first,
                                             int stride, unsigned int &faults)
{
    unsigned long long sum = 0;
    Offset length = row.end - row.begin;
    for (int64_t k = first; k < length; k += stride) {
        span<Offset> b = checked_b_row(pattern, pattern.a_columns[row.begin + (Offset)k], faults);
        sum += (unsigned long long)(b.end - b.begin);
    }
    return sum;
}

__device__ void record_row(shared_state &shared, const spg_row_limits &limits, int64_t *row_products, int32_t i,
                           unsigned long long products)
{
    if (row_products != nullptr) row_products[i] = (int64_t)products;
    atomicAdd(&shared.class_rows[class_of_row((int64_t)products, limits)], 1u);
}

/* The offsets of B that no entry of A names, and both ends of both. */
template <typename Offset> __device__ unsigned int check_offsets(const patterns<Offset> &pattern)
{
    unsigned int faults = 0;
    int64_t first = (int64_t)blockIdx.x * THREADS + threadIdx.x, stride = (int64_t)gridDim.x * THREADS;
    for (int64_t k = first; k < pattern.inner; k += stride) checked_b_row(pattern, (int32_t)k, faults);
    if (first == 0) {
        if (pattern.a_offsets[0] != 0 || pattern.a_offsets[pattern.rows] != pattern.a_nnz) faults |= SPG_FAULT_A;
        if (pattern.b_offsets[0] != 0 || pattern.b_offsets[pattern.inner] != pattern.b_nnz) faults |= SPG_FAULT_B;
    }
    return faults;
}

template <typename Offset, int Width>
__global__ void __launch_bounds__(THREADS, 6)
    analyse_kernel(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ spg_row_limits limits,
                   int64_t *row_products)
{
    constexpr int ROWS = THREADS / Width;
    __shared__ shared_state shared;
    unsigned long long total = 0;
    unsigned int faults = check_offsets(pattern);
    int lane = threadIdx.x % Width;
    if (threadIdx.x < SPG_ROW_CLASSES) shared.class_rows[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.long_rows = 0;
    __syncthreads();
    for (int64_t tile = (int64_t)blockIdx.x * ROWS; tile < pattern.rows; tile += (int64_t)gridDim.x * ROWS) {
        int64_t i = tile + threadIdx.x / Width;
        span<Offset> row{0, 0};
        if (i < pattern.rows) row = checked_a_row(pattern, (int32_t)i, faults);
        bool is_long = row.end - row.begin > LONG_STEPS * Width;
        unsigned long long products = is_long ? 0 : count_products(pattern, row, lane, Width, faults);
        total += products;
        products = reduce<Width>(products, plus{});
        if (lane == 0 && i < pattern.rows) {
            if (is_long)
                shared.long_row[atomicAdd(&shared.long_rows, 1)] = (int32_t)i;
            else
                record_row(shared, limits, row_products, (int32_t)i, products);
        }
        __syncthreads();
        int long_rows = shared.long_rows;
        __syncthreads();
        for (int k = 0; k < long_rows; ++k) {
            int32_t long_row = shared.long_row[k];
            unsigned long long mine =
                count_products(pattern, a_row(pattern, long_row), (int)threadIdx.x, THREADS, faults);
            total += mine;
            unsigned long long sum = cub::BlockReduce<unsigned long long, THREADS>(shared.reduce).Sum(mine);
            if (threadIdx.x == 0) record_row(shared, limits, row_products, long_row, sum);
            __syncthreads();
        }
        if (long_rows == 0) continue;
        if (threadIdx.x == 0) shared.long_rows = 0;
        __syncthreads();
    }
    if (threadIdx.x < SPG_ROW_CLASSES && shared.class_rows[threadIdx.x] > 0)
        atomicAdd(&pattern.tally->class_rows[threadIdx.x], (unsigned long long)shared.class_rows[threadIdx.x]);
    tally_counts(pattern.tally, 0, total, 0, 0, faults);
}

template <int Width, typename Offset>
spg_status launch(const cuda_product &product, const patterns<Offset> &pattern, const spg_row_limits &limits,
                  int64_t *row_products)
{
    int blocks = grid_for(product, pattern.rows, Width, THREADS);
    analyse_kernel<Offset, Width><<<blocks, THREADS, 0, product.cuda->stream>>>(pattern, limits, row_products);
    return spg_cuda_check_launch(product.context, "the analysis of a product");
}

} // namespace

spg_status analyse_rows(cuda_product &product, const spg_row_limits &limits, int64_t *row_products)
{
    int64_t rows = product.A->rows, nnz = product.A->nnz;
    return with_offset_type(product.offset_type, [&](auto offset) {
        patterns<decltype(offset)> pattern = patterns_of<decltype(offset)>(product);
        if (nnz <= 3 * rows) return launch<1>(product, pattern, limits, row_products);
        if (nnz <= 48 * rows) return launch<8>(product, pattern, limits, row_products);
        return launch<32>(product, pattern, limits, row_products);
    });
}

} // namespace spg

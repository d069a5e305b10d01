/* Analysis: the products of each row, and its class (section 3.1 of the paper). See rows.cuh.
 *
 * In: A's pattern and B's offsets, unchecked. Out: row_products, class counts, totals and faults. A group of lanes sums
 * the lengths of the rows of B that a row of A names; the number of lanes suits A's mean row. Rows far longer than the
 * mean get a warp each. Longer ones, which may be neighbours, are listed for the blocks of a second kernel, and huge
 * rows for all of its blocks. */
#include "../../primitives/warp.cuh"
#include "../rows.cuh"
#include "row_bins.cuh"

#include <cub/block/block_reduce.cuh>

namespace spg
{
namespace
{

enum {
    THREADS = 256,
    LONG_STEPS = 16,  /* steps of a group over a row; longer rows get a warp */
    LISTED_ROW = 512, /* entries of A; longer rows get a block (rmat16: 48 us, 127 with a warp each) */
    HUGE_ROW = 8192,  /* longer rows get all blocks (a row of a million entries: 1.3 ms by one) */
    AT_ONCE = 4       /* entries of A whose rows of B are loaded together */
};

/* The sums over the rows of a block. */
struct shared_state {
    unsigned int class_rows[SPG_ROW_CLASSES];
    int long_rows;
    int32_t long_row[THREADS];
};

/* Rows of A beyond HUGE_ROW entries, and other rows beyond LISTED_ROW. Overlapping offsets may produce more of them
 * than fit: a fault. */
struct huge_row {
    unsigned long long products;
    int32_t row;
    uint32_t blocks_done;
};
struct long_lists {
    uint32_t *huge_count, *listed_count;
    huge_row *huge;
    int32_t *listed;
    uint32_t most_huge, most_listed;
};

/* This thread's share of the products of a row: entries begin + first, begin + first + stride, ... */
template <typename Offset>
__device__ unsigned long long count_products(const patterns<Offset> &pattern, const span<Offset> &row, int first,
                                             int stride, unsigned int &faults)
{
    unsigned long long sum = 0;
    Offset length = row.end - row.begin;
    for (int64_t k = first; k < length; k += AT_ONCE * stride) {
        int32_t columns[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u)
            if (k + u * stride < length) columns[u] = pattern.a_columns[row.begin + (Offset)(k + u * stride)];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) {
            if (k + u * stride >= length) continue;
            span<Offset> b = checked_b_row(pattern, columns[u], faults);
            sum += (unsigned long long)(b.end - b.begin);
        }
    }
    return sum;
}

__device__ void record_row(shared_state &shared, const spg_row_limits &limits, int64_t *row_products, int32_t i,
                           unsigned long long products)
{
    row_products[i] = (int64_t)products;
    atomicAdd(&shared.class_rows[spg_classify((int64_t)products, &limits)], 1u);
}

/* Checks the offsets of B that no entry of A names, and both ends of A's and B's offsets. */
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

__device__ void list_row(const long_lists &lists, int32_t i, bool huge)
{
    const uint32_t at = atomicAdd(huge ? lists.huge_count : lists.listed_count, 1u);
    if (huge && at < lists.most_huge) lists.huge[at].row = i;
    if (!huge && at < lists.most_listed) lists.listed[at] = i;
}

template <typename Offset, int Width>
__global__ void __launch_bounds__(THREADS, 6)
    analyse_kernel(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ spg_row_limits limits,
                   int64_t *row_products, const long_lists lists)
{
    constexpr int ROWS = THREADS / Width;
    __shared__ shared_state shared;
    counts found{};
    found.faults = check_offsets(pattern);
    int lane = threadIdx.x % Width;
    if (threadIdx.x < SPG_ROW_CLASSES) shared.class_rows[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.long_rows = 0;
    __syncthreads();
    for (int64_t tile = (int64_t)blockIdx.x * ROWS; tile < pattern.rows; tile += (int64_t)gridDim.x * ROWS) {
        int64_t i = tile + threadIdx.x / Width;
        span<Offset> row{0, 0};
        if (i < pattern.rows) row = checked_a_row(pattern, (int32_t)i, found.faults);
        bool is_long = row.end - row.begin > LONG_STEPS * Width;
        unsigned long long products = is_long ? 0 : count_products(pattern, row, lane, Width, found.faults);
        found.products += products;
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
        for (int k = (int)threadIdx.x / 32; k < long_rows; k += THREADS / 32) {
            const int32_t long_row = shared.long_row[k];
            const span<Offset> a = a_row(pattern, long_row);
            if (a.end - a.begin > LISTED_ROW) {
                if (threadIdx.x % 32 == 0) list_row(lists, long_row, a.end - a.begin > HUGE_ROW);
                continue;
            }
            const unsigned long long mine = count_products(pattern, a, (int)threadIdx.x % 32, 32, found.faults);
            found.products += mine;
            const unsigned long long sum = reduce<32>(mine, plus{});
            if (threadIdx.x % 32 == 0) record_row(shared, limits, row_products, long_row, sum);
        }
        if (long_rows == 0) continue;
        __syncthreads();
        if (threadIdx.x == 0) shared.long_rows = 0;
        __syncthreads();
    }
    if (threadIdx.x < SPG_ROW_CLASSES && shared.class_rows[threadIdx.x] > 0)
        atomicAdd(&pattern.counters->class_rows[threadIdx.x], (unsigned long long)shared.class_rows[threadIdx.x]);
    add_counts(pattern.counters, found);
}

/* Listed rows by a block each, then every huge row by all blocks; the last block to add its share records the row. */
template <typename Offset>
__global__ void __launch_bounds__(THREADS)
    analyse_long_rows(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ spg_row_limits limits,
                      int64_t *row_products, const long_lists lists)
{
    __shared__ typename cub::BlockReduce<unsigned long long, THREADS>::TempStorage reduce;
    const uint32_t listed = min(*lists.listed_count, lists.most_listed), huge = min(*lists.huge_count, lists.most_huge);
    counts found{};
    const auto record = [&](int32_t i, unsigned long long products) {
        row_products[i] = (int64_t)products;
        atomicAdd(&pattern.counters->class_rows[spg_classify((int64_t)products, &limits)], 1ull);
    };
    for (uint32_t k = blockIdx.x; k < listed; k += gridDim.x) {
        const span<Offset> row = a_row(pattern, lists.listed[k]);
        const unsigned long long mine = count_products(pattern, row, (int)threadIdx.x, THREADS, found.faults);
        found.products += mine;
        const unsigned long long sum = cub::BlockReduce<unsigned long long, THREADS>(reduce).Sum(mine);
        __syncthreads();
        if (threadIdx.x == 0) record(lists.listed[k], sum);
    }
    for (uint32_t k = 0; k < huge; ++k) {
        huge_row &row = lists.huge[k];
        const int first = (int)(blockIdx.x * THREADS + threadIdx.x), stride = (int)(gridDim.x * THREADS);
        const unsigned long long mine = count_products(pattern, a_row(pattern, row.row), first, stride, found.faults);
        found.products += mine;
        const unsigned long long sum = cub::BlockReduce<unsigned long long, THREADS>(reduce).Sum(mine);
        __syncthreads();
        if (threadIdx.x != 0) continue;
        atomicAdd(&row.products, sum);
        __threadfence();
        if (atomicAdd(&row.blocks_done, 1u) == gridDim.x - 1) record(row.row, atomicAdd(&row.products, 0ull));
    }
    add_counts(pattern.counters, found);
}

} // namespace

spg_status analyse_rows(cuda_product &product, const spg_row_limits &limits, products_of_rows *products)
{
    const int64_t rows = product.A->rows, nnz = product.A->nnz, huge = nnz / HUGE_ROW, listed = nnz / LISTED_ROW;
    const int64_t zeroed = (1 + huge) * (int64_t)sizeof(huge_row), bytes = zeroed + listed * (int64_t)sizeof(int32_t);
    void *row_products_memory = nullptr;
    scoped_workspace block(product);
    products->bytes = rows * (int64_t)sizeof(int64_t);
    spg_status status = take_workspace(product, products->bytes, "the products of each row", &row_products_memory);
    int64_t *const row_products = products->memory = static_cast<int64_t *>(row_products_memory);
    if (status == SPG_OK) status = block.take(bytes, "rows with very many entries");
    if (status == SPG_OK) status = spg_cuda_zero_bytes(product.context, block.held.memory, zeroed);
    if (status != SPG_OK) return status;
    auto *counts = block.as<uint32_t>();
    auto *huge_rows = block.as<huge_row>() + 1;
    const long_lists lists{counts,         counts + 1,      huge_rows, reinterpret_cast<int32_t *>(huge_rows + huge),
                           (uint32_t)huge, (uint32_t)listed};
    return launch_typed(product, "the analysis of a product", [&](auto offset, cudaStream_t stream) {
        using Offset = decltype(offset);
        const int lanes = nnz <= 3 * rows ? 1 : nnz <= 48 * rows ? 8 : 32;
        auto *kernel = lanes == 1   ? analyse_kernel<Offset, 1>
                       : lanes == 8 ? analyse_kernel<Offset, 8>
                                    : analyse_kernel<Offset, 32>;
        const patterns<Offset> pattern = patterns_of<Offset>(product);
        kernel<<<grid_for(product, rows, lanes, THREADS), THREADS, 0, stream>>>(pattern, limits, row_products, lists);
        if (listed == 0) return;
        const int blocks = grid_for(product, nnz, 1, THREADS * AT_ONCE);
        analyse_long_rows<<<blocks, THREADS, 0, stream>>>(pattern, limits, row_products, lists);
    });
}

} // namespace spg

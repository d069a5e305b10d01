/* Method long_rows, for rows of C of any length: a bitmap of columns finds the pattern (long_rows/columns.cu), then
 * windows of entries are summed in shared memory (long_rows/values.cu). Filling takes two steps because a window holds
 * a number of entries of C, not a range of columns, so that a row has few windows however far apart its columns are.
 *
 * Shared by its kernels: laying products of several rows of B end to end, so that no lane idles whether these rows are
 * short or long (section 3.2 of the paper), and the tickets that hand out work of very different size. Private. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_LONG_ROWS_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_LONG_ROWS_CUH

#include "../rows.cuh"

namespace spg
{

/* long_rows/columns.cu: the columns of rows of C, by bitmaps. heavy: every row has so much work that large blocks suit
 * it. */
spg_status count_window_columns(cuda_product &product, const row_set &rows);
/* The same for rows of B in any order, with repeated columns allowed; fewer than 2^31 entries in all, and an analysis
 * must have run. */
spg_status count_columns_in_any_order(cuda_product &product, const row_set &rows);
spg_status fill_window_columns(cuda_product &product, const row_set &rows, bool heavy);

/* long_rows/values.cu: the values of rows of C whose columns are written. row_products: of every row of A, in device
 * memory; NULL: not known. few: other kernels fill most of C meanwhile, faster than long sums take. */
spg_status fill_window_values(cuda_product &product, const row_set &rows, const int64_t *row_products, bool few);

/* Entries of A, each with its piece of a row of B, with their products numbered end to end: entry e has the products
 * starts[e] to starts[e + 1], and its product p is at deltas[e] + p in B. No piece is empty, so starts ascend strictly;
 * starts[0] = 0. */
template <typename Offset> struct flat_products {
    const uint32_t *starts;
    const Offset *deltas;
    int entries;
    uint32_t products;
};

/* The entry of product p + lane, for 32 products at once. `before` is the entry of product p - 1, or -1, and becomes
 * that of p + 31; `begins` has a bit for every lane where an entry begins. The whole warp calls it. */
template <typename Offset>
__device__ inline int entry_of(const flat_products<Offset> &flat, uint32_t p, int &before, uint32_t &begins)
{
    int lane = threadIdx.x % 32, next = before + 1 + lane;
    uint32_t ahead = next < flat.entries ? flat.starts[next] - p : 32u;
    begins = __reduce_or_sync(~0u, ahead < 32 ? 1u << ahead : 0u);
    int entry = before + __popc(begins & (~0u >> (31 - lane)));
    before += __popc(begins);
    return entry;
}

/* The entry of product p - 1, or -1 for p = 0. */
template <typename Offset> __device__ inline int entry_before(const flat_products<Offset> &flat, uint32_t p)
{
    int low = 0, high = flat.entries; /* counts the starts below p */
    while (low < high) {
        int middle = (low + high) / 2;
        if (flat.starts[middle] < p)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* The first position in columns[0 .. length) whose column is not less than `column`. */
__device__ inline int32_t first_not_less(const int32_t *columns, int32_t length, int64_t column)
{
    int32_t low = 0;
    while (length > 0) {
        int32_t half = length / 2;
        bool less = columns[low + half] < column;
        low = less ? low + half + 1 : low;
        length = less ? length - half - 1 : half;
    }
    return low;
}

/* The number of blocks that fill the device. Sets the kernel's shared memory limit to the most a block may have: it
 * belongs to the process, and another thread may be about to launch with more. */
template <typename Kernel>
spg_status blocks_that_fill(const cuda_product &product, Kernel kernel, int threads, int64_t shared_bytes, int *blocks)
{
    constexpr int STATIC_BYTES = 2048; /* more than any of these kernels has */
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             product.cuda->block_shared_bytes - STATIC_BYTES);
    int each = 0;
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, (size_t)shared_bytes);
    *blocks = product.cuda->multiprocessors * (each > 0 ? each : 1);
    return spg_cuda_check(product.context, error, "sizing a kernel of windows");
}

} // namespace spg

#endif

/* The window class, for long rows of C, of any length: a bitmap of columns finds their pattern (long_rows/columns.cu),
 * then windows of their entries are summed in shared memory (long_rows/values.cu). Filling takes two steps because a
 * window is cut by the entries of C that it holds, not by its width, so that a row has few windows however far its
 * columns lie apart.
 *
 * What its kernels share: how products of several rows of B are laid end to end, so that no lane of a warp idles
 * whether those rows are short or long (section 3.2 of the paper), and the tickets by which work of very different size
 * is dealt. Private. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_LONG_ROWS_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_LONG_ROWS_CUH

#include "../rows.cuh"

namespace spg
{

/* Columns of a C whose rows of middling length class few columns fills, so that windows have heavy rows alone; of wider
 * ones the maps are no longer small beside the sums. */
enum { FEW_COLUMNS_TO_FILL = 1 << 15 };

/* long_rows/columns.cu: the columns of the rows of C, from bitmaps. heavy: all have so much work that large blocks
 * suit.
 */
spg_status count_window_columns(cuda_product &product, const row_set &rows);
/* ... where rows of B are in any order, columns repeated, fewer than 2^31 entries in all, and an analysis has been. */
spg_status count_columns_in_any_order(cuda_product &product, const row_set &rows);
spg_status fill_window_columns(cuda_product &product, const row_set &rows, bool heavy);

/* long_rows/values.cu: the values of rows of C whose columns are there. row_products: of every row of A, in device
 * memory; NULL: not known. few: most of C is filled meanwhile, and sooner than long sums are made. */
spg_status fill_window_values(cuda_product &product, const row_set &rows, const int64_t *row_products, bool few);

/* Entries of A, each with its piece of a row of B, in a flat order of their products: entry e has the products
 * starts[e] to starts[e + 1], and product p of it is at deltas[e] + p in B. No piece is empty, so starts ascend
 * strictly; starts[0] = 0. */
template <typename Offset> struct flat_products {
    const uint32_t *starts;
    const Offset *deltas;
    int entries;
    uint32_t products;
};

/* The entry of product p + lane, for 32 products at once. `before` is the entry of product p - 1, or -1, and becomes
 * that of p + 31; `begins` has a bit for every lane at whose product an entry begins. Called by the whole warp. */
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
    int low = 0, high = flat.entries; /* the starts below p are counted */
    while (low < high) {
        int middle = (low + high) / 2;
        if (flat.starts[middle] < p)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* The first place in columns[0 .. length) whose column is not less than `column`. */
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

/* Blocks of a kernel that fill the device. The kernel's limit on shared memory is the process's: all that a block may
 * have, since another thread may be about to launch with more. */
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

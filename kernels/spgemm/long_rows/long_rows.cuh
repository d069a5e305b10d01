/* Method long_rows, for rows of C of any length: a bitmap of columns finds the pattern (long_rows/columns.cu), then
 * windows of entries are summed in shared memory (long_rows/values.cu). Filling takes two steps because a window holds
 * a number of entries of C, not a range of columns, so that a row has few windows however far apart its columns are.
 *
 * Shared by its kernels: laying products of several rows of B end to end, so that no lane idles whether these rows are
 * short or long (section 3.2 of the paper), and the tickets that hand out work of very different size. Private. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_LONG_ROWS_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_LONG_ROWS_CUH

#include "../../launch.cuh"
#include "../../primitives/block.cuh"
#include "../../primitives/search.cuh"
#include "../rows.cuh"

namespace spg
{

/* long_rows/columns.cu: the columns of rows of C, by bitmaps. heavy: every row has so much work that large blocks suit
 * it. */
spg_status count_window_columns(cuda_product &product, const row_set &rows);
spg_status fill_window_columns(cuda_product &product, const row_set &rows, bool heavy);
/* The same for rows of B in any order, with repeated columns allowed; an analysis must have run. */
spg_status count_columns_in_any_order(cuda_product &product, const row_set &rows);
spg_status fill_columns_in_any_order(cuda_product &product, const row_set &rows);

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
    return first_that(0, flat.entries, [&](int entry) { return flat.starts[entry] >= p; }) - 1;
}

/* The number of entries of A, and of units of their products, that are laid out end to end. */
struct laid_entries {
    int entries, units;
};
enum { LAID_BITS = 22 }; /* of a sum of units; the bits above count entries */

/* Lays out entries of A from `at` on, EACH a thread, with a value each, as many as ROOM units hold; UNIT products of an
 * entry are a unit. narrow(rows) may narrow the rows of B; place(entry, first unit, past the last, row of B) is called
 * for each entry with products. All threads of at most MOST_WARPS warps call it. */
template <int EACH, int MOST_WARPS, int UNIT, uint32_t ROOM, typename Offset, typename Value, typename Narrow,
          typename Place>
__device__ inline laid_entries lay_entries(const patterns<Offset> &pattern, const Value *a_values, Value *laid_a,
                                           Offset at, Offset end, Narrow &&narrow, Place &&place)
{
    constexpr uint32_t LOW = (1u << LAID_BITS) - 1;
    __shared__ laid_entries laid;
    span<Offset> rows[EACH];
    Value a[EACH];
    const Offset left = end - at - (Offset)(EACH * threadIdx.x);
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const Offset entry = at + (Offset)(EACH * threadIdx.x + e);
        rows[e] = e < left ? b_row(pattern, pattern.a_columns[entry]) : span<Offset>{0, 0};
        a[e] = e < left ? a_values[entry] : zero<Value>();
    }
    narrow(rows);
    const auto units_of = [](span<Offset> row) { return (uint32_t)(row.end - row.begin + UNIT - 1) / UNIT; };
    uint32_t own = 0;
#pragma unroll
    for (int e = 0; e < EACH; ++e) own += units_of(rows[e]) | (units_of(rows[e]) > 0) << LAID_BITS;
    uint32_t before = inclusive_block_sum<MOST_WARPS>(own) - own;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const uint32_t units = units_of(rows[e]), first = before & LOW, last = first + units,
                       entry = before >> LAID_BITS;
        before += units | (units > 0) << LAID_BITS;
        if (last > ROOM) { /* the first entry that does not fit says how many do */
            if (first <= ROOM) laid = {(int)(EACH * threadIdx.x) + e, (int)first};
            continue;
        }
        if (units == 0) continue;
        laid_a[entry] = a[e];
        place(entry, first, last, rows[e]);
    }
    if (threadIdx.x == blockDim.x - 1 && (before & LOW) <= ROOM) laid = {(int)(EACH * blockDim.x), (int)(before & LOW)};
    __syncthreads();
    return laid;
}

/* The number of blocks that fill the device. Allows the kernel the most shared memory that a block may have. */
template <typename Kernel>
spg_status blocks_that_fill(const cuda_product &product, Kernel kernel, int threads, int64_t shared_bytes, int *blocks)
{
    constexpr int STATIC_BYTES = 2048; /* more than any of these kernels has */
    const char *what = "sizing a kernel of windows";
    int each = 0;
    spg_status status = allow_shared(product.context, what, kernel, product.cuda->block_shared_bytes - STATIC_BYTES);
    if (status == SPG_OK) status = resident_blocks_of(product.context, what, kernel, threads, shared_bytes, &each);
    *blocks = product.cuda->multiprocessors * (each > 0 ? each : 1);
    return status;
}

} // namespace spg

#endif

/* Expansion (section 3.2 of the paper): the products of a row of A, by a thread, a warp or a block. Private.
 *
 * In: the entries of a row of A, each naming a row of B. Out: visit(p, k, l) for every product p = 0, 1, ... of entry k
 * of A with entry l of B, with p in storage order. Work is divided by products, not by rows of B: neighbouring lanes
 * take neighbouring products, so that neither short nor long rows of B leave lanes idle.
 *
 * Each class expands twice: first the columns, then, when these are sorted, the values; so the two are never held
 * together. Checked = true when counting. */
#ifndef SPG_KERNELS_SPGEMM_SORT_EXPAND_CUH
#define SPG_KERNELS_SPGEMM_SORT_EXPAND_CUH

#include "../../launch.cuh"
#include "../../primitives/warp.cuh"
#include "../product.cuh"

#include <cub/block/block_scan.cuh>

namespace spg
{

/* fits: the row has no more products than the class holds; if not, some were not visited, and products = 0. */
struct expansion {
    int products;
    bool fits;
};
/* The same of a row whose columns are kept: the least, and the distance from it to the greatest. */
struct expanded_row : expansion {
    uint32_t least, span;
};

template <bool Checked, typename Offset>
__device__ inline span<Offset> named_row(const patterns<Offset> &pattern, Offset a_entry, unsigned int &faults)
{
    int32_t column = pattern.a_columns[a_entry];
    if constexpr (Checked) return checked_b_row(pattern, column, faults);
    return b_row(pattern, column);
}

/* The column of an entry of B; if out of range, 0, with a fault recorded. */
template <bool Checked, typename Offset>
__device__ inline uint32_t column_of_b(const patterns<Offset> &pattern, Offset b_entry, unsigned int &faults)
{
    uint32_t column = (uint32_t)pattern.b_columns[b_entry];
    if (Checked && column >= (uint32_t)pattern.cols) {
        faults |= SPG_FAULT_B;
        column = 0;
    }
    return column;
}

/* By one thread. A single loop over products, so that threads whose rows of B differ in length stay in step. */
template <bool Checked, typename Offset, typename Visit>
__device__ inline expansion expand_by_thread(const patterns<Offset> &pattern, span<Offset> row, int most,
                                             unsigned int &faults, Visit visit)
{
    int products = 0;
    Offset k = row.begin;
    span<Offset> b{0, 0};
    for (;;) {
        while (b.begin == b.end && k < row.end) b = named_row<Checked>(pattern, k++, faults);
        if (b.begin == b.end) return {products, true};
        if (products == most) return {0, false};
        visit(products++, k - 1, b.begin++);
    }
}

/* A warp's memory: for each non-empty row of B, in order. */
template <typename Offset> struct warp_sources {
    Offset shift[WARP]; /* its first entry minus the number of that product within the batch */
    int8_t lane[WARP];  /* the lane with the entry of A that names it */
};

/* Length of a row of B, capped so that sums over a batch do not overflow; `most` is far below 2^20. */
template <typename Offset> __device__ inline uint32_t cut_length(span<Offset> b, int most)
{
    Offset length = b.end - b.begin;
    return length > most ? (uint32_t)most + 1 : (uint32_t)length;
}

/* By a warp: batches of 32 entries of A, one a lane; then steps of 32 products. A mask of the rows of B that begin in
 * the step, and the number that began before, give the row of each product. All lanes call it. */
template <bool Checked, typename Offset, typename Visit>
__device__ inline expansion expand_by_warp(const patterns<Offset> &pattern, span<Offset> row, int most,
                                           warp_sources<Offset> &sources, unsigned int &faults, Visit visit)
{
    int lane = lane_in_warp(), done = 0;
    for (Offset left = row.end - row.begin; left > 0; left -= left < WARP ? left : WARP) {
        Offset batch = row.end - left;
        span<Offset> b{0, 0};
        if (lane < left) b = named_row<Checked>(pattern, (Offset)(batch + lane), faults);
        uint32_t length = cut_length(b, most), total;
        uint32_t first = exclusive_scan(length, 0u, plus{}, &total);
        if (total > (uint32_t)(most - done)) return {0, false};
        unsigned int full = __ballot_sync(ALL_LANES, length > 0);
        __syncwarp();
        if (length > 0) {
            int rank = __popc(full & lanes_below());
            sources.shift[rank] = b.begin - (Offset)first;
            sources.lane[rank] = (int8_t)lane;
        }
        __syncwarp();
        int begun = 0;
        for (uint32_t step = 0; step < total; step += WARP) {
            uint32_t here = first - step;
            unsigned int begins = __reduce_or_sync(ALL_LANES, length > 0 && here < WARP ? 1u << here : 0u);
            uint32_t p = step + lane;
            if (p < total) {
                int rank = begun + __popc(begins & lanes_through()) - 1;
                visit(done + (int)p, (Offset)(batch + sources.lane[rank]), (Offset)(sources.shift[rank] + (Offset)p));
            }
            begun += __popc(begins);
        }
        done += (int)total;
    }
    return {done, true};
}

/* A block's memory, for CTA_BATCH entries of A at a time: the number within the batch of each entry's first product,
 * and its row's first entry of B minus that number. */
enum { CTA_THREADS = 512, CTA_BATCH = 256 };
static_assert((int)CTA_BATCH <= (int)CTA_THREADS, "a thread an entry");
template <typename Offset> struct block_sources {
    Offset shift[CTA_BATCH];
    uint16_t first[CTA_BATCH];
};
using block_scan = cub::BlockScan<uint32_t, CTA_THREADS, cub::BLOCK_SCAN_WARP_SCANS>;

/* By a block: product p of a batch belongs to the last entry of A whose products begin at or before p. All threads call
 * it and get the same result. On return, all threads see what visit wrote to shared memory. */
template <bool Checked, typename Offset, typename Visit>
__device__ inline expansion expand_by_block(const patterns<Offset> &pattern, span<Offset> row, int most,
                                            block_sources<Offset> &sources, block_scan::TempStorage &scan,
                                            unsigned int &faults, Visit visit)
{
    int done = 0;
    for (Offset left = row.end - row.begin; left > 0; left -= left < CTA_BATCH ? left : CTA_BATCH) {
        Offset batch = row.end - left;
        span<Offset> b{0, 0};
        if (threadIdx.x < CTA_BATCH && (int)threadIdx.x < left)
            b = named_row<Checked>(pattern, (Offset)(batch + threadIdx.x), faults);
        uint32_t length = cut_length(b, most), first, total;
        block_scan(scan).ExclusiveSum(length, first, total);
        if (total > (uint32_t)(most - done)) {
            __syncthreads();
            return {0, false};
        }
        if (threadIdx.x < CTA_BATCH) {
            sources.shift[threadIdx.x] = b.begin - (Offset)first;
            sources.first[threadIdx.x] = (uint16_t)first;
        }
        __syncthreads();
        for (uint32_t p = threadIdx.x; p < total; p += CTA_THREADS) {
            int owner = 0;
#pragma unroll
            for (int step = CTA_BATCH / 2; step > 0; step /= 2)
                if (sources.first[owner + step] <= p) owner += step;
            visit(done + (int)p, (Offset)(batch + owner), (Offset)(sources.shift[owner] + (Offset)p));
        }
        __syncthreads();
        done += (int)total;
    }
    return {done, true};
}

/* Values without a static type, so that the sort is compiled once for all types. */
struct any_numbers {
    const void *a_values, *b_values;
    int32_t *c_columns;
    void *c_values;
    spg_type type;
    bool pattern_only;
};

inline any_numbers any_numbers_of(const cuda_product &product)
{
    return {product.A->values, product.B->values,     product.C->columns,
            product.C->values, product.A->value_type, product.pattern_only};
}

/* Calls function(numbers<Value>) with the C++ type of the values. */
template <typename Function> __device__ inline void with_numbers(const any_numbers &all, Function function)
{
    auto typed = [&](auto value) {
        using Value = decltype(value);
        function(numbers<Value>{static_cast<const Value *>(all.a_values), static_cast<const Value *>(all.b_values),
                                all.c_columns, static_cast<Value *>(all.c_values)});
    };
    switch (all.type) {
    case SPG_F32: return typed(float{});
    case SPG_C32: return typed(complex<float>{});
    case SPG_C64: return typed(complex<double>{});
    default: return typed(double{});
    }
}

/* How a class's kernel is launched: what a row takes, a block, and its shared memory; `most_bytes` of it are allowed
 * for all types alike, because the limit belongs to the process, and another thread may be about to launch. */
struct class_launch {
    const char *what;
    int row_threads, block_threads, bytes, most_bytes;
};

/* layout: what the kernel needs to know of its shared memory. */
template <typename Offset, typename Layout>
spg_status launch_class(const cuda_product &product, const row_set &rows, const class_launch &shape,
                        void (*kernel)(patterns<Offset>, row_set, any_numbers, Layout), const Layout &layout)
{
    const spg_status status = allow_shared(product.context, shape.what, kernel, shape.most_bytes);
    if (status != SPG_OK) return status;
    const int blocks = grid_for(product, rows.count, shape.row_threads, shape.block_threads);
    kernel<<<blocks, shape.block_threads, shape.bytes, product.cuda->stream>>>(patterns_of<Offset>(product), rows,
                                                                               any_numbers_of(product), layout);
    return spg_cuda_check_launch(product.context, shape.what);
}

} // namespace spg

#endif

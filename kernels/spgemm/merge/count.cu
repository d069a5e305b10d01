/* Method merge, counting pass, for short rows: a thread merges the rows of B that its row of A names, with their heads
 * in registers.
 *
 * Input: A and B, unchecked. Output: the lengths of C's rows. Rows with more than MERGE_MOST entries of A or
 * MERGE_MOST_PRODUCTS products become overflow rows. Invariant: each head is the first column of its row of B that is
 * not counted yet, so the least head is the next column of C; heads equal to it advance. An out-of-range column, read
 * as unsigned, is never counted, so its row of B is not at its end when the merge stops. If a row of B does not ascend,
 * neither do the least heads. Both faults are thus found without a test for each column. Every step consumes at least
 * one product, so the merge ends on any input.
 *
 * Each warp chooses the number of heads a thread by its longest row of A. Longer rows of A are merged by half a warp or
 * a whole warp, a head a lane (merge/lanes.cuh). The kernel for few heads is limited to 40 registers, which gains more
 * than further heads would. Chosen by route/route.cu for products with short rows of A. No counterpart in the paper. */
#include "../../launch.cuh"
#include "../driver/counters.cuh"
#include "lanes.cuh"

#include <type_traits>

namespace spg
{

namespace
{

enum { ROWS_A_MULTIPROCESSOR = 8192 }; /* above this, blocks take several tiles of rows */

/* The rows of A that a kernel is tuned for: merged by a thread with FEW_HEADS or with MANY_HEADS. It does the others as
 * well. */
enum class made_for { few, many };
enum { FEW_HEADS = 9, MANY_HEADS = 16 };
static_assert((int)MANY_HEADS <= (int)HALF, "rows beyond the heads of half a warp are a whole warp's");
static_assert(32ll * MERGE_MOST * (MERGE_MOST_PRODUCTS + 1) < (1ll << 32), "a warp's products are added in 32 bits");
static_assert((int)MERGE_MOST <= (int)LIST_MOST_A, "a row that is merged is too long for a list by its row of C alone");

/* Threads of a block, and the least blocks a multiprocessor, which bounds the registers: as many as need no local
 * memory. Blocks are large, so that the active rows on a multiprocessor are neighbours, which find each other's rows of
 * B in L1. If these are long, fewer rows are active (spgemm_bench, H100, the counting pass: tri2d A*P 0.140 ms with six
 * blocks of 256 threads, 0.098 with three of 512; A*A 0.34, 0.26, and 0.18 with two; tet3d A*P 0.36 with three blocks
 * of 256, 0.26 with one of 768; A*A 1.37, 1.14, and 0.94 with one of 512). */
struct block_shape {
    int threads, blocks;
};
constexpr block_shape shape_of(made_for rows, bool long_b, size_t offset_bytes, size_t position_bytes)
{
    if (rows == made_for::few) return {512, offset_bytes == 4 && !long_b ? 3 : 2};
    return {long_b || position_bytes == 8 ? 512 : 768, 1};
}

/* Loads the ranges of the rows of B that a row of A with at most HEADS entries names; returns its products, capped. An
 * invalid row counts as empty and makes the row of A suspect. */
template <int HEADS, typename Offset, typename Position>
__device__ inline uint32_t load_rows(const patterns<Offset> &pattern, span<Offset> a, Position (&at)[HEADS],
                                     Position (&end)[HEADS], uint32_t &faults)
{
    using Unsigned = std::make_unsigned_t<Offset>;
    int32_t columns[HEADS];
    span<Offset> rows[HEADS];
    const int length = (int)(a.end - a.begin);
#pragma unroll
    for (int k = 0; k < HEADS; ++k) columns[k] = load_if(k < length, pattern.a_columns + a.begin + k, -1);
#pragma unroll
    for (int k = 0; k < HEADS; ++k) {
        const bool within = (uint32_t)columns[k] < (uint32_t)pattern.inner;
        rows[k].begin = load_if(within, pattern.b_offsets + columns[k], 0);
        rows[k].end = load_if(within, pattern.b_offsets + columns[k] + 1, k < length ? -1 : 0);
    }
    uint32_t products = 0;
#pragma unroll
    for (int k = 0; k < HEADS; ++k) {
        if ((Unsigned)rows[k].begin > (Unsigned)rows[k].end || (Unsigned)rows[k].end > (Unsigned)pattern.b_nnz) {
            faults |= SUSPECT;
            rows[k] = {0, 0};
        }
        products += capped_length(rows[k]);
        at[k] = (Position)rows[k].begin;
        end[k] = (Position)rows[k].end;
    }
    return products;
}

/* Merges for a row of A with at most HEADS entries. Whole warps call it, because they add their products before they
 * merge. */
template <int HEADS, typename Offset, typename Position>
__device__ inline void merge_in_thread(const patterns<Offset> &pattern, span<Offset> a, row_found &found,
                                       warp_found &warp)
{
    uint32_t heads[HEADS];
    Position at[HEADS], end[HEADS];
    uint32_t products = load_rows(pattern, a, at, end, found.signs);
    const bool fits = products <= MERGE_MOST_PRODUCTS;
    const uint32_t most = __reduce_max_sync(~0u, products);
    products = __reduce_add_sync(~0u, fits ? products : 0);
    if (threadIdx.x % 32 == 0) {
        warp.products += products;
        warp.most_products = max(warp.most_products, most);
    }
    if (!fits) {
        found.signs |= LEFT;
        return;
    }
#pragma unroll
    for (int k = 0; k < HEADS; ++k)
        heads[k] = (uint32_t)load_if(at[k] < end[k], pattern.b_columns + at[k], (int32_t)NO_HEAD);
    uint32_t column = least(heads);
    while (column < (uint32_t)pattern.cols) {
        ++found.length;
#pragma unroll
        for (int k = 0; k < HEADS; ++k) step_if_taken(heads[k], at[k], end[k], column, pattern.b_columns);
        uint32_t before = column;
        column = least(heads);
        if (column > before) continue;
        found.signs |= SPG_FAULT_B_UNSORTED;
        return;
    }
    bool left = false;
#pragma unroll
    for (int k = 0; k < HEADS; ++k) left |= at[k] < end[k];
    if (left) found.signs |= SPG_FAULT_B;
}

/* The same with the fewest of these heads that hold the warp's longest row; the last hold any. */
template <typename Position, int HEADS, int... MORE, typename Offset>
__device__ inline void merge_narrowest(const patterns<Offset> &pattern, span<Offset> a, int longest, row_found &found,
                                       warp_found &warp)
{
    if (longest == 0) return;
    if constexpr (sizeof...(MORE) > 0)
        if (longest > HEADS) return merge_narrowest<Position, MORE...>(pattern, a, longest, found, warp);
    merge_in_thread<HEADS, Offset, Position>(pattern, a, found, warp);
}

/* One row a thread, row i; `active`: there is such a row. */
template <made_for ROWS, typename Offset, typename Position>
__device__ inline row_found count_row(const patterns<Offset> &pattern, bool active, int32_t i, warp_found &warp)
{
    constexpr bool FEW = ROWS == made_for::few;
    constexpr int HEADS = FEW ? (int)FEW_HEADS : (int)MANY_HEADS;
    row_found found{0, 0};
    span<Offset> a{0, 0};
    const Offset b_first = load_if(pattern.inner > 0, pattern.b_offsets, 0);
    const Offset b_past = load_if(pattern.inner > 0, pattern.b_offsets + pattern.inner, pattern.b_nnz);
    if (active) a = checked_a_row(pattern, i, found.signs);
    /* This may not concern the row, as find_faults then decides; it costs nothing if the operands are valid. */
    if (b_first != 0 || b_past != pattern.b_nnz) found.signs |= SUSPECT;
    if (a.end - a.begin > MERGE_MOST) {
        found.signs |= LEFT;
        a.end = a.begin;
    }
    const unsigned int by_wholes = __ballot_sync(~0u, a.end - a.begin > HALF);
    const unsigned int by_lanes = __ballot_sync(~0u, a.end - a.begin > HEADS);
    if (a.end - a.begin > HEADS) a.end = a.begin;
    const int longest = __reduce_max_sync(~0u, (int)(a.end - a.begin));
    if (threadIdx.x % 32 == 0) warp.longest_a = max((int)warp.longest_a, by_lanes != 0 ? (int)MERGE_MOST : longest);
    if constexpr (FEW)
        merge_narrowest<Position, 4, 5, 7, FEW_HEADS>(pattern, a, longest, found, warp);
    else
        merge_narrowest<Position, 8, 12, MANY_HEADS>(pattern, a, longest, found, warp);
    __syncwarp();
    /* Rare, so the row is read again: that saves registers. */
    if (found.signs & SUSPECT) {
        found.signs &= ~SUSPECT;
        if (active && (found.signs & LEFT) == 0) find_faults(pattern, i, found.signs);
    }
    if (by_lanes == 0) return found;
    if (by_wholes != 0)
        merge_in_groups<32, Offset, Position>(pattern, i, by_lanes, found, warp);
    else
        merge_in_groups<HALF, Offset, Position>(pattern, i, by_lanes, found, warp);
    return found;
}

/* Adds every lane's row, if `active`, to the warp's counts, except for the products. */
__device__ inline void add_to_warp(warp_found &warp, bool active, const row_found &row)
{
    const unsigned int length = (unsigned int)row.length;
    unsigned int nnz = __reduce_add_sync(~0u, length);
    unsigned int longest = __reduce_max_sync(~0u, length), faults = __reduce_or_sync(~0u, row.signs & ~LEFT);
    unsigned int rows = __popc(__ballot_sync(~0u, active && (row.signs & LEFT) == 0));
    unsigned int long_rows = __popc(__ballot_sync(~0u, !fits_list(row.length, (int32_t)MERGE_MOST)));
    if (threadIdx.x % 32 != 0) return;
    warp.nnz += nnz;
    warp.longest = max(warp.longest, longest);
    warp.rows += rows;
    warp.long_rows += long_rows;
    warp.faults |= faults;
}

/* The first warp adds the counts of all warps to the counters, and writes the sum of the block's lengths to *sum. */
__device__ inline void add_to_counters(spg_counters *counters, const warp_found *warps, long long *sum)
{
    warp_found found{};
    if (threadIdx.x < blockDim.x / 32) found = warps[threadIdx.x];
    add_counts(counters, {found.nnz, found.products, found.longest, found.rows, 0, found.faults});
    const unsigned int long_rows = __reduce_add_sync(~0u, found.long_rows);
    const unsigned int longest_a = __reduce_max_sync(~0u, found.longest_a);
    const unsigned int most_products = __reduce_max_sync(~0u, found.most_products);
    long long lengths = (long long)found.nnz;
    for (int step = 16; step > 0; step /= 2) lengths += __shfl_xor_sync(~0u, lengths, step);
    if (threadIdx.x != 0) return;
    *sum = lengths;
    if (long_rows > 0) atomicAdd(&counters->long_rows, long_rows);
    if (longest_a > 0) atomicMax(&counters->merged_a, longest_a);
    if (most_products > 0) atomicMax(&counters->merged_products, most_products);
}

/* One block counts, among SAMPLED_ROWS rows spread over A, those that begin far from where the next row begins. If
 * there are many, neighbouring rows name scattered rows of B; the filling kernel uses this. */
template <typename Offset> __device__ inline void count_scattered(const patterns<Offset> &pattern)
{
    if (threadIdx.x >= SAMPLED_ROWS) return;
    const int32_t i = (int32_t)((int64_t)(pattern.rows - 1) * (int)threadIdx.x / SAMPLED_ROWS);
    bool scattered = false;
    if (i + 1 < pattern.rows) {
        uint32_t faults = 0;
        const span<Offset> row = checked_a_row(pattern, i, faults), next = checked_a_row(pattern, i + 1, faults);
        if (row.begin < row.end && next.begin < next.end)
            scattered = abs((int64_t)pattern.a_columns[row.begin] - pattern.a_columns[next.begin]) > SCATTERED_FROM;
    }
    const unsigned int count = __popc(__ballot_sync(~0u, scattered));
    if (threadIdx.x % 32 == 0 && count > 0) atomicAdd(&pattern.counters->scattered, count);
}

/* A block takes `tiles` consecutive tiles, a row a thread. */
template <made_for ROWS, bool LONG_B, typename Offset, typename Position>
__global__ void __launch_bounds__(shape_of(ROWS, LONG_B, sizeof(Offset), sizeof(Position)).threads,
                                  shape_of(ROWS, LONG_B, sizeof(Offset), sizeof(Position)).blocks)
    count_by_merging(patterns<Offset> pattern, int tiles, long long *sums, spg_mailbox *mailbox, unsigned int post)
{
    constexpr int THREADS = shape_of(ROWS, LONG_B, sizeof(Offset), sizeof(Position)).threads, WARPS = THREADS / 32;
    __shared__ warp_found warps[WARPS];
    const int warp = threadIdx.x / 32;
    trigger_next_kernel(); /* this kernel is launched normally and has nothing to wait for */
    if (threadIdx.x % 32 == 0) warps[warp] = {};
    /* There are fewer than 2^31 rows, and a tile that begins among them ends below 2^32. */
    uint32_t i = (uint32_t)((uint64_t)blockIdx.x * tiles * THREADS) + threadIdx.x;
    for (int tile = 0; tile < tiles; ++tile, i += THREADS) {
        const bool active = i < (uint32_t)pattern.rows;
        row_found found = count_row<ROWS, Offset, Position>(pattern, active, (int32_t)i, warps[warp]);
        if (active) pattern.c_offsets[i] = found.length;
        if ((found.signs & LEFT) != 0) list_overflow_row(pattern, (int32_t)i);
        add_to_warp(warps[warp], active, found);
    }
    if (blockIdx.x == 0) count_scattered(pattern);
    __syncthreads();
    if (warp > 0) return;
    add_to_counters(pattern.counters, warps, sums + blockIdx.x);
    send_counters_if_last(pattern.counters, mailbox, post);
}

template <made_for ROWS, bool LONG_B, typename Offset, typename Position>
spg_status launch(cuda_product &product, unsigned int post, length_sums *sums)
{
    constexpr int THREADS = shape_of(ROWS, LONG_B, sizeof(Offset), sizeof(Position)).threads;
    const int64_t tiles = (product.A->rows + THREADS - 1) / THREADS;
    const int64_t most = (int64_t)(ROWS_A_MULTIPROCESSOR / THREADS) * product.cuda->multiprocessors;
    const int64_t tiles_each = tiles > most ? (tiles + most - 1) / most : 1;
    const int64_t blocks = tiles > 0 ? (tiles + tiles_each - 1) / tiles_each : 1;
    spg_status status = take_sums(product, tiles_each * THREADS, (int)blocks, sums);
    if (status != SPG_OK) return status;
    count_by_merging<ROWS, LONG_B, Offset, Position><<<(unsigned int)blocks, THREADS, 0, product.cuda->stream>>>(
        patterns_of<Offset>(product), (int)tiles_each, sums->memory, product.cuda->device_mailbox, post);
    return spg_cuda_check_launch(product.context, "counting rows by merging");
}

} // namespace

spg_status count_rows_merge(cuda_product &product, unsigned int post, length_sums *sums)
{
    const spg_csr *A = product.A;
    if (product.offset_type != SPG_I32 && product.B->nnz > INT32_MAX)
        return launch<made_for::many, true, int64_t, int64_t>(product, post, sums);
    const bool few = A->nnz / FEW_HEADS <= A->rows;
    const bool long_b = product.B->nnz / MERGE_LONG_B > product.B->rows;
    if (product.offset_type != SPG_I32) {
        if (few) return launch<made_for::few, true, int64_t, int32_t>(product, post, sums);
        return launch<made_for::many, true, int64_t, int32_t>(product, post, sums);
    }
    if (few && long_b) return launch<made_for::few, true, int32_t, int32_t>(product, post, sums);
    if (few) return launch<made_for::few, false, int32_t, int32_t>(product, post, sums);
    if (long_b) return launch<made_for::many, true, int32_t, int32_t>(product, post, sums);
    return launch<made_for::many, false, int32_t, int32_t>(product, post, sums);
}

} // namespace spg

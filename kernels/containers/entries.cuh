/* Shared by the functions on matrices: views of offsets and orders of either width, loops over entries and rows, and
 * workspace that is freed at the end of a call. Private. */
#ifndef SPG_KERNELS_CONTAINERS_ENTRIES_CUH
#define SPG_KERNELS_CONTAINERS_ENTRIES_CUH

#include "../device.h"
#include "../launch.cuh"
#include "../primitives/search.cuh"
#include "../primitives/warp.cuh"

namespace spg
{

/* Numbers of 32 or 64 bits. The width is tested at run time: it is the same for all threads, and memory takes
 * longer. */
struct numbers_view {
    const void *memory;
    bool wide;

    __host__ __device__ int64_t operator[](int64_t k) const
    {
        return wide ? static_cast<const int64_t *>(memory)[k] : static_cast<const int32_t *>(memory)[k];
    }
};

inline numbers_view offsets_of(const spg_csr &matrix) { return {matrix.row_offsets, matrix.offset_type == SPG_I64}; }

/* The entry at each place of an order: unsigned numbers; without memory, storage order. */
struct entry_order {
    const void *memory;
    bool wide;

    __device__ int64_t operator[](int64_t k) const
    {
        if (memory == nullptr) return k;
        return wide ? (int64_t) static_cast<const uint64_t *>(memory)[k] : static_cast<const uint32_t *>(memory)[k];
    }
};

/* The row, within [low, high], that contains entry k. */
__device__ inline int64_t row_of_entry(numbers_view offsets, int64_t low, int64_t high, int64_t k)
{
    return first_that(low, high, [=](int64_t row) { return offsets[row + 1] > k; });
}

/* The first k with keys[k] >= key; count if there is none. */
template <typename Key> __device__ inline int64_t first_not_below(const Key *keys, int64_t count, Key key)
{
    return first_that((int64_t)0, count, [=](int64_t k) { return !(keys[k] < key); });
}

/* The workspace of one call, within the context's limit; held: bytes of it that the caller has taken. */
class workspace
{
  public:
    explicit workspace(spg_context *context, int64_t held = 0) : context(context), held(held) {}
    workspace(const workspace &) = delete;
    workspace &operator=(const workspace &) = delete;
    ~workspace()
    {
        while (taken > 0) {
            --taken;
            spg_release(context, blocks[taken], bytes[taken]);
        }
    }

    template <typename Element> spg_status take(int64_t count, const char *what, Element **memory)
    {
        if (taken == MOST) return spg_context_fail(context, SPG_ERROR_INTERNAL, "%s: too many blocks", what);
        int64_t size = spg_array_bytes(count, sizeof(Element));
        spg_status status = spg_allocate_workspace(context, held, size, what, &blocks[taken]);
        *memory = static_cast<Element *>(blocks[taken]);
        if (status != SPG_OK) return status;
        bytes[taken++] = size;
        held += size;
        return SPG_OK;
    }

    int64_t held_bytes() const { return held; }

    spg_context *const context;

  private:
    enum { MOST = 8 };
    void *blocks[MOST];
    int64_t bytes[MOST];
    int64_t held;
    int taken = 0;
};

enum { LOOP_THREADS = 256, LOOP_BLOCKS_A_MULTIPROCESSOR = 16, ENTRIES_A_THREAD = 4 };
enum { LOOP_ENTRIES = ENTRIES_A_THREAD * LOOP_THREADS }; /* of a block's tile */

/* Blocks of LOOP_THREADS for `pieces` pieces of work, one a block, at most as many as are resident. */
inline unsigned int loop_blocks(const spg_context *context, int64_t pieces)
{
    int64_t most = (int64_t)spg_cuda_of(context)->multiprocessors * LOOP_BLOCKS_A_MULTIPROCESSOR;
    return (unsigned int)(pieces < most ? pieces : most);
}

template <typename Function> __global__ __launch_bounds__(LOOP_THREADS) void loop(int64_t count, Function function)
{
    wait_and_trigger();
    int64_t step = (int64_t)gridDim.x * LOOP_THREADS;
    for (int64_t k = (int64_t)blockIdx.x * LOOP_THREADS + threadIdx.x; k < count; k += step) function(k);
}

/* Calls function(k) for 0 <= k < count, in any order. */
template <typename Function>
spg_status for_each(spg_context *context, int64_t count, const char *what, Function function)
{
    if (count <= 0) return SPG_OK;
    unsigned int blocks = loop_blocks(context, (count + LOOP_THREADS - 1) / LOOP_THREADS);
    return launch_programmatic(context, spg_cuda_of(context)->stream, what, blocks, LOOP_THREADS, 0, loop<Function>,
                               count, function);
}

/* As row_of_entry, by a whole warp: a probe a lane. */
__device__ inline int64_t row_of_entry_by_warp(numbers_view offsets, int64_t low, int64_t high, int64_t k)
{
    while (low < high) {
        int64_t part = (high - low) / (WARP + 1) + 1, probe = low + part * (lane_in_warp() + 1) - 1;
        unsigned int ends_after = __ballot_sync(ALL_LANES, probe >= high || offsets[probe + 1] > k);
        int first = ends_after != 0 ? __ffs((int)ends_after) - 1 : WARP;
        low += part * first;
        high = first < WARP && low + part - 1 < high ? low + part - 1 : high;
    }
    return low;
}

/* The entries of the tile of a block of Threads threads, ENTRIES_A_THREAD each, their rows, and the last row of each
 * warp's part. */
template <int Threads> struct tile_rows {
    static constexpr int ENTRIES = ENTRIES_A_THREAD * Threads;
    int32_t row_of[ENTRIES]; /* relative to the first, because a row number may need more than 32 bits */
    int32_t last_of_warp[Threads / WARP];
    int64_t first, last;

    /* With very many empty rows in between, rows are searched, not recorded. */
    __device__ bool are_far() const { return last - first >= 4 * ENTRIES; }
};

/* Sets rows.row_of for the entries from `begin` on: rows are recorded where they begin, and entries without a record
 * belong to the last row recorded before them. rows.first and rows.last must be set. A whole block calls it. */
template <int Threads> __device__ inline void spread_rows(numbers_view offsets, int64_t begin, tile_rows<Threads> &rows)
{
    constexpr int share = ENTRIES_A_THREAD;
    for (int place = (int)threadIdx.x; place < rows.ENTRIES; place += Threads) rows.row_of[place] = 0;
    __syncthreads();
    for (int64_t row = rows.first + threadIdx.x; row <= rows.last; row += Threads) {
        int64_t row_begin = offsets[row], row_end = offsets[row + 1];
        if (row_end > begin && row_end > row_begin)
            rows.row_of[row_begin > begin ? row_begin - begin : 0] = (int32_t)(row - rows.first);
    }
    __syncthreads();
    int32_t *mine = rows.row_of + threadIdx.x * share, last = 0;
#pragma unroll
    for (int u = 0; u < share; ++u) last = mine[u] = max(mine[u], last);
    last = inclusive_scan(last, maximum());
    if (lane_in_warp() == WARP - 1) rows.last_of_warp[threadIdx.x / WARP] = last;
    __syncthreads();
    int32_t before = shuffle_up(last, 1);
    if (lane_in_warp() == 0) before = 0;
    for (int w = 0; w < (int)threadIdx.x / WARP; ++w) before = max(before, rows.last_of_warp[w]);
#pragma unroll
    for (int u = 0; u < share; ++u) mine[u] = max(mine[u], before);
    __syncthreads();
}

/* Finds the rows of a tile's entries [begin, end), from those of the first and the last. A whole block calls it, and
 * synchronises before the next tile. */
template <int Threads>
__device__ inline void find_tile_rows(numbers_view offsets, int64_t rows, int64_t begin, int64_t end,
                                      tile_rows<Threads> &of_tile)
{
    if (threadIdx.x < 2 * WARP) {
        int64_t row = row_of_entry_by_warp(offsets, 0, rows - 1, threadIdx.x < WARP ? begin : end - 1);
        (threadIdx.x < WARP ? of_tile.first : of_tile.last) = row;
    }
    __syncthreads();
    if (!of_tile.are_far()) spread_rows(offsets, begin, of_tile);
}

template <int Threads>
__device__ inline int64_t row_in_tile(numbers_view offsets, const tile_rows<Threads> &of_tile, int64_t begin, int64_t k)
{
    if (of_tile.are_far()) return row_of_entry(offsets, of_tile.first, of_tile.last, k);
    return of_tile.first + of_tile.row_of[k - begin];
}

template <typename Function>
__global__ __launch_bounds__(LOOP_THREADS) void loop_over_entries(numbers_view offsets, int64_t rows, int64_t nnz,
                                                                  Function function)
{
    __shared__ tile_rows<LOOP_THREADS> of_tile;
    for (int64_t begin = (int64_t)blockIdx.x * LOOP_ENTRIES; begin < nnz; begin += (int64_t)gridDim.x * LOOP_ENTRIES) {
        int64_t end = begin + LOOP_ENTRIES < nnz ? begin + LOOP_ENTRIES : nnz;
        find_tile_rows(offsets, rows, begin, end, of_tile);
        for (int64_t k = begin + threadIdx.x; k < end; k += LOOP_THREADS)
            function(k, row_in_tile(offsets, of_tile, begin, k));
        __syncthreads();
    }
}

/* Calls function(k, row) for every entry k of a valid matrix. */
template <typename Function>
spg_status for_each_entry(spg_context *context, const spg_csr &matrix, const char *what, Function function)
{
    if (matrix.nnz <= 0) return SPG_OK;
    unsigned int blocks = loop_blocks(context, (matrix.nnz + LOOP_ENTRIES - 1) / LOOP_ENTRIES);
    loop_over_entries<<<blocks, LOOP_THREADS, 0, spg_cuda_of(context)->stream>>>(offsets_of(matrix), matrix.rows,
                                                                                 matrix.nnz, function);
    return spg_cuda_check_launch(context, what);
}

/* Records that k is faulty if nothing before it is. Faults are rare, or the call fails. */
__device__ inline void report_first(unsigned long long *first, int64_t k)
{
    if ((unsigned long long)k < *(volatile unsigned long long *)first) atomicMin(first, (unsigned long long)k);
}

/* Counts the calling threads of a warp by one addition. */
__device__ inline void count_one(unsigned long long *count)
{
    unsigned int callers = __activemask();
    int lane = (int)threadIdx.x % 32;
    if (lane == __ffs((int)callers) - 1) atomicAdd(count, (unsigned long long)__popc(callers));
}

/* clear_report clears the context's report; read_report waits for what kernels have written to it since. */
spg_status clear_report(spg_context *context);
spg_status read_report(spg_context *context, spg_report *report);

constexpr unsigned long long NONE_FIRST = ~0ull;

} // namespace spg

#endif

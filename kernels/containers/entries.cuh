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
enum { LOOP_ENTRIES = ENTRIES_A_THREAD * LOOP_THREADS }; /* of a block */

/* On the side stream, whose blocks come first, loops leave room for the kernels of the context's own (spgemm_bench,
 * H200, R*A*P: with 3 to 16 blocks alike within 1 percent, with 2 slower by 6). */
enum { SIDE_BLOCKS_A_MULTIPROCESSOR = 4 };

/* Blocks of LOOP_THREADS for `pieces` pieces of work, one a block, at most as many as are resident. */
inline unsigned int loop_blocks(const spg_context *context, int64_t pieces)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    const int of_each = cuda->on_side_stream ? (int)SIDE_BLOCKS_A_MULTIPROCESSOR : (int)LOOP_BLOCKS_A_MULTIPROCESSOR;
    const int64_t most = (int64_t)cuda->multiprocessors * of_each;
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

/* The rows of the entries [begin, end) of a warp's tile. A warp makes one together, in shared memory of its own, and
 * synchronises before it makes the next. */
class tile_rows
{
  public:
    static constexpr int ENTRIES = ENTRIES_A_THREAD * WARP;
    struct alignas(int4) memory {
        int32_t row_of[ENTRIES]; /* relative to the first, because a row number may need more than 32 bits */
    };

    __device__ tile_rows(numbers_view offsets, int64_t rows, int64_t begin, int64_t end, memory &own)
        : offsets(offsets), rows(rows), begin(begin), row_of(own.row_of)
    {
        first = row_of_entry_by_warp(offsets, 0, rows - 1, begin);
        count_starts(end);
        if (!are_far) add_up(reinterpret_cast<int4 *>(row_of)[lane_in_warp()]);
    }

    __device__ int64_t operator()(int64_t k) const
    {
        return are_far ? row_of_entry(offsets, first, rows - 1, k) : first + row_of[k - begin];
    }

  private:
    /* With very many empty rows in between, rows are searched, not counted. */
    static constexpr int MOST_STEPS = 16;

    /* row_of[k - begin] = the number of rows after the first that begin at entry k. */
    __device__ void count_starts(int64_t end)
    {
#pragma unroll
        for (int place = lane_in_warp(); place < ENTRIES; place += WARP) row_of[place] = 0;
        __syncwarp();
        bool all_begin = true;
        int64_t row = first + 1 + lane_in_warp();
        for (int step = 0; all_begin && step < MOST_STEPS; ++step, row += WARP) {
            const int64_t at = row < rows ? offsets[row] : end;
            if (at < end) atomicAdd(row_of + (at - begin), 1);
            all_begin = __all_sync(ALL_LANES, at < end);
        }
        are_far = all_begin;
        __syncwarp();
    }

    /* Turns the counts into their sums. */
    __device__ void add_up(int4 &counts)
    {
        static_assert(ENTRIES_A_THREAD == 4, "an int4 a lane");
        int4 sums = counts;
        sums.y += sums.x;
        sums.z += sums.y;
        sums.w += sums.z;
        const int before = inclusive_scan(sums.w, plus()) - sums.w;
        counts = {before + sums.x, before + sums.y, before + sums.z, before + sums.w};
        __syncwarp();
    }

    numbers_view offsets;
    int64_t rows, begin, first;
    int32_t *row_of;
    bool are_far;
};

template <typename Function>
__global__ __launch_bounds__(LOOP_THREADS) void loop_over_entries(numbers_view offsets, int64_t rows, int64_t nnz,
                                                                  Function function)
{
    __shared__ tile_rows::memory memory[LOOP_THREADS / WARP];
    const int64_t first = ((int64_t)blockIdx.x * LOOP_THREADS + threadIdx.x) / WARP * tile_rows::ENTRIES;
    for (int64_t begin = first; begin < nnz; begin += (int64_t)gridDim.x * LOOP_ENTRIES) {
        const int64_t end = begin + tile_rows::ENTRIES < nnz ? begin + tile_rows::ENTRIES : nnz;
        const tile_rows row_of(offsets, rows, begin, end, memory[threadIdx.x / WARP]);
        for (int64_t k = begin + lane_in_warp(); k < end; k += WARP) function(k, row_of(k));
        __syncwarp();
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

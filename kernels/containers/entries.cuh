/* What the calls on matrices share: views of offsets and orders of either width, loops over entries and rows, and
 * workspace that is given back at the end of a call. Private. */
#ifndef SPG_KERNELS_CONTAINERS_ENTRIES_CUH
#define SPG_KERNELS_CONTAINERS_ENTRIES_CUH

#include "../device.h"
#include "../primitives/search.cuh"

namespace spg
{

/* Numbers of 32 or 64 bits. Their width is asked at run time: it is the same for all threads, and memory takes longer.
 */
struct numbers_view {
    const void *memory;
    bool wide;

    __host__ __device__ int64_t operator[](int64_t k) const
    {
        return wide ? static_cast<const int64_t *>(memory)[k] : static_cast<const int32_t *>(memory)[k];
    }
};

inline numbers_view offsets_of(const spg_csr &matrix) { return {matrix.row_offsets, matrix.offset_type == SPG_I64}; }

/* Which entry comes at each place of an order: unsigned numbers; no memory stands for the order of storage. */
struct entry_order {
    const void *memory;
    bool wide;

    __device__ int64_t operator[](int64_t k) const
    {
        if (memory == nullptr) return k;
        return wide ? (int64_t) static_cast<const uint64_t *>(memory)[k] : static_cast<const uint32_t *>(memory)[k];
    }
};

/* The row of [low, high] that entry k lies in. */
__device__ inline int64_t row_of_entry(numbers_view offsets, int64_t low, int64_t high, int64_t k)
{
    return first_that(low, high, [=](int64_t row) { return offsets[row + 1] > k; });
}

/* The first k with keys[k] >= key; count if there is none. */
template <typename Key> __device__ inline int64_t first_not_below(const Key *keys, int64_t count, Key key)
{
    return first_that((int64_t)0, count, [=](int64_t k) { return !(keys[k] < key); });
}

/* Workspace of one call, within the context's limit. */
class workspace
{
  public:
    explicit workspace(spg_context *context) : context(context) {}
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

    spg_context *const context;

  private:
    enum { MOST = 8 };
    void *blocks[MOST];
    int64_t bytes[MOST];
    int64_t held = 0;
    int taken = 0;
};

enum { LOOP_THREADS = 256, LOOP_BLOCKS_A_MULTIPROCESSOR = 16, LOOP_ENTRIES = 1024 };

/* Enough blocks of LOOP_THREADS for `pieces` pieces of work, one a block, or for as many as run at a time. */
inline unsigned int loop_blocks(const spg_context *context, int64_t pieces)
{
    int64_t most = (int64_t)spg_cuda_of(context)->multiprocessors * LOOP_BLOCKS_A_MULTIPROCESSOR;
    return (unsigned int)(pieces < most ? pieces : most);
}

template <typename Function> __global__ __launch_bounds__(LOOP_THREADS) void loop(int64_t count, Function function)
{
    int64_t step = (int64_t)gridDim.x * LOOP_THREADS;
    for (int64_t k = (int64_t)blockIdx.x * LOOP_THREADS + threadIdx.x; k < count; k += step) function(k);
}

/* function(k) for 0 <= k < count, in no order. */
template <typename Function>
spg_status for_each(spg_context *context, int64_t count, const char *what, Function function)
{
    if (count <= 0) return SPG_OK;
    unsigned int blocks = loop_blocks(context, (count + LOOP_THREADS - 1) / LOOP_THREADS);
    loop<<<blocks, LOOP_THREADS, 0, spg_cuda_of(context)->stream>>>(count, function);
    return spg_cuda_check_launch(context, what);
}

/* A block finds the rows of its first and its last entry; its threads search between them. */
template <typename Function>
__global__ __launch_bounds__(LOOP_THREADS) void loop_over_entries(numbers_view offsets, int64_t rows, int64_t nnz,
                                                                  Function function)
{
    __shared__ int64_t first, last;
    for (int64_t begin = (int64_t)blockIdx.x * LOOP_ENTRIES; begin < nnz; begin += (int64_t)gridDim.x * LOOP_ENTRIES) {
        int64_t end = begin + LOOP_ENTRIES < nnz ? begin + LOOP_ENTRIES : nnz;
        if (threadIdx.x == 0) first = row_of_entry(offsets, 0, rows - 1, begin);
        if (threadIdx.x == 32) last = row_of_entry(offsets, 0, rows - 1, end - 1);
        __syncthreads();
        for (int64_t k = begin + threadIdx.x; k < end; k += LOOP_THREADS)
            function(k, row_of_entry(offsets, first, last, k));
        __syncthreads();
    }
}

/* function(k, row) for every entry k of a sound matrix. */
template <typename Function>
spg_status for_each_entry(spg_context *context, const spg_csr &matrix, const char *what, Function function)
{
    if (matrix.nnz <= 0) return SPG_OK;
    unsigned int blocks = loop_blocks(context, (matrix.nnz + LOOP_ENTRIES - 1) / LOOP_ENTRIES);
    loop_over_entries<<<blocks, LOOP_THREADS, 0, spg_cuda_of(context)->stream>>>(offsets_of(matrix), matrix.rows,
                                                                                 matrix.nnz, function);
    return spg_cuda_check_launch(context, what);
}

/* Records that k is at fault if none before it is. Faults are few, or the call fails. */
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

/* Empties the context's report, and waits for what kernels wrote to it since. */
spg_status clear_report(spg_context *context);
spg_status read_report(spg_context *context, spg_report *report);

constexpr unsigned long long NONE_FIRST = ~0ull;

} // namespace spg

#endif

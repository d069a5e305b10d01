/* See block_pattern.cuh. A thread keeps the names of a row in a sorted list in registers. Rows with more names than a
 * list holds, or with very many entries, are done by the whole block, which marks names in a bitmap in shared memory, a
 * window of names at a time. Everything is done twice, to count and to write, except that lists are kept if there is
 * memory. */
#include "block_pattern.cuh"

#include "../counts.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace spg
{

namespace amg
{

namespace
{

/* Lists for aggregates around a row, and for the nodes that the rows of a node name. */
constexpr int64_t SHORT_LIST = 8;
enum { MEDIUM_LIST = 16, LONG_LIST = 32 };
enum { MOST_LISTED = 1024 };                                                  /* entries that one thread looks at */
enum { LEFT_TO_BLOCK = -1 };                                                  /* stored as a row's first name */
enum { WORDS = 8192, WINDOW = 32 * WORDS, WORDS_A_THREAD = WORDS / THREADS }; /* of a bitmap */

static_assert(WORDS * 4 + THREADS * 4 + 2048 <= 48 * 1024, "a bitmap must fit static shared memory");

/* What to name, and where the result goes: when counting, lengths of rows, their sum and their maximum; when writing,
 * columns at the offsets. */
struct naming {
    block_rows rows;
    block_lists lists;
    spg_counters *counters;
    numbers_view offsets;
    int32_t *columns; /* NULL: count */

    __device__ int64_t begin(int64_t row) const { return rows.neighbours ? rows.offsets[row * rows.rows_each] : 0; }
    __device__ int64_t end(int64_t row) const { return rows.neighbours ? rows.offsets[(row + 1) * rows.rows_each] : 0; }
    __device__ int32_t own_name(int64_t row) const { return rows.own ? rows.names[row * rows.rows_each] : -1; }
    __device__ int32_t name(int32_t column) const { return rows.names[column]; }
};

/* Inserts a name into an ascending list that ends in INT32_MAX, unless it is there; false if the list is full. */
template <int List> __device__ inline bool insert(int32_t (&list)[List], int32_t name)
{
    bool is_there = name < 0;
#pragma unroll
    for (int t = 0; t < List; ++t) is_there = is_there || list[t] == name;
    if (is_there) return true;
#pragma unroll
    for (int t = 0; t < List; ++t) {
        int32_t less = min(list[t], name);
        name = max(list[t], name);
        list[t] = less;
    }
    return name == INT32_MAX;
}

/* False if the whole block must do the row. */
template <int List> __device__ inline bool list_row(const naming &job, int64_t row, int32_t (&list)[List])
{
#pragma unroll
    for (int t = 0; t < List; ++t) list[t] = INT32_MAX;
    int64_t k = job.begin(row), end = job.end(row);
    if (end - k > MOST_LISTED) return false;
    constexpr int in_flight = List / 4 < ENTRIES_IN_FLIGHT ? ENTRIES_IN_FLIGHT : 2 * ENTRIES_IN_FLIGHT;
    bool fits = insert(list, job.own_name(row));
    for (; k < end && fits; k += in_flight) {
        int32_t found[in_flight];
#pragma unroll
        for (int u = 0; u < in_flight; ++u) found[u] = k + u < end ? job.rows.columns[k + u] : -1;
#pragma unroll
        for (int u = 0; u < in_flight; ++u) found[u] = found[u] >= 0 ? job.name(found[u]) : -1;
#pragma unroll
        for (int u = 0; u < in_flight; ++u) fits = insert(list, found[u]) && fits;
    }
    return fits;
}

/* Counts and keeps a list, or writes it. */
template <int List>
__device__ inline unsigned long long put_list(const naming &job, int64_t row, const int32_t (&list)[List])
{
    int count = 0;
    int32_t *to = job.columns != nullptr ? job.columns + job.offsets[row] : nullptr;
#pragma unroll
    for (int t = 0; t < List; ++t) {
        if (to == nullptr && job.lists.names != nullptr && (t == 0 || list[t] != INT32_MAX))
            job.lists.names[t * job.rows.count + row] = list[t];
        if (list[t] == INT32_MAX) continue;
        ++count;
        for (int c = 0; to != nullptr && c < job.rows.candidates; ++c) *to++ = list[t] * job.rows.candidates + c;
    }
    if (to == nullptr) job.lists.lengths[row] = count * job.rows.candidates;
    return (unsigned long long)count * (unsigned long long)job.rows.candidates;
}

/* Writes a list that was kept; false if the whole block must do the row. */
template <int List> __device__ inline bool write_kept(const naming &job, int64_t row)
{
    const int32_t *kept = job.lists.names + row;
    if (*kept == LEFT_TO_BLOCK) return false;
    int64_t begin = job.offsets[row];
    int count = (int)(job.offsets[row + 1] - begin) / job.rows.candidates;
    int32_t *to = job.columns + begin;
#pragma unroll
    for (int t = 0; t < List; ++t) {
        if (t >= count) break;
        int32_t name = kept[t * job.rows.count];
        for (int c = 0; c < job.rows.candidates; ++c) *to++ = name * job.rows.candidates + c;
    }
    return true;
}

/* Counts or writes a row by a thread and adds its length to *nnz; false if the whole block must do the row. */
template <int List> __device__ inline bool put_short_row(const naming &job, int64_t row, unsigned long long *nnz)
{
    if (job.columns != nullptr && job.lists.names != nullptr) return write_kept<List>(job, row);
    int32_t list[List];
    if (list_row(job, row, list)) {
        *nnz += put_list(job, row, list);
        return true;
    }
    if (job.lists.names != nullptr) job.lists.names[row] = LEFT_TO_BLOCK;
    return false;
}

/* The smallest and the largest name of a row, in all threads of a block. */
__device__ inline void find_range(const naming &job, int64_t row, int32_t *least, int32_t *most)
{
    using block_reduce = cub::BlockReduce<int32_t, THREADS>;
    __shared__ typename block_reduce::TempStorage memory;
    __shared__ int32_t range[2];
    int32_t low = job.own_name(row), high = low;
    if (low < 0) low = INT32_MAX;
    for (int64_t k = job.begin(row) + threadIdx.x, end = job.end(row); k < end; k += THREADS) {
        int32_t name = job.name(job.rows.columns[k]);
        if (name >= 0 && name < low) low = name;
        if (name > high) high = name;
    }
    low = block_reduce(memory).Reduce(low, minimum());
    __syncthreads();
    high = block_reduce(memory).Reduce(high, maximum());
    if (threadIdx.x == 0) range[0] = low, range[1] = high;
    __syncthreads();
    *least = range[0], *most = range[1];
}

__device__ inline void mark(int32_t first, int32_t name, uint32_t *words)
{
    uint32_t bit = (uint32_t)name - (uint32_t)first;
    if (name >= 0 && bit < WINDOW) atomicOr(words + bit / 32, 1u << bit % 32);
}

/* Marks the names of a row in a window from `first` on. */
__device__ inline void mark_window(const naming &job, int64_t row, int32_t first, uint32_t *words, int used)
{
    for (int w = (int)threadIdx.x; w < used; w += THREADS) words[w] = 0;
    __syncthreads();
    if (threadIdx.x == 0) mark(first, job.own_name(row), words);
    for (int64_t k = job.begin(row) + threadIdx.x, end = job.end(row); k < end; k += THREADS)
        mark(first, job.name(job.rows.columns[k]), words);
    __syncthreads();
}

/* Counts or writes a row by a block; returns the length in thread 0. A thread has neighbouring words of the bitmap. */
__device__ inline unsigned long long put_long_row(const naming &job, int64_t row, uint32_t *words)
{
    using block_scan = cub::BlockScan<int, THREADS>;
    __shared__ typename block_scan::TempStorage memory;
    int32_t least, most;
    int64_t found = 0;
    find_range(job, row, &least, &most);
    for (int64_t first = least; first <= most; first += WINDOW) {
        /* Only the words of a window up to the last name, an equal number for each thread. */
        int64_t range = (most - first) / 32 + 1;
        int share = range < WORDS ? (int)((range + THREADS - 1) / THREADS) : WORDS_A_THREAD;
        mark_window(job, row, (int32_t)first, words, share * THREADS);
        const uint32_t *mine = words + (int)threadIdx.x * share;
        int marked = 0, before, all;
        for (int w = 0; w < share; ++w) marked += __popc(mine[w]);
        block_scan(memory).ExclusiveSum(marked, before, all);
        if (job.columns != nullptr) {
            int32_t *to = job.columns + job.offsets[row] + (found + before) * job.rows.candidates;
            for (int w = 0; w < share; ++w)
                for (uint32_t bits = mine[w]; bits != 0; bits &= bits - 1) {
                    int32_t bit = ((int)threadIdx.x * share + w) * 32 + __ffs((int)bits) - 1;
                    for (int c = 0; c < job.rows.candidates; ++c)
                        *to++ = ((int32_t)first + bit) * job.rows.candidates + c;
                }
        }
        found += all;
        __syncthreads();
    }
    if (threadIdx.x == 0 && job.columns == nullptr) job.lists.lengths[row] = (int32_t)(found * job.rows.candidates);
    return threadIdx.x == 0 ? (unsigned long long)(found * job.rows.candidates) : 0;
}

/* rows_a_block: as many threads take a row each at a time. */
template <int List> __global__ __launch_bounds__(THREADS) void put_rows(naming job, int rows_a_block)
{
    __shared__ uint32_t words[WORDS];
    __shared__ int32_t long_rows[THREADS];
    __shared__ int long_count;
    unsigned long long nnz = 0, longest = 0;
    int64_t step = (int64_t)gridDim.x * rows_a_block;
    for (int64_t first = (int64_t)blockIdx.x * rows_a_block; first < job.rows.count; first += step) {
        int64_t row = first + threadIdx.x;
        if (threadIdx.x == 0) long_count = 0;
        __syncthreads();
        const unsigned long long before = nnz;
        if ((int)threadIdx.x < rows_a_block && row < job.rows.count)
            if (rows_a_block == 1 || !put_short_row<List>(job, row, &nnz))
                long_rows[atomicAdd(&long_count, 1)] = (int32_t)row;
        longest = max(longest, nnz - before);
        __syncthreads();
        for (int at = 0; at < long_count; ++at) {
            const unsigned long long length = put_long_row(job, long_rows[at], words);
            longest = max(longest, length);
            nnz += length;
        }
        __syncthreads();
    }
    nnz = reduce(nnz, plus());
    longest = reduce(longest, maximum());
    if (job.columns != nullptr || lane_in_warp() != 0 || nnz == 0) return;
    atomicAdd(&job.counters->nnz, nnz);
    atomicMax(&job.counters->longest_row, (unsigned int)longest);
}

int64_t entries_of(const block_rows &rows) { return rows.neighbours ? rows.nnz : 0; }

/* If most rows need the whole block, a block has one row at a time. */
bool are_long(const block_rows &rows) { return entries_of(rows) > rows.count * MOST_LISTED / 2; }

/* The list length that most rows need; rows of few entries need a short one. */
int list_length(const block_rows &rows)
{
    if (entries_of(rows) <= (SHORT_LIST - 1) * rows.count) return SHORT_LIST;
    return rows.own ? MEDIUM_LIST : LONG_LIST;
}

template <int List> spg_status queue_naming(spg_context *context, const naming &job)
{
    unsigned int blocks = blocks_for_groups(context, job.rows.count, are_long(job.rows) ? THREADS : 1);
    put_rows<List><<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job, are_long(job.rows) ? 1 : THREADS);
    return spg_cuda_check_launch(context, "naming the blocks of rows");
}

spg_status queue_any(spg_context *context, const naming &job)
{
    if (job.rows.count == 0) return SPG_OK;
    switch (list_length(job.rows)) {
    case SHORT_LIST: return queue_naming<SHORT_LIST>(context, job);
    case MEDIUM_LIST: return queue_naming<MEDIUM_LIST>(context, job);
    default: return queue_naming<LONG_LIST>(context, job);
    }
}

/* Takes memory to keep the names, within the limit. */
spg_status take_lists(workspace &work, const block_rows &rows, block_lists *lists)
{
    const char *what = "the blocks of rows";
    const int64_t limit = work.context->config.workspace_limit, names = rows.count * list_length(rows);
    *lists = {};
    spg_status status = work.take(rows.count + 1, what, &lists->lengths);
    if (status != SPG_OK || are_long(rows)) return status;
    const bool has_room = limit == 0 || work.held_bytes() + names * (int64_t)sizeof(int32_t) <= limit;
    return has_room ? work.take(names, what, &lists->names) : status;
}

} // namespace

spg_status count_blocks(workspace &work, const block_rows &rows, block_lists *lists, int64_t *nnz, int64_t *longest_row)
{
    spg_context *context = work.context;
    spg_counters counts;
    spg_status status = take_lists(work, rows, lists);
    if (status == SPG_OK) status = clear_counts(context);
    naming job = {rows, *lists, spg_cuda_of(context)->counters, {}, nullptr};
    if (status == SPG_OK) status = queue_any(context, job);
    if (status == SPG_OK) status = take_counts(context, &counts);
    if (status != SPG_OK) return status;
    *nnz = (int64_t)counts.nnz;
    if (longest_row != nullptr) *longest_row = counts.longest_row;
    return SPG_OK;
}

spg_status write_blocks(spg_context *context, const block_rows &rows, const block_lists &lists, spg_type offset_type,
                        void *offsets, int32_t *columns)
{
    spg_status status = scan_lengths(context, lists.lengths, rows.count, offset_type, offsets);
    naming job = {rows, lists, nullptr, {offsets, offset_type == SPG_I64}, columns};
    return status == SPG_OK && columns != nullptr ? queue_any(context, job) : status;
}

} // namespace amg

} // namespace spg

/* The transpose by counting. Entries get numbers in the rows of the transpose as they arrive, by atomics, and are
 * listed there; then every row is put into storage order. This is an order of distinct integers, so the result does not
 * depend on the order of arrival.
 *
 * In a short row, a group of lanes finds the place of each entry by counting those before it; a block sorts a longer
 * row. The passes are a kernel each, or for a small matrix without long columns one kernel (transpose_at_once.cu). */
#include "transpose_lists.cuh"

#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace spg
{

namespace
{

template <typename Offset> __global__ __launch_bounds__(LOOP_THREADS) void count_columns(count_pass job, Offset *counts)
{
    post_largest(job.post, count_entries<LOOP_THREADS>(job, counts));
}

/* Turns counts into offsets, in place. */
template <typename Offset> spg_status scan_counts(workspace &work, int64_t rows, Offset *offsets)
{
    const char *what = "the transpose's row offsets";
    cudaStream_t stream = spg_cuda_of(work.context)->stream;
    size_t bytes = 0;
    char *memory = nullptr;
    cudaError_t error = cub::DeviceScan::ExclusiveSum(nullptr, bytes, offsets, offsets, rows + 1, stream);
    spg_status status = spg_cuda_check(work.context, error, what);
    if (status == SPG_OK) status = work.take((int64_t)bytes, what, &memory);
    if (status != SPG_OK) return status;
    error = cub::DeviceScan::ExclusiveSum(memory, bytes, offsets, offsets, rows + 1, stream);
    return spg_cuda_check(work.context, error, what);
}

__global__ __launch_bounds__(LOOP_THREADS) void list_entries(list_pass job) { list_entries_of<LOOP_THREADS>(job); }

__global__ __launch_bounds__(LOOP_THREADS) void write_short_rows(write_pass job)
{
    write_short_rows_of<LOOP_THREADS>(job);
}

/* Sorts rows of more than `least` entries, and at most what the block holds. */
template <int Threads, int Items>
__global__ __launch_bounds__(Threads) void write_sorted_rows(write_pass job, int least)
{
    using sorter = cub::BlockRadixSort<uint32_t, Threads, Items, uint32_t>;
    __shared__ typename sorter::TempStorage memory;
    const int count = job.long_rows[0];
    for (int at = (int)blockIdx.x; at < count; at += (int)gridDim.x) {
        int64_t row = job.long_rows[1 + at], begin = job.offsets[row];
        int length = (int)(job.offsets[row + 1] - begin);
        if (length <= least || length > Threads * Items) continue;
        const uint64_t *entries = job.entries + begin;
        uint32_t numbers[Items], rows[Items];
#pragma unroll
        for (int u = 0; u < Items; ++u) {
            int place = u * Threads + (int)threadIdx.x;
            uint64_t entry = place < length ? entries[place] : ~UINT64_C(0);
            numbers[u] = (uint32_t)entry;
            rows[u] = (uint32_t)(entry >> 32);
        }
        sorter(memory).SortBlockedToStriped(numbers, rows, 0, job.bits);
#pragma unroll
        for (int u = 0; u < Items; ++u) {
            int place = u * Threads + (int)threadIdx.x;
            if (place < length) write_entry(job, begin + place, (int32_t)rows[u], numbers[u]);
        }
        __syncthreads();
    }
}

/* Queues the kernel for rows of more than `least` entries, if there are any. */
template <int Threads, int Items>
void queue_sorted_rows(spg_context *context, const write_pass &job, unsigned int longest, int64_t most_rows, int least)
{
    if (longest > (unsigned int)least)
        write_sorted_rows<Threads, Items>
            <<<loop_blocks(context, most_rows), Threads, 0, spg_cuda_of(context)->stream>>>(job, least);
}

} // namespace

spg_status begin_counts(workspace &work, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                        uint64_t *entries, column_counts *counts)
{
    spg_context *context = work.context;
    counts->most_written = 0;
    spg_status status = work.take(matrix.nnz, "transposing", &counts->numbers);
    if (status == SPG_OK && is_transposed_at_once(context, matrix))
        return transpose_at_once(context, matrix, checks, parts, entries, counts);
    if (status == SPG_OK) status = begin_post(context, &counts->post);
    if (status != SPG_OK) return status;
    const count_pass job = count_pass_of(matrix, checks, *counts);
    return with_offset_type(parts.offset_type, [&](auto offset) {
        auto *offsets = static_cast<decltype(offset) *>(parts.offsets);
        count_columns<<<loop_blocks(context, (matrix.nnz + LOOP_ENTRIES - 1) / LOOP_ENTRIES), LOOP_THREADS, 0,
                        spg_cuda_of(context)->stream>>>(job, offsets);
        spg_status counted = spg_cuda_check_launch(context, "counting the entries of columns");
        return counted == SPG_OK ? scan_counts(work, matrix.cols, offsets) : counted;
    });
}

spg_status wait_for_longest(spg_context *context, const column_counts &counts, unsigned int *longest)
{
    return wait_for_largest(context, counts.post, longest);
}

spg_status list_by_column(spg_context *context, const spg_csr &matrix, const transpose_parts &parts,
                          const column_counts &counts, uint64_t *entries)
{
    list_entries<<<loop_blocks(context, (matrix.nnz + LOOP_ENTRIES - 1) / LOOP_ENTRIES), LOOP_THREADS, 0,
                   spg_cuda_of(context)->stream>>>(list_pass_of(matrix, parts, counts, entries));
    return spg_cuda_check_launch(context, "transposing");
}

spg_status write_lists(workspace &work, const spg_csr &matrix, const transpose_parts &parts, const uint64_t *entries,
                       unsigned int longest)
{
    spg_context *context = work.context;
    const char *what = "transposing";
    spg_cuda *cuda = spg_cuda_of(context);
    write_pass job = write_pass_of(matrix, parts, entries);
    const int64_t most_long = matrix.nnz / job.most_short;
    spg_status status = SPG_OK;
    if (longest > (unsigned int)job.most_short) {
        status = work.take(most_long + 1, what, &job.long_rows);
        if (status == SPG_OK)
            status = spg_cuda_check(context, cudaMemsetAsync(job.long_rows, 0, sizeof(int), cuda->stream), what);
        if (status != SPG_OK) return status;
    }
    int64_t groups = LOOP_THREADS / job.lanes;
    unsigned int blocks = loop_blocks(context, (job.rows + groups - 1) / groups);
    write_short_rows<<<blocks, LOOP_THREADS, 0, cuda->stream>>>(job);
    queue_sorted_rows<128, 4>(context, job, longest, most_long, job.most_short);
    queue_sorted_rows<256, 8>(context, job, longest, most_long, 512);
    queue_sorted_rows<512, 16>(context, job, longest, most_long, 2048);
    return spg_cuda_check_launch(context, what);
}

} // namespace spg

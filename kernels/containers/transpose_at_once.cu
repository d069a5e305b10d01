/* The transpose of a small matrix by one kernel of a block or a cluster, with barriers in between: the passes of
 * transpose_lists.cu take less time than their launches. Long columns are left to the kernels there. */
#include "../primitives/meeting.cuh"
#include "transpose_lists.cuh"

#include <cub/block/block_scan.cuh>

#include <type_traits>

namespace spg
{

namespace
{

enum { THREADS = 1024, TILE = OWN * THREADS };

/* The largest matrices for a block and for a cluster (spgemm_bench --product RAP fd2d5:30 ... fd2d5:316, fe3d27:20,
 * fd3d7:22, H100: with the latter at 0, 8, 24 and 64 tiles, 8 is fastest). */
enum { MOST_OF_BLOCK = TILE, MOST_OF_CLUSTER = 8 * TILE, MOST_COLUMNS = 16 * 1024 };

enum { SCAN_EACH = 4, SCAN_ROWS = SCAN_EACH * THREADS };

/* Turns counts into offsets, in place, with their sum after the last. A whole block calls it. */
template <typename Offset> __device__ inline void scan_counts(Offset *offsets, int64_t rows)
{
    using sum_type = std::make_unsigned_t<Offset>;
    using scan = cub::BlockScan<sum_type, THREADS>;
    __shared__ typename scan::TempStorage shared;
    sum_type before = 0;
    for (int64_t tile = 0; tile < rows; tile += SCAN_ROWS) {
        const int64_t i = tile + (int64_t)threadIdx.x * SCAN_EACH;
        sum_type count[SCAN_EACH], sum;
#pragma unroll
        for (int u = 0; u < SCAN_EACH; ++u) count[u] = i + u < rows ? offsets[i + u] : 0;
        scan(shared).ExclusiveSum(count, count, sum);
#pragma unroll
        for (int u = 0; u < SCAN_EACH; ++u)
            if (i + u < rows) offsets[i + u] = (Offset)(before + count[u]);
        before += sum;
        __syncthreads();
    }
    if (threadIdx.x == 0) offsets[rows] = (Offset)before;
}

/* The host is told the longest column as soon as it is known. */
template <typename Offset>
__global__ __launch_bounds__(THREADS) void transpose(meeting kind, count_pass count, list_pass list, write_pass write,
                                                     Offset *offsets)
{
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    unsigned int *const found = &count.post.counters->longest_row;
    if (is_first) *found = 0; /* a failed call may have left something */
    meet(kind);
    const unsigned int own = __reduce_max_sync(ALL_LANES, count_entries<THREADS>(count, offsets));
    if (lane_in_warp() == 0 && own > 0) atomicMax(found, own);
    meet(kind);
    const unsigned int longest = *const_cast<volatile unsigned int *>(found);
    if (blockIdx.x == 0) scan_counts(offsets, count.cols);
    meet(kind);
    if (is_first) {
        *found = 0;
        send_largest(count.post, longest);
    }
    if (longest > (unsigned int)write.most_short) return;
    list_entries_of<THREADS>(list);
    meet(kind);
    write_short_rows_of<THREADS>(write);
}

} // namespace

bool is_transposed_at_once(const spg_context *context, const spg_csr &matrix)
{
    const int64_t most = spg_cuda_of(context)->has_clusters ? MOST_OF_CLUSTER : MOST_OF_BLOCK;
    return matrix.cols <= MOST_COLUMNS && matrix.nnz <= most;
}

spg_status transpose_at_once(spg_context *context, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                             uint64_t *entries, column_counts *counts)
{
    const meeting kind = matrix.nnz <= MOST_OF_BLOCK ? meeting::of_block : meeting::of_cluster;
    const unsigned int blocks = kind == meeting::of_block ? 1 : SPG_CLUSTER_BLOCKS;
    counts->post = new_largest_post(context);
    const write_pass write = write_pass_of(matrix, parts, entries);
    counts->most_written = (unsigned int)write.most_short;
    return with_offset_type(parts.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        return launch_meeting(context, kind, "transposing", blocks, THREADS, transpose<Offset>, kind,
                              count_pass_of(matrix, checks, *counts), list_pass_of(matrix, parts, *counts, entries),
                              write, static_cast<Offset *>(parts.offsets));
    });
}

} // namespace spg

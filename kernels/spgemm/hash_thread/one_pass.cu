/* Method hash_thread, counting and filling in one pass; the invariants of hash_thread/count.cu and hash_thread/fill.cu
 * hold.
 *
 * Input: A, unchecked, the packed rows of B, B, and reserved arrays for C (assemble/reserved.cu). Output: C's row
 * offsets, columns and values. Rows of more than `most` entries are only counted, and are not written. With overflow
 * rows, the offsets are scanned as if these were empty, and no written row is valid. A block takes tiles of a row a
 * thread: while it sorts their columns, look-back finds where its rows begin in C (assemble/look_back.cuh). Chosen by
 * route/route.cu. */
#include "../../launch.cuh"
#include "../assemble/tile_places.cuh"
#include "sums.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Blocks of four warps, as many warps as in the filling pass. Smaller blocks mean more tiles to look back over
 * (spgemm_bench, H100, A*P of tet3d by blocks of 128, 64 and 32 threads: 0.62, 0.65 and 0.66 ms; 0.74 in two passes;
 * fe3d27 0.68, 0.69, and 0.78 in two passes). */
enum { THREADS = 128, WARPS = THREADS / 32, RESIDENT = 4 };

/* Clears the sums of a warp's rows. */
template <typename Value> __device__ void clear_sums(char *first, int each)
{
    uint4 *to = reinterpret_cast<uint4 *>(first);
    const int count = each * 32 * (int)sizeof(Value) / (int)sizeof *to;
    for (int k = (int)threadIdx.x % 32; k < count; k += 32) to[k] = uint4{0, 0, 0, 0};
}

template <typename Value>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    one_pass_hash_thread_kernel(patterns<int32_t> pattern, numbers<Value> number, const packed_row *packed,
                                const reserved_job job)
{
    extern __shared__ uint2 shared[];
    __shared__ tile_board<WARPS> board;
    __shared__ thread_counts counted[WARPS];
    wait_and_trigger();
    tile_places<1, WARPS> places(job, board);
    char *memory = reinterpret_cast<char *>(shared) + places.warp * warp_bytes<Value>(job.most + 1);
    auto &tables = *reinterpret_cast<table_memory *>(memory);
    thread_sums<Value, true> sums{thread_table(tables), reinterpret_cast<Value *>(memory + sizeof tables) + places.lane,
                                  (uint32_t)job.most};
    thread_counts all{0, 0, 0, 0, 0};
    unsigned int left = 0;
    while (true) {
        const int64_t tile = places.take_tile();
        if (tile >= job.tiles) break;
        const uint32_t i = (uint32_t)(tile * THREADS + threadIdx.x);
        sums.table.clear();
        clear_sums<Value>(memory + sizeof tables, job.most + 1);
        __syncwarp();
        thread_found found{0, 0, true};
        const int32_t length = count_row(pattern, number, packed, i, sums, found);
        all.add(i < (uint32_t)pattern.rows, found, length);
        if (!found.fits) list_overflow_row(pattern, (int32_t)i);
        const int n = length <= job.most ? length : 0;
        left += length > job.most;
        const bool are_long = places.publish_own(tile, length, n > NUMBERS / 2);
        pack_keys(tables, sums.table);
        const auto place = [&] {
            const int64_t begin = places.begin(tile, &pattern.c_offsets[pattern.rows]);
            if (i < (uint32_t)pattern.rows) pattern.c_offsets[i] = (int32_t)begin;
            const int32_t first = __shfl_sync(~0u, (int32_t)begin, 0);
            return rows_place{first, (int32_t)begin - first, places.has_room(begin, n) ? n : 0};
        };
        if (are_long)
            write_rows<NUMBERS>(number, tables, sums, n, place);
        else
            write_rows<NUMBERS / 2>(number, tables, sums, n, place);
        __syncwarp();
    }
    all.reduce();
    left = __reduce_add_sync(~0u, left);
    if (places.lane == 0 && left > 0) atomicAdd(&pattern.counters->rows_left, left);
    if (places.lane == 0) counted[places.warp] = all;
    __syncthreads();
    if (places.warp > 0) return;
    all = places.lane < WARPS ? counted[places.lane] : thread_counts{0, 0, 0, 0, 0};
    add_counts(pattern.counters, {all.nnz, all.products, all.longest, all.rows, 0, all.faults});
    send_counters_if_last(pattern.counters, job.mailbox, job.post, &pattern.counters->overflow);
}

template <typename Value> spg_status launch(cuda_product &product, const reserved_arrays &reserved, unsigned int post)
{
    static_assert(WARPS * warp_bytes<Value>(HASH_THREAD_MOST + 1) + sizeof(tile_board<WARPS>) +
                          WARPS * sizeof(thread_counts) <=
                      48 * 1024,
                  "every device has it");
    const int most = std::min(reserved.most, (int)HASH_THREAD_MOST), bytes = WARPS * warp_bytes<Value>(most + 1);
    auto *kernel = one_pass_hash_thread_kernel<Value>;
    int resident = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, THREADS, (size_t)bytes);
    spg_status status = spg_cuda_check(product.context, error, "one pass, class hash_thread");
    if (status != SPG_OK) return status;
    reserved_job job = reserved_job_of(product, reserved, THREADS, post);
    job.most = most;
    return launch_programmatic(product.context, product.cuda->stream, "one pass, class hash_thread",
                               reserved_blocks(product, job, resident), THREADS, (size_t)bytes, kernel,
                               patterns_of<int32_t>(product), reserved_numbers<Value>(product, reserved),
                               static_cast<const packed_row *>(product.packed.memory), job);
}

} // namespace

int64_t hash_thread_one_pass_words(const cuda_product &product)
{
    return look_back::words_for((product.A->rows + THREADS - 1) / THREADS);
}

spg_status one_pass_hash_thread(cuda_product &product, const reserved_arrays &reserved, unsigned int post)
{
    if (product.A->value_type == SPG_F32) return launch<float>(product, reserved, post);
    return launch<double>(product, reserved, post);
}

} // namespace spg

/* Method hash_thread, filling pass: a thread sums the products of its row of C by column in a hash table of its own.
 *
 * Input: A, the packed rows of B, B, and C's row offsets. Rows that fits_hash_thread refuses are skipped, because a
 * warp takes as long as its longest row. Output: columns and values. Invariant: sums are stored in the order of arrival
 * of their columns, each from +0 with its products in storage order; the table maps columns to sums. At the end the
 * keys (column and number) are sorted by a network in registers; CHUNK entries of every row of a warp are staged where
 * the table was and written in order. Chosen by product_fill.cu. Contraction while expanding replaces
 * the paper's sort (section 3.3). */
#include "../../launch.cuh"
#include "sums.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Blocks are small because of their memory, and only RESIDENT are resident, because L1 gets the shared memory that they
 * leave (spgemm_bench, H100, the filling pass with registers for 8 and for 10 of them, A*P: fe3d27 0.51 and 0.64 ms,
 * tet3d 0.45 and 0.46). */
enum { THREADS = 64, WARPS = THREADS / 32, RESIDENT = 8 };

template <typename Value>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    fill_hash_thread(patterns<int32_t> pattern, numbers<Value> number, const packed_row *packed, int longest)
{
    extern __shared__ uint2 shared[];
    wait_and_trigger();
    char *memory = reinterpret_cast<char *>(shared) + threadIdx.x / 32 * warp_bytes<Value>(longest);
    auto &tables = *reinterpret_cast<table_memory *>(memory);
    thread_sums<Value, false> sums{thread_table(tables),
                                   reinterpret_cast<Value *>(memory + sizeof tables) + threadIdx.x % 32, 0};
    const no_guard guard;
    const uint32_t rows = (uint32_t)pattern.rows, i = blockIdx.x * THREADS + threadIdx.x;
    const int32_t c_begin = pattern.c_offsets[min(i, rows)], c_end = pattern.c_offsets[min(i + 1, rows)];
    const int32_t begin = __shfl_sync(~0u, c_begin, 0);
    int n = c_end - c_begin <= longest ? c_end - c_begin : 0;
    const int most = __reduce_max_sync(~0u, n);
    span<int32_t> a{0, 0};
    if (n > 0) a = a_row(pattern, (int32_t)i);
    sums.table.clear();
    for (int e = 0; e < most; ++e) sums.first[e * 32] = zero<Value>();
    if (!fits_hash_thread(n, a.end - a.begin)) n = 0, a.end = a.begin;
    add_row(pattern, number, packed, a, sums, guard);
    __syncwarp();
    pack_keys(tables, sums.table);
    const auto place = [&] { return rows_place{begin, c_begin - begin, n}; };
    if (most <= NUMBERS / 2)
        write_rows<NUMBERS / 2>(number, tables, sums, n, place);
    else
        write_rows<NUMBERS>(number, tables, sums, n, place);
}

template <typename Value> spg_status launch(const cuda_product &product, int longest)
{
    static_assert(WARPS * warp_bytes<Value>(HASH_THREAD_MOST) <= 48 * 1024, "what every device allows");
    const int bytes = WARPS * warp_bytes<Value>(longest);
    const auto blocks = (unsigned int)((product.A->rows + THREADS - 1) / THREADS);
    return launch_programmatic(product.context, product.cuda->stream, "filling, class hash_thread", blocks, THREADS,
                               bytes, fill_hash_thread<Value>, patterns_of<int32_t>(product),
                               numbers_of<Value>(product), static_cast<const packed_row *>(product.packed.memory),
                               longest);
}

} // namespace

spg_status fill_rows_hash_thread(cuda_product &product, int longest)
{
    longest = std::min(longest, (int)HASH_THREAD_MOST);
    if (product.A->value_type == SPG_F32) return launch<float>(product, longest);
    return launch<double>(product, longest);
}

} // namespace spg

/* Packs the rows of B once, for counting and filling (hash_thread/packed_rows.cuh).
 *
 * Input: B, unchecked. Output: a packed_row for every row of B. A faulty row is marked in its packed_row, so that only
 * products that name it are refused. No counterpart in the paper. */
#include "../rows.cuh"
#include "packed_rows.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* odd: number of values (0 or 1) before the first one aligned for a pair. */
__device__ packed_row pack_row(const patterns<int32_t> &pattern, int32_t odd, int32_t j)
{
    unsigned int faults = 0;
    const span<int32_t> b = checked_b_row(pattern, j, faults);
    packed_row row{(uint32_t)b.begin, 0, {0, 0, 0, 0, 0, 0}};
    const int length = b.end - b.begin;
    const bool in_pairs = (b.begin > 0 || odd == 0) && (b.end < pattern.b_nnz || (b.end - odd) % 2 == 0);
    uint32_t code = faults != 0 ? PACKED_FAULT : length > PACKED_MOST || !in_pairs ? PACKED_NOT : length;
    uint32_t first = 0, last = 0;
#pragma unroll
    for (int q = 0; q < PACKED_MOST; ++q) {
        if (q >= length || code > PACKED_MOST) continue;
        const uint32_t column = (uint32_t)pattern.b_columns[b.begin + q];
        if (q == 0) first = column;
        if (q > 0 && column <= last) code = PACKED_UNSORTED;
        if (column >= (uint32_t)pattern.cols) code = PACKED_FAULT;
        if (code <= PACKED_MOST && column - first > 0xffff) code = PACKED_NOT;
        last = column;
        row.beyond[q / 2] |= q % 2 == 0 ? column - first : (column - first) << 16;
    }
    if (code == PACKED_NOT) row.beyond[0] = (uint32_t)length;
    row.first_and_length = first << PACKED_LENGTH_BITS | code;
    return row;
}

__global__ void __launch_bounds__(THREADS) pack_kernel(patterns<int32_t> pattern, int32_t odd, packed_row *rows)
{
    const uint32_t j = blockIdx.x * THREADS + threadIdx.x;
    if (j >= (uint32_t)pattern.inner) return;
    const packed_row row = pack_row(pattern, odd, (int32_t)j);
    uint4 *to = reinterpret_cast<uint4 *>(rows + j);
    to[0] = uint4{row.begin, row.first_and_length, row.beyond[0], row.beyond[1]};
    to[1] = uint4{row.beyond[2], row.beyond[3], row.beyond[4], row.beyond[5]};
}

} // namespace

spg_status pack_rows(cuda_product &product)
{
    const int64_t rows = product.B->rows, bytes = rows * (int64_t)sizeof(packed_row);
    if (product.offset_type != SPG_I32 || rows == 0 || product.B->cols >= PACKED_COLUMNS) return SPG_OK;
    product.packed.memory = take_spare_workspace(product, bytes);
    if (product.packed.memory == nullptr) return SPG_OK;
    product.packed.bytes = bytes;
    const auto first = reinterpret_cast<uintptr_t>(product.B->values) / spg_type_size(product.B->value_type);
    pack_kernel<<<(unsigned int)((rows + THREADS - 1) / THREADS), THREADS, 0, product.cuda->stream>>>(
        patterns_of<int32_t>(product), (int32_t)(first % 2), static_cast<packed_row *>(product.packed.memory));
    return spg_cuda_check_launch(product.context, "packing rows of B");
}

} // namespace spg

/* Notes on equal rows (product.cuh): finds the rows of B that have the columns of the row before; the kernels write the
 * other notes.
 *
 * Output: repeats[j] for every row of B. Called by product_count.cu if neighbouring rows of A are equal. */
#include "../driver/groups.cuh"

namespace spg
{
namespace
{

enum { FOLLOW_THREADS = 256, FOLLOW_LANES = 8, FOLLOW_AT_ONCE = 4 };

/* repeats[j] = whether row j of B has the columns of row j - 1; false if their offsets are invalid. */
template <typename Offset>
__global__ void __launch_bounds__(FOLLOW_THREADS) find_repeats(const patterns<Offset> pattern, uint8_t *repeats)
{
    constexpr int N = FOLLOW_AT_ONCE, G = FOLLOW_LANES;
    const lane_group<G> group;
    const int64_t j = ((int64_t)blockIdx.x * FOLLOW_THREADS + threadIdx.x) / G;
    const bool inside = j > 0 && j < pattern.inner;
    const Offset before = inside ? pattern.b_offsets[j - 1] : 0, begin = inside ? pattern.b_offsets[j] : 0;
    const Offset end = inside ? pattern.b_offsets[j + 1] : 0, length = end - begin;
    bool same = before >= 0 && before < begin && begin < end && end <= pattern.b_nnz && begin - before == length;
    if (same)
        for (Offset first = group.lane; first < length; first += N * G) {
            int32_t one[N], other[N];
#pragma unroll
            for (int n = 0; n < N; n++) {
                const bool live = first + n * G < length;
                one[n] = live ? pattern.b_columns[before + first + n * G] : NO_COLUMN;
                other[n] = live ? pattern.b_columns[begin + first + n * G] : NO_COLUMN;
            }
#pragma unroll
            for (int n = 0; n < N; n++) same = same && one[n] == other[n];
        }
    __syncwarp();
    same = !group.any(!same);
    if (group.lane == 0 && j < pattern.inner) repeats[j] = same;
}

} // namespace

spg_status note_equal_rows(cuda_product &product, int together)
{
    const int64_t rows = product.B->rows, row_groups = (product.A->rows + together - 1) / together;
    const int64_t bytes = row_groups * (int64_t)sizeof(uint2) + rows;
    if (rows == 0) return SPG_OK;
    equal_notes &notes = product.notes;
    notes.memory = take_spare_workspace(product, bytes);
    if (notes.memory == nullptr) return SPG_OK;
    notes.bytes = bytes;
    notes.row_groups = static_cast<uint2 *>(notes.memory);
    notes.repeats = reinterpret_cast<uint8_t *>(notes.row_groups + row_groups);
    return with_offset_type(product.offset_type, [&](auto offset) {
        const int64_t blocks = (rows * FOLLOW_LANES + FOLLOW_THREADS - 1) / FOLLOW_THREADS;
        find_repeats<<<(unsigned)blocks, FOLLOW_THREADS, 0, product.cuda->stream>>>(
            patterns_of<decltype(offset)>(product), notes.repeats);
        return spg_cuda_check_launch(product.context, "find_repeats");
    });
}

} // namespace spg

/* Whether a matrix is symmetric bit for bit, and making a product so.
 *
 * Entries (i, j) above the diagonal and (j, i) below it leave the same fingerprint, 64 bits of i, j and the value's
 * bits; A is symmetric if those above have the sum of those below. So A is read once, in order, and no entry is looked
 * for: bisection took 338 us on tet3d, this 87 (spgemm_bench, H100, R*A*P). One pair that differs is always seen, for a
 * place's fingerprint tells all values of 8 bytes apart; more differences go unseen together once in 2^64.
 *
 * Making a product so, a group of lanes takes a row, and finds the image of entry (i, j) by bisection in row j. Nothing
 * is allocated, and nothing waits. */
#include "symmetry.cuh"

#include "amg_random.h"

#include <algorithm>

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 2 };
enum { EXCESS = 0, FAULTS = 1 }; /* in spg_report.figures: fingerprints above less those below; rows out of order */

__device__ uint64_t mix_value(uint64_t place, uint32_t value) { return spg_amg_mix(place ^ value); }
__device__ uint64_t mix_value(uint64_t place, uint64_t value) { return spg_amg_mix(place ^ value); }
__device__ uint64_t mix_value(uint64_t place, uint4 value)
{
    const uint64_t first = spg_amg_mix(place ^ ((uint64_t)value.y << 32 | value.x));
    return spg_amg_mix(first ^ ((uint64_t)value.w << 32 | value.z));
}

/* Of entry (low, high) or (high, low). */
template <typename Word> __device__ uint64_t fingerprint(int32_t low, int32_t high, Word value)
{
    return mix_value(spg_amg_mix((uint64_t)high << 32 | (uint32_t)low), value);
}

/* Rows must ascend strictly: a product of others is not what its mirror image would be. */
template <typename Word>
__global__ __launch_bounds__(THREADS) void add_fingerprints(matrix_view<Word> A, int lanes, spg_report *report)
{
    __shared__ unsigned long long of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    unsigned long long excess = 0;
    bool fault = false;
    for_each_row(A.rows, lanes, [&](int64_t row, int lane) {
        if (row < 0) return;
        const int32_t here = (int32_t)row;
        int64_t begin = A.offsets[row], end = A.offsets[row + 1];
        for (int64_t k = begin + lane; k < end; k += lanes) {
            const int32_t column = A.columns[k];
            const Word value = A.values[k];
            fault = fault || (k > begin && A.columns[k - 1] >= column);
            const unsigned long long found = fingerprint(min(here, column), max(here, column), value);
            excess += column > here ? found : column < here ? 0 - found : 0;
        }
    });
    excess = reduce(excess, plus());
    bool any = __any_sync(ALL_LANES, fault);
    if (lane_in_warp() == 0) atomicAdd(&of_block, excess);
    if (lane_in_warp() == 0 && any) report->figures[FAULTS] = 1;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd((unsigned long long *)&report->figures[EXCESS], of_block);
}

/* As many as run at a time: each adds to one place. */
unsigned int blocks_at_once(const spg_context *context, int64_t rows, int lanes)
{
    const unsigned int resident = (unsigned int)spg_cuda_of(context)->multiprocessors * (2048 / THREADS);
    return std::min(blocks_for_groups(context, rows, lanes), resident);
}

template <typename Word> spg_status queue_search(spg_context *context, const spg_csr &A, int32_t *flag)
{
    spg_cuda *cuda = spg_cuda_of(context);
    spg_report *report = cuda->report;
    spg_status status =
        spg_cuda_check(context, cudaMemsetAsync(report, 0, sizeof *report, cuda->stream), "clearing a report");
    if (status != SPG_OK) return status;
    int lanes = lanes_for(A.rows, A.nnz, ENTRIES_A_LANE);
    if (A.rows > 0 && A.rows == A.cols)
        add_fingerprints<<<blocks_at_once(context, A.rows, lanes), THREADS, 0, cuda->stream>>>(view_of<Word>(A), lanes,
                                                                                               report);
    status = spg_cuda_check_launch(context, "looking for symmetry");
    if (status != SPG_OK) return status;
    bool is_square = A.rows == A.cols;
    return for_each(context, 1, "looking for symmetry", [=] __device__(int64_t) {
        *flag = is_square && report->figures[EXCESS] == 0 && report->figures[FAULTS] == 0;
    });
}

template <typename Word>
__global__ __launch_bounds__(THREADS) void copy_images(const int32_t *flag, matrix_view<Word> C, Word *values,
                                                       int lanes)
{
    if (*flag != 1) return;
    for_each_row(C.rows, lanes, [&](int64_t row, int lane) {
        if (row < 0) return;
        int64_t end = C.offsets[row + 1];
        for (int64_t k = C.offsets[row] + lane; k < end && C.columns[k] < row; k += lanes) {
            int32_t column = C.columns[k];
            int64_t image = find_entry(C, C.offsets[column], C.offsets[column + 1], (int32_t)row);
            if (image >= 0) values[k] = values[image];
        }
    });
}

template <typename Word> spg_status queue_copies(spg_context *context, const int32_t *flag, const spg_csr &C)
{
    if (C.rows == 0) return SPG_OK;
    int lanes = lanes_for(C.rows, C.nnz, ENTRIES_A_LANE);
    copy_images<<<blocks_for_groups(context, C.rows, lanes), THREADS, 0, spg_cuda_of(context)->stream>>>(
        flag, view_of<Word>(C), static_cast<Word *>(C.values), lanes);
    return spg_cuda_check_launch(context, "making a product symmetric");
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_find_symmetry(spg_context *context, const spg_csr *A, int32_t *flag)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_word(A->value_type,
                                 [&](auto word) { return spg::amg::queue_search<decltype(word)>(context, *A, flag); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_mirror(spg_context *context, const int32_t *flag, spg_csr *C)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_word(C->value_type,
                                 [&](auto word) { return spg::amg::queue_copies<decltype(word)>(context, flag, *C); });
    spg_cuda_leave(context);
    return status;
}

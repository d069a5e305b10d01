/* Whether a matrix is symmetric bit for bit, and making a product so: a group of lanes takes a row, and finds the
 * mirror image of entry (i, j) by bisection in row j.
 *
 * In sorted rows without duplicates it is enough to find each entry below the diagonal above it, if as many lie below
 * as above. What was found is collected in the context's report: nothing is allocated, and nothing waits. */
#include "symmetry.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 2 };
enum { BALANCE = 0, FAULTS = 1 }; /* in spg_report.figures: entries below less those above; entries without image */

template <typename Word>
__global__ __launch_bounds__(THREADS) void look_for_images(matrix_view<Word> A, int lanes, spg_report *report)
{
    long long balance = 0;
    bool fault = false;
    for_each_row(A.rows, lanes, [&](int64_t row, int lane) {
        if (row < 0) return;
        int64_t begin = A.offsets[row], end = A.offsets[row + 1];
        for (int64_t k = begin + lane; k < end; k += lanes) {
            int32_t column = A.columns[k];
            fault = fault || (k > begin && A.columns[k - 1] >= column);
            balance += (column < row) - (column > row);
            if (column >= row || fault) continue;
            int64_t image = find_image(A, (int32_t)row, begin, k, column);
            fault = image < 0 || !are_equal(A.values[k], A.values[image]);
        }
    });
    balance = reduce(balance, plus());
    bool any = __any_sync(ALL_LANES, fault);
    if (lane_in_warp() != 0) return;
    if (balance != 0) atomicAdd((unsigned long long *)&report->figures[BALANCE], (unsigned long long)balance);
    if (any) report->figures[FAULTS] = 1;
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
        look_for_images<<<blocks_for_groups(context, A.rows, lanes), THREADS, 0, cuda->stream>>>(view_of<Word>(A),
                                                                                                 lanes, report);
    status = spg_cuda_check_launch(context, "looking for symmetry");
    if (status != SPG_OK) return status;
    bool is_square = A.rows == A.cols;
    return for_each(context, 1, "looking for symmetry", [=] __device__(int64_t) {
        *flag = is_square && report->figures[BALANCE] == 0 && report->figures[FAULTS] == 0;
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

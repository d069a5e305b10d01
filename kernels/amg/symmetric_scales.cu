/* The factors by which rows and columns are multiplied before a matrix is compared with its transpose. A group of lanes
 * takes a row. Never waits. */
#include "rows.cuh"

#include "amg/numerics.h"

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 2 };

template <typename Value>
__global__ __launch_bounds__(THREADS) void find_scales(matrix_view<Value> A, int lanes, Value *scales)
{
    for_each_row(A.rows, lanes, [&](int64_t row, int lane) {
        const int64_t end = row >= 0 ? A.offsets[row + 1] : 0;
        double diagonal = 0;
        int others = 0;
        for (int64_t k = row >= 0 ? A.offsets[row] + lane : 0; k < end; k += lanes) {
            const Value value = A.values[k];
            if (A.columns[k] == row)
                diagonal += (double)value;
            else
                others += value != 0;
        }
        diagonal = combine_lanes(diagonal, lanes, plus());
        others = combine_lanes(others, lanes, plus());
        if (row >= 0 && lane == 0) scales[row] = (Value)spg_amg_symmetric_scale(diagonal, others > 0);
    });
}

template <typename Value> spg_status queue_scales(spg_context *context, const spg_csr &A, void *scales)
{
    if (A.rows == 0) return SPG_OK;
    const int lanes = lanes_for(A.rows, A.nnz, ENTRIES_A_LANE);
    find_scales<<<blocks_for_groups(context, A.rows, lanes), THREADS, 0, spg_cuda_of(context)->stream>>>(
        view_of<Value>(A), lanes, static_cast<Value *>(scales));
    return spg_cuda_check_launch(context, "scales of rows");
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_symmetric_scales(spg_context *context, const spg_csr *A, void *scales)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        A->value_type, [&](auto value) { return spg::amg::queue_scales<decltype(value)>(context, *A, scales); });
    spg_cuda_leave(context);
    return status;
}

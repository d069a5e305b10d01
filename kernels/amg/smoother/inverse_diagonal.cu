/* Inverse diagonals: of the diagonal itself, or of a row's sum of magnitudes. A group of lanes takes a row and loads
 * several columns together; lanes with duplicates of the diagonal add them up. Never waits. */
#include "../rows.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { COLUMNS_IN_FLIGHT = 8 }; /* amg_bench, H100 */

/* A lane's share of the diagonal entries of a row. */
template <typename Value> __device__ Value sum_diagonal(const matrix_view<Value> &A, int64_t row, int lane, int lanes)
{
    Value diagonal = 0;
    int64_t end = row >= 0 ? A.offsets[row + 1] : 0;
    for (int64_t k = row >= 0 ? A.offsets[row] + lane : 0; k < end; k += COLUMNS_IN_FLIGHT * lanes) {
        int32_t columns[COLUMNS_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < COLUMNS_IN_FLIGHT; ++u) columns[u] = k + u * lanes < end ? A.columns[k + u * lanes] : -1;
#pragma unroll
        for (int u = 0; u < COLUMNS_IN_FLIGHT; ++u)
            if (columns[u] == row) diagonal += A.values[k + u * lanes];
    }
    return diagonal;
}

template <typename Value> __device__ Value sum_magnitudes(const matrix_view<Value> &A, int64_t row, int lane, int lanes)
{
    Value sum = 0;
    int64_t end = row >= 0 ? A.offsets[row + 1] : 0;
    for (int64_t k = row >= 0 ? A.offsets[row] + lane : 0; k < end; k += lanes) sum += fabs(A.values[k]);
    return sum;
}

template <typename Value>
__global__ __launch_bounds__(THREADS) void invert(matrix_view<Value> A, int lanes, bool l1, Value *inverse)
{
    for_each_row(A.rows, lanes, [&](int64_t row, int lane) {
        Value diagonal = sum_diagonal(A, row, lane, lanes), sum = 0;
        if (l1) sum = sum_magnitudes(A, row, lane, lanes);
        diagonal = combine_lanes(diagonal, lanes, plus());
        sum = l1 ? combine_lanes(sum, lanes, plus()) : diagonal;
        if (row < 0 || lane != 0) return;
        Value inverted = 1 / sum;
        inverse[row] = diagonal != 0 && isfinite(inverted) ? inverted : (Value)0;
    });
}

template <typename Value> spg_status queue_inversion(spg_context *context, const spg_csr &A, bool l1, void *inverse)
{
    if (A.rows == 0) return SPG_OK;
    int lanes = lanes_for(A.rows, A.nnz, COLUMNS_IN_FLIGHT);
    invert<<<blocks_for_groups(context, A.rows, lanes), THREADS, 0, spg_cuda_of(context)->stream>>>(
        view_of<Value>(A), lanes, l1, static_cast<Value *>(inverse));
    return spg_cuda_check_launch(context, "an inverse diagonal");
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_inverse_diagonal(spg_context *context, const spg_csr *A, bool l1, void *inverse)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        return spg::amg::queue_inversion<decltype(value)>(context, *A, l1, inverse);
    });
    spg_cuda_leave(context);
    return status;
}

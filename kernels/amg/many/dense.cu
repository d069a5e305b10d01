/* The dense operator of the last level on several vectors. Never waits. */
#include "../dense/dense.cuh"
#include "blocks.cuh"

namespace spg
{

namespace amg
{

namespace
{

/* A row has a thread for each vector and part. */
template <typename Value>
__global__ __launch_bounds__(GROUP_THREADS) void solve_dense(int64_t n, row_groups groups, const double *matrix,
                                                             const double *scaling, const Value *b, Value *x)
{
    wait_and_trigger();
    const int64_t row = groups.first_row();
    pack<double, 1> sum = {};
#pragma unroll 4
    for (int64_t k = row < n ? groups.part() : n; k < n; k += groups.parts())
        sum.of[0] += matrix[row * n + k] * (scaling[k] * (double)b[(k << groups.lane_bits) + groups.lane()]);
    sum = combine_parts(groups, sum);
    if (row < n && groups.part() == 0) x[(row << groups.lane_bits) + groups.lane()] = (Value)(scaling[row] * sum.of[0]);
}

} // namespace

} // namespace amg

} // namespace spg

int64_t spg_cuda_many_dense_bytes(const spg_amg_dense *dense, int width)
{
    (void)dense;
    (void)width;
    return 0;
}

spg_status spg_cuda_many_dense_solve(spg_context *context, spg_amg_dense *dense, int width, const void *b, void *x,
                                     void *workspace)
{
    (void)workspace;
    if (dense->n == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg::row_groups groups = spg::amg::share_block(dense->n, dense->n * dense->n, width);
    status = spg::amg::with_real_type(dense->type, [&](auto value) {
        using Value = decltype(value);
        return spg::launch_programmatic(
            context, spg_cuda_of(context)->stream, "a dense solve of several vectors",
            spg::blocks_for_rows(dense->n, groups, dense->n), (unsigned int)groups.threads(), 0,
            spg::amg::solve_dense<Value>, dense->n, groups, static_cast<const double *>(dense->inverse),
            static_cast<const double *>(dense->scaling), static_cast<const Value *>(b), static_cast<Value *>(x));
    });
    spg_cuda_leave(context);
    return status;
}

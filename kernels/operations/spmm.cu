/* Y = alpha*A*X + beta*Y for several vectors. Lanes share a row: each holds the sums of several vectors, so that an
 * entry of A is read once for all of them. Vectors whose elements lie side by side have up to eight lanes a row;
 * vectors that lie apart have one, with neighbouring rows in neighbouring lanes. So the lanes of a warp read and write
 * neighbouring elements. Each sum is in storage order: each vector gets the bits of spg_csr_spmv. */
#include "../containers/entries.cuh"
#include "cuda_operations.h"
#include "scaled.cuh"

namespace spg
{

namespace
{

enum { BLOCK = 256, MOST_LANES = 8 };

constexpr int64_t MOST_GROUPS = 1 << 15; /* of a grid */

/* The sums that a lane holds for vectors that lie apart. */
template <typename Value> constexpr int MOST_HELD = sizeof(Value) > 8 ? 8 : 16;

template <typename Value> struct operands {
    int64_t rows;
    numbers_view offsets;
    const int32_t *columns;
    const Value *values, *X;
    Value *Y;
    int64_t count, x_row_step, x_vector_step, y_row_step, y_vector_step;
    int lanes; /* of a row, a power of two */
};

/* The sums of a row for the vectors first, first + lanes, ...: HELD of them; unless WHOLE, as far as there are. */
template <int HELD, bool WHOLE, typename Value>
__device__ inline void sum_row(const operands<Value> &of, int64_t row, int64_t first, Value (&sums)[HELD])
{
    const Value *X = of.X + first * of.x_vector_step;
    const int64_t step = of.lanes * of.x_vector_step, end = of.offsets[row + 1];
#pragma unroll
    for (int u = 0; u < HELD; ++u) sums[u] = zero<Value>();
#pragma unroll(HELD > 2 ? 1 : 4)
    for (int64_t k = of.offsets[row]; k < end; ++k) {
        const Value value = of.values[k], *x = X + of.columns[k] * of.x_row_step;
#pragma unroll
        for (int u = 0; u < HELD; ++u, x += step)
            if (WHOLE || first + u * of.lanes < of.count) sums[u] = add_product(sums[u], value, *x);
    }
}

/* Resident blocks, by the registers that the sums take. */
template <int HELD, typename Value> constexpr int blocks_held = HELD > 2 || sizeof(Value) > 8 ? 2 : 4;

/* A block has the rows of blockIdx.x and the groups of vectors of blockIdx.y. */
template <int HELD, typename Value>
__global__ __launch_bounds__(BLOCK, blocks_held<HELD, Value>) void multiply_vectors(operands<Value> of,
                                                                                    optional_scale<Value> scaled,
                                                                                    optional_scale<Value> scaled_before)
{
    wait_and_trigger();
    const int lane = (int)threadIdx.x & (of.lanes - 1);
    const int64_t row = ((int64_t)blockIdx.x * BLOCK + threadIdx.x) >> (__ffs(of.lanes) - 1);
    const int64_t group = (int64_t)HELD * of.lanes;
    if (row >= of.rows) return;
    for (int64_t begin = blockIdx.y * group; begin < of.count; begin += gridDim.y * group) {
        const int64_t first = begin + lane;
        Value sums[HELD], *y = of.Y + row * of.y_row_step + first * of.y_vector_step;
        if (begin + group <= of.count)
            sum_row<HELD, true>(of, row, first, sums);
        else
            sum_row<HELD, false>(of, row, first, sums);
#pragma unroll
        for (int u = 0; u < HELD; ++u, y += of.lanes * of.y_vector_step)
            if (first + u * of.lanes < of.count) {
                const Value sum = scaled(sums[u]);
                *y = scaled_before.is_there ? add(sum, scaled_before(*y)) : sum;
            }
    }
}

template <int HELD, typename Value>
spg_status launch(spg_context *context, const operands<Value> &of, const void *alpha, const void *beta)
{
    const int64_t rows = BLOCK / of.lanes, group = (int64_t)HELD * of.lanes, groups = (of.count + group - 1) / group;
    const dim3 blocks((unsigned int)((of.rows + rows - 1) / rows),
                      (unsigned int)(groups < MOST_GROUPS ? groups : MOST_GROUPS));
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a product with vectors", blocks, BLOCK, 0,
                               multiply_vectors<HELD, Value>, of, optional_scale<Value>(alpha),
                               optional_scale<Value>(beta));
}

template <typename Value>
spg_status multiply_matrix(spg_context *context, const void *alpha, const spg_csr &matrix, const void *beta,
                           const spg_vectors &vectors)
{
    operands<Value> of{matrix.rows,
                       offsets_of(matrix),
                       matrix.columns,
                       static_cast<const Value *>(matrix.values),
                       static_cast<const Value *>(vectors.X),
                       static_cast<Value *>(vectors.Y),
                       vectors.count,
                       vectors.x_row_step,
                       vectors.x_vector_step,
                       vectors.y_row_step,
                       vectors.y_vector_step,
                       1};
    const bool by_row = of.x_vector_step == 1 && of.y_vector_step == 1;
    while (by_row && of.lanes < MOST_LANES && of.lanes < of.count) of.lanes *= 2;
    if (of.count <= of.lanes) return launch<1>(context, of, alpha, beta);
    if (by_row) return launch<2>(context, of, alpha, beta);
    return of.count <= 4 ? launch<4>(context, of, alpha, beta) : launch<MOST_HELD<Value>>(context, of, alpha, beta);
}

} // namespace

} // namespace spg

spg_status spg_cuda_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, const void *beta,
                         const spg_vectors *vectors)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::with_value_type(matrix->value_type, [&](auto value) {
        return spg::multiply_matrix<decltype(value)>(context, alpha, *matrix, beta, *vectors);
    });
    spg_cuda_leave(context);
    return status;
}

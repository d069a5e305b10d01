/* Y = alpha*A*X + beta*Y for several vectors. Vectors whose elements lie side by side are read in packs by groups of
 * lanes (../containers/row_vectors.cuh). For vectors that lie apart a lane has a row and holds the sums of several of
 * them, with neighbouring rows in neighbouring lanes. So an entry of A is read once for several vectors, and the lanes
 * of a warp read and write neighbouring elements. Each sum is in storage order: each vector gets the bits of
 * spg_csr_spmv. */
#include "../containers/row_vectors.cuh"
#include "cuda_operations.h"
#include "scaled.cuh"

namespace spg
{

namespace
{

enum { BLOCK = 256 };

constexpr int64_t MOST_GROUPS = 1 << 15; /* of a grid */

/* The lanes of a group, so that it has 16 vectors at least. */
template <int Length> constexpr int MOST_LANE_BITS = Length == 1 ? 4 : 3;

/* The sums that a lane holds for vectors that lie apart. */
template <typename Value> constexpr int MOST_HELD = sizeof(Value) > 8 ? 8 : 16;

template <typename Value> struct operands {
    int64_t rows;
    numbers_view offsets;
    const int32_t *columns;
    const Value *values, *X;
    Value *Y;
    int64_t count, x_row_step, x_vector_step, y_row_step, y_vector_step;
};

/* ---- Vectors side by side ---- */

/* A block has the rows of blockIdx.x and the packs of vectors of blockIdx.y. */
template <int Length, typename Value>
__global__ __launch_bounds__(GROUP_THREADS, 3) void multiply_packs(operands<Value> of, row_groups groups,
                                                                   int32_t x_row_bytes, optional_scale<Value> scaled,
                                                                   optional_scale<Value> scaled_before)
{
    wait_and_trigger();
    const int64_t step = (int64_t)gridDim.y * groups.lanes() * Length;
    int64_t first = ((int64_t)blockIdx.y * groups.lanes() + groups.lane()) * Length;
    const auto each = [&](int64_t row, const pack<Value, Length> &sum) {
        pack<Value, Length> *y = pack_at<Length>(of.Y + row * of.y_row_step + first);
        pack<Value, Length> result = {};
        if (scaled_before.is_there) result = *y;
        for (int u = 0; u < Length; ++u) {
            const Value next = scaled(sum.of[u]);
            result.of[u] = scaled_before.is_there ? add(next, scaled_before(result.of[u])) : next;
        }
        *y = result;
    };
    for (; first < of.count; first += step)
        for_each_product_row<Length>(of.rows, of.offsets, of.columns, of.values, groups, of.X + first, x_row_bytes,
                                     plain_weights<Value>(), each);
}

/* Whether packs of this length begin at multiples of their size, in X and in Y. */
template <typename Value> bool is_aligned(const operands<Value> &of, int length)
{
    const uintptr_t bytes = length * sizeof(Value);
    return (reinterpret_cast<uintptr_t>(of.X) | reinterpret_cast<uintptr_t>(of.Y)) % bytes == 0 &&
           (of.count | of.x_row_step | of.y_row_step) % length == 0;
}

/* Whether a step of rows fits the kernel's numbers. */
template <typename Value> bool is_narrow(const operands<Value> &of)
{
    return of.x_row_step <= INT32_MAX / (int64_t)sizeof(Value);
}

template <int Length, typename Value>
spg_status launch_packs(spg_context *context, const operands<Value> &of, const void *alpha, const void *beta)
{
    const int64_t packs = of.count / Length;
    const int bits = bits_of(packs);
    const row_groups groups = {bits < MOST_LANE_BITS<Length> ? bits : MOST_LANE_BITS<Length>, 0};
    const int64_t parts = (packs + groups.lanes() - 1) / groups.lanes();
    const dim3 blocks(loop_blocks(context, (of.rows + groups.rows() - 1) / groups.rows()),
                      (unsigned int)(parts < MOST_GROUPS ? parts : MOST_GROUPS));
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a product with vectors", blocks,
                               (unsigned int)groups.threads(), 0, multiply_packs<Length, Value>, of, groups,
                               (int32_t)(of.x_row_step * (int64_t)sizeof(Value)), optional_scale<Value>(alpha),
                               optional_scale<Value>(beta));
}

/* ---- Vectors apart ---- */

/* The sums of a row for the vectors from `first` on: HELD of them; unless WHOLE, as far as there are. */
template <int HELD, bool WHOLE, typename Value>
__device__ inline void sum_row(const operands<Value> &of, int64_t row, int64_t first, Value (&sums)[HELD])
{
    const Value *X = of.X + first * of.x_vector_step;
    const int64_t end = of.offsets[row + 1];
#pragma unroll
    for (int u = 0; u < HELD; ++u) sums[u] = zero<Value>();
#pragma unroll(HELD > 2 ? 1 : 4)
    for (int64_t k = of.offsets[row]; k < end; ++k) {
        const Value value = of.values[k], *x = X + of.columns[k] * of.x_row_step;
#pragma unroll
        for (int u = 0; u < HELD; ++u, x += of.x_vector_step)
            if (WHOLE || first + u < of.count) sums[u] = add_product(sums[u], value, *x);
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
    const int64_t row = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (row >= of.rows) return;
    for (int64_t first = (int64_t)blockIdx.y * HELD; first < of.count; first += (int64_t)gridDim.y * HELD) {
        Value sums[HELD], *y = of.Y + row * of.y_row_step + first * of.y_vector_step;
        if (first + HELD <= of.count)
            sum_row<HELD, true>(of, row, first, sums);
        else
            sum_row<HELD, false>(of, row, first, sums);
#pragma unroll
        for (int u = 0; u < HELD; ++u, y += of.y_vector_step)
            if (first + u < of.count) {
                const Value sum = scaled(sums[u]);
                *y = scaled_before.is_there ? add(sum, scaled_before(*y)) : sum;
            }
    }
}

template <int HELD, typename Value>
spg_status launch_apart(spg_context *context, const operands<Value> &of, const void *alpha, const void *beta)
{
    const int64_t groups = (of.count + HELD - 1) / HELD;
    const dim3 blocks((unsigned int)((of.rows + BLOCK - 1) / BLOCK),
                      (unsigned int)(groups < MOST_GROUPS ? groups : MOST_GROUPS));
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a product with vectors", blocks, BLOCK, 0,
                               multiply_vectors<HELD, Value>, of, optional_scale<Value>(alpha),
                               optional_scale<Value>(beta));
}

template <typename Value>
spg_status multiply_matrix(spg_context *context, const void *alpha, const spg_csr &matrix, const void *beta,
                           const spg_vectors &vectors)
{
    const operands<Value> of{matrix.rows,
                             offsets_of(matrix),
                             matrix.columns,
                             static_cast<const Value *>(matrix.values),
                             static_cast<const Value *>(vectors.X),
                             static_cast<Value *>(vectors.Y),
                             vectors.count,
                             vectors.x_row_step,
                             vectors.x_vector_step,
                             vectors.y_row_step,
                             vectors.y_vector_step};
    const bool by_row = of.x_vector_step == 1 && of.y_vector_step == 1 && of.count > 1 && is_narrow(of);
    if (by_row && is_aligned(of, FULL_PACK<Value>)) return launch_packs<FULL_PACK<Value>>(context, of, alpha, beta);
    if (by_row) return launch_packs<1>(context, of, alpha, beta);
    if (of.count == 1) return launch_apart<1>(context, of, alpha, beta);
    return of.count <= 4 ? launch_apart<4>(context, of, alpha, beta)
                         : launch_apart<MOST_HELD<Value>>(context, of, alpha, beta);
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

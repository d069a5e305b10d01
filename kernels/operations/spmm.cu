/* Y = alpha*A*X + beta*Y for several vectors: a thread an element of Y, neighbours in memory side by side. It adds in
 * storage order, so each vector gets the bits of spg_csr_spmv. */
#include "../containers/entries.cuh"
#include "cuda_operations.h"
#include "scaled.cuh"

namespace spg
{

namespace
{

template <typename Value>
spg_status multiply_vectors(spg_context *context, const void *alpha, const spg_csr &matrix, const void *beta,
                            const spg_vectors &vectors)
{
    const spg_vectors of = vectors;
    const bool by_row = of.y_vector_step == 1;
    const int64_t fast = by_row ? of.count : matrix.rows;
    const numbers_view offsets = offsets_of(matrix);
    const int32_t *columns = matrix.columns;
    const Value *values = static_cast<const Value *>(matrix.values), *X = static_cast<const Value *>(of.X);
    Value *Y = static_cast<Value *>(of.Y);
    const optional_scale<Value> scaled(alpha), scaled_before(beta);
    return for_each(context, matrix.rows * of.count, "a product with vectors", [=] __device__(int64_t element) {
        const int64_t slow = element / fast, rest = element - slow * fast;
        const int64_t row = by_row ? slow : rest, vector = by_row ? rest : slow;
        const Value *x = X + vector * of.x_vector_step;
        Value sum = zero<Value>(), *y = Y + row * of.y_row_step + vector * of.y_vector_step;
        const int64_t end = offsets[row + 1];
        for (int64_t k = offsets[row]; k < end; ++k) sum = add_product(sum, values[k], x[columns[k] * of.x_row_step]);
        sum = scaled(sum);
        *y = scaled_before.is_there ? add(sum, scaled_before(*y)) : sum;
    });
}

} // namespace

} // namespace spg

spg_status spg_cuda_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, const void *beta,
                         const spg_vectors *vectors)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::with_value_type(matrix->value_type, [&](auto value) {
        return spg::multiply_vectors<decltype(value)>(context, alpha, *matrix, beta, *vectors);
    });
    spg_cuda_leave(context);
    return status;
}

/* The diagonal: a thread looks through a row. */
#include "../containers/entries.cuh"
#include "../values.cuh"
#include "cuda_operations.h"

namespace spg
{

namespace
{

/* A single entry keeps its bits, a sum starts from zero, as in a product. */
template <typename Value> spg_status write_diagonal(spg_context *context, const spg_csr &matrix, void *diagonal)
{
    const numbers_view offsets = offsets_of(matrix);
    const int32_t *columns = matrix.columns;
    const Value *values = static_cast<const Value *>(matrix.values);
    Value *to = static_cast<Value *>(diagonal);
    const int64_t count = matrix.rows < matrix.cols ? matrix.rows : matrix.cols;
    return for_each(context, count, "the diagonal of a matrix", [=] __device__(int64_t i) {
        const int64_t end = offsets[i + 1];
        Value sum = zero<Value>();
        int64_t terms = 0;
        for (int64_t k = offsets[i]; k < end; ++k) {
            if (columns[k] != i) continue;
            if (terms == 1) sum = add(zero<Value>(), sum);
            sum = terms++ == 0 ? values[k] : add(sum, values[k]);
        }
        to[i] = sum;
    });
}

} // namespace

} // namespace spg

spg_status spg_cuda_diagonal(spg_context *context, const spg_csr *matrix, void *diagonal)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::with_value_type(matrix->value_type, [&](auto value) {
        return spg::write_diagonal<decltype(value)>(context, *matrix, diagonal);
    });
    spg_cuda_leave(context);
    return status;
}

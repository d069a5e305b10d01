/* Scaling of rows, then columns, in place: a thread an entry. */
#include "../containers/entries.cuh"
#include "../values.cuh"
#include "cuda_operations.h"

namespace spg
{

namespace
{

template <typename Value>
spg_status scale(spg_context *context, const void *row_factors, const void *column_factors, const spg_csr &matrix)
{
    const Value *by_row = static_cast<const Value *>(row_factors);
    const Value *by_column = static_cast<const Value *>(column_factors);
    const int32_t *columns = matrix.columns;
    Value *values = static_cast<Value *>(matrix.values);
    return for_each_entry(context, matrix, "scaling a matrix", [=] __device__(int64_t k, int64_t row) {
        Value value = values[k];
        if (by_row != nullptr) value = multiply(by_row[row], value);
        if (by_column != nullptr) value = multiply(value, by_column[columns[k]]);
        values[k] = value;
    });
}

} // namespace

} // namespace spg

spg_status spg_cuda_scale(spg_context *context, const void *row_factors, const void *column_factors, spg_csr *matrix)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::with_value_type(matrix->value_type, [&](auto value) {
        return spg::scale<decltype(value)>(context, row_factors, column_factors, *matrix);
    });
    spg_cuda_leave(context);
    return status;
}

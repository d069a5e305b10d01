/* C = alpha*A + beta*B: the scaled entries of A, then those of B, become triples; their rows are C. */
#include "../containers/entries.cuh"
#include "../containers/triples.cuh"
#include "add.cuh"
#include "cuda_operations.h"
#include "scaled.cuh"

namespace spg
{

namespace
{

const char what[] = "adding matrices";

/* Writes the triples of a matrix from triple `first` on. */
template <typename Value>
spg_status write_triples(spg_context *context, const spg_csr &matrix, const void *scale, const spg_coo &triples,
                         int64_t first)
{
    const optional_scale<Value> scaled(scale);
    const Value *values = static_cast<const Value *>(matrix.values);
    const int32_t *columns = matrix.columns;
    int32_t *to_rows = triples.row_indices + first, *to_columns = triples.columns + first;
    Value *to_values = static_cast<Value *>(triples.values) + first;
    return for_each_entry(context, matrix, what, [=] __device__(int64_t k, int64_t row) {
        to_rows[k] = (int32_t)row;
        to_columns[k] = columns[k];
        to_values[k] = scaled(values[k]);
    });
}

template <typename Value>
spg_status add_values(spg_context *context, const void *alpha, const spg_csr &A, const void *beta, const spg_csr &B,
                      int64_t held, spg_csr *C)
{
    workspace work(context, held);
    spg_coo triples = {A.rows, A.cols, A.nnz + B.nnz, A.value_type, SPG_PLACE_DEVICE, nullptr, nullptr, nullptr};
    Value *values = nullptr;
    spg_status status = work.take(triples.nnz, what, &triples.row_indices);
    if (status == SPG_OK) status = work.take(triples.nnz, what, &triples.columns);
    if (status == SPG_OK) status = work.take(triples.nnz, what, &values);
    if (status != SPG_OK) return status;
    triples.values = values;
    status = write_triples<Value>(context, A, alpha, triples, 0);
    if (status == SPG_OK) status = write_triples<Value>(context, B, beta, triples, A.nnz);
    return status == SPG_OK ? make_rows(context, triples, work.held_bytes(), C) : status;
}

} // namespace

spg_status add_matrices(spg_context *context, const void *alpha, const spg_csr &A, const void *beta, const spg_csr &B,
                        int64_t held, spg_csr *C)
{
    return with_value_type(
        A.value_type, [&](auto value) { return add_values<decltype(value)>(context, alpha, A, beta, B, held, C); });
}

} // namespace spg

spg_status spg_cuda_add(spg_context *context, const void *alpha, const spg_csr *A, const void *beta, const spg_csr *B,
                        spg_csr *C)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::add_matrices(context, alpha, *A, beta, *B, 0, C);
    spg_cuda_leave(context);
    return status;
}

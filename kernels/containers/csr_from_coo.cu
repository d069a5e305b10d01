/* COO to CSR: orders triples by place, stably; a scan numbers the places, and one thread a place sums its triples in
 * storage order. */
#include "../cuda_backend.h"
#include "../values.cuh"
#include "order.cuh"
#include "triples.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace spg
{

namespace
{

/* Whether triple k is the first of its place. */
template <typename Index> struct first_of_place {
    const uint64_t *keys;

    __device__ Index operator()(int64_t k) const { return k == 0 || keys[k] != keys[k - 1]; }
};

/* The triples in order, and for each the number of places up to and including its own. */
struct ordered_triples {
    const uint64_t *keys;
    place_code code;
    entry_order order, places;
    int64_t count;
};

template <typename Index>
spg_status number_places(workspace &work, const uint64_t *keys, int64_t count, Index *numbers, int64_t *places)
{
    static const char what[] = "numbering the places of triples";
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    auto firsts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), first_of_place<Index>{keys});
    size_t bytes = 0;
    cudaError_t error = cub::DeviceScan::InclusiveSum(nullptr, bytes, firsts, numbers, (Index)count, stream);
    spg_status status = spg_cuda_check(context, error, what);
    char *temporary = nullptr;
    if (status == SPG_OK) status = work.take((int64_t)bytes, what, &temporary);
    if (status != SPG_OK) return status;
    error = cub::DeviceScan::InclusiveSum(temporary, bytes, firsts, numbers, (Index)count, stream);
    Index last = 0;
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(&last, numbers + count - 1, sizeof last, cudaMemcpyDeviceToHost, stream);
    status = spg_cuda_check(context, error, what);
    if (status == SPG_OK) status = spg_cuda_wait(context);
    *places = (int64_t)last;
    return status;
}

template <typename Offset>
spg_status store_offsets(spg_context *context, const ordered_triples &triples, const spg_csr &matrix)
{
    Offset *offsets = static_cast<Offset *>(matrix.row_offsets);
    int64_t places = matrix.nnz;
    return for_each(context, matrix.rows + 1, "the row offsets of triples", [=] __device__(int64_t i) {
        int64_t k = first_not_below(triples.keys, triples.count, triples.code.key(i, 0));
        offsets[i] = (Offset)(k < triples.count ? triples.places[k] - 1 : places);
    });
}

/* A single entry keeps its bits; a sum starts from zero, as in a product. */
template <typename Value>
spg_status sum_places(spg_context *context, const ordered_triples &triples, const void *from, const spg_csr &matrix)
{
    const Value *values = static_cast<const Value *>(from);
    Value *sums = static_cast<Value *>(matrix.values);
    int32_t *columns = matrix.columns;
    return for_each(context, triples.count, "summing triples of the same place", [=] __device__(int64_t k) {
        uint64_t key = triples.keys[k];
        if (k > 0 && triples.keys[k - 1] == key) return;
        Value sum = values[triples.order[k]];
        int64_t place = triples.places[k] - 1, next = k + 1;
        if (next < triples.count && triples.keys[next] == key) sum = add(zero<Value>(), sum);
        for (; next < triples.count && triples.keys[next] == key; ++next) sum = add(sum, values[triples.order[next]]);
        columns[place] = triples.code.column(key);
        sums[place] = sum;
    });
}

spg_status store_places(spg_context *context, const ordered_triples &triples, const spg_coo &source, int64_t places,
                        spg_csr *matrix)
{
    spg_type offset_type = matrix->offset_type;
    spg_status status = spg_check_offset_range(context, places, offset_type, "matrix");
    if (status != SPG_OK) return status;
    status = spg_csr_alloc(context, source.rows, source.cols, places, offset_type, source.value_type, matrix);
    if (status != SPG_OK) return status;
    status = offset_type == SPG_I64 ? store_offsets<int64_t>(context, triples, *matrix)
                                    : store_offsets<int32_t>(context, triples, *matrix);
    if (status == SPG_OK)
        status = with_value_type(source.value_type, [&](auto value) {
            return sum_places<decltype(value)>(context, triples, source.values, *matrix);
        });
    if (status != SPG_OK) spg_csr_free(context, matrix);
    return status;
}

/* Triples that are already in order are not moved: only their keys are made. */
template <typename Index>
spg_status convert(spg_context *context, const spg_coo &source, int64_t held, bool in_order, spg_csr *matrix)
{
    static const char what[] = "ordering triples";
    workspace work(context, held);
    key_order<uint64_t, Index> sorted{};
    spg_status status =
        in_order ? work.take(source.nnz, what, &sorted.keys) : allocate_order(work, source.nnz, what, &sorted);
    if (status == SPG_OK && in_order) status = work.take(source.nnz, what, &sorted.spare_order);
    if (status != SPG_OK) return status;
    place_code code = code_of(source.rows, source.cols);
    uint64_t *keys = sorted.keys;
    const int32_t *rows = source.row_indices, *columns = source.columns;
    status =
        for_each(context, source.nnz, what, [=] __device__(int64_t k) { keys[k] = code.key(rows[k], columns[k]); });
    if (status == SPG_OK && !in_order) status = sort_order(work, source.nnz, code.bits(), what, &sorted);
    int64_t places = 0;
    if (status == SPG_OK) status = number_places(work, sorted.keys, source.nnz, sorted.spare_order, &places);
    if (status != SPG_OK) return status;
    entry_order numbers{sorted.spare_order, sizeof(Index) == 8};
    ordered_triples triples{sorted.keys, code, sorted.view(), numbers, source.nnz};
    return store_places(context, triples, source, places, matrix);
}

} // namespace

spg_status make_rows(spg_context *context, const spg_coo &source, int64_t held, spg_csr *matrix)
{
    if (source.nnz == 0)
        return spg_csr_alloc(context, source.rows, source.cols, 0, matrix->offset_type, source.value_type, matrix);
    bool in_order;
    spg_status status = are_in_order(context, source.row_indices, source.columns, source.nnz, &in_order);
    if (status != SPG_OK) return status;
    return with_index_type(
        source.nnz, [&](auto index) { return convert<decltype(index)>(context, source, held, in_order, matrix); });
}

} // namespace spg

spg_status spg_cuda_csr_from_coo(spg_context *context, const spg_coo *source, spg_csr *matrix)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::make_rows(context, *source, 0, matrix);
    spg_cuda_leave(context);
    return status;
}

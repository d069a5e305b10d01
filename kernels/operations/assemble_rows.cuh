/* Builds a matrix from entries that are kept of the rows of another one: a warp takes a row, in the order of storage.
 * Private. */
#ifndef SPG_KERNELS_OPERATIONS_ASSEMBLE_ROWS_CUH
#define SPG_KERNELS_OPERATIONS_ASSEMBLE_ROWS_CUH

#include "../containers/entries.cuh"
#include "cuda_operations.h"

#include <cub/device/device_scan.cuh>

namespace spg
{

/* The source, and its rows in the order of the result: from[row] or, without it, first + row. */
struct source_rows {
    numbers_view offsets;
    const int32_t *from;
    int64_t first;

    __device__ int64_t operator[](int64_t row) const { return from != nullptr ? from[row] : first + row; }
};

/* Calls each(row, k, place) for each entry k that is kept, place being its number among those of the row; and
 * all(row, count) in one lane. column_of(k, row of the source): the new column, or -1: not kept. */
template <typename Column, typename Each, typename All>
__global__ __launch_bounds__(LOOP_THREADS) void loop_over_kept(int64_t rows, source_rows source, Column column_of,
                                                               Each each, All all)
{
    const int64_t step = (int64_t)gridDim.x * (LOOP_THREADS / WARP);
    for (int64_t row = (int64_t)blockIdx.x * (LOOP_THREADS / WARP) + threadIdx.x / WARP; row < rows; row += step) {
        const int64_t from = source[row], end = source.offsets[from + 1];
        int64_t count = 0;
        for (int64_t begin = source.offsets[from]; begin < end; begin += WARP) {
            const int64_t k = begin + lane_in_warp(), column = k < end ? column_of(k, from) : -1;
            const unsigned int kept = __ballot_sync(ALL_LANES, column >= 0);
            if (column >= 0) each(row, k, count + __popc(kept & lanes_below()), (int32_t)column);
            count += __popc(kept);
        }
        if (lane_in_warp() == 0) all(row, count);
    }
}

template <typename Column, typename Each, typename All>
spg_status for_each_kept(spg_context *context, int64_t rows, source_rows source, const char *what, Column column_of,
                         Each each, All all)
{
    if (rows <= 0) return SPG_OK;
    const unsigned int blocks = loop_blocks(context, (rows + LOOP_THREADS / WARP - 1) / (LOOP_THREADS / WARP));
    loop_over_kept<<<blocks, LOOP_THREADS, 0, spg_cuda_of(context)->stream>>>(rows, source, column_of, each, all);
    return spg_cuda_check_launch(context, what);
}

/* counts[i], for 0 <= i < rows, become the sums of those before; counts[rows], 0 before, becomes all. Waits. */
inline spg_status add_up(workspace &work, int64_t rows, int64_t *counts, const char *what, int64_t *all)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    size_t bytes = 0;
    cudaError_t error = cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts, counts, rows + 1, stream);
    spg_status status = spg_cuda_check(context, error, what);
    char *temporary = nullptr;
    if (status == SPG_OK) status = work.take((int64_t)bytes, what, &temporary);
    if (status != SPG_OK) return status;
    error = cub::DeviceScan::ExclusiveSum(temporary, bytes, counts, counts, rows + 1, stream);
    if (error == cudaSuccess) error = cudaMemcpyAsync(all, counts + rows, sizeof *all, cudaMemcpyDeviceToHost, stream);
    status = spg_cuda_check(context, error, what);
    return status == SPG_OK ? spg_cuda_wait(context) : status;
}

template <typename Element, typename Column>
spg_status fill_rows(spg_context *context, source_rows source, const void *values, const char *what, Column column_of,
                     const spg_csr &matrix)
{
    const numbers_view offsets = offsets_of(matrix);
    const Element *from = static_cast<const Element *>(values);
    Element *to = static_cast<Element *>(matrix.values);
    int32_t *columns = matrix.columns;
    return for_each_kept(
        context, matrix.rows, source, what, column_of,
        [=] __device__(int64_t row, int64_t k, int64_t place, int32_t column) {
            columns[offsets[row] + place] = column;
            to[offsets[row] + place] = from[k];
        },
        [] __device__(int64_t, int64_t) {});
}

/* Makes a matrix, whose shape and types are set, of the entries kept of a source with these values. Waits. */
template <typename Column>
spg_status assemble_rows(workspace &work, source_rows source, const void *values, const char *what, Column column_of,
                         spg_csr *matrix)
{
    spg_context *context = work.context;
    const spg_csr of = *matrix;
    int64_t *counts = nullptr, nnz = 0;
    spg_status status = work.take(of.rows + 1, what, &counts);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(context, counts + of.rows, sizeof *counts);
    if (status == SPG_OK)
        status = for_each_kept(
            context, of.rows, source, what, column_of, [] __device__(int64_t, int64_t, int64_t, int32_t) {},
            [=] __device__(int64_t row, int64_t count) { counts[row] = count; });
    if (status == SPG_OK) status = add_up(work, of.rows, counts, what, &nnz);
    if (status == SPG_OK) status = spg_csr_alloc(context, of.rows, of.cols, 0, of.offset_type, of.value_type, matrix);
    if (status == SPG_OK) status = spg_allocate_entries(context, nnz, matrix);
    if (status != SPG_OK) return status;
    void *offsets = matrix->row_offsets;
    const bool wide = matrix->offset_type == SPG_I64;
    status = for_each(context, of.rows + 1, what, [=] __device__(int64_t i) {
        if (wide)
            static_cast<int64_t *>(offsets)[i] = counts[i];
        else
            static_cast<int32_t *>(offsets)[i] = (int32_t)counts[i];
    });
    if (status == SPG_OK) switch (spg_type_size(of.value_type)) {
        case 4: status = fill_rows<uint32_t>(context, source, values, what, column_of, *matrix); break;
        case 8: status = fill_rows<uint64_t>(context, source, values, what, column_of, *matrix); break;
        default: status = fill_rows<uint4>(context, source, values, what, column_of, *matrix); break;
        }
    if (status != SPG_OK) spg_csr_free(context, matrix);
    return status;
}

} // namespace spg

#endif

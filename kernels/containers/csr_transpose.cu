/* The transpose: entries ordered by column, stably, so that rows are sorted and entries of the same place keep their
 * order. By counting (transpose_lists.cu); by sorting if there are very long columns, or more entries than 32 bits can
 * number. */
#include "../cuda_backend.h"
#include "order.cuh"
#include "transpose.cuh"

#include <new>

namespace spg
{

namespace
{

template <typename Offset, typename Key>
spg_status find_rows(spg_context *context, const spg_csr &matrix, const Key *keys, void *made)
{
    Offset *offsets = static_cast<Offset *>(made);
    int64_t nnz = matrix.nnz;
    return for_each(context, matrix.cols + 1, "the transpose's row offsets",
                    [=] __device__(int64_t j) { offsets[j] = (Offset)first_not_below(keys, nnz, (Key)j); });
}

/* The row of each entry becomes its column in the transpose. */
template <typename Index>
spg_status fetch_rows(spg_context *context, const spg_csr &matrix, const key_order<Index, Index> &sorted,
                      int32_t *columns)
{
    int32_t *row_of = reinterpret_cast<int32_t *>(sorted.spare_order);
    entry_order order = sorted.view();
    spg_status status = for_each_entry(context, matrix, "the rows of entries",
                                       [=] __device__(int64_t k, int64_t row) { row_of[k] = (int32_t)row; });
    if (status != SPG_OK) return status;
    return for_each(context, matrix.nnz, "fetching rows", [=] __device__(int64_t k) { columns[k] = row_of[order[k]]; });
}

/* Fills the parts of a transpose from the order of its entries. */
template <typename Index>
spg_status fetch_parts(spg_context *context, const spg_csr &matrix, const key_order<Index, Index> &sorted,
                       const transpose_parts &parts)
{
    entry_order order = sorted.view();
    int64_t *map = parts.map;
    spg_status status = parts.offset_type == SPG_I64 ? find_rows<int64_t>(context, matrix, sorted.keys, parts.offsets)
                                                     : find_rows<int32_t>(context, matrix, sorted.keys, parts.offsets);
    if (status == SPG_OK && parts.columns != nullptr) status = fetch_rows(context, matrix, sorted, parts.columns);
    if (status == SPG_OK && map != nullptr)
        status = for_each(context, matrix.nnz, "a transpose's map", [=] __device__(int64_t k) { map[k] = order[k]; });
    return status == SPG_OK && parts.values != nullptr
               ? fetch_values(context, matrix.value_type, matrix.nnz, matrix.values, order, parts.values)
               : status;
}

/* Columns are keys, as wide as the entries' numbers. */
template <typename Index>
spg_status sort_by_column(spg_context *context, int64_t held, const spg_csr &matrix, const transpose_parts &parts)
{
    workspace work(context, held);
    key_order<Index, Index> sorted;
    spg_status status = allocate_order(work, matrix.nnz, "transposing", &sorted);
    if (status != SPG_OK) return status;
    Index *keys = sorted.keys;
    const int32_t *columns = matrix.columns;
    status = for_each(context, matrix.nnz, "transposing", [=] __device__(int64_t k) { keys[k] = (Index)columns[k]; });
    if (status == SPG_OK) status = sort_order(work, matrix.nnz, bits_below(matrix.cols), "transposing", &sorted);
    return status == SPG_OK ? fetch_parts(context, matrix, sorted, parts) : status;
}

/* A transpose by counting, while the device counts. */
struct pending_transpose {
    explicit pending_transpose(spg_context *context, int64_t held) : work(context, held) {}

    spg_status begin(const spg_csr &matrix, bool checks, const transpose_parts &parts)
    {
        spg_status status = work.take(matrix.nnz, "transposing", &entries);
        return status == SPG_OK ? begin_counts(work, matrix, checks, parts, entries, &counts) : status;
    }

    /* Returns without the transpose, for sorting, if its longest row is too long. */
    spg_status end(const spg_csr &matrix, const transpose_parts &parts, unsigned int *longest)
    {
        spg_status status = wait_for_longest(work.context, counts, longest);
        if (status != SPG_OK || *longest > MOST_LISTED || *longest <= counts.most_written) return status;
        status = list_by_column(work.context, matrix, parts, counts, entries);
        return status == SPG_OK ? write_lists(work, matrix, parts, entries, *longest) : status;
    }

    workspace work;
    uint64_t *entries = nullptr;
    column_counts counts = {};
};

/* Frees what it took. */
void drop(spg_context *context, void **pending)
{
    static_cast<pending_transpose *>(*pending)->~pending_transpose();
    spg_release_on_host(context, *pending, sizeof(pending_transpose));
    *pending = nullptr;
}

bool is_counted(const spg_csr &matrix)
{
    return matrix.rows > 0 && matrix.cols > 0 && matrix.nnz > 0 && matrix.nnz < (int64_t)UINT32_MAX;
}

transpose_parts parts_of(const spg_csr &transpose, int64_t *map)
{
    return {transpose.offset_type, transpose.row_offsets, transpose.columns, transpose.values, map};
}

/* Begins the transpose by counting, or does all of the transpose by sorting. */
spg_status begin_transpose(spg_context *context, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                           void **pending)
{
    if (!is_counted(matrix)) {
        spg_status status = checks ? spg_cuda_csr_check(context, &matrix) : SPG_OK;
        return status == SPG_OK && matrix.nnz > 0 ? sort_by_column<uint64_t>(context, 0, matrix, parts) : status;
    }
    void *memory = nullptr;
    spg_status status = spg_allocate_on_host(context, sizeof(pending_transpose), "transposing", &memory);
    if (status != SPG_OK) return status;
    auto *begun = new (memory) pending_transpose(context, (int64_t)sizeof(pending_transpose));
    status = begun->begin(matrix, checks, parts);
    *pending = begun;
    if (status != SPG_OK) drop(context, pending);
    return status;
}

spg_status end_transpose(spg_context *context, const spg_csr &matrix, const transpose_parts &parts, void *pending)
{
    if (pending == nullptr) return SPG_OK;
    unsigned int longest = 0;
    spg_status status = static_cast<pending_transpose *>(pending)->end(matrix, parts, &longest);
    drop(context, &pending);
    if (status != SPG_OK || longest <= MOST_LISTED) return status;
    if (longest != MALFORMED) return sort_by_column<uint32_t>(context, 0, matrix, parts);
    status = spg_cuda_csr_check(context, &matrix);
    return status != SPG_OK
               ? status
               : spg_context_fail(context, SPG_ERROR_INTERNAL, "a kernel found a fault that a check does not");
}

} // namespace

spg_status write_transpose(spg_context *context, int64_t held, const spg_csr &matrix, const transpose_parts &parts)
{
    if (!is_counted(matrix)) return sort_by_column<uint64_t>(context, held, matrix, parts);
    unsigned int longest = 0;
    spg_status status = SPG_OK;
    {
        pending_transpose counted(context, held);
        status = counted.begin(matrix, false, parts);
        if (status == SPG_OK) status = counted.end(matrix, parts, &longest);
    }
    return status == SPG_OK && longest > MOST_LISTED ? sort_by_column<uint32_t>(context, held, matrix, parts) : status;
}

} // namespace spg

spg_status spg_cuda_csr_transpose_begin(spg_context *context, const spg_csr *matrix, bool checks, int64_t *map,
                                        spg_csr *transpose, void **pending)
{
    *pending = nullptr;
    spg_status status = spg_csr_alloc(context, matrix->cols, matrix->rows, matrix->nnz, matrix->offset_type,
                                      matrix->value_type, transpose);
    if (status != SPG_OK) return status;
    status = spg_cuda_enter(context);
    if (status == SPG_OK) {
        status = spg::begin_transpose(context, *matrix, checks, spg::parts_of(*transpose, map), pending);
        spg_cuda_leave(context);
    }
    if (status != SPG_OK) spg_csr_free(context, transpose);
    return status;
}

spg_status spg_cuda_csr_transpose_end(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose,
                                      void *pending)
{
    spg_status status = spg_cuda_enter(context);
    if (status == SPG_OK) {
        status = spg::end_transpose(context, *matrix, spg::parts_of(*transpose, map), pending);
        spg_cuda_leave(context);
    } else if (pending != nullptr)
        spg::drop(context, &pending);
    if (status != SPG_OK) spg_csr_free(context, transpose);
    return status;
}

spg_status spg_cuda_csr_transpose(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose)
{
    void *pending = nullptr;
    spg_status status = spg_cuda_csr_transpose_begin(context, matrix, false, map, transpose, &pending);
    return status == SPG_OK ? spg_cuda_csr_transpose_end(context, matrix, map, transpose, pending) : status;
}

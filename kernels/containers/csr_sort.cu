/* Sorts rows by column. Does nothing if all are sorted; otherwise sorts all entries by their places. */
#include "../cuda_backend.h"
#include "order.cuh"

namespace spg
{

namespace
{

/* Compares the number of descending columns with the number from one row's last entry to the next row's first: rows are
 * sorted if they are equal. Waits. */
spg_status are_rows_sorted(spg_context *context, const spg_csr &matrix, bool *sorted)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    const int32_t *columns = matrix.columns;
    numbers_view offsets = offsets_of(matrix);
    spg_status status = clear_report(context);
    unsigned long long *falls = &shared->first[0], *falls_between_rows = &shared->first[1];
    if (status == SPG_OK)
        status = for_each(context, matrix.nnz - 1, "looking for unsorted rows", [=] __device__(int64_t k) {
            if (columns[k] > columns[k + 1]) count_one(falls);
        });
    if (status == SPG_OK)
        status = for_each(context, matrix.rows, "looking for unsorted rows", [=] __device__(int64_t i) {
            int64_t begin = offsets[i];
            if (begin > 0 && begin < offsets[i + 1] && columns[begin - 1] > columns[begin])
                count_one(falls_between_rows);
        });
    if (status == SPG_OK) status = read_report(context, &report);
    if (status == SPG_OK) *sorted = report.first[0] == report.first[1];
    return status;
}

template <typename Index> spg_status sort_by_place(spg_context *context, const spg_csr &matrix)
{
    workspace work(context);
    key_order<uint64_t, Index> order;
    place_code code = code_of(matrix.rows, matrix.cols);
    if (code.bits() > 64)
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED, "sorting %lld rows of %lld columns on a device",
                                (long long)matrix.rows, (long long)matrix.cols);
    spg_status status = allocate_order(work, matrix.nnz, "sorting rows", &order);
    if (status != SPG_OK) return status;
    uint64_t *keys = order.keys;
    const int32_t *columns = matrix.columns;
    status = for_each_entry(context, matrix, "sorting rows",
                            [=] __device__(int64_t k, int64_t row) { keys[k] = code.key(row, columns[k]); });
    if (status == SPG_OK) status = sort_order(work, matrix.nnz, code.bits(), "sorting rows", &order);
    return status == SPG_OK ? store_order(context, order, code, matrix.nnz, matrix.value_type, nullptr, matrix.columns,
                                          matrix.values)
                            : status;
}

spg_status sort_rows(spg_context *context, const spg_csr &matrix)
{
    bool sorted = true;
    spg_status status = matrix.nnz > 1 ? are_rows_sorted(context, matrix, &sorted) : SPG_OK;
    if (status != SPG_OK || sorted) return status;
    return with_index_type(matrix.nnz, [&](auto index) { return sort_by_place<decltype(index)>(context, matrix); });
}

} // namespace

} // namespace spg

spg_status spg_cuda_csr_sort(spg_context *context, spg_csr *matrix)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::sort_rows(context, *matrix);
    spg_cuda_leave(context);
    return status;
}

/* A part of a matrix: rows and columns by number, also a permutation of all of them. */
#include "../cuda_backend.h"
#include "assemble_rows.cuh"

namespace spg
{

namespace
{

const char what[] = "a part of a matrix";

/* Where columns go; without a map, a range. */
struct column_map {
    const uint32_t *map;
    int64_t first, count;

    __device__ int64_t operator()(int32_t column) const
    {
        if (map != nullptr) return map[column] == UINT32_MAX ? -1 : (int64_t)map[column];
        const int64_t at = column - first;
        return at < count ? at : -1;
    }
};

enum { INDEX = 0, BEFORE = 1 }; /* in spg_report.figures */

/* Describes the first fault that kernels reported of indices; map: NULL, or where each is named first. */
spg_status read_fault(spg_context *context, const spg_indices &of, const uint32_t *map, int64_t *fault,
                      spg_report *report)
{
    spg_report *shared = spg_cuda_of(context)->report;
    const int32_t *indices = of.indices;
    spg_status status = for_each(context, 1, what, [=] __device__(int64_t) {
        if (shared->first[0] == NONE_FIRST) return;
        const int32_t index = indices[shared->first[0]];
        shared->figures[INDEX] = index;
        if (map != nullptr) shared->figures[BEFORE] = map[index];
    });
    if (status == SPG_OK) status = read_report(context, report);
    *fault = status == SPG_OK && report->first[0] != NONE_FIRST ? (int64_t)report->first[0] : -1;
    return status;
}

spg_status check_range(spg_context *context, const spg_indices &of, int64_t limit, const char *name)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    const int32_t *indices = of.indices;
    int64_t fault = -1;
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, of.count, what, [=] __device__(int64_t k) {
            if (indices[k] < 0 || indices[k] >= limit) report_first(&shared->first[0], k);
        });
    if (status == SPG_OK) status = read_fault(context, of, nullptr, &fault, &report);
    if (status != SPG_OK || fault < 0) return status;
    return spg_fail_outside(context, name, fault, report.figures[INDEX], limit);
}

/* Sets map[index] to where it is named first, all bits set: nowhere; and refuses an index that is named twice. */
spg_status invert(spg_context *context, const spg_indices &of, int64_t limit, const char *name, uint32_t *map)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    const int32_t *indices = of.indices;
    int64_t fault = -1;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = for_each(context, limit, what, [=] __device__(int64_t i) { map[i] = UINT32_MAX; });
    if (status == SPG_OK)
        status =
            for_each(context, of.count, what, [=] __device__(int64_t k) { atomicMin(&map[indices[k]], (uint32_t)k); });
    if (status == SPG_OK)
        status = for_each(context, of.count, what, [=] __device__(int64_t k) {
            if (map[indices[k]] != (uint32_t)k) report_first(&shared->first[0], k);
        });
    if (status == SPG_OK) status = read_fault(context, of, map, &fault, &report);
    if (status != SPG_OK || fault < 0) return status;
    return spg_fail_repeated(context, name, fault, report.figures[INDEX], report.figures[BEFORE]);
}

/* Refuses indices outside of [0, limit) and, if they must be distinct, those named twice; then *map is set. */
spg_status check_indices(workspace &work, const spg_indices &of, int64_t limit, const char *name, bool distinct,
                         uint32_t **map)
{
    *map = nullptr;
    if (of.indices == nullptr) return SPG_OK;
    spg_status status = check_range(work.context, of, limit, name);
    if (status != SPG_OK || !distinct) return status;
    status = work.take(limit > 0 ? limit : 1, "a map of indices", map);
    return status == SPG_OK ? invert(work.context, of, limit, name, *map) : status;
}

spg_status check_rows(spg_context *context, const spg_csr &matrix, const spg_selection &selection)
{
    workspace work(context);
    uint32_t *map;
    return check_indices(work, selection.rows, matrix.rows, selection.rows_name, selection.distinct_rows, &map);
}

spg_status select_rows(spg_context *context, const spg_csr &matrix, const spg_selection &selection, spg_csr *part)
{
    workspace work(context);
    const spg_indices &rows = selection.rows, &columns = selection.columns;
    uint32_t *map;
    spg_status status = check_indices(work, columns, matrix.cols, selection.columns_name, true, &map);
    if (status != SPG_OK) return status;
    const column_map to{map, columns.first, columns.count};
    const int32_t *of_entries = matrix.columns;
    *part = {rows.count, columns.count, 0,      matrix.offset_type, matrix.value_type, SPG_PLACE_DEVICE,
             nullptr,    nullptr,       nullptr};
    return assemble_rows(
        work, {offsets_of(matrix), rows.indices, rows.first}, matrix.values, what,
        [=] __device__(int64_t k, int64_t) { return to(of_entries[k]); }, part);
}

spg_status select(spg_context *context, const spg_csr &matrix, const spg_selection &selection, spg_csr *part)
{
    spg_status status = check_rows(context, matrix, selection);
    if (status == SPG_OK) status = select_rows(context, matrix, selection, part);
    if (status != SPG_OK) return status;
    status = spg_cuda_csr_sort(context, part);
    if (status != SPG_OK) spg_csr_free(context, part);
    return status;
}

} // namespace

} // namespace spg

spg_status spg_cuda_select(spg_context *context, const spg_csr *matrix, const spg_selection *selection, spg_csr *part)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::select(context, *matrix, *selection, part);
    spg_cuda_leave(context);
    return status;
}

/* Finds the first fault of weights after a stage has met one: offsets and columns by the backend's check, then the
 * first faulty row and what is wrong with it, by sampling/faults.h. */
#include "sampling.cuh"

#include "../cuda_backend.h"

#include <cstring>

namespace spg
{

namespace
{

enum { FIRST_ROW = 0, FIRST_ITEM = 1 };       /* in spg_report.first */
enum { FIGURE_ITEMS = 0, FIGURE_WEIGHT = 1 }; /* in spg_report.figures */

/* A warp a row. */
spg_status queue_rows(spg_context *context, const spg_csr &matrix, spg_report *report)
{
    numbers_view offsets = offsets_of(matrix);
    weights_view weights = weights_of(matrix);
    bool empty_rows = allows_empty_rows(context);
    return for_each(context, matrix.rows * WARP, "checking weights", [=] __device__(int64_t thread) {
        int64_t row = thread / WARP, begin = offsets[row], end = offsets[row + 1];
        bool fault = end - begin > INT32_MAX, positive = empty_rows;
        for (int64_t k = begin + thread % WARP; k < end; k += WARP) {
            double weight = weights[k];
            fault |= !is_sound_weight(weight);
            positive |= weight > 0;
        }
        fault = __any_sync(ALL_LANES, fault);
        positive = __any_sync(ALL_LANES, positive);
        if (thread % WARP == 0 && (fault || !positive)) report_first(&report->first[FIRST_ROW], row);
    });
}

/* In the row found, all blocks look for its first faulty item. */
spg_status queue_items(spg_context *context, const spg_csr &matrix, spg_report *report)
{
    numbers_view offsets = offsets_of(matrix);
    weights_view weights = weights_of(matrix);
    int64_t threads = (int64_t)spg_cuda_of(context)->multiprocessors * 1024;
    spg_status status = for_each(context, threads, "looking for a weight", [=] __device__(int64_t thread) {
        if (report->first[FIRST_ROW] == NONE_FIRST) return;
        int64_t row = (int64_t)report->first[FIRST_ROW], begin = offsets[row], end = offsets[row + 1];
        for (int64_t k = begin + thread; k < end; k += threads)
            if (!is_sound_weight(weights[k])) {
                report_first(&report->first[FIRST_ITEM], k - begin);
                break;
            }
    });
    if (status != SPG_OK) return status;
    return for_each(context, 1, "describing a fault", [=] __device__(int64_t) {
        if (report->first[FIRST_ROW] == NONE_FIRST) return;
        int64_t row = (int64_t)report->first[FIRST_ROW];
        report->figures[FIGURE_ITEMS] = offsets[row + 1] - offsets[row];
        if (report->first[FIRST_ITEM] == NONE_FIRST) return;
        report->figures[FIGURE_WEIGHT] =
            __double_as_longlong(weights[offsets[row] + (int64_t)report->first[FIRST_ITEM]]);
    });
}

/* Fails with the fault of the row in the report; SPG_OK if there is none. */
spg_status fail_by_row(spg_context *context, const spg_csr &weights)
{
    spg_report report;
    spg_status status = queue_items(context, weights, spg_cuda_of(context)->report);
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK || report.first[FIRST_ROW] == NONE_FIRST) return status;
    int64_t row = (int64_t)report.first[FIRST_ROW], items = report.figures[FIGURE_ITEMS];
    bool has_item = report.first[FIRST_ITEM] != NONE_FIRST;
    double weight = 0;
    if (has_item) memcpy(&weight, &report.figures[FIGURE_WEIGHT], sizeof weight);
    spg_weight_fault fault = items > INT32_MAX ? SPG_WEIGHT_LONG
                             : items == 0      ? SPG_WEIGHT_EMPTY
                             : has_item        ? spg_weight_kind(weight)
                                               : SPG_WEIGHT_ZEROS;
    return spg_fail_weight(context, fault, row, items, (int64_t)(has_item ? report.first[FIRST_ITEM] : 0), weight);
}

} // namespace

spg_status find_weight_fault(spg_context *context, const spg_csr &weights)
{
    spg_status status = spg_cuda_csr_check(context, &weights);
    if (status == SPG_OK) status = clear_report(context);
    if (status == SPG_OK) status = queue_rows(context, weights, spg_cuda_of(context)->report);
    return status == SPG_OK ? fail_by_row(context, weights) : status;
}

spg_status fail_by_weights_of(spg_context *context, const spg_csr &weights, int64_t row)
{
    unsigned long long *first = &spg_cuda_of(context)->report->first[FIRST_ROW];
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, 1, "a faulty row", [=] __device__(int64_t) { *first = (unsigned long long)row; });
    return status == SPG_OK ? fail_by_row(context, weights) : status;
}

spg_status fail_by_report(spg_context *context, const spg_csr &weights, const spg_report &report)
{
    spg_status status = find_weight_fault(context, weights);
    return status != SPG_OK ? status
                            : spg_context_fail(context, SPG_ERROR_INTERNAL, "no sum of row %lld is sound",
                                               (long long)report.first[0]);
}

spg_status queue_column_check(spg_context *context, const spg_csr &weights, unsigned long long *first_fault,
                              device_sign fault)
{
    const int32_t *columns = weights.columns;
    uint32_t cols = (uint32_t)weights.cols;
    if (columns == nullptr) return SPG_OK;
    return for_each(context, weights.nnz, "checking columns", [=] __device__(int64_t k) {
        if ((uint32_t)columns[k] < cols) return;
        *fault = 1;
        report_first(first_fault, 0);
    });
}

spg_status copy_shape(spg_context *context, const spg_csr &weights, int64_t **offsets, int32_t **columns)
{
    void *memory = nullptr;
    spg_status status = spg_allocate(context, spg_array_bytes(weights.rows + 1, sizeof(int64_t)), "offsets", &memory);
    int64_t *to_offsets = *offsets = static_cast<int64_t *>(memory);
    if (status == SPG_OK && weights.columns != nullptr) {
        status = spg_allocate(context, spg_array_bytes(weights.nnz, sizeof(int32_t)), "columns", &memory);
        *columns = static_cast<int32_t *>(memory);
    }
    if (status != SPG_OK) return status;
    numbers_view from = offsets_of(weights);
    int64_t rows = weights.rows, nnz = weights.nnz;
    unsigned long long *first_fault = &spg_cuda_of(context)->report->first[0];
    status = for_each(context, rows + 1, "copying offsets", [=] __device__(int64_t i) {
        to_offsets[i] = from[i];
        if ((i == 0 && from[i] != 0) || (i == rows && from[i] != nnz)) report_first(first_fault, 0);
    });
    if (status != SPG_OK || *columns == nullptr) return status;
    int32_t *to_columns = *columns;
    const int32_t *from_columns = weights.columns;
    uint32_t cols = (uint32_t)weights.cols;
    return for_each(context, nnz, "copying columns", [=] __device__(int64_t k) {
        to_columns[k] = from_columns[k];
        if ((uint32_t)to_columns[k] >= cols) report_first(first_fault, 0);
    });
}

} // namespace spg

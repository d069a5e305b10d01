/* Whether rows of a table can be given new weights: their numbers, their pattern, the weights. All entries are compared
 * at once, or those of listed rows, a warp a row. */
#include "../sampling.cuh"

#include "../../cuda_backend.h"

namespace spg
{
namespace alias
{

namespace
{

enum { FIRST_WEIGHT = 0, FIRST_PATTERN = 1 };    /* rows, in spg_report.first */
enum { FIRST_OUTSIDE = 0, FIRST_UNORDERED = 1 }; /* entries of the list */

/* The table and its new weights, at the table's places. */
struct new_weights {
    const int64_t *offsets;
    const int32_t *columns, *new_columns; /* both NULL: not compared */
    numbers_view new_offsets;
    weights_view weights;
    bool empty_rows;
    unsigned long long *first_weight, *first_pattern;

    __device__ void check_entry(int64_t e, int64_t row) const
    {
        if (!is_sound_weight(weights[e])) report_first(first_weight, row);
        if (columns != nullptr && columns[e] != new_columns[e]) report_first(first_pattern, row);
    }

    /* Offsets, and whether there is a weight above 0; by a warp, which stops at the first. */
    __device__ void check_row(int64_t row) const
    {
        int64_t begin = offsets[row], end = offsets[row + 1];
        bool positive = empty_rows;
        for (int64_t k = begin; !positive && k < end; k += WARP) {
            int64_t mine = k + lane_in_warp();
            positive = __any_sync(ALL_LANES, mine < end && weights[mine] > 0);
        }
        if (lane_in_warp() != 0) return;
        if (new_offsets[row] != begin || new_offsets[row + 1] != end) report_first(first_pattern, row);
        if (!positive) report_first(first_weight, row);
    }
};

spg_status check_list(spg_context *context, spg_row_list rows, int64_t limit)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, rows.count, "numbers of rows", [=] __device__(int64_t k) {
            if (rows.rows[k] < 0 || rows.rows[k] >= limit) report_first(&shared->first[FIRST_OUTSIDE], k);
            if (k > 0 && rows.rows[k] <= rows.rows[k - 1]) report_first(&shared->first[FIRST_UNORDERED], k);
        });
    if (status == SPG_OK) status = read_report(context, &report);
    bool outside = report.first[FIRST_OUTSIDE] != NONE_FIRST;
    if (status != SPG_OK || (!outside && report.first[FIRST_UNORDERED] == NONE_FIRST)) return status;
    int64_t k = (int64_t)report.first[outside ? FIRST_OUTSIDE : FIRST_UNORDERED];
    int32_t row;
    status = spg_cuda_copy_bytes(context, &row, SPG_PLACE_HOST, rows.rows + k, SPG_PLACE_DEVICE, sizeof row);
    if (status != SPG_OK) return status;
    return outside ? spg_fail_row_number(context, k, row, limit) : spg_fail_list_order(context, k, row);
}

spg_status queue_checks(spg_context *context, const spg_csr &shape, const new_weights &of, spg_row_list rows)
{
    if (rows.rows == nullptr) {
        spg_status status = for_each(context, rows.count * WARP, "rows of new weights",
                                     [=] __device__(int64_t thread) { of.check_row(thread / WARP); });
        if (status != SPG_OK) return status;
        return for_each_entry(context, shape, "new weights",
                              [=] __device__(int64_t e, int64_t row) { of.check_entry(e, row); });
    }
    return for_each(context, rows.count * WARP, "rows of new weights", [=] __device__(int64_t thread) {
        int64_t row = rows.rows[thread / WARP];
        of.check_row(row);
        for (int64_t e = of.offsets[row] + lane_in_warp(); e < of.offsets[row + 1]; e += WARP) of.check_entry(e, row);
    });
}

spg_status check(spg_context *context, const spg_alias &alias, const spg_csr &weights, spg_row_list rows)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    bool compares = alias.columns != nullptr && weights.columns != nullptr;
    new_weights of = {alias.offsets,
                      compares ? alias.columns : nullptr,
                      compares ? weights.columns : nullptr,
                      offsets_of(weights),
                      weights_of(weights),
                      alias.empty_rows,
                      &shared->first[FIRST_WEIGHT],
                      &shared->first[FIRST_PATTERN]};
    spg_csr shape = weights; /* with offsets that are known to be sound */
    shape.offset_type = SPG_I64;
    shape.row_offsets = alias.offsets;
    spg_status status = rows.rows != nullptr ? check_list(context, rows, alias.rows) : SPG_OK;
    if (status == SPG_OK) status = clear_report(context);
    if (status == SPG_OK) status = queue_checks(context, shape, of, rows);
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK) return status;
    if (report.first[FIRST_PATTERN] != NONE_FIRST)
        return spg_fail_pattern(context, (int64_t)report.first[FIRST_PATTERN]);
    if (report.first[FIRST_WEIGHT] == NONE_FIRST) return SPG_OK;
    return fail_by_weights_of(context, weights, (int64_t)report.first[FIRST_WEIGHT]);
}

} // namespace

} // namespace alias
} // namespace spg

spg_status spg_cuda_alias_check(spg_context *context, const spg_alias *alias, const spg_csr *weights, spg_row_list rows)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::alias::check(context, *alias, *weights, rows);
    spg_cuda_leave(context);
    return status;
}

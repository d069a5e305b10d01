/* Checks that multigrid can take a matrix: all values finite, and no row too long. One pass over the values; the host
 * makes the message about the first that is not finite. */
#include "counts.cuh"
#include "rows.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { FIRST_VALUE = 0, FIRST_ROW = 1 }; /* in spg_report.first */

template <typename Value> spg_status look_for_fault(spg_context *context, const spg_csr &A, spg_counters *counts)
{
    const Value *values = static_cast<const Value *>(A.values); /* the parts of complex ones */
    const int parts = spg_parts_of(A.value_type);
    spg_report *report = spg_cuda_of(context)->report;
    unsigned long long *faults = &spg_cuda_of(context)->counters->nnz;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = clear_counts(context);
    if (status == SPG_OK)
        status = for_each(context, parts * A.nnz, "looking for values that are not finite", [=] __device__(int64_t k) {
            if (isfinite(values[k])) return;
            count_one(faults);
            report_first(&report->first[FIRST_VALUE], k / parts);
        });
    return status == SPG_OK ? take_counts(context, counts) : status;
}

spg_status describe_fault(spg_context *context, const spg_csr &A)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    numbers_view offsets = offsets_of(A);
    int64_t rows = A.rows;
    const int32_t *columns = A.columns;
    spg_status status = for_each(context, 1, "describing a value", [=] __device__(int64_t) {
        int64_t k = (int64_t)shared->first[FIRST_VALUE];
        shared->first[FIRST_ROW] = (unsigned long long)row_of_entry(offsets, 0, rows - 1, k);
        shared->figures[0] = columns[k];
    });
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK) return status;
    return spg_context_fail(context, SPG_ERROR_FORMAT, "A: row %lld holds an infinite value or a NaN in column %lld",
                            (long long)report.first[FIRST_ROW], report.figures[0]);
}

/* Kernels number the entries of a row in 32 bits, with a margin. */
constexpr int64_t MOST_IN_ROW = (int64_t)1 << 30;

spg_status check_row_lengths(spg_context *context, const spg_csr &A)
{
    const int64_t most = MOST_IN_ROW / spg_parts_of(A.value_type); /* a real form has twice as many */
    if (A.nnz <= most) return SPG_OK;
    numbers_view offsets = offsets_of(A);
    spg_report *shared = spg_cuda_of(context)->report, report;
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, A.rows, "looking for long rows", [=] __device__(int64_t row) {
            if (offsets[row + 1] - offsets[row] > most) report_first(&shared->first[FIRST_ROW], row);
        });
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK || report.first[FIRST_ROW] == NONE_FIRST) return status;
    return spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                            "A: row %lld has more than %lld entries; multigrid on a device takes no longer ones",
                            (long long)report.first[FIRST_ROW], (long long)most);
}

template <typename Value>
spg_status look_beyond(spg_context *context, int64_t count, const Value *values, double most, int64_t *first)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, count, "looking for large values", [=] __device__(int64_t k) {
            if (!(fabs((double)values[k]) <= most)) report_first(&shared->first[FIRST_VALUE], k);
        });
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK) return status;
    *first = report.first[FIRST_VALUE] == NONE_FIRST ? count : (int64_t)report.first[FIRST_VALUE];
    return SPG_OK;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_find_beyond(spg_context *context, spg_type type, int64_t count, const void *values, double most,
                                int64_t *first)
{
    *first = count;
    if (count == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(type, [&](auto value) {
        using Value = decltype(value);
        return spg::amg::look_beyond(context, count, static_cast<const Value *>(values), most, first);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_check_finite(spg_context *context, const spg_csr *A)
{
    if (A->nnz == 0) return SPG_OK;
    spg_counters counts;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(spg_part_type(A->value_type), [&](auto value) {
        return spg::amg::look_for_fault<decltype(value)>(context, *A, &counts);
    });
    if (status == SPG_OK && counts.nnz != 0) status = spg::amg::describe_fault(context, *A);
    if (status == SPG_OK) status = spg::amg::check_row_lengths(context, *A);
    spg_cuda_leave(context);
    return status;
}

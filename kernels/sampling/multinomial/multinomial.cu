/* Multinomial counts of all rows: checks, then short rows, then long ones. The host waits for what the rows are like,
 * and, unless it trusts the weights, for their faults. */
#include "multinomial.cuh"

#include "../../cuda_backend.h"

namespace spg
{
namespace multinomial
{

namespace
{

enum { FIRST_FAULT = 0, FIRST_TRIALS = 1 };        /* rows, in spg_report.first */
enum { FIGURE_LONGEST = 0, FIGURE_LONG_ROWS = 1 }; /* in spg_report.figures, which begin at -1 */

/* The longest row, the number of those of more than a tile, and faults that can be seen without the weights: as on the
 * host, those of lengths come before those of trials. */
spg_status examine(spg_context *context, const count_job &job, spg_report *report)
{
    spg_report *shared = spg_cuda_of(context)->report;
    bool trusted = trusts(context);
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, job.rows, "lengths of rows", [=] __device__(int64_t i) {
            long long items = job.offsets[i + 1] - job.offsets[i];
            if (items > INT32_MAX || (items == 0 && !job.empty_rows)) report_first(&shared->first[FIRST_FAULT], i);
            if (items > *(volatile long long *)&shared->figures[FIGURE_LONGEST])
                atomicMax(&shared->figures[FIGURE_LONGEST], items);
            if (items > TILE) atomicAdd(reinterpret_cast<unsigned long long *>(&shared->figures[FIGURE_LONG_ROWS]), 1);
            if (!trusted && job.trials != nullptr && job.trials[i] < 0) report_first(&shared->first[FIRST_TRIALS], i);
        });
    return status == SPG_OK ? read_report(context, report) : status;
}

spg_status fail_trials(spg_context *context, const count_job &job, int64_t row)
{
    int64_t trials;
    spg_status status =
        spg_cuda_copy_bytes(context, &trials, SPG_PLACE_HOST, job.trials + row, SPG_PLACE_DEVICE, sizeof trials);
    return status == SPG_OK ? spg_fail_trials(context, row, trials) : status;
}

spg_status count(spg_context *context, const spg_csr &weights, count_job job)
{
    spg_report report;
    spg_status status = trusts(context) ? SPG_OK : spg_cuda_csr_check(context, &weights);
    if (status == SPG_OK) status = examine(context, job, &report);
    if (status != SPG_OK) return status;
    if (report.first[FIRST_FAULT] != NONE_FIRST) return fail_by_report(context, weights, report);
    if (report.first[FIRST_TRIALS] != NONE_FIRST) return fail_trials(context, job, (int64_t)report.first[FIRST_TRIALS]);
    const int64_t longest = report.figures[FIGURE_LONGEST], long_rows = report.figures[FIGURE_LONG_ROWS] + 1;
    {
        workspace work(context);
        status = count_short_rows(context, job, longest);
        if (status == SPG_OK && long_rows > 0) status = count_long_rows(work, job, long_rows, longest);
    }
    if (status != SPG_OK || trusts(context)) return status;
    status = read_report(context, &report);
    if (status != SPG_OK || report.first[FIRST_FAULT] == NONE_FIRST) return status;
    return fail_by_report(context, weights, report);
}

} // namespace

} // namespace multinomial
} // namespace spg

spg_status spg_cuda_multinomial_draws(spg_context *context, const spg_csr *weights, int64_t n, const int64_t *trials,
                                      const spg_random *random, int64_t *counts)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::multinomial::count(context, *weights,
                                     {spg::offsets_of(*weights), spg::weights_of(*weights), weights->rows, weights->nnz,
                                      n, trials, *random, spg::allows_empty_rows(context), counts,
                                      &spg_cuda_of(context)->report->first[spg::multinomial::FIRST_FAULT]});
    spg_cuda_leave(context);
    return status;
}

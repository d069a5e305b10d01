/* See sampling_modes.h. */
#include "sampling_modes.h"
#include "sampling_problem.h"

enum { MOST_SAMPLERS = 16 };

spg_status run_together(sampling_bench *bench, const sampling_problem *task, int count, const sampler *const *of)
{
    sampling_result results[MOST_SAMPLERS];
    spg_status status = measure_samplers(task, count, of, results);
    for (int k = 0; k < count && status == SPG_OK; k++) {
        report_sampler(stdout, bench, task, of[k], &results[k]);
        bench->right = bench->right && !results[k].failed && results[k].verdict.right;
        if (!report_sampling_json(bench, task, of[k], &results[k]))
            status = spg_context_fail(bench->context, SPG_ERROR_IO, "%s: cannot be written", bench->chosen->json_path);
    }
    fflush(stdout);
    return status;
}

/* In turn on the host; on a device, which nobody else disturbs, one after the other: its memory is for the one at work,
 * caches and all. */
static spg_status run_all(sampling_bench *bench, const sampling_problem *task, int count, const sampler *const *of)
{
    spg_status status = SPG_OK;
    if (bench->here.place == SPG_PLACE_HOST) return run_together(bench, task, count, of);
    for (int k = 0; k < count && status == SPG_OK; k++) status = run_together(bench, task, 1, &of[k]);
    return status;
}

spg_status run_samplers(sampling_bench *bench, const sampling_options *chosen)
{
    sampling_problem task;
    const sampler *wanted[MOST_SAMPLERS];
    int count = 0;
    spg_status status = problem_make(bench->host, bench->context, chosen, &task);
    for (int k = 0; status == SPG_OK && sampler_at(k) != NULL && count < MOST_SAMPLERS; k++)
        if (sampler_wanted(sampler_at(k), &task)) wanted[count++] = sampler_at(k);
    if (status == SPG_OK && count == 0)
        status = spg_context_fail(bench->context, SPG_ERROR_ARGUMENT, "no method and no peer for these weights");
    if (status == SPG_OK) {
        report_sampling_problem(stdout, &task);
        status = run_all(bench, &task, count, wanted);
    }
    problem_drop(bench->host, &task);
    return status;
}

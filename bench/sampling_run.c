/* See sampling_modes.h. */
#include "sampling_modes.h"
#include "sampling_problem.h"

spg_status run_sampler(sampling_bench *bench, const sampling_problem *task, const sampler *of)
{
    sampling_result result;
    spg_status status = measure_sampler(task, of, &result);
    if (status != SPG_OK) return status;
    report_sampler(stdout, bench, task, of, &result);
    fflush(stdout);
    bench->right = bench->right && !result.failed && result.verdict.right;
    if (!report_sampling_json(bench, task, of, &result))
        status = spg_context_fail(bench->context, SPG_ERROR_IO, "%s: cannot be written", bench->chosen->json_path);
    return status;
}

spg_status run_samplers(sampling_bench *bench, const sampling_options *chosen)
{
    sampling_problem task;
    int count = 0;
    spg_status status = problem_make(bench->host, bench->context, chosen, &task);
    if (status == SPG_OK) report_sampling_problem(stdout, &task);
    for (int k = 0; status == SPG_OK && sampler_at(k) != NULL; k++) {
        if (!sampler_wanted(sampler_at(k), &task)) continue;
        status = run_sampler(bench, &task, sampler_at(k));
        count++;
    }
    if (status == SPG_OK && count == 0)
        status = spg_context_fail(bench->context, SPG_ERROR_ARGUMENT, "no method and no peer for these weights");
    problem_drop(bench->host, &task);
    return status;
}

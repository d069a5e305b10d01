/* See sampling_task.h. */
#include "sampling_task.h"

#include "format.h"
#include "json_fields.h"
#include "progress.h"

#include <stdlib.h>

spg_status take_results(task_work *work, int64_t count, int64_t size)
{
    work->result_bytes = count * size;
    return array_allocate(work->bench->context, count, size, &work->results);
}

void *fetch_results(const task_work *work, int64_t bytes)
{
    void *host = malloc((size_t)bytes + 1);
    if (host == NULL) {
        spg_context_fail(work->bench->context, SPG_ERROR_MEMORY, "no memory to fetch results");
    } else if (array_get(work->bench->context, host, work->results, bytes) != SPG_OK) {
        free(host);
        host = NULL;
    }
    return host;
}

static void tell(const task_work *work, const task_kind *kind, const sampling_times *times, double limit_ms,
                 const sampling_verdict *verdict)
{
    progress_clear();
    printf("  %-24s", kind->implementation);
    if (!verdict->right) {
        printf(" WRONG: %s\n", verdict->fault);
        return;
    }
    printf(" %9s %7s %8s", ms_text(times->median_ms).s,
           ratio_text(limit_ms > 0.0 ? times->median_ms / limit_ms : 0.0).s,
           kind->draws > 0 ? count_text((int64_t)((double)kind->draws / times->median_ms * 1e3)).s : "-");
    if (verdict->tested && verdict->test.degrees > 0)
        printf(" %6.2f\n", verdict->test.z);
    else
        printf(" %6s\n", "-");
    (void)work;
    fflush(stdout);
}

static void put_record(const task_work *work, const task_kind *kind, const sampling_times *times, double limit_ms,
                       const sampling_verdict *verdict)
{
    const sampling_bench *bench = work->bench;
    const sampling_options *chosen = bench->chosen;
    FILE *stream = bench->json;
    if (stream == NULL) return;
    fputc('{', stream);
    put_string(stream, "weights", work->of.name);
    put_string(stream, "phase", kind->phase);
    put_string(stream, "implementation", kind->implementation);
    put_machine(stream, bench, chosen->threads);
    put_string(stream, "type", spg_type_name(work->of.host.value_type));
    put_integer(stream, "rows", work->of.host.rows);
    put_integer(stream, "items", work->of.host.nnz);
    put_integer(stream, "draws", kind->draws);
    put_integer(stream, "size", chosen->task_size);
    put_number(stream, "p", chosen->task == TASK_WALK, chosen->p);
    put_number(stream, "q", chosen->task == TASK_WALK, chosen->q);
    put_times(stream, verdict->right, times, limit_ms);
    put_number(stream, "draws_per_second", verdict->right && kind->draws > 0,
               (double)kind->draws / times->median_ms * 1e3);
    put_verdict(stream, verdict->right, verdict);
    fflush(stream);
}

spg_status measure_task(task_work *work, const task_kind *kind)
{
    sampling_bench *bench = work->bench;
    const sampling_effort effort = usual_effort(bench->chosen);
    const double bandwidth = bench->here.bandwidth;
    const double limit_ms = bandwidth > 0.0 ? (double)kind->bytes / bandwidth * 1e3 : 0.0;
    sampling_times times = {0};
    sampling_verdict verdict = {0};
    spg_status status = time_calls(bench->context, &effort, kind->implementation, kind->call, work, &times);
    if (status == SPG_OK) progress("%s: testing its results", kind->implementation);
    if (status == SPG_OK) status = kind->verify(work, &verdict);
    if (status != SPG_OK) return status;
    tell(work, kind, &times, limit_ms, &verdict);
    put_record(work, kind, &times, limit_ms, &verdict);
    bench->right = bench->right && verdict.right;
    return SPG_OK;
}

spg_status run_task(sampling_bench *bench)
{
    static spg_status (*const runs[])(task_work *) = {NULL, run_counts, run_subset, run_walk, run_rebuild};
    task_work work = {.bench = bench};
    sampling_options chosen = *bench->chosen;
    if (chosen.task != TASK_REBUILD) chosen.draws = 1; /* the problem's own array of draws is not used */
    spg_status status = problem_make(bench->host, bench->context, &chosen, &work.of);
    if (status == SPG_OK) {
        progress_clear();
        printf("\n%s, %s row%s, %s items, %s\n  %-24s %9s %7s %8s %6s\n", work.of.name, count_text(work.of.host.rows).s,
               work.of.host.rows == 1 ? "" : "s", count_text(work.of.host.nnz).s,
               spg_type_name(work.of.host.value_type), "", "ms", "/limit", "draws/s", "z");
        status = runs[chosen.task](&work);
    }
    spg_alias_destroy(work.alias);
    array_free(bench->context, work.results);
    problem_drop(bench->host, &work.of);
    free(work.columns);
    return status;
}

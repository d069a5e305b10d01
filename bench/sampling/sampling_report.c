#include "sampling_report.h"

#include "format.h"
#include "json_fields.h"
#include "progress.h"

#include <string.h>

void report_sampling_head(FILE *stream, const sampling_bench *bench)
{
    const sampling_options *chosen = bench->chosen;
    fprintf(stream, "%s\n", bench->here.description);
    fprintf(stream, "%d thread%s, medians of %d after %d to warm up; copies at %s/s\n", chosen->threads,
            chosen->threads == 1 ? "" : "s", chosen->reps, chosen->warmup,
            bytes_text((int64_t)bench->here.bandwidth).s);
}

void report_sampling_problem(FILE *stream, const sampling_problem *task)
{
    const sampling_options *chosen = task->chosen;
    progress_clear();
    fprintf(stream, "\n%s, %s row%s, %s items, %s: %s draws%s%s\n", task->name, count_text(task->host.rows).s,
            task->host.rows == 1 ? "" : "s", count_text(task->host.nnz).s, spg_type_name(task->host.value_type),
            count_text(task->count).s, chosen->grouped && !task->many ? ", grouped where alias" : "",
            task->uniforms != NULL ? ", stratified numbers given"
            : task->stratified     ? ", stratified"
                                   : "");
    fprintf(stream, "  %-24s %7s %6s %6s %6s %6s %7s %5s\n", "", "build ms", "/limit", "draw ms", "draws/s", "/limit",
            "table", "z");
}

/* How often the least time it could take. */
static text over_limit(double ms, double limit_ms) { return ratio_text(limit_ms > 0.0 ? ms / limit_ms : 0.0); }

void report_sampler(FILE *stream, const sampling_bench *bench, const sampling_problem *task, const sampler *of,
                    const sampling_result *result)
{
    const double bandwidth = bench->here.bandwidth;
    text z = {"-"};
    progress_clear();
    if (result->failed || !result->verdict.right) {
        fprintf(stream, "  %-24s %s: %s\n", result->name, result->failed ? "failed" : "WRONG", result->verdict.fault);
        return;
    }
    fprintf(stream, "  %-24s", result->name);
    if (result->has_build)
        fprintf(stream, " %7s %6s", ms_text(result->build.median_ms).s,
                over_limit(result->build.median_ms, build_limit_ms(task, of, bandwidth)).s);
    else
        fprintf(stream, " %7s %6s", "-", "-");
    if (result->verdict.tested && result->verdict.test.degrees > 0)
        snprintf(z.s, sizeof z.s, "%.2f", result->verdict.test.z);
    fprintf(stream, " %6s %6s %6s %7s %5s\n", ms_text(result->draw.median_ms).s,
            count_text((int64_t)((double)task->count / result->draw.median_ms * 1e3)).s,
            over_limit(result->draw.median_ms, draw_limit_ms(task, of, bandwidth)).s,
            result->table_bytes > 0 ? bytes_text(result->table_bytes).s : "-", z.s);
}

void put_machine(FILE *stream, const sampling_bench *bench, int threads)
{
    put_string(stream, "place", bench->here.place == SPG_PLACE_DEVICE ? "device" : "host");
    put_string(stream, "device", bench->here.description);
    put_integer(stream, "threads", threads);
}

void put_times(FILE *stream, bool timed, const sampling_times *times, double limit_ms)
{
    put_number(stream, "ms_median", timed, times->median_ms);
    put_number(stream, "ms_min", timed, times->min_ms);
    put_number(stream, "ms_max", timed, times->max_ms);
    put_integer(stream, "reps", timed ? times->reps : 0);
    put_number(stream, "limit_ms", limit_ms > 0.0, limit_ms);
}

void put_verdict(FILE *stream, bool timed, const sampling_verdict *verdict)
{
    put_number(stream, "chi_square_z", verdict->tested && verdict->test.degrees > 0, verdict->test.z);
    put_number(stream, "degrees", verdict->tested, (double)verdict->test.degrees);
    put_number(stream, "max_error", !verdict->tested && timed, verdict->max_error);
    fprintf(stream, "\"verified\": %s}\n", timed ? "true" : "false");
}

static void put_text(FILE *stream, const char *key, const char *value)
{
    if (value != NULL)
        put_string(stream, key, value);
    else
        fprintf(stream, "\"%s\": null, ", key);
}

/* What was measured. */
static void put_subject(const sampling_bench *bench, const sampling_problem *task, const char *phase,
                        const char *implementation, int threads, bool alias)
{
    const sampling_options *chosen = task->chosen;
    FILE *stream = bench->json;
    fputc('{', stream);
    if (chosen->paper == PAPER_ALIAS) put_string(stream, "paper", "alias");
    put_string(stream, "weights", task->name);
    put_string(stream, "phase", phase);
    put_string(stream, "implementation", implementation);
    put_machine(stream, bench, threads);
    put_string(stream, "type", spg_type_name(task->host.value_type));
    put_integer(stream, "rows", task->host.rows);
    put_integer(stream, "items", task->host.nnz);
    put_integer(stream, "draws", strcmp(phase, "draw") == 0 ? task->count : 0);
    put_string(stream, "order", alias && chosen->grouped && !task->many ? "grouped" : "independent");
    put_string(stream, "uniforms", task->uniforms != NULL ? "given" : task->stratified ? "stratified" : "random");
    if (alias) {
        put_string(stream, "builder", alias_builder_name(chosen->alias.builder));
        put_string(stream, "resolution", chosen->alias.resolution == SPG_ALIAS_EXACT ? "exact" : "compact");
        put_string(stream, "sampler", alias_sampler_name(chosen->sampler));
    }
    if (!alias || chosen->paper != PAPER_ALIAS) return;
    put_string(stream, "split", alias_split_name(chosen->alias.split));
    put_integer(stream, "chunks", chosen->alias.chunks > 0 ? chosen->alias.chunks : 1);
}

static void put_phase(const sampling_bench *bench, const sampling_problem *task, const sampler *of,
                      const sampling_result *result, bool is_build)
{
    const bool timed = !result->failed && result->verdict.right;
    FILE *stream = bench->json;
    put_subject(bench, task, is_build ? "build" : "draw", result->name, result->threads, of->method == METHOD_ALIAS);
    put_times(stream, timed, is_build ? &result->build : &result->draw,
              is_build ? build_limit_ms(task, of, bench->here.bandwidth)
                       : draw_limit_ms(task, of, bench->here.bandwidth));
    put_number(stream, "draws_per_second", timed && !is_build, (double)task->count / result->draw.median_ms * 1e3);
    put_number(stream, "table_bytes", of->is_spg, (double)result->table_bytes);
    put_number(stream, "work_bytes", of->is_spg, (double)result->work_bytes);
    if (task->chosen->paper == PAPER_ALIAS) put_text(stream, "why_not", timed ? NULL : result->verdict.fault);
    put_verdict(stream, timed, &result->verdict);
}

bool report_sampling_json(const sampling_bench *bench, const sampling_problem *task, const sampler *of,
                          const sampling_result *result)
{
    if (bench->json == NULL) return true;
    if (result->has_build) put_phase(bench, task, of, result, true);
    put_phase(bench, task, of, result, false);
    return fflush(bench->json) == 0 && !ferror(bench->json);
}

bool report_alias_phase_json(const sampling_bench *bench, const sampling_problem *task, const alias_phase *measured)
{
    static const sampling_times none = {0.0, 0.0, 0.0, 0};
    static const sampling_verdict untested = {0};
    const sampling_verdict *verdict = measured->verdict != NULL ? measured->verdict : &untested;
    const bool timed = measured->times != NULL && verdict->right;
    FILE *stream = bench->json;
    if (stream == NULL) return true;
    put_subject(bench, task, measured->phase, measured->implementation, bench->chosen->threads, true);
    put_times(stream, timed, measured->times != NULL ? measured->times : &none, 0.0);
    put_number(stream, "splits", measured->stats != NULL,
               measured->stats != NULL ? (double)measured->stats->splits : 0);
    put_number(stream, "left", measured->stats != NULL, measured->stats != NULL ? (double)measured->stats->left : 0);
    put_text(stream, "why_not", measured->why_not);
    put_verdict(stream, timed, verdict);
    return fflush(stream) == 0 && !ferror(stream);
}

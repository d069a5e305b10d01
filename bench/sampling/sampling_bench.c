/* Times draws from discrete distributions: the library's methods beside others, and what its papers measured. */
#include "bandwidth.h"
#include "device.h"
#include "program.h"
#include "progress.h"
#include "sampling_modes.h"

static spg_status create_contexts(sampling_bench *bench)
{
    const int threads = bench->chosen->threads;
    spg_status status = open_context(bench->chosen->place, threads, &bench->context);
    if (status != SPG_OK) return status;
    bench->here.place = spg_context_place(bench->context);
    bench->chosen->threads = spg_context_threads(bench->context);
    snprintf(bench->here.description, sizeof bench->here.description, "%s", spg_context_describe(bench->context));
    bench->host = bench->context;
    if (bench->here.place == SPG_PLACE_HOST) return SPG_OK;
    return open_context(SPG_PLACE_HOST, threads, &bench->host);
}

static bool start(sampling_bench *bench)
{
    if (bench->chosen->place != SPG_PLACE_HOST) device_start();
    if (create_contexts(bench) != SPG_OK) return false;
    sampling_options_settle(bench->chosen, bench->here.place);
    if (!open_record(bench->chosen->json_path, &bench->json)) return false;
    progress("measuring the copy bandwidth");
    bench->here.bandwidth =
        bench->here.place == SPG_PLACE_DEVICE ? device_copy_bandwidth() : copy_bandwidth(bench->chosen->threads);
    progress_clear();
    return true;
}

static spg_status run(sampling_bench *bench)
{
    switch (bench->chosen->paper) {
    case PAPER_BUTTERFLY: return run_paper_butterfly(bench);
    case PAPER_FOREST: return run_paper_forest(bench);
    case PAPER_ALIAS: return run_paper_alias(bench);
    default: break;
    }
    if (bench->chosen->task != TASK_NONE) return run_task(bench);
    return bench->chosen->topics > 0 ? run_lda(bench) : run_samplers(bench, bench->chosen);
}

int main(int argc, char **argv)
{
    sampling_options chosen;
    const options_result parsed = sampling_options_parse(argc, argv, &chosen);
    if (parsed != OPTIONS_RUN) return parsed == OPTIONS_HELP ? exit_status(true) : 2;
    sampling_bench bench = {.chosen = &chosen, .right = true};
    if (start(&bench)) {
        report_sampling_head(stdout, &bench);
        const spg_status status = run(&bench);
        progress_clear();
        if (status != SPG_OK) {
            fprintf(stderr, "sampling_bench: %s: %s\n", spg_status_name(status), spg_context_message(bench.context));
            bench.right = false;
        }
    } else {
        bench.right = false;
    }
    if (!close_record(bench.json, chosen.json_path)) bench.right = false;
    if (bench.host != bench.context) spg_context_destroy(bench.host);
    spg_context_destroy(bench.context);
    return exit_status(bench.right);
}

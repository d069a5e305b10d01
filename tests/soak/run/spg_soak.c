/* spg_soak: see soak.h, and options.c for the command line. */
#include "host_matrix.h"
#include "program.h"
#include "report.h"
#include "shrink.h"

const soak_family soak_families[] = {
    {"products", soak_draw_products, soak_check_products}, {"plans", soak_draw_products, soak_check_plans},
    {"galerkin", soak_draw_galerkin, soak_check_galerkin}, {"multigrid", soak_draw_multigrid, soak_check_multigrid},
    {"sampling", soak_draw_sampling, soak_check_sampling}, {"containers", soak_draw_containers, soak_check_containers},
    {"krylov", soak_draw_multigrid, soak_check_krylov},    {"complex", soak_draw_multigrid, soak_check_complex},
};
const int soak_family_count = (int)(sizeof soak_families / sizeof *soak_families);

/* The case that was running, made smaller. */
static void explain_fault(const soak_options *options, soak_end end)
{
    soak_case c;
    soak_draw_case(atomic_load(&soak_common->family), options->seed, atomic_load(&soak_common->number), &c);
    soak_report_fault(options, &c);
    const int times = end == SOAK_FAULTY ? soak_shrink(options, &c) : 0;
    soak_report_shrunk(options, &c, times);
    soak_case_free(&c);
}

static int soak(const soak_options *options)
{
    int faults = 0;
    int64_t end_us = soak_now_us() + (int64_t)(options->seconds * 1e6);
    if (options->only_case >= 0) end_us = INT64_MAX;
    soak_report_begin(options);
    for (;;) {
        const soak_end end = soak_in_process(options, soak_run_cases, &end_us, soak_report_progress);
        if (end == SOAK_NO_PLACE) return SOAK_STATUS_NO_PLACE;
        if (end == SOAK_ENDED) break;
        faults++;
        explain_fault(options, end);
        if (faults == options->faults || options->only_case >= 0) break;
    }
    return soak_report_end(options, faults) && faults == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    soak_options options;
    const soak_parsed parsed = soak_parse(argc, argv, &options);
    if (parsed != SOAK_GO) return parsed == SOAK_HELP ? exit_status(true) : 2;
    if (!soak_share()) return 3;
    if (!options.place_given || options.run.at[options.run.count - 1].place == SPG_PLACE_DEVICE) {
        const bool has_device = soak_has_device(&options);
        if (!has_device && options.place_given) return SOAK_STATUS_NO_PLACE;
        if (!options.place_given) soak_choose_places(has_device ? "both" : "host", &options);
    }
    const int status = soak(&options);
    return status == 0 ? exit_status(true) : status;
}

/* What Lehmann 2020 measured of building alias tables beside whole builds, for sampling_paper_alias.c. */
#ifndef SPG_BENCH_SAMPLING_PAPER_BUILDS_H
#define SPG_BENCH_SAMPLING_PAPER_BUILDS_H

#include "sampling_report.h"

/* How tables are built; packing in chunks is a way of PSA. */
typedef struct build_variant {
    const char *name, *implementation;
    spg_alias_builder builder;
    int chunks;
} build_variant;
enum { BUILD_VARIANTS = 5 };
extern const build_variant build_variants[BUILD_VARIANTS];

/* NULL where the place of the bench builds like that; else why not. */
const char *why_not_built(const sampling_bench *bench, const build_variant *variant);

/* A line for something that was not measured. */
spg_status report_not_measured(const sampling_bench *bench, const sampling_problem *task, const char *implementation,
                               const char *phase, const char *why_not);

/* `chosen` below is what task->chosen points to; its alias options are changed.
 *
 * Figure 5.5: phases of a build by every variant. timed: a context at the place with spg_config.timing. */
spg_status run_build_phases(sampling_bench *bench, spg_context *timed, const sampling_problem *task,
                            sampling_options *chosen);

/* Figure 5.1, and 5.2 of one size: the time of a split, and of packing, against their number. */
spg_status run_splits(sampling_bench *bench, spg_context *timed, const sampling_problem *task,
                      sampling_options *chosen);

/* Figure 5.6: a build with the weights' way to the device and the table's back. */
spg_status run_transfers(sampling_bench *bench, const sampling_problem *task, sampling_options *chosen);

#endif

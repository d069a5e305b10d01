/* What sampling_bench does beside measuring samplers on weights: the z-step and the papers' tables and figures. Each
 * reports on stdout and to bench->json, notes in bench->right whether all was right, and fails with a message in
 * bench->context. */
#ifndef SPG_BENCH_SAMPLING_MODES_H
#define SPG_BENCH_SAMPLING_MODES_H

#include "sampling_report.h"

/* Measures samplers in turn, at most 16, reports and records them. */
spg_status run_together(sampling_bench *bench, const sampling_problem *task, int count, const sampler *const *of);

/* Measures every wanted sampler on the weights that chosen names. */
spg_status run_samplers(sampling_bench *bench, const sampling_options *chosen);

/* Latent Dirichlet allocation's z-step for chosen->topics topics. */
spg_status run_lda(sampling_bench *bench);

/* One of the tasks below, as chosen->task says. */
spg_status run_task(sampling_bench *bench);

/* Figures 6 to 8 of Steele, Tristan 2017: the z-step over K. */
spg_status run_paper_butterfly(sampling_bench *bench);

/* Table 1 and Figures 7 to 9 of Binder, Keller 2019. */
spg_status run_paper_forest(sampling_bench *bench);

/* Figures 5.1 to 5.9 and Tables 5.2, 5.3 of Lehmann 2020: splits, builds, transfers and draws. */
spg_status run_paper_alias(sampling_bench *bench);

#endif

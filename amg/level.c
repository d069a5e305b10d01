/* Views and totals of a hierarchy. */
#include "amg.h"

#include <string.h>

int spg_amg_levels(const spg_amg *amg) { return amg != NULL ? amg->levels : 0; }

int64_t spg_amg_weak_entries(const spg_level *level)
{
    return level->F.row_offsets != NULL && level->relaxation != 0 ? level->nnz - level->F.nnz : 0;
}

spg_status spg_amg_level(const spg_amg *amg, int level, spg_amg_level_view *view)
{
    if (view != NULL) memset(view, 0, sizeof *view);
    if (amg == NULL) return SPG_ERROR_ARGUMENT;
    spg_context *context = amg->context;
    if (view == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "view is NULL");
    if (level < 0 || level >= amg->levels)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "level is %d, the hierarchy has %d", level, amg->levels);
    const spg_level *of = &amg->level[level];
    double rho;
    spg_status status =
        context->backend->copy_bytes(context, &rho, SPG_PLACE_HOST, of->rho, context->config.place, sizeof rho);
    if (status != SPG_OK) return status;
    *view = (spg_amg_level_view){.A = of->A,
                                 .P = of->P,
                                 .R = of->R,
                                 .aggregate_of = of->aggregates.aggregate_of,
                                 .nodes = of->aggregates.nodes,
                                 .aggregates = of->aggregates.aggregates,
                                 .left_out = of->left_out,
                                 .weak = spg_amg_weak_entries(of),
                                 .is_smoothed = of->relaxation != 0,
                                 .block_size = of->aggregates.block_size,
                                 .candidates = of->aggregates.candidates,
                                 .rho = rho,
                                 .candidate_values = of->candidates};
    return SPG_OK;
}

static double ratio(int64_t sum, int64_t first) { return first > 0 ? (double)sum / (double)first : 1; }

spg_status spg_amg_summarise(const spg_amg *amg, spg_amg_summary *summary)
{
    if (summary != NULL) memset(summary, 0, sizeof *summary);
    if (amg == NULL) return SPG_ERROR_ARGUMENT;
    if (summary == NULL) return spg_context_fail(amg->context, SPG_ERROR_ARGUMENT, "summary is NULL");
    int64_t rows = 0, nnz = 0;
    for (int l = 0; l < amg->levels; ++l) {
        rows += amg->level[l].rows;
        nnz += amg->level[l].nnz;
    }
    summary->levels = amg->levels;
    summary->end = amg->end;
    summary->operator_complexity = ratio(nnz, amg->level[0].nnz);
    summary->grid_complexity = ratio(rows, amg->level[0].rows);
    summary->bytes = amg->bytes;
    summary->setup = amg->timings;
    summary->update_seconds = amg->update_seconds;
    summary->symmetric = amg->was_symmetric;
    summary->unsymmetric = amg->is_unsymmetric;
    summary->smoothed = amg->dense == NULL && !amg->is_diagonal && amg->level[amg->levels - 1].rows > 0;
    summary->singular = amg->dense != NULL && amg->backend->dense_is_singular(amg->dense);
    return SPG_OK;
}

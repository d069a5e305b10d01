/* Set-up of one level: strength, aggregates, tentative prolongator, its smoothing, the Galerkin product. */
#include "amg.h"

#include "memory.h"
#include "spg/operations.h"

#include <float.h>
#include <string.h>

static void release_graph(spg_context *context, spg_amg_graph *graph)
{
    if (graph->borrowed) return;
    spg_release(context, graph->row_offsets, (graph->nodes + 1) * (int64_t)spg_type_size(graph->offset_type));
    spg_release(context, graph->columns, graph->nnz * (int64_t)sizeof *graph->columns);
}

static spg_status aggregate_graph(spg_amg *amg, spg_level *level, const spg_amg_graph *graph)
{
    const spg_amg_options *options = &amg->options;
    spg_amg_aggregates *of = &level->aggregates;
    spg_status status = spg_amg_take(amg, level, of->nodes * (int64_t)sizeof *of->aggregate_of, "aggregates",
                                     (void **)&of->aggregate_of);
    if (status != SPG_OK) return status;
    if (options->aggregation == SPG_AGGREGATION_STANDARD)
        return amg->backend->aggregate_standard(amg->context, graph, of->aggregate_of, &of->aggregates,
                                                &level->left_out);
    return amg->backend->aggregate_mis2(amg->context, graph, options->seed, options->join_leftovers != 0,
                                        of->aggregate_of, &of->aggregates, &level->left_out);
}

/* F's pattern is the graph, whose arrays it takes over. */
static spg_status take_pattern(spg_amg *amg, spg_level *level, spg_amg_graph *graph)
{
    const spg_csr *A = &level->A;
    void *values = NULL;
    const int64_t bytes = spg_array_bytes(graph->nnz, spg_type_size(A->value_type));
    spg_status status = spg_allocate(amg->context, bytes, "a filtered operator", &values);
    if (status != SPG_OK) return status;
    level->F =
        (spg_csr){A->rows,        A->cols, graph->nnz, graph->offset_type, A->value_type, A->place, graph->row_offsets,
                  graph->columns, values};
    graph->borrowed = true;
    return SPG_OK;
}

/* The filtered operator, without values. */
static spg_status take_filtered(spg_amg *amg, spg_level *level, spg_amg_graph *graph)
{
    void *inverse = NULL;
    spg_status status =
        amg->is_complex ? spg_amg_take_pair_pattern(amg, level, graph) : take_pattern(amg, level, graph);
    if (status != SPG_OK) return status;
    spg_amg_count(amg, level, spg_csr_bytes(&level->F));
    status = spg_amg_take(amg, level, spg_amg_vector_bytes(amg, level->rows), "a diagonal's inverse", &inverse);
    level->F_inverse = inverse;
    return status;
}

static void free_filtered(spg_amg *amg, spg_level *level)
{
    spg_amg_free_matrix(amg, level, &level->F);
    spg_amg_give(amg, level, level->F_inverse, spg_amg_vector_bytes(amg, level->rows));
    level->F_inverse = NULL;
}

/* The level's graph. A complex matrix of one unknown a node, all of whose entries are strong, is the graph of its real
 * form itself. */
static spg_status find_strong(const spg_amg *amg, const spg_level *level, spg_amg_graph *graph)
{
    const spg_amg_options *options = &amg->options;
    const spg_csr *given = &amg->given;
    const int block_size = level->aggregates.block_size;
    const bool is_given = amg->is_complex && level == amg->level && block_size == 2 && options->theta == 0;
    if (!is_given)
        return amg->backend->strength(amg->context, &level->A, block_size, options->strength, options->theta, graph);
    *graph = (spg_amg_graph){.nodes = given->rows,
                             .nnz = given->nnz,
                             .offset_type = given->offset_type,
                             .row_offsets = given->row_offsets,
                             .columns = given->columns,
                             .borrowed = true};
    return SPG_OK;
}

/* Aggregates of strongly connected nodes. */
static spg_status aggregate(spg_amg *amg, spg_level *level)
{
    spg_context *context = amg->context;
    const spg_amg_options *options = &amg->options;
    const spg_amg_aggregates *aggregates = &level->aggregates;
    spg_amg_graph graph = {0};
    uint8_t *isolated = NULL;
    spg_status status = find_strong(amg, level, &graph);
    if (status != SPG_OK) return status;
    status = spg_allocate(context, graph.nodes, "isolated nodes", (void **)&isolated);
    if (status == SPG_OK)
        status = amg->backend->find_isolated(context, &level->A, aggregates->block_size, spg_amg_parts(amg), &graph,
                                             isolated);
    graph.isolated = isolated;
    spg_amg_end_step(amg, level, &amg->timings.strength);
    /* A symmetric matrix has a symmetric graph by the symmetric measure, except if norms of blocks are compared: their
     * sums have two orders. */
    if (options->theta == 0 || (aggregates->block_size == 1 && options->strength == SPG_STRENGTH_SYMMETRIC))
        graph.symmetric = amg->symmetric;
    if (status == SPG_OK) status = aggregate_graph(amg, level, &graph);
    spg_release(context, isolated, graph.nodes);
    if (status == SPG_OK && options->filter && options->prolongator_relaxation != 0 && !graph.borrowed &&
        spg_amg_parts(amg) * spg_amg_parts(amg) * graph.nnz < level->nnz)
        status = take_filtered(amg, level, &graph);
    release_graph(context, &graph);
    spg_amg_end_step(amg, level, &amg->timings.aggregate);
    return status;
}

/* Sets the next level's sizes, after aggregation. */
static void size_next(const spg_level *level, spg_level *next)
{
    const int k = level->aggregates.candidates;
    const int64_t nodes = level->aggregates.aggregates;
    next->rows = nodes * k;
    next->rho = level->rho + 1;
    next->spectrum.rho = level->spectrum.rho + 1;
    next->F_rho = level->F_rho + 1;
    next->aggregates = (spg_amg_aggregates){.nodes = nodes, .block_size = k, .candidates = k};
}

/* Makes T and the candidates of the next level. */
static spg_status fit_candidates(spg_amg *amg, spg_level *level)
{
    const spg_amg_aggregates *aggregates = &level->aggregates;
    const int64_t k = aggregates->candidates;
    spg_level *next = level + 1;
    size_next(level, next);
    spg_status status =
        spg_amg_take(amg, level, spg_amg_vector_bytes(amg, level->rows * k), "a tentative prolongator", &level->T);
    if (status == SPG_OK)
        status = spg_amg_take(amg, next, spg_amg_vector_bytes(amg, next->rows * k), "candidates", &next->candidates);
    if (status == SPG_OK)
        status = amg->backend->tentative(amg->context, amg->value_type, aggregates,
                                         level == amg->level ? amg->options.candidate_values : level->candidates,
                                         level->T, next->candidates);
    spg_amg_end_step(amg, level, &amg->timings.tentative);
    return status;
}

/* Also allocates the Ritz vector, if there is to be one. */
static spg_status take_inverses(spg_amg *amg, spg_level *level)
{
    const int64_t bytes = spg_amg_vector_bytes(amg, level->rows);
    spg_status status = spg_amg_take(amg, level, bytes, "a diagonal's inverse", &level->inverse);
    if (status == SPG_OK && amg->options.smoother == SPG_SMOOTHER_L1_JACOBI)
        status = spg_amg_take(amg, level, bytes, "sums of magnitudes", &level->l1_inverse);
    if (status == SPG_OK && !amg->is_unsymmetric)
        status = spg_amg_take(amg, level, level->rows * (int64_t)sizeof *level->spectrum.vector, "a Ritz vector",
                              (void **)&level->spectrum.vector);
    return status;
}

static spg_status sum_magnitudes(spg_amg *amg, spg_level *level)
{
    if (level->l1_inverse == NULL) return SPG_OK;
    return amg->backend->inverse_diagonal(amg->context, &level->A, true, level->l1_inverse);
}

/* Zeroes inverses of unknowns whose diagonal is only rounding: components that are singular by themselves. */
static spg_status drop_roundings(const spg_amg *amg, const spg_level *level, void *inverse)
{
    if (level == amg->level || level->left_out == 0 || inverse == NULL) return SPG_OK;
    const spg_level *finer = level - 1;
    return amg->backend->drop_roundings(amg->context, &finer->R, finer->inverse, &level->aggregates, inverse);
}

spg_status spg_amg_prepare_smoother(spg_amg *amg, spg_level *level)
{
    spg_status status = spg_amg_learn_symmetry(amg);
    if (status == SPG_OK) status = take_inverses(amg, level);
    if (status == SPG_OK) status = spg_amg_take_spectral_workspace(amg, level);
    if (status == SPG_OK) status = amg->backend->inverse_diagonal(amg->context, &level->A, false, level->inverse);
    if (status == SPG_OK) status = sum_magnitudes(amg, level);
    if (status == SPG_OK) status = drop_roundings(amg, level, level->inverse);
    if (status == SPG_OK) status = drop_roundings(amg, level, level->l1_inverse);
    return status == SPG_OK ? spg_amg_estimate_first(amg, level) : status;
}

spg_status spg_amg_renew_smoother(spg_amg *amg, spg_level *level)
{
    spg_status status = sum_magnitudes(amg, level);
    if (status == SPG_OK) status = drop_roundings(amg, level, level->inverse);
    if (status == SPG_OK) status = drop_roundings(amg, level, level->l1_inverse);
    return status == SPG_OK ? spg_amg_estimate_again(amg, level) : status;
}

static spg_status fill_filtered(spg_amg *amg, spg_level *level)
{
    const spg_amg_backend *backend = amg->backend;
    spg_status status = amg->is_complex ? backend->filter_pairs(amg->context, &level->A, &level->aggregates, level->T,
                                                                level[1].candidates, &level->F)
                                        : backend->filter_values(amg->context, &level->A, &level->F);
    if (status == SPG_OK) status = backend->inverse_diagonal(amg->context, &level->F, false, level->F_inverse);
    if (status == SPG_OK) status = drop_roundings(amg, level, level->F_inverse);
    return status == SPG_OK ? spg_amg_estimate_filtered(amg, level) : status;
}

spg_status spg_amg_fill_prolongator(spg_amg *amg, spg_level *level)
{
    const bool filters = level->F.row_offsets != NULL && level->relaxation != 0;
    const spg_status status = filters ? fill_filtered(amg, level) : SPG_OK;
    if (status != SPG_OK) return status;
    return amg->backend->prolongator_values(amg->context, filters ? &level->F : &level->A, &level->aggregates, level->T,
                                            filters ? level->F_inverse : level->inverse, level->relaxation,
                                            filters ? level->F_rho : level->rho, &level->P);
}

/* The prolongator, smoothed by level->relaxation, and what R is the transpose of, if that is another matrix. *gives_up:
 * its pattern is enough to tell that the next level's A would have too many entries. */
static spg_status make_prolongator(spg_amg *amg, spg_level *level, bool *gives_up)
{
    const spg_csr *smoothing = level->F.row_offsets != NULL ? &level->F : &level->A;
    int64_t longest_row = 0;
    spg_status status = amg->backend->prolongator_pattern(amg->context, smoothing, &level->aggregates,
                                                          level->relaxation != 0, &level->P, &longest_row);
    if (status != SPG_OK) return status;
    spg_amg_count(amg, level, spg_csr_bytes(&level->P));
    status = spg_amg_fills_up(amg, level, longest_row, gives_up);
    if (status == SPG_OK && !*gives_up) status = spg_amg_fill_prolongator(amg, level);
    if (status == SPG_OK && !*gives_up) status = spg_amg_make_restriction(amg, level);
    spg_amg_end_step(amg, level, &amg->timings.smooth);
    return status;
}

/* P, or NULL if it is to stay while R is multiplied by A*P. On the host it takes 2 percent of set-up to transpose R
 * again (amg_bench fd3d7:100), and the first level's products are the peak of set-up. A GPU takes 7 percent; and plans
 * for updates hold more than P. */
static spg_csr *lend_prolongator(const spg_amg *amg, spg_level *level)
{
    const bool lends = level == amg->level && amg->context->config.place == SPG_PLACE_HOST &&
                       !amg->options.prepare_update && spg_amg_restricts(level) == &level->P;
    return lends ? &level->P : NULL;
}

/* R, and the next level's A; one after the other if steps are timed. *gives_up: A would have too many entries,
 * and is not made. The products take more memory than anything else: what only Lanczos needs goes before them. */
static spg_status multiply(spg_amg *amg, spg_level *level, bool *gives_up)
{
    spg_context *context = amg->context;
    spg_level *next = level + 1;
    const bool plans = amg->options.prepare_update;
    const int64_t bytes_of_P = spg_csr_bytes(&level->P);
    spg_galerkin_stats stats = {0};
    spg_csr AP = {0};
    spg_status status = plans ? spg_amg_take_transpose_map(amg, level) : SPG_OK;
    const spg_galerkin_operands of = {.A = &level->A,
                                      .P = &level->P,
                                      .Q = spg_amg_restricts(level),
                                      .map = level->transpose_map,
                                      .symmetric = amg->symmetric,
                                      .most = spg_amg_most_entries(amg, next, level->relaxation != 0),
                                      .gives_up = gives_up,
                                      .AP = plans ? &AP : NULL,
                                      .lent = lend_prolongator(amg, level)};
    *gives_up = false;
    spg_amg_give_spectral_workspace(amg);
    if (status == SPG_OK && amg->options.timing) {
        status = spg_galerkin_transpose(context, &of, &level->R, &stats);
        stats.transpose_ms = 0; /* the step has it */
        spg_amg_end_step(amg, level, &amg->timings.transpose);
    }
    if (status == SPG_OK) status = spg_galerkin_multiply(context, &of, &level->R, &next->A, &stats);
    if (level->R.row_offsets != NULL) spg_amg_count(amg, level, spg_csr_bytes(&level->R));
    if (level->P.row_offsets == NULL) spg_amg_count(amg, level, -bytes_of_P);
    if (status == SPG_OK && *gives_up) spg_amg_end_step(amg, level, &amg->timings.AP);
    if (status != SPG_OK || *gives_up) return status;
    next->nnz = next->A.nnz;
    spg_amg_count(amg, next, spg_csr_bytes(&next->A));
    level->AP = stats.AP;
    level->RAP = stats.RAP;
    const double transposed = 1e-3 * stats.transpose_ms;
    amg->timings.transpose += transposed;
    amg->timings.AP += 1e-3 * stats.AP.total_ms;
    amg->timings.RAP += 1e-3 * stats.RAP.total_ms;
    /* What is left is the mirroring. */
    amg->timings.symmetry -= transposed + 1e-3 * (stats.AP.total_ms + stats.RAP.total_ms);
    spg_amg_end_step(amg, level, &amg->timings.symmetry);
    if (plans) status = spg_amg_plan_level(amg, level, &AP);
    spg_amg_end_step(amg, level, &amg->timings.plans);
    return status;
}

static void undo_prolongator(spg_amg *amg, spg_level *level)
{
    const int64_t bytes = spg_array_bytes(spg_amg_restricts(level)->nnz, sizeof *level->transpose_map);
    spg_amg_give(amg, level, level->transpose_map, bytes);
    level->transpose_map = NULL;
    spg_amg_free_restriction(amg, level);
    spg_amg_free_matrix(amg, level, &level->P);
    spg_amg_free_matrix(amg, level, &level->R);
}

/* Frees what was made of the next level, and the aggregates of one that is the last after all. Its inverse and rho
 * stay. */
static void undo_aggregates(spg_amg *amg, spg_level *level)
{
    spg_amg_aggregates *of = &level->aggregates;
    spg_level *next = level + 1;
    spg_amg_give(amg, level, of->aggregate_of, of->nodes * (int64_t)sizeof *of->aggregate_of);
    spg_amg_give(amg, level, level->T, spg_amg_vector_bytes(amg, level->rows * of->candidates));
    spg_amg_give(amg, next, next->candidates, spg_amg_vector_bytes(amg, next->rows * next->aggregates.candidates));
    free_filtered(amg, level);
    of->aggregate_of = NULL;
    of->aggregates = 0;
    level->T = NULL;
    level->relaxation = 0;
    memset(next, 0, sizeof *next);
}

/* With the prolongator smoothed as the options say, or else not smoothed. *ends: both exceed the complexity limit. */
static spg_status make_next(spg_amg *amg, spg_level *level, bool *ends)
{
    level->relaxation = amg->options.prolongator_relaxation;
    for (;;) {
        spg_status status = make_prolongator(amg, level, ends);
        if (status == SPG_OK && !*ends) status = multiply(amg, level, ends);
        if (status != SPG_OK || !*ends) return status;
        undo_prolongator(amg, level);
        if (level->relaxation == 0) return SPG_OK;
        spg_amg_log_unsmoothed(amg, level);
        level->relaxation = 0;
    }
}

/* Whether all that A has beside its diagonal is zeros. WAITS. */
static spg_status compare_with_diagonal(const spg_amg *amg, const spg_csr *A, bool *is_diagonal)
{
    const spg_drop_rule all_others = {.absolute = DBL_MAX, .keep_diagonal = 1};
    spg_csr diagonal = {0};
    spg_difference others = {0};
    spg_status status = spg_csr_drop(amg->context, A, &all_others, &diagonal);
    if (status == SPG_OK) status = spg_csr_compare(amg->context, A, &diagonal, &others);
    spg_csr_free(amg->context, &diagonal);
    *is_diagonal = others.same_values == 1;
    return status;
}

/* Whether the level is diagonal and too large to be solved densely. A node may also be left out for weak couplings, and
 * a complex diagonal has couplings in its real form: entries are looked at only then. */
static spg_status find_diagonal(spg_amg *amg, const spg_level *level)
{
    amg->is_diagonal = level->left_out == level->aggregates.nodes && level->nnz <= spg_amg_parts(amg) * level->rows &&
                       level->rows > SPG_AMG_MOST_DENSE;
    const bool is_sure = amg->options.theta == 0 && !amg->is_complex;
    if (!amg->is_diagonal || is_sure) return SPG_OK;
    return compare_with_diagonal(amg, &level->A, &amg->is_diagonal);
}

spg_status spg_amg_coarsen(spg_amg *amg, spg_level *level, bool *ends)
{
    spg_status status = aggregate(amg, level);
    if (status == SPG_OK) status = find_diagonal(amg, level);
    if (status != SPG_OK) return status;
    *ends = spg_amg_stalls(amg, level);
    if (!*ends) {
        status = fit_candidates(amg, level);
        if (status == SPG_OK) status = spg_amg_prepare_smoother(amg, level);
        spg_amg_end_step(amg, level, &amg->timings.spectral_radius);
        if (status == SPG_OK) status = make_next(amg, level, ends);
        if (status != SPG_OK) return status;
        if (*ends) {
            amg->end = SPG_AMG_END_COMPLEXITY;
            spg_amg_log_too_many_entries(amg, level);
        }
    }
    if (*ends)
        undo_aggregates(amg, level);
    else
        amg->levels++;
    return SPG_OK;
}

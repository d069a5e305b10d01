/* The hierarchy: coarsens until a level is small enough to be solved densely, or until coarsening no longer pays
 * off. */
#include "amg.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"

#include <string.h>

static int64_t level_bytes(const spg_amg *amg) { return amg->options.max_levels * (int64_t)sizeof *amg->level; }

static int64_t rho_bytes(const spg_amg *amg) { return 3 * amg->options.max_levels * (int64_t)sizeof *amg->rho; }

static spg_status create(spg_context *context, const spg_csr *A, const spg_amg_options *options, spg_amg **created)
{
    spg_amg *amg = NULL;
    spg_status status = spg_allocate_on_host(context, sizeof *amg, "a hierarchy", (void **)&amg);
    if (status != SPG_OK) return status;
    memset(amg, 0, sizeof *amg);
    *created = amg;
    amg->context = context;
    amg->backend = context->backend->amg;
    amg->options = *options;
    amg->given = *A;
    amg->value_type = spg_part_type(A->value_type);
    amg->bytes = (int64_t)sizeof *amg;
    status = spg_allocate_on_host(context, level_bytes(amg), "levels", (void **)&amg->level);
    if (status != SPG_OK) return status;
    memset(amg->level, 0, (size_t)level_bytes(amg));
    amg->bytes += level_bytes(amg);
    amg->levels = 1;
    status = spg_amg_take(amg, NULL, rho_bytes(amg), "spectral radii", (void **)&amg->rho);
    if (status == SPG_OK) status = context->backend->zero_bytes(context, amg->rho, rho_bytes(amg));
    if (status == SPG_OK) status = spg_amg_take(amg, NULL, sizeof *amg->symmetric, "a flag", (void **)&amg->symmetric);
    if (status == SPG_OK) status = spg_amg_take_system(amg);
    if (status != SPG_OK) return status;
    const spg_csr *system = &amg->system;
    spg_level *first = &amg->level[0];
    first->A = *system;
    first->rho = amg->rho;
    first->spectrum.rho = amg->rho + amg->options.max_levels;
    first->F_rho = amg->rho + 2 * amg->options.max_levels;
    first->rows = system->rows;
    first->nnz = system->nnz;
    first->aggregates = (spg_amg_aggregates){.nodes = system->rows / options->block_size,
                                             .block_size = options->block_size,
                                             .candidates = options->candidates};
    const bool is_narrow = options->precision == SPG_AMG_PRECISION_F32 && system->value_type == SPG_F64;
    return is_narrow ? spg_amg_narrow_create(amg) : SPG_OK;
}

static spg_status coarsen_all(spg_amg *amg)
{
    spg_status status = SPG_OK;
    bool ends = false;
    while (status == SPG_OK && !ends) {
        spg_level *level = &amg->level[amg->levels - 1];
        if (level->rows <= amg->options.max_coarse) return SPG_OK;
        if (amg->levels == amg->options.max_levels) {
            amg->end = SPG_AMG_END_LEVELS;
            spg_amg_log_most_levels(amg);
            return SPG_OK;
        }
        status = spg_amg_coarsen(amg, level, &ends);
    }
    return status;
}

/* The last level's solver: dense or, if the level is diagonal or a dense solver does not pay off, the smoother. */
static spg_status finish(spg_amg *amg)
{
    spg_level *last = &amg->level[amg->levels - 1];
    spg_status status = spg_amg_coarse_create(amg);
    if (status == SPG_OK && amg->dense == NULL && last->rows > 0) {
        if (last->inverse == NULL) status = spg_amg_prepare_smoother(amg, last);
        if (!amg->is_diagonal)
            spg_amg_log(amg->context,
                        "the last of %d levels has %lld rows (%lld entries): too many for a dense solve, so it is "
                        "smoothed by %d sweeps, and cycles may converge slowly",
                        amg->levels, (long long)last->rows, (long long)last->nnz,
                        amg->options.pre_sweeps + amg->options.post_sweeps);
    }
    spg_amg_end_step(amg, last, &amg->timings.coarse);
    return status;
}

/* Candidates as the hierarchy takes them. Both are to be released. */
typedef struct own_candidates {
    const void *pairs, *narrowed;
} own_candidates;

static spg_status take_candidates(spg_amg *amg, own_candidates *own)
{
    *own = (own_candidates){NULL, NULL};
    spg_status status = spg_amg_pair_candidates(amg, &own->pairs);
    if (own->pairs != NULL) amg->options.candidate_values = own->pairs;
    if (status != SPG_OK || amg->narrow == NULL) return status;
    status = spg_amg_narrow_candidates(amg, &own->narrowed);
    amg->options.candidate_values = own->narrowed;
    return status;
}

static void release_candidates(spg_amg *amg, const own_candidates *own)
{
    spg_amg_narrow_release(amg, own->narrowed);
    spg_amg_release_pairs(amg, own->pairs);
    amg->options.candidate_values = NULL;
}

static spg_status build(spg_amg *amg)
{
    spg_context *context = amg->context;
    const int timing = context->config.timing;
    const double begin = spg_seconds();
    context->config.timing |= amg->options.timing != 0;
    own_candidates own;
    spg_amg_start_timing(amg);
    spg_status status = take_candidates(amg, &own);
    if (status == SPG_OK) status = amg->backend->find_symmetry(context, &amg->level[0].A, amg->symmetric);
    spg_amg_end_step(amg, amg->level, &amg->timings.symmetry);
    if (status == SPG_OK) status = coarsen_all(amg);
    if (status == SPG_OK) status = spg_amg_learn_symmetry(amg);
    if (status == SPG_OK) status = finish(amg);
    if (status == SPG_OK) status = spg_amg_cycle_create(amg);
    if (status == SPG_OK && amg->options.prepare_update) status = spg_amg_plan_update(amg);
    release_candidates(amg, &own);
    amg->timings.total = spg_seconds() - begin; /* including what belongs to no step */
    if (amg->level[0].rows < SPG_AMG_SMALL_ROWS) amg->timings.small_levels = amg->timings.total;
    context->config.timing = timing;
    return status;
}

spg_status spg_amg_setup(spg_context *context, const spg_csr *A, const spg_amg_options *options, spg_amg **amg)
{
    if (amg != NULL) *amg = NULL;
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (amg == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "amg is NULL");
    spg_status status = spg_check_csr_here(context, A, "A");
    if (status == SPG_OK) status = spg_check_square(context, A, "A");
    spg_amg_options resolved;
    if (status == SPG_OK) status = spg_amg_resolve_options(context, A, options, &resolved);
    if (status == SPG_OK) status = context->backend->csr_check(context, A);
    if (status == SPG_OK) status = context->backend->amg->check_finite(context, A);
    if (status == SPG_OK) status = spg_amg_check_candidate_values(context, A, &resolved);
    spg_amg *created = NULL;
    if (status == SPG_OK) status = create(context, A, &resolved, &created);
    if (status == SPG_OK) status = build(created);
    if (status != SPG_OK)
        spg_amg_destroy(created);
    else
        *amg = created;
    return status;
}

spg_status spg_amg_check_own(spg_context *context, const spg_amg *amg)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (amg == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "amg is NULL");
    if (amg->context == context) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "amg is a hierarchy of another context");
}

void spg_amg_destroy(spg_amg *amg)
{
    if (amg == NULL) return;
    spg_context *context = amg->context;
    if (amg->level != NULL) {
        spg_amg_forget_cycles(amg);
        spg_amg_solver_destroy(amg);
        spg_amg_many_destroy(amg);
        spg_amg_cycle_destroy(amg);
        spg_amg_narrow_destroy(amg);
        spg_amg_give_system(amg);
        spg_amg_coarse_destroy(amg);
        for (int l = 0; l < amg->options.max_levels; ++l) spg_amg_destroy_level(amg, &amg->level[l]);
    }
    spg_amg_give_spectral_workspace(amg);
    spg_amg_give(amg, NULL, amg->symmetric, sizeof *amg->symmetric);
    spg_amg_give(amg, NULL, amg->rho, rho_bytes(amg));
    spg_release_on_host(context, amg->level, level_bytes(amg));
    spg_release_on_host(context, amg, sizeof *amg);
}

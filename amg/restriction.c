/* A restriction of its own for unsymmetric A: R = T^T (I - relaxation/rho A D^-1) (Sala, Tuminaro: A New
 * Petrov-Galerkin Smoothed Aggregation Preconditioner for Nonsymmetric Linear Systems, SIAM J. Sci. Comput. 31, 2008,
 * with one damping factor for a level, that of P). Its transpose Q = T - relaxation/rho D^-1 A^T T is made as P is,
 * from A^T in place of A. It is never filtered: a filter keeps the sums of A's rows, so that P keeps constants, but not
 * those of its columns. On recirc2d:100, classical strength at 0.5 and standard aggregation, FGMRES took 51 iterations
 * with a filter for R too, and 27 so (amg_bench). */
#include "amg.h"

#include "memory.h"

const spg_csr *spg_amg_restricts(const spg_level *level)
{
    return level->Q.row_offsets != NULL ? &level->Q : &level->P;
}

static spg_status fill(spg_amg *amg, spg_level *level)
{
    return amg->backend->prolongator_values(amg->context, &level->A_transposed, &level->aggregates, level->T,
                                            level->inverse, level->relaxation, level->rho, &level->Q);
}

bool spg_amg_makes_restriction(const spg_amg *amg, const spg_level *level)
{
    return amg->options.restriction != SPG_RESTRICTION_TRANSPOSE && amg->is_unsymmetric && level->relaxation != 0;
}

spg_status spg_amg_make_restriction(spg_amg *amg, spg_level *level)
{
    spg_context *context = amg->context;
    int64_t longest_row;
    if (!spg_amg_makes_restriction(amg, level)) return SPG_OK;
    spg_status status = context->backend->csr_transpose(context, &level->A, NULL, &level->A_transposed);
    if (status != SPG_OK) return status;
    spg_amg_count(amg, level, spg_csr_bytes(&level->A_transposed));
    status = amg->backend->prolongator_pattern(context, &level->A_transposed, &level->aggregates, true, &level->Q,
                                               &longest_row);
    if (status != SPG_OK) return status;
    spg_amg_count(amg, level, spg_csr_bytes(&level->Q));
    return fill(amg, level);
}

spg_status spg_amg_renew_restriction(spg_amg *amg, spg_level *level)
{
    if (level->Q.row_offsets == NULL) return SPG_OK;
    const spg_status status =
        amg->backend->gather_values(amg->context, &level->A, level->A_transposed_map, &level->A_transposed);
    return status == SPG_OK ? fill(amg, level) : status;
}

static int64_t map_bytes(const spg_level *level)
{
    return spg_array_bytes(level->A_transposed.nnz, sizeof *level->A_transposed_map);
}

spg_status spg_amg_map_restriction(spg_amg *amg, spg_level *level)
{
    if (level->Q.row_offsets == NULL) return SPG_OK;
    spg_status status =
        spg_amg_take(amg, level, map_bytes(level), "a transpose's map", (void **)&level->A_transposed_map);
    if (status != SPG_OK) return status;
    return amg->backend->transpose_map(amg->context, &level->A, &level->A_transposed, level->A_transposed_map);
}

void spg_amg_forget_restriction_map(spg_amg *amg, spg_level *level)
{
    spg_amg_give(amg, level, level->A_transposed_map, map_bytes(level));
    level->A_transposed_map = NULL;
}

void spg_amg_free_restriction(spg_amg *amg, spg_level *level)
{
    spg_amg_forget_restriction_map(amg, level);
    spg_amg_free_matrix(amg, level, &level->A_transposed);
    spg_amg_free_matrix(amg, level, &level->Q);
}

/* The dense solver of the last level. */
#include "amg.h"

#include "memory.h"

#include <math.h>

static const spg_csr *last_operator(const spg_amg *amg) { return &amg->level[amg->levels - 1].A; }

/* The root mean square of the entries of the operator before the last, or 0 if there is none: a coarsest operator far
 * below it is made of roundings, as is that of a singular matrix where it has one row. */
static spg_status find_scale(const spg_amg *amg, double *scale)
{
    *scale = 0;
    if (amg->levels < 2 || amg->level[amg->levels - 2].A.nnz == 0) return SPG_OK;
    spg_context *context = amg->context;
    const spg_csr *A = &amg->level[amg->levels - 2].A;
    const int64_t bytes = amg->backend->dot_bytes(A->value_type, A->nnz);
    void *workspace = NULL, *sum = NULL;
    spg_status status = spg_allocate_workspace(context, 0, bytes, "the scale of an operator", &workspace);
    if (status == SPG_OK)
        status = spg_allocate_workspace(context, bytes, sizeof *scale, "the scale of an operator", &sum);
    if (status == SPG_OK)
        status = amg->backend->dot(context, A->value_type, A->nnz, A->values, A->values, workspace, sum);
    if (status == SPG_OK)
        status =
            context->backend->copy_bytes(context, scale, SPG_PLACE_HOST, sum, context->config.place, sizeof *scale);
    if (status == SPG_OK) *scale = sqrt(*scale / (double)A->nnz);
    spg_release(context, sum, sizeof *scale);
    spg_release(context, workspace, bytes);
    return status;
}

spg_status spg_amg_coarse_create(spg_amg *amg)
{
    const spg_csr *A = last_operator(amg);
    if (A->rows == 0 || A->rows > SPG_AMG_MOST_DENSE) return SPG_OK;
    double scale;
    spg_status status = find_scale(amg, &scale);
    if (status != SPG_OK) return status;
    status = amg->backend->dense_create(amg->context, A, scale, &amg->dense, &amg->dense_bytes);
    if (status == SPG_OK) spg_amg_count(amg, &amg->level[amg->levels - 1], amg->dense_bytes);
    return status;
}

spg_status spg_amg_coarse_update(spg_amg *amg)
{
    return amg->dense != NULL ? amg->backend->dense_update(amg->context, amg->dense, last_operator(amg)) : SPG_OK;
}

void spg_amg_coarse_destroy(spg_amg *amg)
{
    if (amg->dense == NULL) return;
    amg->backend->dense_destroy(amg->context, amg->dense);
    spg_amg_count(amg, &amg->level[amg->levels - 1], -amg->dense_bytes);
    amg->dense = NULL;
    amg->dense_bytes = 0;
}

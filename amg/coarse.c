/* The dense solver of the last level. */
#include "amg.h"

static const spg_csr *last_operator(const spg_amg *amg) { return &amg->level[amg->levels - 1].A; }

spg_status spg_amg_coarse_create(spg_amg *amg)
{
    const spg_csr *A = last_operator(amg);
    if (A->rows == 0 || A->rows > SPG_AMG_MOST_DENSE) return SPG_OK;
    const spg_status status = amg->backend->dense_create(amg->context, A, &amg->dense, &amg->dense_bytes);
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

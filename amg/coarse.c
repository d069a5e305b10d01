/* The dense solver of the last level. */
#include "amg.h"

static spg_amg_dense_source last_operator(const spg_amg *amg)
{
    const spg_level *last = &amg->level[amg->levels - 1];
    if (amg->levels < 2) return (spg_amg_dense_source){.A = &last->A};
    return (spg_amg_dense_source){.A = &last->A, .R = &last[-1].R, .inverse = last[-1].inverse};
}

spg_status spg_amg_coarse_create(spg_amg *amg)
{
    const spg_amg_dense_source source = last_operator(amg);
    if (source.A->rows == 0 || source.A->rows > SPG_AMG_MOST_DENSE || amg->is_diagonal) return SPG_OK;
    spg_status status = amg->backend->dense_create(amg->context, &source, &amg->dense, &amg->dense_bytes);
    if (status == SPG_OK) spg_amg_count(amg, &amg->level[amg->levels - 1], amg->dense_bytes);
    return status;
}

spg_status spg_amg_coarse_update(spg_amg *amg)
{
    const spg_amg_dense_source source = last_operator(amg);
    return amg->dense != NULL ? amg->backend->dense_update(amg->context, amg->dense, &source) : SPG_OK;
}

void spg_amg_coarse_destroy(spg_amg *amg)
{
    if (amg->dense == NULL) return;
    amg->backend->dense_destroy(amg->context, amg->dense);
    spg_amg_count(amg, &amg->level[amg->levels - 1], -amg->dense_bytes);
    amg->dense = NULL;
    amg->dense_bytes = 0;
}

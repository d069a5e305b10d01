/* The dense solver of the last level, and what it shows of A's null space. */
#include "amg.h"

/* If the last level has more than max_coarse rows, it is solved densely if that costs no more than one component of
 * this many rows: a quarter to one second of Cholesky's method in LAPACK's own code on one core. */
enum { MOST_UNASKED = 2000 };

static spg_amg_dense_source last_operator(const spg_amg *amg)
{
    const spg_level *last = &amg->level[amg->levels - 1];
    const bool is_first = amg->levels < 2;
    return (spg_amg_dense_source){.A = &last->A,
                                  .R = is_first ? NULL : &last[-1].R,
                                  .inverse = is_first ? NULL : last[-1].inverse,
                                  .candidate_values = is_first ? amg->options.candidate_values : last->candidates,
                                  .candidates = last->aggregates.candidates,
                                  .finest_rows = (double)amg->level[0].rows,
                                  .most_rows = last->rows <= amg->options.max_coarse ? 0 : MOST_UNASKED};
}

/* Brings the byte counts up to what the solver holds now. */
static void count_again(spg_amg *amg)
{
    const int64_t bytes = amg->backend->dense_bytes(amg->dense);
    spg_amg_count(amg, &amg->level[amg->levels - 1], bytes - amg->dense_bytes);
    amg->dense_bytes = bytes;
}

spg_status spg_amg_coarse_create(spg_amg *amg)
{
    const spg_amg_dense_source source = last_operator(amg);
    if (source.A->rows == 0 || source.A->rows > SPG_AMG_MOST_DENSE) return SPG_OK;
    const spg_status status = amg->backend->dense_create(amg->context, &source, &amg->dense);
    if (amg->dense != NULL) count_again(amg);
    return status;
}

spg_status spg_amg_coarse_update(spg_amg *amg)
{
    const spg_amg_dense_source source = last_operator(amg);
    if (amg->dense == NULL) return SPG_OK;
    const spg_status status = amg->backend->dense_update(amg->context, amg->dense, &source);
    count_again(amg);
    return status;
}

spg_status spg_amg_coarse_settle(spg_amg *amg)
{
    const spg_amg_dense_source source = last_operator(amg);
    spg_amg_forget_cycles(amg);
    const spg_status status = amg->backend->dense_settle(amg->context, amg->dense, &source);
    count_again(amg);
    return status;
}

void spg_amg_coarse_destroy(spg_amg *amg)
{
    if (amg->dense == NULL) return;
    amg->backend->dense_destroy(amg->context, amg->dense);
    spg_amg_count(amg, &amg->level[amg->levels - 1], -amg->dense_bytes);
    amg->dense = NULL;
    amg->dense_bytes = 0;
}

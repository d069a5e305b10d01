/* Ready-made operators: a CSR matrix, and the cycle of a hierarchy. */
#include "krylov.h"

#include "amg/solve/cycle.h"
#include "argument.h"

static spg_status apply_matrix(void *user, spg_context *context, const void *x, void *y)
{
    return spg_csr_spmv(context, NULL, (const spg_csr *)user, x, NULL, y);
}

spg_operator spg_csr_operator(const spg_csr *A)
{
    if (A == NULL || A->rows != A->cols || !spg_is_value_type(A->value_type) || A->rows > INT64_MAX / 2)
        return (spg_operator){0};
    union {
        const spg_csr *matrix;
        void *user;
    } pointer = {A}; /* apply_matrix only reads it */
    return (spg_operator){spg_parts_of(A->value_type) * A->rows, spg_part_type(A->value_type), pointer.user,
                          apply_matrix};
}

static spg_status apply_cycle(void *user, spg_context *context, const void *x, void *y)
{
    return spg_amg_apply(context, (spg_amg *)user, x, y);
}

bool spg_amg_is_flexible(const spg_operator *M)
{
    return M->apply == apply_cycle && ((const spg_amg *)M->user)->options.cycle == SPG_CYCLE_K;
}

spg_operator spg_amg_operator(spg_amg *amg)
{
    if (amg == NULL) return (spg_operator){0};
    return (spg_operator){amg->system.rows, amg->system.value_type, amg, apply_cycle};
}

spg_status spg_amg_apply(spg_context *context, spg_amg *amg, const void *b, void *x)
{
    const spg_status status = spg_amg_check_system(context, amg, b, x);
    return status == SPG_OK ? spg_amg_precondition(amg, b, x, NULL) : status;
}

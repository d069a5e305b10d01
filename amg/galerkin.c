/* The Galerkin product C = R*(A*P) by two sparse products. With R = P^T the sums of c_ij and c_ji run in different
 * orders, so a symmetric A alone does not make C symmetric to the last bit: its lower triangle is taken from the upper,
 * which a backend may compute alone.
 */
#include "galerkin.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"
#include "spgemm.h"

#include <string.h>

static spg_status check_shapes(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P)
{
    if (A->rows != A->cols)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "A is %lld x %lld, not square", (long long)A->rows,
                                (long long)A->cols);
    if (A->cols != P->rows)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "A has %lld columns, P %lld rows", (long long)A->cols,
                                (long long)P->rows);
    if (R != NULL && (R->rows != P->cols || R->cols != A->rows))
        return spg_context_fail(context, SPG_ERROR_SHAPE, "R is %lld x %lld, for A and P it must be %lld x %lld",
                                (long long)R->rows, (long long)R->cols, (long long)P->cols, (long long)A->rows);
    if (A->value_type != P->value_type || (R != NULL && R->value_type != A->value_type))
        return spg_context_fail(
            context, SPG_ERROR_ARGUMENT, "%s holds %s, A %s", A->value_type != P->value_type ? "P" : "R",
            spg_type_name((A->value_type != P->value_type ? P : R)->value_type), spg_type_name(A->value_type));
    return SPG_OK;
}

spg_status spg_galerkin_check(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P)
{
    spg_status status = R != NULL ? spg_check_csr_here(context, R, "R") : SPG_OK;
    if (status == SPG_OK) status = spg_check_csr_here(context, A, "A");
    if (status == SPG_OK) status = spg_check_csr_here(context, P, "P");
    return status == SPG_OK ? check_shapes(context, R, A, P) : status;
}

static spg_status explain(spg_context *context, spg_status status, const char *what)
{
    return status == SPG_OK ? SPG_OK : spg_context_fail(context, status, "%s: %s", what, context->message);
}

spg_status spg_galerkin_explain_AP(spg_context *context, spg_status status)
{
    return explain(context, status, "A*P, whose B is P");
}

spg_status spg_galerkin_explain_RAP(spg_context *context, spg_status status)
{
    return explain(context, status, "R*AP, whose A is R and whose B is A*P");
}

/* spg_multiply with `held` bytes of the workspace limit taken already; if there is an is_mirrored,
 * spg_multiply_symmetric. */
static spg_status multiply_within(spg_context *context, int64_t held, const spg_csr *A, const spg_csr *B, spg_csr *C,
                                  bool *is_mirrored, spgemm_stats *stats)
{
    int64_t limit = context->config.workspace_limit;
    spg_status status = spg_check_workspace(context, held + 1, "a Galerkin product");
    if (status != SPG_OK) return status;
    if (limit > 0) context->config.workspace_limit = limit - held;
    status = is_mirrored != NULL ? spg_multiply_symmetric(context, A, B, C, is_mirrored, stats)
                                 : spg_multiply(context, A, B, false, C, stats);
    context->config.workspace_limit = limit;
    return status;
}

/* The flag, once what was queued has ended. */
static spg_status fetch_flag(spg_context *context, const int32_t *symmetric, bool *is_symmetric)
{
    int32_t flag = 0;
    spg_status status =
        context->backend->copy_bytes(context, &flag, SPG_PLACE_HOST, symmetric, context->config.place, sizeof flag);
    *is_symmetric = flag == 1;
    return status;
}

/* find: the flag to set first if it is not yet, or NULL. */
static spg_status multiply(spg_context *context, int64_t held, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                           const int32_t *symmetric, int32_t *find, spg_csr *C, spg_galerkin_stats *stats)
{
    const spg_amg_backend *amg = context->backend->amg;
    spg_csr AP;
    bool is_symmetric = false, is_mirrored = false;
    spg_status status = multiply_within(context, held, A, P, &AP, NULL, &stats->AP);
    if (status != SPG_OK) return spg_galerkin_explain_AP(context, status);
    double begin = spg_seconds();
    if (find != NULL) status = amg->find_symmetry(context, A, find);
    if (status == SPG_OK && symmetric != NULL) status = fetch_flag(context, symmetric, &is_symmetric);
    stats->symmetry_ms = 1e3 * (spg_seconds() - begin);
    if (status == SPG_OK) {
        status = multiply_within(context, held + spg_csr_bytes(&AP), R, &AP, C, is_symmetric ? &is_mirrored : NULL,
                                 &stats->RAP);
        status = spg_galerkin_explain_RAP(context, status);
    }
    spg_csr_free(context, &AP);
    begin = spg_seconds();
    if (status == SPG_OK && is_symmetric && !is_mirrored) status = amg->mirror(context, symmetric, C);
    stats->symmetry_ms += 1e3 * (spg_seconds() - begin);
    if (status != SPG_OK) spg_csr_free(context, C);
    return status;
}

spg_status spg_galerkin_multiply(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                 const int32_t *symmetric, spg_csr *C, spg_galerkin_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    return multiply(context, 0, R, A, P, symmetric, NULL, C, stats);
}

static spg_status transpose(spg_context *context, const spg_csr *P, spg_csr *R, spg_galerkin_stats *stats)
{
    double begin = spg_seconds();
    spg_status status = context->backend->csr_transpose(context, P, NULL, R);
    if (status == SPG_OK) status = spg_check_workspace(context, spg_csr_bytes(R), "a Galerkin product's P^T");
    if (status != SPG_OK) spg_csr_free(context, R);
    stats->transpose_ms = 1e3 * (spg_seconds() - begin);
    return status;
}

/* R = P^T. */
static spg_status multiply_transposing(spg_context *context, const spg_csr *A, const spg_csr *P, spg_csr *C)
{
    spg_galerkin_stats stats = {0};
    spg_csr R = {0};
    int32_t *symmetric = NULL;
    spg_status status = spg_check_index_range(context, A->rows, "A", "rows");
    if (status == SPG_OK) status = context->backend->csr_check(context, P);
    if (status != SPG_OK) return explain(context, status, "P");
    status = transpose(context, P, &R, &stats);
    if (status == SPG_OK) status = spg_allocate(context, sizeof *symmetric, "a flag", (void **)&symmetric);
    int64_t held = spg_csr_bytes(&R) + (int64_t)sizeof *symmetric;
    if (status == SPG_OK) status = multiply(context, held, &R, A, P, symmetric, symmetric, C, &stats);
    spg_release(context, symmetric, sizeof *symmetric);
    spg_csr_free(context, &R);
    return status;
}

spg_status spg_galerkin(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P, spg_csr *C)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (C == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is NULL");
    if (C == A || C == P || C == R)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is the same matrix as an operand");
    memset(C, 0, sizeof *C);
    spg_status status = spg_galerkin_check(context, R, A, P);
    if (status != SPG_OK) return status;
    if (R == NULL) return multiply_transposing(context, A, P, C);
    spg_galerkin_stats stats = {0};
    return multiply(context, 0, R, A, P, NULL, NULL, C, &stats);
}

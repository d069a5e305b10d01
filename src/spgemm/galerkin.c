/* The Galerkin product C = R*(A*P) by two sparse products. With R = P^T the sums of c_ij and c_ji have different
 * orders, so even a symmetric A does not make C symmetric to the last bit. The lower triangle is therefore copied from
 * the upper one, and a backend may compute only that. */
#include "galerkin.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"
#include "spgemm.h"

#include <string.h>

static spg_status check_shapes(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P)
{
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
    if (status == SPG_OK) status = spg_check_square(context, A, "A");
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

/* Takes `held` bytes, which are in use, off the workspace limit, until the caller sets it to *limit again. */
static spg_status hold(spg_context *context, int64_t held, int64_t *limit)
{
    *limit = context->config.workspace_limit;
    spg_status status = spg_check_workspace(context, held + 1, "a Galerkin product");
    if (status == SPG_OK && *limit > 0) context->config.workspace_limit = *limit - held;
    return status;
}

/* A*P, which is workspace. */
static spg_status multiply_by_P(spg_context *context, int64_t held, const spg_csr *A, const spg_csr *P, spg_csr *AP,
                                spg_galerkin_stats *stats)
{
    return spg_galerkin_explain_AP(context,
                                   spg_multiply_within(context, held, "a Galerkin product", A, P, AP, &stats->AP));
}

/* C = R*AP; with a flag, symmetric if it is set. */
static spg_status multiply_by_R(spg_context *context, int64_t held, const spg_csr *R, const spg_csr *AP,
                                const int32_t *symmetric, spg_csr *C, spg_galerkin_stats *stats)
{
    const spg_amg_backend *amg = context->backend->amg;
    bool is_symmetric = false, is_mirrored = false;
    double begin = spg_seconds();
    spg_status status = symmetric != NULL ? amg->flag_on_host(context, symmetric, &is_symmetric) : SPG_OK;
    stats->symmetry_ms += 1e3 * (spg_seconds() - begin);
    if (status == SPG_OK) {
        int64_t limit;
        status = hold(context, held + spg_csr_bytes(AP), &limit);
        if (status == SPG_OK)
            status = is_symmetric ? spg_multiply_symmetric(context, R, AP, C, &is_mirrored, &stats->RAP)
                                  : spg_multiply(context, R, AP, false, C, &stats->RAP);
        context->config.workspace_limit = limit;
        status = spg_galerkin_explain_RAP(context, status);
    }
    begin = spg_seconds();
    if (status == SPG_OK && is_symmetric && !is_mirrored) {
        status = amg->mirror(context, symmetric, C, NULL);
        if (status != SPG_OK) spg_csr_free(context, C);
    }
    stats->symmetry_ms += 1e3 * (spg_seconds() - begin);
    return status;
}

/* C = R*A*P with R given. */
static spg_status multiply(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P, spg_csr *C,
                           spg_galerkin_stats *stats)
{
    spg_csr AP;
    spg_status status = multiply_by_P(context, 0, A, P, &AP, stats);
    if (status != SPG_OK) return status;
    status = multiply_by_R(context, 0, R, &AP, NULL, C, stats);
    spg_csr_free(context, &AP);
    return status;
}

/* Begins R. */
static spg_status begin_transpose(spg_context *context, const spg_galerkin_operands *of, spg_csr *R, void **pending)
{
    spg_status status =
        context->backend->csr_transpose_begin(context, spg_galerkin_restricts(of), of->checks, of->map, R, pending);
    return explain(context, status, "P");
}

static spg_status end_transpose(spg_context *context, const spg_galerkin_operands *of, spg_csr *R, void *pending)
{
    spg_status status = context->backend->csr_transpose_end(context, spg_galerkin_restricts(of), of->map, R, pending);
    return explain(context, status, "P");
}

static spg_status transpose(spg_context *context, const spg_galerkin_operands *of, spg_csr *R)
{
    void *pending = NULL;
    spg_status status = begin_transpose(context, of, R, &pending);
    if (status == SPG_OK) status = end_transpose(context, of, R, pending);
    if (status != SPG_OK) spg_csr_free(context, R);
    return status;
}

spg_status spg_galerkin_transpose(spg_context *context, const spg_galerkin_operands *of, spg_csr *R,
                                  spg_galerkin_stats *stats)
{
    const spg_csr *Q = spg_galerkin_restricts(of);
    const double begin = spg_seconds();
    const spg_csr sizes = {.rows = Q->cols, .nnz = Q->nnz, .offset_type = Q->offset_type, .value_type = Q->value_type};
    int64_t limit;
    spg_status status = hold(context, of->finds ? spg_csr_bytes(&sizes) : 0, &limit);
    if (status == SPG_OK) status = transpose(context, of, R);
    context->config.workspace_limit = limit;
    stats->transpose_ms = 1e3 * (spg_seconds() - begin);
    return status;
}

static spg_status find_symmetry(spg_context *context, const spg_galerkin_operands *of)
{
    return of->finds ? context->backend->amg->find_symmetry(context, of->A, of->symmetric) : SPG_OK;
}

static spg_status multiply_in_turn(spg_context *context, const spg_galerkin_operands *of, spg_csr *R, spg_csr *AP,
                                   spg_galerkin_stats *stats)
{
    spg_status status = R->row_offsets == NULL ? spg_galerkin_transpose(context, of, R, stats) : SPG_OK;
    if (status != SPG_OK) return status;
    const int64_t held = spg_csr_bytes(R) + (int64_t)sizeof *of->symmetric;
    status = of->finds ? multiply_by_P(context, held, of->A, of->P, AP, stats)
                       : spg_galerkin_explain_AP(context, spg_multiply(context, of->A, of->P, false, AP, &stats->AP));
    if (status != SPG_OK) return status;
    double begin = spg_seconds();
    status = find_symmetry(context, of); /* A*P has checked A */
    stats->symmetry_ms = 1e3 * (spg_seconds() - begin);
    return status;
}

/* P^T and the symmetry of A beside A*P: their beginning, and how that went. */
typedef struct side_transpose {
    spg_context *context;
    const spg_galerkin_operands *of;
    spg_csr *R;
    void *pending;
    spg_status status;
    spg_status symmetry;
    double ms, symmetry_ms; /* of the host */
    char message[sizeof((spg_context *)0)->message];
} side_transpose;

static void begin_side_transpose(void *user)
{
    side_transpose *side = user;
    const double begin = spg_seconds();
    side->status = begin_transpose(side->context, side->of, side->R, &side->pending);
    const double begun = spg_seconds();
    if (side->status == SPG_OK) side->symmetry = find_symmetry(side->context, side->of);
    if (side->status != SPG_OK || side->symmetry != SPG_OK)
        memcpy(side->message, side->context->message, sizeof side->message);
    side->ms = 1e3 * (begun - begin);
    side->symmetry_ms = 1e3 * (spg_seconds() - begun);
}

/* The rest of P^T. */
static spg_status end_side_transpose(side_transpose *side)
{
    if (side->status != SPG_OK) return spg_context_fail(side->context, side->status, "%s", side->message);
    const double begin = spg_seconds();
    const spg_status status = end_transpose(side->context, side->of, side->R, side->pending);
    side->ms += 1e3 * (spg_seconds() - begin);
    if (status != SPG_OK || side->symmetry == SPG_OK) return status;
    return spg_context_fail(side->context, side->symmetry, "%s", side->message);
}

/* P^T and the symmetry of A on a side stream of A*P: they begin when the host is about to wait for A*P, so that each
 * wait is the others' time. If one fails, the others are completed; a fault of P is reported before a fault of A*P. */
static spg_status multiply_beside(spg_context *context, const spg_galerkin_operands *of, spg_csr *R, spg_csr *AP,
                                  spg_galerkin_stats *stats)
{
    const spg_backend *backend = context->backend;
    side_transpose side = {.context = context, .of = of, .R = R, .status = SPG_OK, .symmetry = SPG_OK};
    backend->when_waiting(context, begin_side_transpose, &side);
    spg_status status = spg_galerkin_explain_AP(context, spg_multiply(context, of->A, of->P, false, AP, &stats->AP));
    backend->use_side_stream(context, true);
    const spg_status ended = end_side_transpose(&side);
    backend->use_side_stream(context, false);
    stats->transpose_ms = side.ms;
    stats->symmetry_ms = side.symmetry_ms;
    return ended != SPG_OK ? ended : status;
}

/* Each row of A*P is part of a row of C, for every entry of P's row, so C's rows are on average hardly shorter than
 * those of A*P. If this alone makes C too large, C need not be computed. */
static bool promises_too_much(const spg_galerkin_operands *of, const spg_csr *AP)
{
    return of->most > 0 && AP->rows > 0 && (double)AP->cols * ((double)AP->nnz / (double)AP->rows) > (double)of->most;
}

static bool is_too_much(const spg_galerkin_operands *of, const spg_csr *C) { return of->most > 0 && C->nnz > of->most; }

/* Makes P again, if it was lent. */
static spg_status give_back(spg_context *context, const spg_galerkin_operands *of, const spg_csr *R,
                            spg_galerkin_stats *stats)
{
    if (of->lent == NULL) return SPG_OK;
    const double begin = spg_seconds();
    const spg_status status = context->backend->csr_transpose(context, R, NULL, of->lent);
    stats->transpose_ms += 1e3 * (spg_seconds() - begin);
    return explain(context, status, "P again");
}

spg_status spg_galerkin_multiply(spg_context *context, const spg_galerkin_operands *of, spg_csr *R, spg_csr *C,
                                 spg_galerkin_stats *stats)
{
    const spg_backend *backend = context->backend;
    spg_csr AP = {0};
    bool is_forked = false;
    memset(C, 0, sizeof *C);
    spg_status status = R->row_offsets == NULL ? backend->begin_side_stream(context, &is_forked) : SPG_OK;
    if (status != SPG_OK) return status;
    status = is_forked ? multiply_beside(context, of, R, &AP, stats) : multiply_in_turn(context, of, R, &AP, stats);
    const spg_status joined = is_forked ? backend->end_side_stream(context) : SPG_OK;
    if (status == SPG_OK) status = joined;
    const int64_t held = of->finds ? spg_csr_bytes(R) + (int64_t)sizeof *of->symmetric : 0;
    const bool skips = status == SPG_OK && promises_too_much(of, &AP);
    if (of->lent != NULL && status == SPG_OK && !skips) spg_csr_free(context, of->lent);
    if (status == SPG_OK && !skips) status = multiply_by_R(context, held, R, &AP, of->symmetric, C, stats);
    const bool gives_up = status == SPG_OK && (skips || is_too_much(of, C));
    if (of->AP != NULL && status == SPG_OK && !gives_up)
        *of->AP = AP;
    else
        spg_csr_free(context, &AP);
    if (status == SPG_OK && !gives_up) status = give_back(context, of, R, stats);
    if (status != SPG_OK || gives_up) spg_csr_free(context, C);
    if (gives_up) *of->gives_up = true;
    return status;
}

/* C = R*A*P with R = P^T. */
static spg_status multiply_transposing(spg_context *context, const spg_csr *A, const spg_csr *P, spg_csr *C,
                                       spg_galerkin_stats *stats)
{
    spg_csr R = {0};
    spg_galerkin_operands of = {.A = A, .P = P, .checks = true, .finds = true};
    spg_status status = spg_check_index_range(context, A->rows, "A", "rows");
    if (status == SPG_OK) status = spg_allocate(context, sizeof *of.symmetric, "a flag", (void **)&of.symmetric);
    if (status == SPG_OK) status = spg_galerkin_multiply(context, &of, &R, C, stats);
    spg_release(context, of.symmetric, sizeof *of.symmetric);
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
    spg_galerkin_stats stats = {0};
    status = R == NULL ? multiply_transposing(context, A, P, C, &stats) : multiply(context, R, A, P, C, &stats);
    if (status != SPG_OK) return status;
    context->last_galerkin = stats;
    context->has_last_galerkin = true;
    return SPG_OK;
}

spg_status spg_galerkin_last_stats(const spg_context *context, spg_galerkin_stats *stats)
{
    if (stats != NULL) memset(stats, 0, sizeof *stats);
    if (context == NULL || stats == NULL || !context->has_last_galerkin) return SPG_ERROR_ARGUMENT;
    *stats = context->last_galerkin;
    return SPG_OK;
}

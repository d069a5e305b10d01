/* THE algorithm on one screen: analysis, then expansion, sorting and contraction of the rows by class, then assembly
 * (Dalton, Bell, Olson, sections 3.1 to 3.4). Backends implement the stages (backend.h). */
#include "spgemm.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"

#include <string.h>

spg_status spg_check_operands(spg_context *context, const spg_csr *A, const spg_csr *B)
{
    spg_status status = spg_check_csr_here(context, A, "A");
    if (status == SPG_OK) status = spg_check_csr_here(context, B, "B");
    if (status != SPG_OK) return status;
    if (A->cols != B->rows)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "A has %lld columns, B %lld rows", (long long)A->cols,
                                (long long)B->rows);
    if (A->value_type != B->value_type)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "A holds %s, B %s", spg_type_name(A->value_type),
                                spg_type_name(B->value_type));
    return SPG_OK;
}

static double ratio(int64_t a, int64_t b) { return b > 0 ? (double)a / (double)b : 0; }

static void complete_stats(spgemm_stats *stats, const spg_csr *A, const spg_csr *C)
{
    stats->nnz = C->nnz;
    stats->expansion = ratio(stats->products, A->nnz);
    stats->contraction = ratio(stats->products, C->nnz);
    stats->result_bytes = spg_csr_bytes(C);
}

static spg_status run(spg_product *product, spgemm_stats *stats)
{
    spg_context *context = product->context;
    const spg_backend *backend = context->backend;
    const spg_csr *A = product->A, *B = product->B;
    spg_csr *C = product->C;
    double begin = spg_seconds();
    bool wide = A->offset_type == SPG_I64 || B->offset_type == SPG_I64;
    *C = (spg_csr){.rows = A->rows, .cols = B->cols, .value_type = A->value_type, .place = context->config.place};
    C->offset_type = wide ? SPG_I64 : SPG_I32;
    product->limits = spg_resolve_row_limits(context, NULL);

    spg_status status = backend->product_begin(product);
    if (status == SPG_OK) status = backend->product_multiply(product);
    if (status == SPG_OK) status = backend->product_assemble(product);
    backend->product_end(product);

    complete_stats(&product->stats, A, C);
    if (status != SPG_OK) {
        spg_csr_free(context, C);
        return status;
    }
    product->stats.total_ms = 1e3 * (spg_seconds() - begin);
    *stats = product->stats;
    return SPG_OK;
}

spg_status spg_multiply(spg_context *context, const spg_csr *A, const spg_csr *B, bool pattern_only, spg_csr *C,
                        spgemm_stats *stats)
{
    spg_product product = {.context = context, .A = A, .B = B, .C = C, .pattern_only = pattern_only};
    return run(&product, stats);
}

spg_status spg_multiply_within(spg_context *context, int64_t held, const char *what, const spg_csr *A, const spg_csr *B,
                               spg_csr *C, spgemm_stats *stats)
{
    spg_product product = {.context = context, .A = A, .B = B, .C = C};
    const int64_t limit = context->config.workspace_limit, left = limit - held;
    if (limit == 0) return run(&product, stats);
    spg_status status = spg_check_workspace(context, held + 1, what);
    if (status != SPG_OK) return status;
    context->config.workspace_limit = left;
    context->most_bytes = context->current_bytes + left;
    status = run(&product, stats);
    const spgemm_stats counted = product.stats;
    if (status == SPG_ERROR_MEMORY && counted.nnz > 0) { /* C's size is known now: what it leaves is for the rest */
        context->config.workspace_limit = limit;
        status = spg_check_workspace(context, held + counted.result_bytes + 1, what);
        context->config.workspace_limit = left - counted.result_bytes;
        product = (spg_product){.context = context, .A = A, .B = B, .C = C};
        if (status == SPG_OK) status = run(&product, stats);
    }
    context->config.workspace_limit = limit;
    context->most_bytes = 0;
    return status;
}

spg_status spg_multiply_symmetric(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C,
                                  bool *is_mirrored, spgemm_stats *stats)
{
    spg_product product = {.context = context, .A = A, .B = B, .C = C, .symmetric = true};
    spg_status status = run(&product, stats);
    *is_mirrored = product.is_mirrored;
    return status;
}

spg_status spgemm_csr(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (C == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is NULL");
    if (C == A || C == B) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is the same matrix as an operand");
    memset(C, 0, sizeof *C);
    spg_status status = spg_check_operands(context, A, B);
    if (status == SPG_OK) status = spg_multiply(context, A, B, false, C, &context->last_stats);
    if (status == SPG_OK) context->has_last_stats = true;
    return status;
}

spg_status spgemm_last_stats(const spg_context *context, spgemm_stats *stats)
{
    if (stats != NULL) memset(stats, 0, sizeof *stats);
    if (context == NULL || stats == NULL || !context->has_last_stats) return SPG_ERROR_ARGUMENT;
    *stats = context->last_stats;
    return SPG_OK;
}

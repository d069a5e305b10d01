/* Analysis of a product, without computing it. */
#include "argument.h"
#include "spgemm.h"

#include <string.h>

static spg_status check_result(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C)
{
    if (C == NULL) return SPG_OK;
    spg_status status = spg_check_csr_here(context, C, "C");
    if (status == SPG_OK && (C->rows != A->rows || C->cols != B->cols))
        status = spg_context_fail(context, SPG_ERROR_SHAPE, "C is %lld x %lld, A*B is %lld x %lld", (long long)C->rows,
                                  (long long)C->cols, (long long)A->rows, (long long)B->cols);
    return status;
}

static spg_status check_limits(spg_context *context, const spg_row_limits *limits)
{
    if (limits == NULL || (limits->thread >= -1 && limits->warp >= -1 && limits->cta >= -1)) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "limits: each must be -1 (default) or more");
}

spg_status spgemm_analyse(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                          const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis)
{
    if (analysis != NULL) memset(analysis, 0, sizeof *analysis);
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (analysis == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "analysis is NULL");
    spg_status status = spg_check_operands(context, A, B);
    if (status == SPG_OK) status = check_result(context, A, B, C);
    if (status == SPG_OK) status = check_limits(context, limits);
    if (status == SPG_OK) status = spg_check_array_here(context, row_products, sizeof *row_products, "row_products");
    if (status != SPG_OK) return status;
    spg_row_limits resolved = spg_resolve_row_limits(context, limits);
    status = context->backend->product_analysis(context, A, B, C, &resolved, row_products, analysis);
    if (status == SPG_OK) return SPG_OK;
    memset(analysis, 0, sizeof *analysis);
    if (row_products != NULL)
        (void)context->backend->zero_bytes(context, row_products, A->rows * (int64_t)sizeof *row_products);
    return status;
}

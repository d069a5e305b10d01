/* The public calls of spg/operations.h: checks, and dispatch to the backend. */
#include "argument.h"
#include "backend.h"
#include "memory.h"
#include "operations/operations_backend.h"

#include <string.h>

spg_status spg_allocate_entries(spg_context *context, int64_t nnz, spg_csr *matrix)
{
    spg_status status = spg_check_offset_range(context, nnz, matrix->offset_type, "the result");
    void *columns = NULL;
    if (status == SPG_OK) {
        status = spg_allocate(context, spg_array_bytes(nnz, sizeof *matrix->columns), "columns", &columns);
        matrix->nnz = status == SPG_OK ? nnz : 0;
        matrix->columns = columns;
    }
    if (status == SPG_OK)
        status =
            spg_allocate(context, spg_array_bytes(nnz, spg_type_size(matrix->value_type)), "values", &matrix->values);
    if (status != SPG_OK) spg_csr_free(context, matrix);
    return status;
}

spg_status spg_fail_outside(spg_context *context, const char *name, int64_t k, int64_t index, int64_t limit)
{
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s[%lld] is %lld, outside [0, %lld)", name, (long long)k,
                            (long long)index, (long long)limit);
}

spg_status spg_fail_repeated(spg_context *context, const char *name, int64_t k, int64_t index, int64_t before)
{
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s[%lld] is %lld, as %s[%lld] is; each must be named once",
                            name, (long long)k, (long long)index, name, (long long)before);
}

/* Checks a matrix and its contents, with its name before the message. */
static spg_status check_matrix(spg_context *context, const spg_csr *matrix, const char *name)
{
    spg_status status = spg_check_csr_here(context, matrix, name);
    if (status != SPG_OK) return status;
    status = context->backend->csr_check(context, matrix);
    if (status != SPG_ERROR_FORMAT) return status;
    char message[sizeof context->message];
    memcpy(message, context->message, sizeof message);
    return spg_context_fail(context, status, "%s: %.480s", name, message);
}

static int64_t vector_bytes(const spg_csr *matrix, int64_t count)
{
    return spg_array_bytes(count, spg_type_size(matrix->value_type));
}

/* Two operands of the same shape and value type, with rows that 32 bits can number. */
static spg_status check_pair(spg_context *context, const spg_csr *A, const spg_csr *B)
{
    spg_status status = check_matrix(context, A, "A");
    if (status == SPG_OK) status = check_matrix(context, B, "B");
    if (status != SPG_OK) return status;
    if (A->rows != B->rows || A->cols != B->cols)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "A is %lld x %lld, B is %lld x %lld; they must be the same",
                                (long long)A->rows, (long long)A->cols, (long long)B->rows, (long long)B->cols);
    if (A->value_type != B->value_type)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "A and B have different value types");
    return spg_check_index_range(context, A->rows, "A", "rows");
}

spg_status spg_csr_add(spg_context *context, const void *alpha, const spg_csr *A, const void *beta, const spg_csr *B,
                       spg_csr *C)
{
    if (C != NULL && C == B) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is the same struct as the input");
    spg_status status = spg_begin_output(context, A, C, sizeof *C, "C");
    if (status == SPG_OK) status = check_pair(context, A, B);
    if (status != SPG_OK) return status;
    spg_csr made = {.rows = A->rows, .cols = A->cols, .value_type = A->value_type, .place = A->place};
    made.offset_type = A->offset_type == SPG_I64 || B->offset_type == SPG_I64 ? SPG_I64 : SPG_I32;
    spg_scale held_alpha, held_beta;
    alpha = spg_scale_unless(alpha, A->value_type, 1, &held_alpha);
    beta = spg_scale_unless(beta, A->value_type, 1, &held_beta);
    status = context->backend->operations->add(context, alpha, A, beta, B, &made);
    if (status == SPG_OK) *C = made;
    return status;
}

/* An array of the caller's beside a matrix: not on one of its arrays, and at the place. */
static spg_status check_factors(spg_context *context, const spg_csr *matrix, int64_t count, const void *factors,
                                const char *name)
{
    if (factors == NULL || count == 0) return SPG_OK;
    if (spg_overlap(factors, vector_bytes(matrix, count), matrix->values, vector_bytes(matrix, matrix->nnz)))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s overlaps the values of matrix", name);
    return spg_check_array_here(context, factors, spg_type_size(matrix->value_type), name);
}

spg_status spg_csr_scale(spg_context *context, const void *row_factors, const void *column_factors, spg_csr *matrix)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = check_matrix(context, matrix, "matrix");
    if (status == SPG_OK) status = check_factors(context, matrix, matrix->rows, row_factors, "row_factors");
    if (status == SPG_OK) status = check_factors(context, matrix, matrix->cols, column_factors, "column_factors");
    if (status != SPG_OK || (row_factors == NULL && column_factors == NULL)) return status;
    return context->backend->operations->scale(context, row_factors, column_factors, matrix);
}

spg_status spg_csr_diagonal(spg_context *context, const spg_csr *matrix, void *diagonal)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = check_matrix(context, matrix, "matrix");
    if (status != SPG_OK) return status;
    const int64_t count = matrix->rows < matrix->cols ? matrix->rows : matrix->cols;
    if (count == 0) return SPG_OK;
    if (diagonal == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "diagonal is NULL");
    status = spg_check_array_here(context, diagonal, spg_type_size(matrix->value_type), "diagonal");
    if (status == SPG_OK)
        status = spg_check_apart_from_csr(context, diagonal, vector_bytes(matrix, count), "diagonal", matrix, "matrix");
    return status == SPG_OK ? context->backend->operations->diagonal(context, matrix, diagonal) : status;
}

/* The indices of one side: at the place, or a range within [0, limit). */
static spg_status check_indices(spg_context *context, const spg_indices *of, int64_t limit, const char *name)
{
    if (of->count < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: count is %lld, which is negative", name,
                                (long long)of->count);
    if (of->indices != NULL) return spg_check_array_here(context, of->indices, sizeof *of->indices, name);
    if (of->first < 0 || of->first > limit || of->count > limit - of->first)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %lld from %lld on, outside [0, %lld)", name,
                                (long long)of->count, (long long)of->first, (long long)limit);
    return SPG_OK;
}

static spg_status select_part(spg_context *context, const spg_csr *matrix, const spg_selection *selection,
                              spg_csr *part)
{
    spg_status status = check_indices(context, &selection->rows, matrix->rows, selection->rows_name);
    if (status == SPG_OK) status = check_indices(context, &selection->columns, matrix->cols, selection->columns_name);
    if (status != SPG_OK) return status;
    spg_csr made;
    memset(&made, 0, sizeof made);
    status = context->backend->operations->select(context, matrix, selection, &made);
    if (status == SPG_OK) *part = made;
    return status;
}

spg_status spg_csr_permute(spg_context *context, const spg_csr *matrix, const int32_t *row_order,
                           const int32_t *column_order, spg_csr *permuted)
{
    spg_status status = spg_begin_output(context, matrix, permuted, sizeof *permuted, "permuted");
    if (status == SPG_OK) status = check_matrix(context, matrix, "matrix");
    if (status != SPG_OK) return status;
    const spg_selection selection = {
        {0, matrix->rows, row_order}, {0, matrix->cols, column_order}, true, "row_order", "column_order"};
    return select_part(context, matrix, &selection, permuted);
}

spg_status spg_csr_extract(spg_context *context, const spg_csr *matrix, const spg_indices *rows,
                           const spg_indices *columns, spg_csr *part)
{
    spg_status status = spg_begin_output(context, matrix, part, sizeof *part, "part");
    if (status == SPG_OK) status = check_matrix(context, matrix, "matrix");
    if (status != SPG_OK) return status;
    const spg_indices all_rows = {0, matrix->rows, NULL}, all_columns = {0, matrix->cols, NULL};
    const spg_selection selection = {rows != NULL ? *rows : all_rows, columns != NULL ? *columns : all_columns, false,
                                     "rows", "columns"};
    return select_part(context, matrix, &selection, part);
}

spg_status spg_csr_drop(spg_context *context, const spg_csr *matrix, const spg_drop_rule *rule, spg_csr *kept)
{
    spg_status status = spg_begin_output(context, matrix, kept, sizeof *kept, "kept");
    if (status == SPG_OK) status = check_matrix(context, matrix, "matrix");
    if (status != SPG_OK) return status;
    if (rule == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "rule is NULL");
    if (!(rule->absolute >= 0))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "rule: absolute is %g; it must be 0 or more",
                                rule->absolute);
    if (!(rule->relative >= 0 && rule->relative <= 1))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "rule: relative is %g; it must be from 0 to 1",
                                rule->relative);
    spg_csr made;
    memset(&made, 0, sizeof made);
    status = context->backend->operations->drop(context, matrix, rule, &made);
    if (status == SPG_OK) *kept = made;
    return status;
}

spg_status spg_csr_compare(spg_context *context, const spg_csr *A, const spg_csr *B, spg_difference *difference)
{
    spg_status status = spg_begin_output(context, NULL, difference, sizeof *difference, "difference");
    if (status == SPG_OK) status = check_pair(context, A, B);
    if (status != SPG_OK) return status;
    spg_difference made = {1, 1, -1, -1, 0, 0};
    status = context->backend->operations->compare(context, A, B, &made);
    if (status == SPG_OK) *difference = made;
    return status;
}

/* The real form of a complex matrix: checks, and dispatch to the backend. */
#include "argument.h"
#include "backend.h"
#include "memory.h"
#include "operations/operations_backend.h"

#include <string.h>

static spg_status check_complex(spg_context *context, const spg_csr *matrix)
{
    spg_status status = spg_check_csr_here(context, matrix, "matrix");
    if (status != SPG_OK || spg_is_complex(matrix->value_type)) return status;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "matrix holds %s; only a complex one has a real form",
                            spg_type_name(matrix->value_type));
}

spg_status spg_csr_real_form(spg_context *context, const spg_csr *matrix, spg_csr *real_form)
{
    spg_status status = spg_begin_output(context, matrix, real_form, sizeof *real_form, "real_form");
    if (status == SPG_OK) status = check_complex(context, matrix);
    if (status == SPG_OK) status = context->backend->csr_check(context, matrix);
    if (status == SPG_OK) status = spg_check_index_range(context, 2 * matrix->cols, "the real form", "columns");
    if (status != SPG_OK) return status;
    if (matrix->rows > INT64_MAX / 2 || matrix->nnz > INT64_MAX / 4)
        return spg_context_fail(context, SPG_ERROR_MEMORY, "a real form of %lld rows and %lld entries",
                                (long long)matrix->rows, (long long)matrix->nnz);
    const bool is_wide = matrix->offset_type == SPG_I64 || 4 * matrix->nnz > INT32_MAX;
    spg_csr made;
    status = spg_csr_alloc(context, 2 * matrix->rows, 2 * matrix->cols, 4 * matrix->nnz, is_wide ? SPG_I64 : SPG_I32,
                           spg_part_type(matrix->value_type), &made);
    if (status == SPG_OK) status = context->backend->operations->real_form_pattern(context, matrix, &made);
    if (status == SPG_OK) status = context->backend->operations->real_form_values(context, matrix, &made);
    if (status == SPG_OK)
        *real_form = made;
    else
        spg_csr_free(context, &made);
    return status;
}

/* The values of the one are written while the other is read. */
static spg_status check_pair(spg_context *context, const spg_csr *matrix, const spg_csr *real_form)
{
    if (real_form->value_type != spg_part_type(matrix->value_type))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "real_form holds %s, the parts of matrix are %s",
                                spg_type_name(real_form->value_type), spg_type_name(spg_part_type(matrix->value_type)));
    if (real_form->rows % 2 != 0 || real_form->rows / 2 != matrix->rows || real_form->cols % 2 != 0 ||
        real_form->cols / 2 != matrix->cols || real_form->nnz % 4 != 0 || real_form->nnz / 4 != matrix->nnz)
        return spg_context_fail(context, SPG_ERROR_SHAPE,
                                "real_form is %lld x %lld with %lld entries; the real form of matrix, %lld x %lld with "
                                "%lld, has twice the rows and columns and four times the entries",
                                (long long)real_form->rows, (long long)real_form->cols, (long long)real_form->nnz,
                                (long long)matrix->rows, (long long)matrix->cols, (long long)matrix->nnz);
    const int64_t bytes = spg_array_bytes(real_form->nnz, spg_type_size(real_form->value_type));
    return spg_check_apart_from_csr(context, real_form->values, bytes, "the values of real_form", matrix, "matrix");
}

spg_status spg_csr_real_form_values(spg_context *context, const spg_csr *matrix, spg_csr *real_form)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = check_complex(context, matrix);
    if (status == SPG_OK) status = spg_check_csr_here(context, real_form, "real_form");
    if (status == SPG_OK) status = check_pair(context, matrix, real_form);
    return status == SPG_OK ? context->backend->operations->real_form_values(context, matrix, real_form) : status;
}

/* The real form of a complex matrix: entry k of row i, the e-th of the row, gives entries 2e and 2e + 1 of rows 2i and
 * 2i + 1. */
#define REAL_ONLY
#include "host/by_type.h"
#include "host/work.h"
#include "host_operations.h"

typedef struct real_form_job {
    const spg_csr *matrix, *real_form;
    atomic_llong *first; /* row of the matrix whose pattern is another */
} real_form_job;

#define TEMPLATE "host/operations/real_form.inc.h"
#include "host/for_each_value_type.h"

static void write_pattern(const void *data, spg_range rows)
{
    const real_form_job *job = data;
    const spg_csr *A = job->matrix, *R = job->real_form;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t begin = spg_offset_at(A, i), end = spg_offset_at(A, i + 1), length = 2 * (end - begin);
        spg_set_offset(R, 2 * i, 4 * begin);
        spg_set_offset(R, 2 * i + 1, 4 * begin + length);
        for (int64_t k = begin; k < end; ++k) {
            int32_t *const to = R->columns + 2 * (k + begin);
            to[0] = to[length] = 2 * A->columns[k];
            to[1] = to[length + 1] = 2 * A->columns[k] + 1;
        }
    }
}

spg_status spg_host_real_form_pattern(spg_context *context, const spg_csr *matrix, spg_csr *real_form)
{
    const spg_threads threads = spg_host_threads(context, real_form->nnz + real_form->rows);
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads), write_pattern,
                           &(real_form_job){matrix, real_form, NULL});
    spg_set_offset(real_form, real_form->rows, real_form->nnz);
    return SPG_OK;
}

spg_status spg_host_real_form_values(spg_context *context, const spg_csr *matrix, spg_csr *real_form)
{
    static spg_work *const write_values[2] = BY_REAL_VALUE_TYPE(write_values);
    const spg_threads threads = spg_host_threads(context, real_form->nnz + real_form->rows);
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads), write_values[real_form->value_type],
                           &(real_form_job){matrix, real_form, NULL});
    return SPG_OK;
}

static bool is_row_of(const spg_csr *A, const spg_csr *R, int64_t i)
{
    const int64_t begin = spg_offset_at(A, i), end = spg_offset_at(A, i + 1);
    if (4 * begin != spg_offset_at(R, 2 * i) || 4 * end != spg_offset_at(R, 2 * i + 2)) return false;
    for (int64_t k = begin; k < end; ++k)
        if (2 * (int64_t)A->columns[k] != R->columns[2 * (k + begin)]) return false;
    return true;
}

static void find_other_row(const void *data, spg_range rows)
{
    const real_form_job *job = data;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        if (is_row_of(job->matrix, job->real_form, i)) continue;
        spg_lower(job->first, i);
        return;
    }
}

spg_status spg_host_real_form_check(spg_context *context, const spg_csr *matrix, const spg_csr *real_form)
{
    atomic_llong first = matrix->rows;
    const spg_threads threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    spg_parallel(threads, matrix->rows, 0, find_other_row, &(real_form_job){matrix, real_form, &first});
    const int64_t row = atomic_load(&first);
    if (row == matrix->rows) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_SHAPE, "A: row %lld has another pattern than at setup", (long long)row);
}

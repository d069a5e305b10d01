/* Checks the contents of a CSR matrix. Offsets come first, so that only existing entries are read; columns of rows
 * before the first bad offset may still have an earlier fault. */
#include "host/host.h"
#include "host/work.h"

typedef struct offsets_job {
    const spg_csr *matrix;
    atomic_llong *first;
} offsets_job;

static void find_bad_offsets(const void *data, spg_range rows)
{
    const offsets_job *job = data;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        int64_t begin = spg_offset_at(job->matrix, i), end = spg_offset_at(job->matrix, i + 1);
        if (end >= begin && end <= job->matrix->nnz) continue;
        spg_lower(job->first, i);
        return;
    }
}

/* The first row whose offsets decrease or leave [0, nnz]; rows if there is none. */
static int64_t first_bad_offsets(const spg_context *context, const spg_csr *matrix)
{
    atomic_llong first = matrix->rows;
    spg_parallel(spg_host_threads(context, matrix->rows), matrix->rows, 0, find_bad_offsets,
                 &(offsets_job){matrix, &first});
    return first;
}

static spg_status fail_offsets(spg_context *context, const spg_csr *matrix, int64_t row)
{
    long long begin = (long long)spg_offset_at(matrix, row), nnz = (long long)matrix->nnz;
    if (row == matrix->rows)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: row_offsets end at %lld, nnz is %lld",
                                (long long)row - 1, begin, nnz);
    long long end = (long long)spg_offset_at(matrix, row + 1);
    if (end < begin)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: row_offsets fall from %lld to %lld",
                                (long long)row, begin, end);
    return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: row_offsets reach %lld, nnz is %lld", (long long)row,
                            end, nnz);
}

spg_status spg_host_csr_check(spg_context *context, const spg_csr *matrix)
{
    long long start = (long long)spg_offset_at(matrix, 0);
    if (start != 0)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row 0: row_offsets begin at %lld, not at 0", start);
    spg_csr sound = *matrix; /* the rows before the first bad offset */
    sound.rows = first_bad_offsets(context, matrix);
    sound.nnz = spg_offset_at(matrix, sound.rows);
    int64_t k = sound.nnz; /* weights (sampling) may lack columns */
    if (matrix->columns != NULL) k = spg_host_first_outside(context, matrix->columns, sound.nnz, matrix->cols);
    if (k < sound.nnz)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: column %d lies outside [0, %lld)",
                                (long long)spg_host_row_of(&sound, k), (int)matrix->columns[k],
                                (long long)matrix->cols);
    if (sound.rows < matrix->rows || sound.nnz != matrix->nnz) return fail_offsets(context, matrix, sound.rows);
    return SPG_OK;
}

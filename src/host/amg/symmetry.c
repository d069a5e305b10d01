/* Symmetry of a matrix, bit for bit: found by looking each entry's mirror image up in its row. */
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include <string.h>

/* Where `column` stands within [begin, end) of ascending columns; end if it does not. */
static int64_t find_column(const int32_t *columns, int64_t begin, int64_t end, int32_t column)
{
    const int64_t k = spg_host_lower_bound(columns, begin, end, column);
    return k < end && columns[k] == column ? k : end;
}

#define TYPE_TEMPLATE "host/amg/symmetry.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_find_symmetry(spg_context *context, const spg_csr *A, int32_t *flag)
{
    static bool (*const rows_are_symmetric[4][2])(const spg_csr *, int64_t, int64_t, int64_t *) =
        BY_TYPE(rows_are_symmetric);
    const int threads = spg_host_threads(context, A->nnz + A->rows);
    const int64_t parts = 4 * spg_host_parts(threads);
    int64_t excess = 0; /* entries above the diagonal less those below it */
    int differs = A->rows != A->cols;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : excess) reduction(| : differs)
    for (int64_t p = 0; p < parts; ++p)
        if (!differs)
            differs |= !rows_are_symmetric[A->value_type][A->offset_type - SPG_I32](
                A, spg_host_first_row(A, p, parts), spg_host_first_row(A, p + 1, parts), &excess);
    *flag = !differs && excess == 0;
    return SPG_OK;
}

spg_status spg_host_survey(spg_context *context, const spg_csr *A, int32_t *flag, void *inverse)
{
    spg_status status = spg_host_find_symmetry(context, A, flag);
    return status == SPG_OK ? spg_host_inverse_diagonal(context, A, false, inverse) : status;
}

spg_status spg_host_tell_flag(spg_context *context, const int32_t *flag)
{
    (void)context, (void)flag;
    return SPG_OK;
}

spg_status spg_host_told_flag(spg_context *context, const int32_t *flag, bool *is_set)
{
    (void)context;
    *is_set = *flag == 1;
    return SPG_OK;
}

spg_status spg_host_mirror(spg_context *context, const int32_t *flag, spg_csr *C)
{
    static void (*const mirror_rows[4][2])(const spg_csr *, int64_t, int64_t) = BY_TYPE(mirror_rows);
    if (*flag == 0) return SPG_OK;
    const int threads = spg_host_threads(context, C->nnz + C->rows);
    const int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p)
        mirror_rows[C->value_type][C->offset_type - SPG_I32](C, spg_host_first_row(C, p, parts),
                                                             spg_host_first_row(C, p + 1, parts));
    return SPG_OK;
}

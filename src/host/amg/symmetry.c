/* Symmetry of a matrix, bit for bit: looks up each entry's mirror image in its row. */
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include <string.h>

/* The position of `column` in [begin, end) of ascending columns; end if it is not there. */
static int64_t find_column(const int32_t *columns, int64_t begin, int64_t end, int32_t column)
{
    const int64_t k = spg_host_lower_bound(columns, begin, end, column);
    return k < end && columns[k] == column ? k : end;
}

/* Where the next image in each of the rows seen last may be, modulo 2^32. Rows are visited in order, and so are the
 * images in a row, from its first entry on. Only guesses: other rows may share a place. */
enum { ROWS_SEEN = 4096 };
typedef struct next_images {
    uint32_t next[ROWS_SEEN];
} next_images;

/* As find_column in row j, with a guess first: after the last image or, if that was in an earlier row, the first entry.
 */
static inline int64_t find_image(const int32_t *columns, int64_t begin, int64_t end, int32_t column, next_images *seen,
                                 int64_t j)
{
    uint32_t *next = &seen->next[j % ROWS_SEEN];
    const int32_t ahead = (int32_t)(*next - (uint32_t)begin);
    const int64_t guess = begin + (ahead > 0 ? ahead : 0);
    const int64_t image = guess < end && columns[guess] == column ? guess : find_column(columns, begin, end, column);
    *next = (uint32_t)(image + 1);
    return image;
}

typedef struct symmetry_job {
    const spg_csr *A;
    atomic_llong *excess; /* entries above the diagonal minus those below it */
    atomic_bool *differs;
} symmetry_job;

#define TYPE_TEMPLATE "host/amg/symmetry.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_find_symmetry(spg_context *context, const spg_csr *A, int32_t *flag)
{
    static spg_work *const find_differences[4][2] = BY_TYPE(find_differences);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    atomic_llong excess = 0;
    atomic_bool differs = A->rows != A->cols;
    if (!differs)
        spg_host_parallel_rows(threads, A, 4 * spg_host_parts(threads),
                               find_differences[A->value_type][A->offset_type - SPG_I32],
                               &(symmetry_job){A, &excess, &differs});
    *flag = !differs && excess == 0;
    return SPG_OK;
}

spg_status spg_host_find_symmetry_and_inverse(spg_context *context, const spg_csr *A, int32_t *flag, void *inverse)
{
    spg_status status = spg_host_find_symmetry(context, A, flag);
    return status == SPG_OK ? spg_host_inverse_diagonal(context, A, false, inverse) : status;
}

spg_status spg_host_flag_on_host(spg_context *context, const int32_t *flag, bool *is_set)
{
    (void)context;
    *is_set = *flag == 1;
    return SPG_OK;
}

spg_status spg_host_mirror(spg_context *context, const int32_t *flag, spg_csr *C, void *inverse)
{
    static spg_work *const mirror_rows[4][2] = BY_TYPE(mirror_rows);
    const spg_threads threads = spg_host_threads(context, C->nnz + C->rows);
    if (*flag != 0)
        spg_host_parallel_rows(threads, C, spg_host_parts(threads),
                               mirror_rows[C->value_type][C->offset_type - SPG_I32], C);
    return inverse != NULL ? spg_host_inverse_diagonal(context, C, false, inverse) : SPG_OK;
}

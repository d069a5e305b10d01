/* Y = alpha*A*X + beta*Y for several vectors: a block of rows of A is read from memory once for all of them. Each sum
 * is in storage order, so each vector gets the bits of spg_csr_spmv. */
#include "spmm.h"

#include "argument.h"
#include "host/by_type.h"

#define TEMPLATE "host/update.inc.h"
#include "host/for_each_value_type.h"

#define TEMPLATE "host/operations/spmm/groups.inc.h"
#include "host/for_each_value_type.h"

#define TEMPLATE "host/operations/spmm/spmm.inc.h"
#include "host/for_each_value_type.h"

static spg_work *work_for(spg_type type, const spg_vectors *vectors)
{
    static spg_work *const multiply[4] = BY_VALUE_TYPE(multiply);
#ifdef WIDE
    static spg_work *const multiply_wide[4] = BY_VALUE_TYPE(multiply_wide);
    const bool is_wide = __builtin_cpu_supports("avx2") != 0;
#endif
#ifdef __GNUC__
    if (vectors->x_row_step == 1 && vectors->y_row_step == 1 && !spg_is_complex(type)) {
#ifdef WIDE
        if (is_wide) return spg_host_multiply_columns_wide[type];
#endif
        return spg_host_multiply_columns[type];
    }
#endif
#ifdef WIDE
    if (is_wide) return multiply_wide[type];
#endif
    return multiply[type];
}

spg_status spg_host_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, const void *beta,
                         const spg_vectors *vectors)
{
    const spg_threads threads = spg_host_threads(context, (matrix->nnz + matrix->rows) * vectors->count);
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads), work_for(matrix->value_type, vectors),
                           &(spmm_job){matrix, alpha, beta, vectors});
    return SPG_OK;
}

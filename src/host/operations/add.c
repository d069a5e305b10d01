/* C = alpha*A + beta*B: merges rows of the operands, or of sorted copies of them. */
#include "host/by_type.h"
#include "host/work.h"
#include "host_operations.h"

typedef struct add_job {
    const spg_csr *A, *B; /* rows ascend */
    const void *alpha, *beta;
} add_job;

#define TEMPLATE "host/operations/add.inc.h"
#include "host/for_each_value_type.h"

spg_status spg_host_add(spg_context *context, const void *alpha, const spg_csr *A, const void *beta, const spg_csr *B,
                        spg_csr *C)
{
    static spg_row_function *const add_row[4] = BY_VALUE_TYPE(add_row);
    spg_host_sorted a, b;
    spg_status status = spg_host_sorted_rows(context, A, 0, &a);
    if (status != SPG_OK) return status;
    status = spg_host_sorted_rows(context, B, a.copy_bytes, &b);
    if (status == SPG_OK) {
        const add_job job = {&a.rows, &b.rows, alpha, beta};
        status = spg_host_assemble_rows(context, A->nnz + B->nnz, add_row[A->value_type], &job, C);
        spg_host_free_sorted(context, &b);
    }
    spg_host_free_sorted(context, &a);
    return status;
}

/* A copy without small entries. */
#include "host/by_type.h"
#include "host/work.h"
#include "host_operations.h"
#include "operations/modulus.h"
#include "parts.h"

typedef struct drop_job {
    const spg_csr *matrix;
    const spg_drop_rule *rule;
} drop_job;

#define TEMPLATE "host/operations/drop.inc.h"
#include "host/for_each_value_type.h"

spg_status spg_host_drop(spg_context *context, const spg_csr *matrix, const spg_drop_rule *rule, spg_csr *kept)
{
    static spg_row_function *const drop_row[4] = BY_VALUE_TYPE(drop_row);
    const drop_job job = {matrix, rule};
    *kept = (spg_csr){.rows = matrix->rows,
                      .cols = matrix->cols,
                      .offset_type = matrix->offset_type,
                      .value_type = matrix->value_type};
    return spg_host_assemble_rows(context, matrix->nnz, drop_row[matrix->value_type], &job, kept);
}

/* See scan.h. Rows are cut among the threads by their entries. */
#include "scan.h"

#include "host/host.h"

#include <stdio.h>
#include <string.h>

#define OFFSET int32_t
#define OF_OFFSET(name) name##_i32
#include "scan.inc.h"
#undef OFFSET
#undef OF_OFFSET
#define OFFSET int64_t
#define OF_OFFSET(name) name##_i64
#include "scan.inc.h"

bool spg_offsets_are_valid(const spg_csr *matrix, int threads)
{
    if (matrix->offset_type == SPG_I32)
        return offsets_are_valid_i32(matrix->row_offsets, matrix->rows, matrix->nnz, threads);
    return offsets_are_valid_i64(matrix->row_offsets, matrix->rows, matrix->nnz, threads);
}

bool spg_scan_b(const spg_csr *B, int threads, b_facts *facts)
{
    if (!spg_offsets_are_valid(B, threads)) return false;
    return B->offset_type == SPG_I32 ? scan_rows_i32(B, threads, facts) : scan_rows_i64(B, threads, facts);
}

static spg_status check_as(spg_context *context, const spg_csr *matrix, const char *name)
{
    spg_status status = spg_host_csr_check(context, matrix);
    if (status == SPG_OK) return status;
    char message[sizeof context->message];
    memcpy(message, context->message, sizeof message);
    return spg_context_fail(context, status, "%s: %.480s", name, message);
}

spg_status spg_report_malformed(spg_context *context, const spg_csr *A, const spg_csr *B)
{
    spg_status status = check_as(context, A, "A");
    if (status == SPG_OK) status = check_as(context, B, "B");
    if (status == SPG_OK) status = spg_context_fail(context, SPG_ERROR_INTERNAL, "an operand changed during the call");
    return status;
}

/* See scan.h. */
#include "scan.h"

#include "host/host.h"
#include "host/work.h"

#include <stdio.h>
#include <string.h>

/* What the ranges of rows found. */
typedef struct scan_findings {
    atomic_bool falls, outside, unsorted;
    atomic_llong longest;
} scan_findings;

typedef struct scan_job {
    const spg_csr *matrix;
    scan_findings *found;
} scan_job;

/* The entries [first, past) whose column is not above that of the entry before. *outside: whether a column is. */
static int64_t count_falls(const int32_t *columns, int64_t first, int64_t past, uint32_t cols, bool *outside)
{
    enum { PIECE = 1 << 16 }; /* of which 32 bits hold the count */
    int64_t falls = 0;
    uint32_t beyond = first < past && (uint32_t)columns[first] >= cols;
    for (int64_t begin = first + 1; begin < past; begin += PIECE) {
        const int64_t end = past - begin < PIECE ? past : begin + PIECE;
        uint32_t here = 0;
        for (int64_t k = begin; k < end; k++) {
            here += columns[k] <= columns[k - 1];
            beyond |= (uint32_t)columns[k] >= cols;
        }
        falls += here;
    }
    *outside = beyond != 0;
    return falls;
}

#define OFFSET int32_t
#define OF_OFFSET(name) name##_i32
#include "scan.inc.h"
#undef OFFSET
#undef OF_OFFSET
#define OFFSET int64_t
#define OF_OFFSET(name) name##_i64
#include "scan.inc.h"

bool spg_offsets_are_valid(const spg_csr *matrix, spg_threads threads)
{
    const int64_t rows = matrix->rows;
    if (spg_offset_at(matrix, 0) != 0 || spg_offset_at(matrix, rows) != matrix->nnz) return false;
    scan_findings found = {0};
    spg_parallel(threads, rows, 0, matrix->offset_type == SPG_I32 ? find_fall_i32 : find_fall_i64,
                 &(scan_job){matrix, &found});
    return !found.falls;
}

bool spg_scan_b(const spg_csr *B, spg_threads threads, b_facts *facts)
{
    if (!spg_offsets_are_valid(B, threads)) return false;
    scan_findings found = {0};
    spg_host_parallel_rows(threads, B, spg_host_parts(threads),
                           B->offset_type == SPG_I32 ? scan_rows_i32 : scan_rows_i64, &(scan_job){B, &found});
    facts->sorted = !found.unsorted;
    facts->longest_row = found.longest;
    return !found.outside;
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

/* Checks the contents of matrices. Kernels find the first faulty row, entry or triple; the host makes the message, in
 * the words of the host backend. In a CSR matrix the offsets are checked first, so that no entry is read that may not
 * exist; the columns of the rows before the first bad offset may still hold an earlier fault. */
#include "check.h"

#include "../cuda_backend.h"
#include "entries.cuh"
#include "post.cuh"

#include <cstring>

namespace spg
{

spg_status clear_report(spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    return spg_cuda_check(context, cudaMemsetAsync(cuda->report, 0xff, sizeof *cuda->report, cuda->stream),
                          "clearing a report");
}

spg_status read_report(spg_context *context, spg_report *report)
{
    return spg_cuda_copy_small(context, report, spg_cuda_of(context)->report, sizeof *report);
}

namespace
{

enum { FIRST_ROW = 0, FIRST_ENTRY = 1 };                /* of a CSR matrix, in spg_report.first */
enum { FIRST_TRIPLE_ROW = 0, FIRST_TRIPLE_COLUMN = 1 }; /* of a COO matrix */
enum { START = 0, BEGIN = 1, END = 2, OUTSIDE = 3 };    /* of a CSR matrix, in spg_report.figures */

/* The number of entries in the rows before the first bad offset; 0 if offsets do not begin at 0. */
__device__ int64_t sound_entries(const spg_report *report, numbers_view offsets, int64_t rows)
{
    if (offsets[0] != 0) return 0;
    return offsets[report->first[FIRST_ROW] < (unsigned long long)rows ? (int64_t)report->first[FIRST_ROW] : rows];
}

spg_status queue_csr_check(spg_context *context, const spg_csr &matrix)
{
    spg_report *report = spg_cuda_of(context)->report;
    numbers_view offsets = offsets_of(matrix);
    int64_t rows = matrix.rows, nnz = matrix.nnz;
    const int32_t *columns = matrix.columns;
    uint32_t cols = (uint32_t)matrix.cols;
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, rows, "checking row offsets", [=] __device__(int64_t i) {
            int64_t begin = offsets[i], end = offsets[i + 1];
            if (end < begin || end > nnz) report_first(&report->first[FIRST_ROW], i);
        });
    if (status == SPG_OK)
        status = for_each(context, columns != nullptr ? nnz : 0, "checking columns", [=] __device__(int64_t k) {
            if ((uint32_t)columns[k] >= cols && k < sound_entries(report, offsets, rows))
                report_first(&report->first[FIRST_ENTRY], k);
        });
    return status;
}

/* The figures for the message. The row of the entry replaces the row of the offsets. */
spg_status queue_csr_figures(spg_context *context, const spg_csr &matrix)
{
    spg_report *report = spg_cuda_of(context)->report;
    numbers_view offsets = offsets_of(matrix);
    int64_t rows = matrix.rows;
    const int32_t *columns = matrix.columns;
    return for_each(context, 1, "describing a fault", [=] __device__(int64_t) {
        bool has_row = report->first[FIRST_ROW] != NONE_FIRST;
        int64_t row = has_row ? (int64_t)report->first[FIRST_ROW] : rows;
        report->figures[START] = offsets[0];
        report->figures[BEGIN] = offsets[row];
        report->figures[END] = offsets[has_row ? row + 1 : row];
        if (report->first[FIRST_ENTRY] == NONE_FIRST) return;
        int64_t k = (int64_t)report->first[FIRST_ENTRY];
        report->figures[OUTSIDE] = columns[k];
        report->first[FIRST_ROW] = (unsigned long long)row_of_entry(offsets, 0, row - 1, k);
    });
}

spg_status describe_csr(spg_context *context, const spg_csr &matrix, const spg_report &report)
{
    long long row = (long long)report.first[FIRST_ROW], nnz = (long long)matrix.nnz;
    if (report.figures[START] != 0)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row 0: row_offsets begin at %lld, not at 0",
                                report.figures[START]);
    if (report.first[FIRST_ENTRY] != NONE_FIRST)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: column %d lies outside [0, %lld)", row,
                                (int)report.figures[OUTSIDE], (long long)matrix.cols);
    if (report.first[FIRST_ROW] == NONE_FIRST && report.figures[BEGIN] == nnz) return SPG_OK;
    if (report.first[FIRST_ROW] == NONE_FIRST)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: row_offsets end at %lld, nnz is %lld",
                                (long long)matrix.rows - 1, report.figures[BEGIN], nnz);
    if (report.figures[END] < report.figures[BEGIN])
        return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: row_offsets fall from %lld to %lld", row,
                                report.figures[BEGIN], report.figures[END]);
    return spg_context_fail(context, SPG_ERROR_FORMAT, "row %lld: row_offsets reach %lld, nnz is %lld", row,
                            report.figures[END], nnz);
}

/* Whether anything is wrong, in one pass: offsets and columns are checked separately, because no entry past nnz is
 * read. */
__global__ __launch_bounds__(LOOP_THREADS) void look_for_faults(numbers_view offsets, int64_t rows, int64_t nnz,
                                                                const int32_t *columns, uint32_t cols,
                                                                largest_post post)
{
    const int64_t first = (int64_t)blockIdx.x * LOOP_THREADS + threadIdx.x, step = (int64_t)gridDim.x * LOOP_THREADS;
    bool fault = offsets[0] != 0 || offsets[rows] != nnz;
    for (int64_t i = first; i < rows; i += step) fault |= offsets[i + 1] < offsets[i];
#pragma unroll 4
    for (int64_t k = columns != nullptr ? first : nnz; k < nnz; k += step) fault |= (uint32_t)columns[k] >= cols;
    post_largest(post, fault);
}

/* Waits. */
spg_status is_sound(spg_context *context, const spg_csr &matrix, bool *sound)
{
    largest_post post;
    unsigned int fault = 0;
    int64_t most = matrix.nnz > matrix.rows ? matrix.nnz : matrix.rows + 1;
    spg_status status = begin_post(context, &post);
    if (status != SPG_OK) return status;
    look_for_faults<<<loop_blocks(context, (most + LOOP_ENTRIES - 1) / LOOP_ENTRIES), LOOP_THREADS, 0,
                      spg_cuda_of(context)->stream>>>(offsets_of(matrix), matrix.rows, matrix.nnz, matrix.columns,
                                                      (uint32_t)matrix.cols, post);
    status = spg_cuda_check_launch(context, "checking a matrix");
    if (status == SPG_OK) status = wait_for_largest(context, post, &fault);
    *sound = fault == 0;
    return status;
}

/* If something is wrong, checks again to say what. */
spg_status check_csr(spg_context *context, const spg_csr &matrix)
{
    spg_report report;
    bool sound = false;
    spg_status status = is_sound(context, matrix, &sound);
    if (status != SPG_OK || sound) return status;
    status = queue_csr_check(context, matrix);
    if (status == SPG_OK) status = queue_csr_figures(context, matrix);
    if (status == SPG_OK) status = read_report(context, &report);
    return status == SPG_OK ? describe_csr(context, matrix, report) : status;
}

spg_status queue_coo_check(spg_context *context, const spg_coo &matrix)
{
    spg_report *report = spg_cuda_of(context)->report;
    const int32_t *rows = matrix.row_indices, *columns = matrix.columns;
    uint32_t row_limit = (uint32_t)matrix.rows, column_limit = (uint32_t)matrix.cols;
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, matrix.nnz, "checking triples", [=] __device__(int64_t k) {
            if ((uint32_t)rows[k] >= row_limit) report_first(&report->first[FIRST_TRIPLE_ROW], k);
            if ((uint32_t)columns[k] >= column_limit) report_first(&report->first[FIRST_TRIPLE_COLUMN], k);
        });
    if (status == SPG_OK)
        status = for_each(context, 1, "describing a fault", [=] __device__(int64_t) {
            for (int what = 0; what < 2; ++what)
                if (report->first[what] != NONE_FIRST)
                    report->figures[what] = (what == FIRST_TRIPLE_ROW ? rows : columns)[report->first[what]];
        });
    return status;
}

spg_status check_coo(spg_context *context, const spg_coo &matrix)
{
    spg_report report;
    spg_status status = queue_coo_check(context, matrix);
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK) return status;
    unsigned long long row = report.first[FIRST_TRIPLE_ROW], column = report.first[FIRST_TRIPLE_COLUMN];
    if (column < row)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "triple %lld: column %d lies outside [0, %lld)",
                                (long long)column, (int)report.figures[FIRST_TRIPLE_COLUMN], (long long)matrix.cols);
    if (row != NONE_FIRST)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "triple %lld: row %d lies outside [0, %lld)", (long long)row,
                                (int)report.figures[FIRST_TRIPLE_ROW], (long long)matrix.rows);
    return SPG_OK;
}

} // namespace

} // namespace spg

spg_status spg_cuda_csr_check(spg_context *context, const spg_csr *matrix)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::check_csr(context, *matrix);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_coo_check(spg_context *context, const spg_coo *matrix)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::check_coo(context, *matrix);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_check_contents(spg_context *context, const spg_csr *matrix, const char *name)
{
    spg_status status = spg_cuda_csr_check(context, matrix);
    if (status != SPG_ERROR_FORMAT) return status;
    char message[sizeof context->message];
    memcpy(message, context->message, sizeof message);
    return spg_context_fail(context, status, "%s: %.480s", name, message);
}

/* y = alpha*A*x + beta*y. Triples sorted by row are cut at rows and summed in parallel. In any other order one thread
 * sums them, because a row's storage order determines the bits of its sum. */
#include "host/by_type.h"
#include "host/host.h"
#include "host/work.h"
#include "memory.h"

typedef struct coo_spmv {
    const spg_coo *matrix;
    const void *alpha, *x, *beta;
    void *y;
    int64_t parts; /* of sorted triples */
} coo_spmv;

#define TEMPLATE "host/update.inc.h"
#include "host/for_each_value_type.h"

#define TEMPLATE "host/containers/coo_spmv.inc.h"
#include "host/for_each_value_type.h"

typedef void sorted_function(const coo_spmv *job, int64_t first, int64_t last, int64_t k, int64_t end);
typedef void unsorted_function(const coo_spmv *job, void *workspace);

typedef struct order_job {
    const int32_t *rows;
    atomic_bool *falls;
} order_job;

static void find_fall(const void *data, spg_range range)
{
    const order_job *job = data;
    bool falls = false;
    for (int64_t k = range.begin; k < range.end; ++k) falls |= job->rows[k] > job->rows[k + 1];
    if (falls) atomic_store(job->falls, true);
}

static bool rows_ascend(const spg_coo *matrix, spg_threads threads)
{
    atomic_bool falls = false;
    spg_parallel(threads, matrix->nnz - 1, 0, find_fall, &(order_job){matrix->row_indices, &falls});
    return !falls;
}

/* The first triple of a part of sorted triples: the first of a row. */
static int64_t first_triple(const spg_coo *matrix, int64_t part, int64_t parts)
{
    int64_t k = spg_host_cut(matrix->nnz, part, parts);
    while (k > 0 && k < matrix->nnz && matrix->row_indices[k - 1] == matrix->row_indices[k]) ++k;
    return k;
}

/* The first row of the part that begins at triple k; the first part also has the empty rows before it. */
static int64_t first_row(const spg_coo *matrix, int64_t part, int64_t k)
{
    if (part == 0) return 0;
    return k < matrix->nnz ? matrix->row_indices[k] : matrix->rows;
}

static void multiply_parts(const void *data, spg_range part)
{
    static sorted_function *const spmv[4] = BY_VALUE_TYPE(spmv_sorted);
    const coo_spmv *job = data;
    const spg_coo *matrix = job->matrix;
    int64_t begin = first_triple(matrix, part.begin, job->parts), end = first_triple(matrix, part.end, job->parts);
    int64_t last = part.end < job->parts ? first_row(matrix, part.end, end) : matrix->rows;
    spmv[matrix->value_type](job, first_row(matrix, part.begin, begin), last, begin, end);
}

spg_status spg_host_coo_spmv(spg_context *context, const void *alpha, const spg_coo *matrix, const void *x,
                             const void *beta, void *y)
{
    static unsorted_function *const spmv[4] = BY_VALUE_TYPE(spmv_unsorted);
    spg_threads threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    coo_spmv job = {matrix, alpha, x, beta, y, spg_host_parts(threads)};
    if (rows_ascend(matrix, threads)) {
        spg_parallel(threads, job.parts, 1, multiply_parts, &job);
        return SPG_OK;
    }
    int64_t bytes = spg_array_bytes(matrix->rows, spg_type_size(matrix->value_type));
    void *sums;
    spg_status status = spg_allocate_workspace(context, 0, bytes, "summing unsorted triples", &sums);
    if (status != SPG_OK) return status;
    spmv[matrix->value_type](&job, sums);
    spg_release(context, sums, bytes);
    return SPG_OK;
}

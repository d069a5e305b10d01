/* y = alpha*A*x + beta*y. Triples in the order of rows are cut at rows and summed in parallel; in any other order one
 * thread sums them, for a row's order of storage fixes the bits of its sum. */
#include "by_type.h"
#include "host.h"
#include "memory.h"
#include "work.h"

typedef struct coo_spmv {
    const spg_coo *matrix;
    const void *alpha, *x, *beta;
    void *y;
} coo_spmv;

#define TEMPLATE "host/update.inc.h"
#include "host/for_each_value_type.h"

#define TEMPLATE "host/coo_spmv.inc.h"
#include "host/for_each_value_type.h"

typedef void sorted_function(const coo_spmv *job, int64_t first, int64_t last, int64_t k, int64_t end);
typedef void unsorted_function(const coo_spmv *job, void *workspace);

static bool rows_ascend(const spg_coo *matrix, int threads)
{
    int falls = 0;
#pragma omp parallel for num_threads(threads) reduction(| : falls)
    for (int64_t k = 1; k < matrix->nnz; ++k) falls |= matrix->row_indices[k - 1] > matrix->row_indices[k];
    return !falls;
}

/* Where a part of ascending triples begins: at the first of a row. */
static int64_t first_triple(const spg_coo *matrix, int64_t part, int64_t parts)
{
    int64_t k = spg_host_cut(matrix->nnz, part, parts);
    while (k > 0 && k < matrix->nnz && matrix->row_indices[k - 1] == matrix->row_indices[k]) ++k;
    return k;
}

/* The first row of the part that begins at triple k; the first part has the rows before it, too. */
static int64_t first_row(const spg_coo *matrix, int64_t part, int64_t k)
{
    if (part == 0) return 0;
    return k < matrix->nnz ? matrix->row_indices[k] : matrix->rows;
}

static void multiply_sorted(const coo_spmv *job, int threads)
{
    static sorted_function *const spmv[4] = BY_VALUE_TYPE(spmv_sorted);
    const spg_coo *matrix = job->matrix;
    int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t begin = first_triple(matrix, p, parts), end = first_triple(matrix, p + 1, parts);
        int64_t last = p + 1 < parts ? first_row(matrix, p + 1, end) : matrix->rows;
        spmv[matrix->value_type](job, first_row(matrix, p, begin), last, begin, end);
    }
}

spg_status spg_host_coo_spmv(spg_context *context, const void *alpha, const spg_coo *matrix, const void *x,
                             const void *beta, void *y)
{
    static unsorted_function *const spmv[4] = BY_VALUE_TYPE(spmv_unsorted);
    coo_spmv job = {matrix, alpha, x, beta, y};
    int threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    if (rows_ascend(matrix, threads)) {
        multiply_sorted(&job, threads);
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

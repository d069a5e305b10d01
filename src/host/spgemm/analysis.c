/* The analysis of a product on the host: one pass over A, by blocks of rows that depend only on the number of rows, so
 * that no result depends on the number of threads.
 *
 * A factor is computed for each row, and its statistics are over the rows for which it is defined, with equal weights.
 * So the mean is not the ratio of the totals, and an empty row has no factor. The standard deviation is that of the
 * population (division by the count). The paper's Table 9 agrees with this: its smallest expansion factors are not 0,
 * although some rows are empty. Dalton, Bell, Olson, section 4.1.1. */
#include "host/host.h"
#include "host/work.h"

#include "memory.h"
#include "spgemm/row_class.h"

#include <math.h>
#include <string.h>

enum { GROUP_ROWS = 256, MOST_BLOCKS = 1024 };

/* A factor over some rows; `squares` is the sum of squared distances from the mean. */
typedef struct moments {
    int64_t count;
    double min, max, mean, squares;
} moments;

/* Why a row is invalid. */
typedef struct row_fault {
    spg_status status; /* SPG_OK: it is valid */
    int64_t row;
    const char *matrix, *what;
} row_fault;

/* The contribution of a block of rows. */
typedef struct block_result {
    moments row_products, expansion, contraction;
    int64_t products, longest_row;
    int64_t class_rows[SPG_ROW_CLASSES], class_products[SPG_ROW_CLASSES];
    row_fault fault;
} block_result;

typedef struct analysis_job {
    const spg_csr *A, *B, *C; /* C may be NULL */
    const spg_row_limits *limits;
    int64_t *row_products; /* or NULL */
    int64_t block_rows, blocks;
    block_result *results;
} analysis_job;

static inline int64_t row_length(const spg_csr *matrix, int64_t i)
{
    return spg_offset_at(matrix, i + 1) - spg_offset_at(matrix, i);
}

/* Whether row i lies within [0, nnz), with the first row at the start and the last row at the end. */
static inline bool row_is_within(const spg_csr *matrix, int64_t i)
{
    int64_t begin = spg_offset_at(matrix, i), end = spg_offset_at(matrix, i + 1);
    return begin >= 0 && begin <= end && end <= matrix->nnz && (i > 0 || begin == 0) &&
           (i + 1 < matrix->rows || end == matrix->nnz);
}

/* Two passes over a few values. Distances from the first value keep a constant exact. */
static moments moments_of(const double *values, int64_t count)
{
    moments m = {0};
    if (count == 0) return m;
    m.count = count;
    m.min = m.max = values[0];
    double shift = 0;
    for (int64_t k = 0; k < count; ++k) {
        if (values[k] < m.min) m.min = values[k];
        if (values[k] > m.max) m.max = values[k];
        shift += values[k] - values[0];
    }
    m.mean = values[0] + shift / (double)count;
    for (int64_t k = 0; k < count; ++k) m.squares += (values[k] - m.mean) * (values[k] - m.mean);
    return m;
}

/* Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979. */
static void merge_moments(moments *into, const moments *more)
{
    if (more->count == 0) return;
    if (into->count == 0) {
        *into = *more;
        return;
    }
    double old = (double)into->count, added = (double)more->count, step = more->mean - into->mean;
    if (more->min < into->min) into->min = more->min;
    if (more->max > into->max) into->max = more->max;
    into->squares += more->squares + step * step * (old * added / (old + added));
    into->mean += step * (added / (old + added));
    into->count += more->count;
}

static row_fault count_products(const analysis_job *job, int64_t i, int64_t *products)
{
    *products = 0;
    if (!row_is_within(job->A, i)) return (row_fault){SPG_ERROR_FORMAT, i, "A", "has offsets out of range"};
    int64_t end = spg_offset_at(job->A, i + 1);
    for (int64_t k = spg_offset_at(job->A, i); k < end; ++k) {
        int64_t j = job->A->columns[k];
        if (j < 0 || j >= job->B->rows) return (row_fault){SPG_ERROR_FORMAT, i, "A", "has a column out of range"};
        *products += row_length(job->B, j);
    }
    return (row_fault){0};
}

/* A row of the product has entries if and only if it has products, and not more entries than products. */
static row_fault check_result_row(const spg_csr *C, int64_t i, int64_t products)
{
    if (C == NULL) return (row_fault){0};
    if (!row_is_within(C, i)) return (row_fault){SPG_ERROR_FORMAT, i, "C", "has offsets out of range"};
    int64_t entries = row_length(C, i);
    if (entries > products || (entries == 0) != (products == 0))
        return (row_fault){SPG_ERROR_SHAPE, i, "C", "has a count of entries that A*B cannot have"};
    return (row_fault){0};
}

/* Rows [begin, end), at most GROUP_ROWS; stops at an invalid row. */
static void analyse_group(const analysis_job *job, int64_t begin, int64_t end, block_result *result)
{
    double products[GROUP_ROWS], expansion[GROUP_ROWS], contraction[GROUP_ROWS];
    int64_t rows = 0, expanding = 0, contracting = 0;
    for (int64_t i = begin; i < end; ++i) {
        int64_t count;
        result->fault = count_products(job, i, &count);
        if (result->fault.status == SPG_OK) result->fault = check_result_row(job->C, i, count);
        if (result->fault.status != SPG_OK) return;
        if (job->row_products != NULL) job->row_products[i] = count;
        int64_t entries = row_length(job->A, i);
        products[rows++] = (double)count;
        if (entries > 0) expansion[expanding++] = (double)count / (double)entries;
        if (count > 0 && job->C != NULL) contraction[contracting++] = (double)count / (double)row_length(job->C, i);
        spg_row_class row_class = spg_classify(count, job->limits);
        ++result->class_rows[row_class];
        result->class_products[row_class] += count;
        result->products += count;
        if (count > result->longest_row) result->longest_row = count;
    }
    moments group = moments_of(products, rows);
    merge_moments(&result->row_products, &group);
    group = moments_of(expansion, expanding);
    merge_moments(&result->expansion, &group);
    group = moments_of(contraction, contracting);
    merge_moments(&result->contraction, &group);
}

static void analyse_blocks(const void *data, spg_range blocks)
{
    const analysis_job *job = data;
    for (int64_t block = blocks.begin; block < blocks.end; ++block) {
        block_result *result = &job->results[block];
        memset(result, 0, sizeof *result);
        int64_t begin = block * job->block_rows, end = begin + job->block_rows;
        if (end > job->A->rows) end = job->A->rows;
        for (int64_t i = begin; i < end && result->fault.status == SPG_OK; i += GROUP_ROWS)
            analyse_group(job, i, i + GROUP_ROWS < end ? i + GROUP_ROWS : end, result);
    }
}

static void merge_block(block_result *into, const block_result *more)
{
    merge_moments(&into->row_products, &more->row_products);
    merge_moments(&into->expansion, &more->expansion);
    merge_moments(&into->contraction, &more->contraction);
    into->products += more->products;
    if (more->longest_row > into->longest_row) into->longest_row = more->longest_row;
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) {
        into->class_rows[c] += more->class_rows[c];
        into->class_products[c] += more->class_products[c];
    }
}

static spg_factor factor_of(const moments *m)
{
    if (m->count == 0) return (spg_factor){0};
    return (spg_factor){m->min, m->max, m->mean, sqrt(m->squares / (double)m->count), m->count};
}

/* Sums the blocks in order; reports the fault of the lowest row. */
static spg_status merge_blocks(spg_context *context, const analysis_job *job, spgemm_analysis *analysis)
{
    block_result all = {0};
    for (int64_t b = 0; b < job->blocks; ++b) {
        const row_fault *fault = &job->results[b].fault;
        if (fault->status != SPG_OK)
            return spg_context_fail(context, fault->status, "%s: row %lld %s", fault->matrix, (long long)fault->row,
                                    fault->what);
        merge_block(&all, &job->results[b]);
    }
    analysis->products = all.products;
    analysis->longest_row = all.longest_row;
    analysis->row_products = factor_of(&all.row_products);
    analysis->expansion = factor_of(&all.expansion);
    analysis->contraction = factor_of(&all.contraction);
    memcpy(analysis->class_rows, all.class_rows, sizeof all.class_rows);
    memcpy(analysis->class_products, all.class_products, sizeof all.class_products);
    return SPG_OK;
}

typedef struct offsets_job {
    const spg_csr *matrix;
    atomic_llong *first;
} offsets_job;

static void find_bad_offsets(const void *data, spg_range rows)
{
    const offsets_job *job = data;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        if (row_is_within(job->matrix, i)) continue;
        spg_lower(job->first, i);
        return;
    }
}

/* Checks all offsets of B before any is used, and those of matrices without rows. */
static spg_status check_offsets(spg_context *context, const spg_csr *matrix, const char *name)
{
    atomic_llong first = INT64_MAX;
    if (matrix->rows == 0 && spg_offset_at(matrix, 0) != 0) first = 0;
    spg_parallel(spg_host_threads(context, matrix->rows), matrix->rows, 0, find_bad_offsets,
                 &(offsets_job){matrix, &first});
    if (first == INT64_MAX) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_FORMAT, "%s: row %lld has offsets out of range", name, (long long)first);
}

spg_status spg_host_product_analysis(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                                     const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis)
{
    analysis_job job = {.A = A, .B = B, .C = C, .limits = limits, .row_products = row_products};
    spg_status status = check_offsets(context, B, "B");
    if (status == SPG_OK && A->rows == 0) status = check_offsets(context, A, "A");
    if (status == SPG_OK && A->rows == 0 && C != NULL) status = check_offsets(context, C, "C");
    if (status != SPG_OK) return status;
    int64_t groups = (A->rows + GROUP_ROWS - 1) / GROUP_ROWS;
    job.block_rows = (groups + MOST_BLOCKS - 1) / MOST_BLOCKS * GROUP_ROWS;
    job.blocks = groups > 0 ? (A->rows + job.block_rows - 1) / job.block_rows : 0;
    int64_t bytes = job.blocks * (int64_t)sizeof *job.results;
    void *results;
    status = spg_allocate_workspace(context, 0, bytes, "the analysis of a product", &results);
    if (status != SPG_OK) return status;
    job.results = results;
    spg_parallel(spg_host_threads(context, A->nnz + A->rows), job.blocks, 1, analyse_blocks, &job);
    status = merge_blocks(context, &job, analysis);
    spg_release(context, results, bytes);
    return status;
}

/* The analysis of a product on the host: one pass over A, by blocks of rows that depend on the number of rows alone,
 * so that no result depends on the number of threads.
 *
 * A factor is taken row by row and its statistics over the rows that have it, each row weighing the same: so the
 * mean is not the ratio of the totals, and an empty row has no factor. The deviation is the population's (division by
 * the count). This is how the paper's Table 9 reads: its smallest expansion factors are not 0, though rows are empty.
 * Dalton, Bell, Olson, section 4.1.1. */
#include "../../memory.h"
#include "../../row_class.h"
#include "../host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_ROWS = 256, MOST_BLOCKS = 1024 };

/* A factor over some rows; `squares` are of the distances from the mean. */
typedef struct moments {
    int64_t count;
    double min, max, mean, squares;
} moments;

/* What a block of rows adds. */
typedef struct block_result {
    moments row_products, expansion, contraction;
    int64_t products, longest_row;
    int64_t class_rows[SPG_ROW_CLASSES], class_products[SPG_ROW_CLASSES];
    int64_t fault_row; /* the first that cannot be, or -1 */
    const char *fault;
} block_result;

typedef struct analysis_job {
    const spg_csr *A, *B, *C;
    spg_row_limits limits;
    int64_t *row_products; /* or NULL */
    int64_t block_rows, blocks;
    block_result *results;
} analysis_job;

static inline int64_t offset(const spg_csr *matrix, int64_t k)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[k]
                                          : ((const int32_t *)matrix->row_offsets)[k];
}

/* Whether row i's offsets can be: the row lies in [0, nnz), and the first and last rows at its ends. */
static bool row_is_within(const spg_csr *matrix, int64_t i)
{
    int64_t begin = offset(matrix, i), end = offset(matrix, i + 1);
    return begin >= 0 && begin <= end && end <= matrix->nnz && (i > 0 || begin == 0) &&
           (i + 1 < matrix->rows || end == matrix->nnz);
}

/* Two passes over a few values. Distances from the first value keep a constant exact. */
static moments moments_of(const double *values, int64_t count)
{
    moments m = {0};
    if (count == 0) return m;
    m.count = count, m.min = m.max = values[0];
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

static bool count_products(const analysis_job *job, int64_t i, int64_t *products, const char **fault)
{
    *fault = "offsets out of range";
    if (!row_is_within(job->A, i)) return false;
    *fault = "a column out of range";
    int64_t sum = 0, end = offset(job->A, i + 1);
    for (int64_t k = offset(job->A, i); k < end; ++k) {
        int64_t j = job->A->columns[k];
        if (j < 0 || j >= job->B->rows) return false;
        sum += offset(job->B, j + 1) - offset(job->B, j);
    }
    *products = sum;
    return true;
}

/* The rows [begin, end) of at most GROUP_ROWS; false at a row that cannot be. */
static bool analyse_group(const analysis_job *job, int64_t begin, int64_t end, block_result *result)
{
    double products[GROUP_ROWS], expansion[GROUP_ROWS], contraction[GROUP_ROWS];
    int64_t expanding = 0, contracting = 0;
    for (int64_t i = begin; i < end; ++i) {
        int64_t count = 0;
        if (!count_products(job, i, &count, &result->fault)) {
            result->fault_row = i;
            return false;
        }
        if (job->row_products != NULL) job->row_products[i] = count;
        int64_t entries = offset(job->A, i + 1) - offset(job->A, i);
        products[i - begin] = (double)count;
        if (entries > 0) expansion[expanding++] = (double)count / (double)entries;
        if (count > 0 && job->C != NULL)
            contraction[contracting++] = (double)count / (double)(offset(job->C, i + 1) - offset(job->C, i));
        spg_row_class class = spg_classify(count, &job->limits);
        ++result->class_rows[class];
        result->class_products[class] += count;
        result->products += count;
        if (count > result->longest_row) result->longest_row = count;
    }
    moments group = moments_of(products, end - begin);
    merge_moments(&result->row_products, &group);
    group = moments_of(expansion, expanding);
    merge_moments(&result->expansion, &group);
    group = moments_of(contraction, contracting);
    merge_moments(&result->contraction, &group);
    return true;
}

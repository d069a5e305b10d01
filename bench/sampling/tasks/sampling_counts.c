/* --counts: multinomial counts of each row. */
#include "sampling_task.h"

#include <math.h>
#include <stdlib.h>

enum { TESTED_ROWS = 100 };

static spg_status count(void *state)
{
    const task_work *work = state;
    return spg_multinomial_draw(work->bench->context, &work->of.here, work->bench->chosen->draws, NULL,
                                &work->of.random, work->results);
}

static double row_sum(const spg_csr *weights, int64_t row)
{
    double sum = 0.0;
    for (int64_t k = row_begin(weights, row); k < row_begin(weights, row + 1); k++) sum += weight_at(weights, k);
    return sum;
}

/* Rows whose counts do not add up, or that have counts of no weight. */
static int64_t wrong_rows(const spg_csr *weights, int64_t n, const int64_t *counts)
{
    int64_t wrong = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : wrong)
    for (int64_t i = 0; i < weights->rows; i++) {
        uint64_t sum = 0;
        bool impossible = false;
        for (int64_t k = row_begin(weights, i); k < row_begin(weights, i + 1); k++) {
            sum += (uint64_t)counts[k];
            impossible = impossible || counts[k] < 0 || (counts[k] > 0 && !(weight_at(weights, k) > 0.0));
        }
        wrong += impossible || sum != (uint64_t)n;
    }
    return wrong;
}

/* All sums, and of some rows a chi-square test, the worst of which is told. */
static spg_status verify(const task_work *work, sampling_verdict *verdict)
{
    const spg_csr *weights = &work->of.host;
    const int64_t n = work->bench->chosen->draws, step = 1 + (weights->rows - 1) / TESTED_ROWS;
    int64_t *counts = fetch_results(work, work->result_bytes);
    if (counts == NULL) return SPG_ERROR_MEMORY;
    const int64_t wrong = wrong_rows(weights, n, counts);
    verdict->tested = true;
    for (int64_t i = 0; i < weights->rows; i += step) {
        chi_square test;
        chi_square_begin(&test, (double)n, row_sum(weights, i));
        for (int64_t k = row_begin(weights, i); k < row_begin(weights, i + 1); k++)
            chi_square_add(&test, weight_at(weights, k), (double)counts[k]);
        chi_square_end(&test);
        if (i == 0 || fabs(test.z) > fabs(verdict->test.z)) verdict->test = test;
    }
    verdict->right = wrong == 0 && fabs(verdict->test.z) < 5.0;
    if (!verdict->right)
        snprintf(verdict->fault, sizeof verdict->fault, "%lld rows do not add up; z = %.2f", (long long)wrong,
                 verdict->test.z);
    free(counts);
    return SPG_OK;
}

spg_status run_counts(task_work *work)
{
    const int64_t rows = work->of.host.rows, nnz = work->of.host.nnz, n = work->bench->chosen->draws;
    const task_kind kind = {"counts", "spg-multinomial", count,
                            verify,   n * rows,          weight_bytes_of(work) + nnz * (int64_t)sizeof(int64_t)};
    const spg_status status = take_results(work, nnz, sizeof(int64_t));
    return status == SPG_OK ? measure_task(work, &kind) : status;
}

/* --subset K: draws without replacement from each row. */
#include "sampling_task.h"

#include "weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static spg_status draw(void *state)
{
    const task_work *work = state;
    return spg_subset_draw(work->bench->context, &work->of.here, work->bench->chosen->task_size, &work->of.random,
                           work->results);
}

/* The items of a row by their names; items of a file may have any. */
static int64_t place_of(const spg_csr *weights, int64_t row, int32_t draw)
{
    const int64_t begin = row_begin(weights, row), end = row_begin(weights, row + 1);
    if (weights->columns == NULL) return draw >= 0 && draw < end - begin ? begin + draw : -1;
    for (int64_t k = begin; k < end; k++)
        if (weights->columns[k] == draw) return k;
    return -1;
}

/* Whether a row's draws are those of the least exponential keys E / weight in their order, by the C library's logarithm
 * and but for rounding; bits: of all entries. seen: a flag an entry, unset. */
static bool is_right(const spg_csr *weights, int64_t row, int64_t k, const int32_t *draws, const uint64_t *bits,
                     bool *seen)
{
    double last = 0.0;
    for (int64_t d = 0; d < k; d++) {
        const int64_t e = place_of(weights, row, draws[d]);
        if (e < 0 || seen[e] || !(weight_at(weights, e) > 0.0)) return false;
        const double key = -log1p(-((double)bits[e] + 0.5) * 0x1p-64) / weight_at(weights, e);
        if (key < last * (1 - 1e-9)) return false;
        seen[e] = true;
        last = key;
    }
    for (int64_t e = row_begin(weights, row); e < row_begin(weights, row + 1); e++)
        if (!seen[e] && -log1p(-((double)bits[e] + 0.5) * 0x1p-64) / weight_at(weights, e) < last * (1 - 1e-9))
            return false;
    return true;
}

static spg_status verify(const task_work *work, sampling_verdict *verdict)
{
    const spg_csr *weights = &work->of.host;
    const int64_t k = work->bench->chosen->task_size;
    int64_t wrong = 0;
    int32_t *draws = fetch_results(work, work->result_bytes);
    uint64_t *bits = malloc((size_t)weights->nnz * sizeof *bits);
    bool *seen = calloc((size_t)weights->nnz, sizeof *seen);
    spg_status status = draws != NULL && bits != NULL && seen != NULL ? SPG_OK : SPG_ERROR_MEMORY;
    if (status == SPG_OK) status = spg_random_bits(work->bench->host, &work->of.random, weights->nnz, bits);
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : wrong)
    for (int64_t i = 0; i < (status == SPG_OK ? weights->rows : 0); i++)
        wrong += !is_right(weights, i, k, draws + i * k, bits, seen);
    verdict->right = wrong == 0;
    if (wrong > 0)
        snprintf(verdict->fault, sizeof verdict->fault, "%lld rows have not the items of the least keys",
                 (long long)wrong);
    if (status != SPG_OK) spg_context_fail(work->bench->context, status, "no memory to test draws");
    free(draws);
    free(bits);
    free(seen);
    return status;
}

spg_status run_subset(task_work *work)
{
    const int64_t count = work->of.host.rows * work->bench->chosen->task_size;
    const task_kind kind = {"subset", "spg-subset", draw,
                            verify,   count,        weight_bytes_of(work) + count * (int64_t)sizeof(int32_t)};
    const spg_status status = take_results(work, count, sizeof(int32_t));
    return status == SPG_OK ? measure_task(work, &kind) : status;
}

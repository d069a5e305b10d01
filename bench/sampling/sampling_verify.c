#include "sampling_verify.h"

#include "sampling_arrays.h"
#include "sampling_device.h"
#include "sampling_problem.h"
#include "weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Wrong alarms: one in two million. */
static const double z_limit = 5.0;
/* A stratum holds one number: an interval holds all but its two outer ones, whole; a hundredth is for rounding. */
static const double stratified_limit = 2.01;
enum { PART_ITEMS = 1 << 16 }; /* of which a thread judges one after the other */
enum { LEAST_CELLS = 8, MOST_CELLS = 4096, DRAWS_A_CELL = 64 };

static void judge(sampling_verdict *verdict, int64_t outside)
{
    const chi_square *test = &verdict->test;
    verdict->tested = true;
    /* One item, or too few draws: there is nothing to judge. */
    const bool undecided = test->impossible == 0 && test->degrees == 0;
    verdict->right = outside == 0 && (undecided || chi_square_holds(test, z_limit));
    if (outside > 0)
        snprintf(verdict->fault, sizeof verdict->fault, "%lld draws are of no item", (long long)outside);
    else if (test->impossible > 0)
        snprintf(verdict->fault, sizeof verdict->fault, "%lld draws are of weight zero", (long long)test->impossible);
    else if (!verdict->right)
        snprintf(verdict->fault, sizeof verdict->fault, "chi-square %.1f of %lld degrees, z = %.1f", test->statistic,
                 (long long)test->degrees, test->z);
}

static void count_on_host(int64_t count, const int32_t *draws, int64_t items, uint32_t *counts)
{
    for (int64_t k = 0; k <= items; k++) counts[k] = 0;
    for (int64_t k = 0; k < count; k++) counts[draws[k] >= 0 && draws[k] < items ? draws[k] : items]++;
}

/* counts, on the host, of items + 1 numbers. */
static spg_status count_items(const sampling_problem *task, int64_t items, uint32_t *counts)
{
    if (task->chosen->place != SPG_PLACE_DEVICE) {
        count_on_host(task->count, task->draws, items, counts);
        return SPG_OK;
    }
    void *there = NULL;
    spg_status status = array_allocate(task->context, items + 1, sizeof *counts, &there);
    if (status == SPG_OK) status = device_count(task->context, task->count, task->draws, items, there);
    if (status == SPG_OK) status = array_get(task->context, counts, there, (items + 1) * (int64_t)sizeof *counts);
    array_free(task->context, there);
    return status;
}

/* The weights of row 0: by item, or in storage, which names items by their places. */
typedef struct item_weights {
    const spg_csr *stored;
    double *by_item; /* NULL without columns */
    double total;
} item_weights;

static double item_weight(const item_weights *weights, int64_t item)
{
    return weights->by_item != NULL ? weights->by_item[item] : weight_at(weights->stored, item);
}

static int64_t part_end(int64_t part, int64_t items)
{
    return items - part * PART_ITEMS < PART_ITEMS ? items : (part + 1) * PART_ITEMS;
}

/* In parts, which add up in order: the same at any number of threads. False: no memory. */
static bool add_up(int64_t items, item_weights *weights)
{
    const int64_t parts = (items + PART_ITEMS - 1) / PART_ITEMS;
    long double total = 0.0L, *sums = malloc((size_t)parts * sizeof *sums + 1);
    if (sums == NULL) return false;
#pragma omp parallel for schedule(static)
    for (int64_t part = 0; part < parts; part++) {
        long double sum = 0.0L;
        for (int64_t k = part * PART_ITEMS; k < part_end(part, items); k++) sum += item_weight(weights, k);
        sums[part] = sum;
    }
    for (int64_t part = 0; part < parts; part++) total += sums[part];
    weights->total = (double)total;
    free(sums);
    return true;
}

/* Entries of the same column add up. False: no memory. */
static bool gather_weights(const spg_csr *stored, int64_t items, item_weights *weights)
{
    *weights = (item_weights){.stored = stored};
    if (stored->columns != NULL) {
        weights->by_item = calloc((size_t)items, sizeof *weights->by_item);
        if (weights->by_item == NULL) return false;
        for (int64_t k = 0; k < stored->nnz; k++) weights->by_item[stored->columns[k]] += weight_at(stored, k);
    }
    return add_up(items, weights);
}

static spg_status judge_counts(spg_context *errors, const item_weights *weights, const uint32_t *counts, int64_t items,
                               int64_t count, sampling_verdict *verdict)
{
    const int64_t parts = (items + PART_ITEMS - 1) / PART_ITEMS;
    chi_square *tests = malloc((size_t)parts * sizeof *tests);
    if (tests == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory to judge draws");
#pragma omp parallel for schedule(static)
    for (int64_t part = 0; part < parts; part++) {
        chi_square test;
        chi_square_begin(&test, (double)count, weights->total);
        for (int64_t k = part * PART_ITEMS; k < part_end(part, items); k++)
            chi_square_add(&test, item_weight(weights, k), (double)counts[k]);
        tests[part] = test;
    }
    chi_square_begin(&verdict->test, (double)count, weights->total);
    for (int64_t part = 0; part < parts; part++) chi_square_append(&verdict->test, &tests[part]);
    chi_square_end(&verdict->test);
    judge(verdict, counts[items]);
    free(tests);
    return SPG_OK;
}

static void judge_stratified(const item_weights *weights, const uint32_t *counts, int64_t items, int64_t count,
                             sampling_verdict *verdict)
{
    double worst = 0.0;
    int64_t impossible = 0;
#pragma omp parallel for schedule(static) reduction(max : worst) reduction(+ : impossible)
    for (int64_t k = 0; k < items; k++) {
        const double weight = item_weight(weights, k);
        const double off = fabs((double)counts[k] - weight / weights->total * (double)count);
        if (off > worst) worst = off;
        if (!(weight > 0.0)) impossible += counts[k];
    }
    verdict->max_error = worst / stratified_limit;
    verdict->right = counts[items] == 0 && impossible == 0 && verdict->max_error < 1.0;
    if (!verdict->right)
        snprintf(verdict->fault, sizeof verdict->fault, "a count is %.2f off, %lld of weight zero, %lld of no item",
                 worst, (long long)impossible, (long long)counts[items]);
}

static spg_status verify_one(const sampling_problem *task, sampling_verdict *verdict)
{
    const int64_t items = task->host.columns != NULL ? task->host.cols : task->host.nnz;
    item_weights weights;
    uint32_t *counts = malloc((size_t)(items + 1) * sizeof *counts);
    spg_status status = SPG_ERROR_MEMORY;
    if (!gather_weights(&task->host, items, &weights) || counts == NULL)
        spg_context_fail(task->context, status, "no memory to count draws");
    else
        status = count_items(task, items, counts);
    if (status == SPG_OK && task->stratified)
        judge_stratified(&weights, counts, items, task->count, verdict);
    else if (status == SPG_OK)
        status = judge_counts(task->context, &weights, counts, items, task->count, verdict);
    free(counts);
    free(weights.by_item);
    return status;
}

int32_t cell_of(double before, double drawn, double total, double share, int64_t cells)
{
    const int64_t cell = (int64_t)((before + share * drawn) / total * (double)cells);
    return (int32_t)(cell < cells ? cell : cells - 1);
}

int32_t cell_of_row(const spg_csr *weights, int64_t row, int32_t draw, double share, int64_t cells)
{
    double before = 0.0, drawn = 0.0, total = 0.0;
    bool found = false;
    const int64_t begin = row_begin(weights, row), end = row_begin(weights, row + 1);
    for (int64_t k = begin; k < end; k++) {
        const double weight = weight_at(weights, k);
        const bool same = (weights->columns != NULL ? weights->columns[k] : (int32_t)(k - begin)) == draw;
        total += weight;
        if (same) drawn += weight;
        if (!same && !found) before += weight;
        found = found || same;
    }
    if (!found) return OF_NO_ITEM;
    return drawn > 0.0 ? cell_of(before, drawn, total, share, cells) : OF_WEIGHT_ZERO;
}

int64_t cells_for(int64_t count)
{
    const int64_t cells = count / DRAWS_A_CELL;
    return cells < LEAST_CELLS ? LEAST_CELLS : cells > MOST_CELLS ? MOST_CELLS : cells;
}

spg_status judge_cells(spg_context *errors, const int32_t *cell_of_draw, int64_t count, int64_t cells,
                       sampling_verdict *verdict)
{
    int64_t outside = 0, impossible = 0;
    double *seen = calloc((size_t)cells, sizeof *seen);
    if (seen == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory to count draws");
    for (int64_t k = 0; k < count; k++) {
        outside += cell_of_draw[k] == OF_NO_ITEM;
        impossible += cell_of_draw[k] == OF_WEIGHT_ZERO;
        if (cell_of_draw[k] >= 0) seen[cell_of_draw[k]] += 1.0;
    }
    chi_square_begin(&verdict->test, (double)count, (double)cells);
    for (int64_t k = 0; k < cells; k++) chi_square_add(&verdict->test, 1.0, seen[k]);
    chi_square_end(&verdict->test);
    verdict->test.impossible = impossible;
    judge(verdict, outside);
    free(seen);
    return SPG_OK;
}

static spg_status verify_rows(const sampling_problem *task, sampling_verdict *verdict)
{
    const int64_t count = task->count, cells = cells_for(count);
    int32_t *draws = malloc((size_t)count * sizeof *draws);
    if (draws == NULL) return spg_context_fail(task->context, SPG_ERROR_MEMORY, "no memory to fetch draws");
    spg_status status = array_get(task->context, draws, task->draws, count * (int64_t)sizeof *draws);
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t i = 0; i < count; i++)
        draws[i] = cell_of_row(&task->host, i, draws[i], random_share(task->chosen->seed + 77, (uint64_t)i), cells);
    if (status == SPG_OK) status = judge_cells(task->context, draws, count, cells, verdict);
    free(draws);
    return status;
}

spg_status verify_draws(const sampling_problem *task, sampling_verdict *verdict)
{
    *verdict = (sampling_verdict){0};
    return task->many ? verify_rows(task, verdict) : verify_one(task, verdict);
}

static double factor_at(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static int32_t cell_of_word(const spg_lda *lda, int64_t document, int64_t word, int32_t topic, double share,
                            int64_t cells)
{
    const int64_t theta = document * lda->topics, phi = (int64_t)lda->words[word] * lda->topics;
    double before = 0.0, drawn = 0.0, total = 0.0;
    if (topic < 0 || topic >= lda->topics) return OF_NO_ITEM;
    for (int32_t k = 0; k < lda->topics; k++) {
        const double weight = factor_at(lda->theta, lda->type, theta + k) * factor_at(lda->phi, lda->type, phi + k);
        if (k == topic) {
            before = total;
            drawn = weight;
        }
        total += weight;
    }
    return drawn > 0.0 ? cell_of(before, drawn, total, share, cells) : OF_WEIGHT_ZERO;
}

/* The document of a word: the last one that begins at or before it and isn't empty. */
static int64_t document_of(const spg_lda *lda, int64_t word)
{
    int64_t low = 0, high = lda->documents;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (lda->word_offsets[middle] <= word)
            low = middle;
        else
            high = middle;
    }
    return low;
}

spg_status verify_topics(spg_context *errors, const spg_lda *lda, const int32_t *topics, int64_t stride, uint64_t seed,
                         sampling_verdict *verdict)
{
    const int64_t count = (lda->words_total + stride - 1) / stride, cells = cells_for(count);
    *verdict = (sampling_verdict){0};
    int32_t *cell_of_draw = malloc((size_t)count * sizeof *cell_of_draw);
    if (cell_of_draw == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory to judge draws");
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t i = 0; i < count; i++) {
        const int64_t word = i * stride;
        cell_of_draw[i] =
            cell_of_word(lda, document_of(lda, word), word, topics[word], random_share(seed + 78, (uint64_t)i), cells);
    }
    const spg_status status = judge_cells(errors, cell_of_draw, count, cells, verdict);
    free(cell_of_draw);
    return status;
}

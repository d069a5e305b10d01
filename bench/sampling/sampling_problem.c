#include "sampling_problem.h"

#include "problem.h"
#include "progress.h"
#include "sampling_arrays.h"
#include "sampling_device.h"
#include "weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays of generated weights: no columns, since items are named by their places. */
static spg_status allocate_weights(spg_context *host, int64_t rows, int64_t items, int64_t nnz, spg_type type,
                                   spg_csr *weights)
{
    *weights = (spg_csr){
        .rows = rows, .cols = items, .nnz = nnz, .offset_type = SPG_I64, .value_type = type, .place = SPG_PLACE_HOST};
    spg_status status = array_allocate(host, rows + 1, sizeof(int64_t), &weights->row_offsets);
    if (status == SPG_OK) status = array_allocate(host, nnz, (int64_t)spg_type_size(type), &weights->values);
    return status;
}

static void fill_row(const weights_rule *rule, int64_t row, const spg_csr *weights)
{
    const int64_t begin = row_begin(weights, row), items = row_begin(weights, row + 1) - begin;
#pragma omp parallel for schedule(static) if (weights->rows == 1)
    for (int64_t k = 0; k < items; k++) {
        const double weight = weight_of(rule, row, k, items);
        if (weights->value_type == SPG_F32)
            ((float *)weights->values)[begin + k] = (float)weight;
        else
            ((double *)weights->values)[begin + k] = weight;
    }
}

static spg_status generate(spg_context *host, const sampling_options *chosen, const weights_rule *rule,
                           spg_csr *weights)
{
    const int64_t rows = chosen->rows;
    int64_t nnz = 0;
    for (int64_t i = 0; i < rows; i++)
        nnz += chosen->ragged ? ragged_length(chosen->seed, i, chosen->items) : chosen->items;
    const spg_status status = allocate_weights(host, rows, chosen->items, nnz, chosen->type, weights);
    if (status != SPG_OK) return status;
    int64_t *offsets = weights->row_offsets;
    offsets[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        offsets[i + 1] = offsets[i] + (chosen->ragged ? ragged_length(chosen->seed, i, chosen->items) : chosen->items);
#pragma omp parallel for schedule(dynamic, 64) if (rows > 1)
    for (int64_t i = 0; i < rows; i++) fill_row(rule, i, weights);
    return SPG_OK;
}

/* The matrix of a file, its values as weights. */
static spg_status load(spg_context *host, const sampling_options *chosen, sampling_problem *task)
{
    const options file = {.type = chosen->type, .type_given = true, .seed = chosen->seed};
    spg_csr *matrix = calloc(1, sizeof *matrix);
    if (matrix == NULL) return spg_context_fail(host, SPG_ERROR_MEMORY, "no memory");
    const spg_status status = load_matrix(host, &file, chosen->weights, matrix, task->name, sizeof task->name);
    task->file = matrix;
    task->host = *matrix;
    return status;
}

/* The weights where draws are made. */
static spg_status bring(sampling_problem *task)
{
    const spg_csr *host = &task->host;
    spg_csr *here = &task->here;
    *here = *host;
    here->place = spg_context_place(task->context);
    const int64_t offset_bytes = (host->rows + 1) * (int64_t)spg_type_size(host->offset_type);
    const int64_t value_bytes = host->nnz * (int64_t)spg_type_size(host->value_type);
    void *columns = NULL;
    spg_status status = array_lend(task->context, host->row_offsets, offset_bytes, &here->row_offsets);
    if (status == SPG_OK) status = array_lend(task->context, host->values, value_bytes, &here->values);
    if (status == SPG_OK && host->columns != NULL)
        status = array_lend(task->context, host->columns, host->nnz * (int64_t)sizeof(int32_t), &columns);
    here->columns = columns;
    return status;
}

static spg_status make_rows(sampling_problem *task)
{
    void *rows = NULL;
    int32_t *numbers = malloc((size_t)task->count * sizeof *numbers);
    if (numbers == NULL) return spg_context_fail(task->context, SPG_ERROR_MEMORY, "no memory");
    for (int64_t i = 0; i < task->count; i++) numbers[i] = (int32_t)i;
    spg_status status = array_allocate(task->context, task->count, sizeof *numbers, &rows);
    task->rows = rows;
    if (status == SPG_OK) status = array_put(task->context, rows, numbers, task->count * (int64_t)sizeof *numbers);
    free(numbers);
    return status;
}

static void stratify(uint64_t seed, int64_t count, double *uniforms)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) {
        const double u = ((double)i + 1.0 - random_share(seed, (uint64_t)i)) / (double)count;
        uniforms[i] = u < 1.0 ? u : 1.0 - 0x1p-53;
    }
}

static spg_status make_uniforms(sampling_problem *task)
{
    void *uniforms = NULL;
    const spg_status status = array_allocate(task->context, task->count, sizeof(double), &uniforms);
    task->uniforms = uniforms;
    if (status != SPG_OK) return status;
    if (task->chosen->place == SPG_PLACE_DEVICE)
        return device_stratified(task->context, task->chosen->seed, task->count, uniforms);
    stratify(task->chosen->seed, task->count, uniforms);
    return SPG_OK;
}

spg_status problem_make(spg_context *host, spg_context *context, const sampling_options *chosen, sampling_problem *task)
{
    weights_rule rule;
    void *draws = NULL;
    *task = (sampling_problem){.chosen = chosen, .context = context, .random = {.seed = chosen->seed}};
    snprintf(task->name, sizeof task->name, "%.40s%s", chosen->weights, chosen->ragged ? " ragged" : "");
    progress("%s: making weights", task->name);
    const bool is_named = weights_named(chosen->weights, chosen->seed, &rule);
    if (!is_named && !names_a_matrix(chosen->weights))
        return spg_context_fail(context, SPG_ERROR_IO,
                                "--weights: unknown weights '%s'; use %s (A from 0 to 64, SHARE from 0 to 1) or a file",
                                chosen->weights, weights_names);
    spg_status status = is_named ? generate(host, chosen, &rule, &task->host) : load(host, chosen, task);
    if (status != SPG_OK)
        return host == context ? status : spg_context_fail(context, status, "%s", spg_context_message(host));
    task->many = task->host.rows > 1;
    task->stratified = chosen->stratified && !task->many;
    task->count = task->many ? task->host.rows : chosen->draws;
    status = bring(task);
    if (status == SPG_OK) status = array_allocate(context, task->count, sizeof(int32_t), &draws);
    task->draws = draws;
    if (status == SPG_OK && task->many) status = make_rows(task);
    if (status == SPG_OK && task->stratified && chosen->given) status = make_uniforms(task);
    return status;
}

void problem_drop(spg_context *host, sampling_problem *task)
{
    array_free(task->context, task->uniforms);
    array_free(task->context, task->rows);
    array_free(task->context, task->draws);
    array_unlend(task->context, task->here.row_offsets);
    array_unlend(task->context, task->here.columns);
    array_unlend(task->context, task->here.values);
    if (task->file != NULL) {
        spg_csr_free(host, task->file);
        free(task->file);
    } else {
        array_free(host, task->host.row_offsets);
        array_free(host, task->host.values);
    }
    *task = (sampling_problem){0};
}

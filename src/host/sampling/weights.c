/* See weights.h. */
#include "weights.h"

#include "../host.h"
#include "memory.h"
#include "sampling/faults.h"

typedef struct lengths_job {
    const spg_csr *weights;
    bool empty_rows; /* are allowed */
    atomic_llong *longest, *first;
} lengths_job;

static void check_lengths(const void *data, spg_range rows)
{
    const lengths_job *job = data;
    int64_t longest = 0, first = INT64_MAX;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        int64_t items = spg_offset_at(job->weights, i + 1) - spg_offset_at(job->weights, i);
        if (items > longest) longest = items;
        if (((items == 0 && !job->empty_rows) || items > INT32_MAX) && i < first) first = i;
    }
    spg_raise(job->longest, longest);
    spg_lower(job->first, first);
}

/* The length of the longest row. *odd = the first row that is empty, if none may be, or has too many items, else
 * rows. */
static int64_t longest_row(const spg_context *context, const spg_csr *weights, int64_t *odd)
{
    atomic_llong longest = 0, first = weights->rows;
    spg_parallel(spg_host_threads(context, weights->rows), weights->rows, 0, check_lengths,
                 &(lengths_job){weights, context->draw_options.empty_rows != 0, &longest, &first});
    *odd = first;
    return longest;
}

/* The fault of a row of valid length: its first faulty weight, or that all are zero. */
static spg_weight_fault row_fault(const spg_csr *weights, int64_t row, int64_t *item)
{
    int64_t begin = spg_offset_at(weights, row), end = spg_offset_at(weights, row + 1);
    bool zeros = true;
    for (int64_t k = begin; k < end; ++k) {
        double weight = spg_weight_at(weights->values, weights->value_type, k);
        spg_weight_fault fault = spg_weight_kind(weight);
        *item = k - begin;
        if (fault != SPG_WEIGHT_SOUND) return fault;
        zeros &= weight == 0;
    }
    return zeros ? SPG_WEIGHT_ZEROS : SPG_WEIGHT_SOUND;
}

spg_status spg_host_find_weight_fault(spg_context *context, const spg_csr *weights, int64_t rows)
{
    for (int64_t i = 0; i < rows; ++i) {
        int64_t begin = spg_offset_at(weights, i), items = spg_offset_at(weights, i + 1) - begin, item = 0;
        spg_weight_fault fault = items > INT32_MAX ? SPG_WEIGHT_LONG
                                 : items == 0      ? SPG_WEIGHT_EMPTY
                                                   : row_fault(weights, i, &item);
        if (fault == SPG_WEIGHT_SOUND) continue;
        if (context->draw_options.empty_rows && (fault == SPG_WEIGHT_EMPTY || fault == SPG_WEIGHT_ZEROS)) continue;
        double weight = items > 0 ? spg_weight_at(weights->values, weights->value_type, begin + item) : 0;
        return spg_fail_weight(context, fault, i, items, item, weight);
    }
    return SPG_OK;
}

spg_status spg_host_fail_weights(spg_context *context, const spg_csr *weights, int64_t row)
{
    spg_status status = spg_host_find_weight_fault(context, weights, row < weights->rows ? row + 1 : weights->rows);
    if (status != SPG_OK) return status;
    return spg_context_fail(context, SPG_ERROR_INTERNAL, "weights: no fault found up to row %lld", (long long)row);
}

spg_status spg_host_open_weights(spg_context *context, const spg_csr *weights, bool trusted, int64_t *longest)
{
    int64_t odd = 0;
    spg_status status = trusted ? SPG_OK : spg_host_csr_check(context, weights);
    if (status != SPG_OK) return status;
    *longest = longest_row(context, weights, &odd);
    return odd < weights->rows ? spg_host_fail_weights(context, weights, odd) : SPG_OK;
}

typedef struct offsets_job {
    const spg_csr *weights;
    int64_t *offsets;
} offsets_job;

static void copy_offsets(const void *data, spg_range range)
{
    const offsets_job *job = data;
    for (int64_t i = range.begin; i < range.end; ++i) job->offsets[i] = spg_offset_at(job->weights, i);
}

spg_status spg_host_copy_shape(spg_context *context, const spg_csr *weights, int64_t **offsets, int32_t **columns)
{
    int64_t column_bytes = spg_array_bytes(weights->nnz, sizeof **columns);
    void *memory = NULL;
    spg_status status =
        spg_allocate(context, spg_array_bytes(weights->rows + 1, sizeof **offsets), "row offsets", &memory);
    *offsets = memory;
    if (status != SPG_OK) return status;
    spg_parallel(spg_host_threads(context, weights->rows), weights->rows + 1, 0, copy_offsets,
                 &(offsets_job){weights, *offsets});
    if (weights->columns == NULL) return SPG_OK;
    status = spg_allocate(context, column_bytes, "columns", &memory);
    *columns = memory;
    if (status == SPG_OK) spg_host_copy(context, *columns, weights->columns, column_bytes);
    return status;
}

static bool is_for_team(const spg_csr *weights, int64_t row)
{
    return spg_offset_at(weights, row + 1) - spg_offset_at(weights, row) > SPG_TEAM_ITEMS;
}

typedef struct build_job {
    const spg_csr *weights;
    spg_build_row *build;
    const void *table;
    int64_t thread_room;
    char *room;
    atomic_llong *bad; /* the first faulty row */
    atomic_bool *for_team;
} build_job;

static void build_short_rows(const void *data, spg_range rows)
{
    const build_job *job = data;
    void *room = job->room + job->thread_room * rows.thread;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        if (is_for_team(job->weights, i)) {
            atomic_store(job->for_team, true);
        } else if (!job->build(job->weights, job->table, i, (spg_threads){1, NULL}, room)) {
            spg_lower(job->bad, i);
            return;
        }
    }
}

int64_t spg_host_build_rows(const spg_csr *weights, spg_build_row *build, const void *table, spg_threads threads,
                            spg_threads team, int64_t thread_room, void *room)
{
    atomic_llong first_bad = weights->rows;
    atomic_bool for_team = false;
    const build_job job = {weights, build, table, thread_room, room, &first_bad, &for_team};
    spg_host_parallel_rows(threads, weights, spg_host_parts(threads), build_short_rows, &job);
    int64_t bad = first_bad;
    for (int64_t i = 0; for_team && i < bad; ++i)
        if (is_for_team(weights, i) && !build(weights, table, i, team, job.room + thread_room * threads.count)) bad = i;
    return bad;
}

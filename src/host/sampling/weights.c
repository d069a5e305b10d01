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

spg_status spg_host_find_row_fault(spg_context *context, const spg_csr *weights, int64_t row)
{
    int64_t begin = spg_offset_at(weights, row), items = spg_offset_at(weights, row + 1) - begin, item = 0;
    spg_weight_fault fault = items > INT32_MAX ? SPG_WEIGHT_LONG
                             : items == 0      ? SPG_WEIGHT_EMPTY
                                               : row_fault(weights, row, &item);
    if (fault == SPG_WEIGHT_SOUND) return SPG_OK;
    if (context->draw_options.empty_rows && (fault == SPG_WEIGHT_EMPTY || fault == SPG_WEIGHT_ZEROS)) return SPG_OK;
    double weight = items > 0 ? spg_weight_at(weights->values, weights->value_type, begin + item) : 0;
    return spg_fail_weight(context, fault, row, items, item, weight);
}

spg_status spg_host_find_weight_fault(spg_context *context, const spg_csr *weights, int64_t rows)
{
    spg_status status = SPG_OK;
    for (int64_t i = 0; status == SPG_OK && i < rows; ++i) status = spg_host_find_row_fault(context, weights, i);
    return status;
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
    const int32_t *rows; /* or NULL: all */
    spg_build_row *build;
    const void *table;
    int64_t thread_room;
    char *room;
    atomic_llong *bad; /* the first faulty row, by its place in the list */
    atomic_bool *for_team;
} build_job;

static int64_t listed_row(const int32_t *rows, int64_t k) { return rows != NULL ? rows[k] : k; }

static void build_short_rows(const void *data, spg_range rows)
{
    const build_job *job = data;
    void *room = job->room + job->thread_room * rows.thread;
    for (int64_t k = rows.begin; k < rows.end; ++k) {
        const int64_t i = listed_row(job->rows, k);
        if (is_for_team(job->weights, i)) {
            atomic_store(job->for_team, true);
        } else if (!job->build(job->weights, job->table, i, (spg_threads){1, NULL}, room)) {
            spg_lower(job->bad, k);
            return;
        }
    }
}

int64_t spg_host_build_listed_rows(const spg_csr *weights, spg_row_list rows, spg_build_row *build, const void *table,
                                   const spg_build_means *means)
{
    atomic_llong first_bad = rows.count;
    atomic_bool for_team = false;
    const spg_threads threads = means->threads;
    const build_job job = {weights, rows.rows, build, table, means->thread_room, means->room, &first_bad, &for_team};
    if (rows.rows == NULL)
        spg_host_parallel_rows(threads, weights, spg_host_parts(threads), build_short_rows, &job);
    else
        spg_parallel(threads, rows.count, 0, build_short_rows, &job);
    int64_t bad = first_bad;
    void *team_room = job.room + means->thread_room * threads.count;
    for (int64_t k = 0; for_team && k < bad; ++k) {
        const int64_t i = listed_row(rows.rows, k);
        if (is_for_team(weights, i) && !build(weights, table, i, means->team, team_room)) bad = k;
    }
    return bad;
}

int64_t spg_host_build_rows(const spg_csr *weights, spg_build_row *build, const void *table, spg_threads threads,
                            spg_threads team, int64_t thread_room, void *room)
{
    const spg_build_means means = {threads, team, thread_room, room};
    return spg_host_build_listed_rows(weights, (spg_row_list){NULL, weights->rows}, build, table, &means);
}

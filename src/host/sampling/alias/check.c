/* Whether rows of a table can be given new weights: their numbers, their pattern, the weights. */
#include "host/sampling/host_sampling.h"
#include "host/sampling/weights.h"
#include "host/work.h"
#include "sampling/faults.h"
#include "sampling/sums.h"

typedef struct list_job {
    const int32_t *rows;
    int64_t limit;
    atomic_llong *outside, *unordered;
} list_job;

static void check_list(const void *data, spg_range range)
{
    const list_job *job = data;
    for (int64_t k = range.begin; k < range.end; ++k) {
        if (job->rows[k] < 0 || job->rows[k] >= job->limit) spg_lower(job->outside, k);
        if (k > 0 && job->rows[k] <= job->rows[k - 1]) spg_lower(job->unordered, k);
    }
}

static spg_status check_rows(spg_context *context, spg_row_list rows, int64_t limit)
{
    atomic_llong outside = rows.count, unordered = rows.count;
    spg_parallel(spg_host_threads(context, rows.count), rows.count, 0, check_list,
                 &(list_job){rows.rows, limit, &outside, &unordered});
    if (outside < rows.count) return spg_fail_row_number(context, outside, rows.rows[outside], limit);
    return unordered < rows.count ? spg_fail_list_order(context, unordered, rows.rows[unordered]) : SPG_OK;
}

/* Items of a row of the table. */
typedef struct items_job {
    const spg_csr *weights;
    const int32_t *columns; /* of the table; NULL: not compared */
    int64_t begin;
    atomic_bool *is_wrong, *has_weight;
} items_job;

static void check_items(const void *data, spg_range items)
{
    const items_job *job = data;
    bool wrong = false, positive = false;
    for (int64_t k = job->begin + items.begin; k < job->begin + items.end; ++k) {
        const double weight = spg_weight_at(job->weights->values, job->weights->value_type, k);
        if (job->columns != NULL) wrong |= job->columns[k] != job->weights->columns[k];
        wrong |= spg_weight_kind(weight) != SPG_WEIGHT_SOUND;
        positive |= weight > 0;
    }
    if (wrong) atomic_store(job->is_wrong, true);
    if (positive) atomic_store(job->has_weight, true);
}

typedef struct new_weights {
    const spg_alias *alias;
    const spg_csr *weights;
    const int32_t *columns; /* of the table, where they are to be compared */
} new_weights;

static bool has_offsets(const new_weights *of, int64_t i)
{
    return spg_offset_at(of->weights, i) == of->alias->offsets[i] &&
           spg_offset_at(of->weights, i + 1) == of->alias->offsets[i + 1];
}

/* Whether a row of the table can be given its weights. */
static bool check_row(const spg_csr *shape, const void *table, int64_t i, spg_threads threads, void *unused)
{
    const new_weights *of = table;
    const int64_t begin = of->alias->offsets[i], items = of->alias->offsets[i + 1] - begin;
    atomic_bool is_wrong = false, has_weight = false;
    (void)shape;
    (void)unused;
    if (!has_offsets(of, i)) return false;
    spg_parallel(threads, items, 0, check_items, &(items_job){of->weights, of->columns, begin, &is_wrong, &has_weight});
    return !is_wrong && (has_weight || of->alias->empty_rows);
}

static bool has_pattern(const new_weights *of, int64_t i)
{
    bool same = has_offsets(of, i);
    for (int64_t k = of->alias->offsets[i]; same && of->columns != NULL && k < of->alias->offsets[i + 1]; ++k)
        same = of->weights->columns[k] == of->columns[k];
    return same;
}

/* The first row of another pattern or, if there is none, the first faulty weight. */
static spg_status fail(spg_context *context, const new_weights *of, spg_row_list rows)
{
    spg_status status = SPG_OK;
    for (int64_t k = 0; k < rows.count; ++k) {
        const int64_t i = rows.rows != NULL ? rows.rows[k] : k;
        if (!has_pattern(of, i)) return spg_fail_pattern(context, i);
    }
    for (int64_t k = 0; status == SPG_OK && k < rows.count; ++k)
        status = spg_host_find_row_fault(context, of->weights, rows.rows != NULL ? rows.rows[k] : k);
    return status;
}

spg_status spg_host_alias_check(spg_context *context, const spg_alias *alias, const spg_csr *weights, spg_row_list rows)
{
    const new_weights of = {alias, weights, weights->columns != NULL ? alias->columns : NULL};
    const spg_status status = rows.rows != NULL ? check_rows(context, rows, alias->rows) : SPG_OK;
    if (status != SPG_OK) return status;
    char none = 0;
    const spg_build_means means = {.threads = spg_host_threads(context, alias->nnz + alias->rows),
                                   .team = spg_host_threads_up_to(context, INT64_MAX),
                                   .room = &none};
    spg_csr shape = *weights; /* with offsets that are known to be sound */
    shape.offset_type = SPG_I64;
    shape.row_offsets = alias->offsets;
    const int64_t bad = spg_host_build_listed_rows(&shape, rows, check_row, &of, &means);
    return bad < rows.count ? fail(context, &of, rows) : SPG_OK;
}

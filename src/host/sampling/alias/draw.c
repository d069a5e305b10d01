/* Draws from alias tables in the order of the numbers. A batch first makes its numbers, then prefetches the buckets
 * that they select, so that the reads overlap. */
#include "draw.h"

#include "host/sampling/host_sampling.h"
#include "host/sampling/random.h"
#include "host/sampling/row_numbers.h"
#include "host/work.h"
#include "sampling/faults.h"

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* Smaller tables stay in cache, where prefetching only costs time. */
enum { CACHED_ITEMS = 1 << 15 };

static void fetch_ahead(const spg_alias *alias, int64_t begin, int64_t items, const uint64_t *numbers, int size)
{
    size_t bucket = alias->resolution == SPG_ALIAS_EXACT ? sizeof(spg_alias_exact) : sizeof(spg_alias_compact);
    const char *table = (const char *)alias->table + (size_t)begin * bucket;
    for (int k = 0; k < size; ++k) PREFETCH(table + spg_multiply_high(numbers[k], (uint64_t)items) * bucket);
}

static void draw_batch(const spg_alias *alias, int64_t begin, int64_t items, const uint64_t *numbers, int size,
                       int32_t *draws)
{
    if (items > CACHED_ITEMS) fetch_ahead(alias, begin, items, numbers, size);
    if (alias->resolution == SPG_ALIAS_EXACT) {
        const spg_alias_exact *table = (const spg_alias_exact *)alias->table + begin;
        for (int k = 0; k < size; ++k) draws[k] = spg_alias_draw_exact(table, items, numbers[k]);
    } else {
        const spg_alias_compact *table = (const spg_alias_compact *)alias->table + begin;
        for (int k = 0; k < size; ++k) draws[k] = spg_alias_draw_compact(table, items, numbers[k]);
    }
    spg_host_name_items(alias, begin, size, draws);
}

/* Draws from row `row`, or each from its own row in `rows`; draw i from row i if rows is NULL. */
typedef struct draw_job {
    const spg_alias *alias;
    int64_t row, count;
    const int32_t *rows;
    const spg_random *random;
    int32_t *draws;
} draw_job;

static void draw_in_order(const void *data, spg_range batches)
{
    const draw_job *job = data;
    const spg_alias *alias = job->alias;
    int64_t begin = alias->offsets[job->row], items = alias->offsets[job->row + 1] - begin;
    for (int64_t b = batches.begin; b < batches.end; ++b) {
        uint64_t numbers[SPG_BATCH];
        int size = spg_host_batch_size(b, job->count);
        spg_host_numbers(job->random, (uint64_t)(b * SPG_BATCH), size, numbers);
        draw_batch(alias, begin, items, numbers, size, job->draws + b * SPG_BATCH);
    }
}

spg_status spg_host_alias_draws(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                                const spg_random *random, spg_alias_sampler sampler, bool grouped, int32_t *draws)
{
    (void)sampler; /* the host has one grouping sampler */
    if (grouped) return spg_host_grouped_draws(context, alias, row, count, random, draws);
    spg_parallel(spg_host_threads(context, count), spg_host_batches(count), 0, draw_in_order,
                 &(draw_job){.alias = alias, .row = row, .count = count, .random = random, .draws = draws});
    return SPG_OK;
}

/* row: SPG_NO_ITEM for none. */
static int32_t draw_one(const spg_alias *alias, int64_t row, uint64_t number)
{
    if (row == SPG_NO_ITEM) return SPG_NO_ITEM;
    int64_t begin = alias->offsets[row], items = alias->offsets[row + 1] - begin;
    if (items == 0) return SPG_NO_ITEM;
    int32_t item = alias->resolution == SPG_ALIAS_EXACT
                       ? spg_alias_draw_exact((const spg_alias_exact *)alias->table + begin, items, number)
                       : spg_alias_draw_compact((const spg_alias_compact *)alias->table + begin, items, number);
    return alias->columns != NULL && item >= 0 ? alias->columns[begin + item] : item;
}

static void draw_by_rows(const void *data, spg_range batches)
{
    const draw_job *job = data;
    for (int64_t b = batches.begin; b < batches.end; ++b) {
        uint64_t numbers[SPG_BATCH];
        int64_t first = b * SPG_BATCH;
        int size = spg_host_batch_size(b, job->count);
        spg_host_numbers(job->random, (uint64_t)first, size, numbers);
        for (int k = 0; k < size; ++k)
            job->draws[first + k] =
                draw_one(job->alias, job->rows != NULL ? job->rows[first + k] : first + k, numbers[k]);
    }
}

spg_status spg_host_alias_row_draws(spg_context *context, const spg_alias *alias, int64_t count, const int32_t *rows,
                                    const spg_random *random, int32_t *draws)
{
    if (rows != NULL) {
        int64_t odd = spg_host_first_bad_row(context, rows, count, alias->rows, alias->empty_rows);
        if (odd < count) return spg_fail_row_number(context, odd, rows[odd], alias->rows);
    }
    spg_parallel(spg_host_threads(context, count), spg_host_batches(count), 0, draw_by_rows,
                 &(draw_job){.alias = alias, .count = count, .rows = rows, .random = random, .draws = draws});
    return SPG_OK;
}

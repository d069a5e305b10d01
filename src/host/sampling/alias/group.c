/* Draws grouped by sections of the table (src/sampling/alias.h, src/sampling/binomial.h): first the counts of the
 * sections, then each section's draws while its buckets are in cache. */
#include "draw.h"
#include "host/sampling/random.h"
#include "host/work.h"
#include "memory.h"
#include "sampling/binomial.h"

/* A grouped call. */
typedef struct group_call {
    const spg_alias *alias;
    int64_t begin, items, count; /* of the row; count: of the draws */
    const spg_random *random;
    uint64_t key;
    int64_t *offsets; /* of the sections' draws; sections + 1 */
    int32_t *draws;
    int64_t sections, parts;
} group_call;

/* The offsets of the sections of `node` among [from, to). */
static void split(const group_call *call, const spg_section_node *node, int64_t from, int64_t to)
{
    if (node->b <= from || node->a >= to) return;
    if (node->b - node->a == 1) {
        call->offsets[node->a] = node->offset;
        return;
    }
    int64_t left_count = spg_left_count(node, call->items, call->key);
    for (int right = 0; right < 2; ++right) {
        spg_section_node child = spg_section_child(node, left_count, right);
        split(call, &child, from, to);
    }
}

/* Draws from..to of one section, starting with number `in_run` of the run whose blocks are in `halves`. */
static void draw_run(const group_call *call, int64_t first_bucket, int64_t buckets, int64_t from, int64_t to,
                     int in_run, const uint64_t *halves)
{
    const spg_alias_compact *table = (const spg_alias_compact *)call->alias->table + call->begin + first_bucket;
    int32_t *draws = call->draws + from;
    int end = in_run + (int)(to - from);
    for (int place = in_run / SPG_RUN_BLOCKS; place * SPG_RUN_BLOCKS < end; ++place) {
        int first = place * SPG_RUN_BLOCKS, last = first + SPG_RUN_BLOCKS < end ? first + SPG_RUN_BLOCKS : end;
        for (int k = first < in_run ? in_run : first; k < last; ++k) {
            const uint64_t *block = halves + (ptrdiff_t)2 * (k - first);
            uint64_t position = spg_grouped_bits(block[0], block[1], place) * (uint64_t)buckets;
            int32_t bucket = (int32_t)(position >> 42);
            draws[k - in_run] =
                spg_compact_choice(table[bucket], (int32_t)first_bucket + bucket, (uint32_t)(position >> 10));
        }
    }
}

static void draw_compact(const group_call *call, int64_t first_bucket, int64_t buckets, int64_t from, int64_t to)
{
    enum { RUNS = 4, MOST = RUNS * SPG_GROUPED_RUN };
    uint64_t halves[2 * RUNS * SPG_RUN_BLOCKS];
    while (from < to) {
        spg_grouped_place at = spg_find_grouped(call->random->first, from);
        int64_t end = to - from < MOST - at.in_run ? to : from + MOST - at.in_run;
        int runs = (int)((at.in_run + (end - from) + SPG_GROUPED_RUN - 1) / SPG_GROUPED_RUN);
        spg_host_blocks(call->random->seed, at.block, call->random->stream, runs * SPG_RUN_BLOCKS, halves);
        for (const uint64_t *run = halves; from < end; run += (ptrdiff_t)2 * SPG_RUN_BLOCKS) {
            int64_t run_end = from + SPG_GROUPED_RUN - at.in_run;
            if (run_end > end) run_end = end;
            draw_run(call, first_bucket, buckets, from, run_end, at.in_run, run);
            at.in_run = 0;
            from = run_end;
        }
    }
}

static void draw_exact(const group_call *call, int64_t first_bucket, int64_t buckets, int64_t from, int64_t to)
{
    const spg_alias_exact *table = (const spg_alias_exact *)call->alias->table + call->begin + first_bucket;
    uint64_t numbers[SPG_BATCH];
    while (from < to) {
        int count = to - from < SPG_BATCH ? (int)(to - from) : SPG_BATCH;
        spg_host_numbers(call->random, (uint64_t)from, count, numbers);
        for (int k = 0; k < count; ++k) {
            int32_t bucket = (int32_t)spg_multiply_high(numbers[k], (uint64_t)buckets);
            int32_t own = (int32_t)first_bucket + bucket;
            call->draws[from + k] = spg_exact_choice(table + bucket, own, numbers[k] * (uint64_t)buckets);
        }
        from += count;
    }
}

/* One piece of the output, which may begin and end within sections. */
static void draw_piece(const group_call *call, int64_t sections, int64_t from, int64_t to)
{
    int64_t low = 0, high = sections - 1; /* the last section that begins at or before `from` */
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (call->offsets[middle] <= from)
            low = middle;
        else
            high = middle - 1;
    }
    for (int64_t s = low; s < sections && call->offsets[s] < to; ++s) {
        int64_t first = call->offsets[s] > from ? call->offsets[s] : from;
        int64_t last = call->offsets[s + 1] < to ? call->offsets[s + 1] : to;
        int64_t buckets = spg_rows_of_sections(s, s + 1, call->items);
        if (call->alias->resolution == SPG_ALIAS_EXACT)
            draw_exact(call, s * SPG_SECTION, buckets, first, last);
        else
            draw_compact(call, s * SPG_SECTION, buckets, first, last);
    }
    spg_host_name_items(call->alias, call->begin, to - from, call->draws + from);
}

static void split_parts(const void *data, spg_range parts)
{
    const group_call *call = data;
    const spg_section_node root = spg_section_root(call->items, call->count);
    split(call, &root, spg_host_cut(call->sections, parts.begin, call->parts),
          spg_host_cut(call->sections, parts.end, call->parts));
}

static void draw_parts(const void *data, spg_range parts)
{
    const group_call *call = data;
    for (int64_t p = parts.begin; p < parts.end; ++p)
        draw_piece(call, call->sections, spg_host_cut(call->count, p, call->parts),
                   spg_host_cut(call->count, p + 1, call->parts));
}

spg_status spg_host_grouped_draws(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                                  const spg_random *random, int32_t *draws)
{
    int64_t begin = alias->offsets[row], items = alias->offsets[row + 1] - begin, sections = spg_sections(items);
    int64_t bytes = spg_array_bytes(sections + 1, sizeof(int64_t));
    uint64_t key = spg_split_key(random->seed, random->stream, random->first);
    const spg_threads threads = spg_host_threads(context, count);
    if (items == 0) {
        for (int64_t i = 0; i < count; ++i) draws[i] = SPG_NO_ITEM;
        return SPG_OK;
    }
    group_call call = {alias, begin, items, count, random, key, NULL, draws, sections, spg_host_parts(threads)};
    void *offsets = NULL;
    spg_status status = spg_allocate_workspace(context, 0, bytes, "counts of sections", &offsets);
    if (status != SPG_OK) return status;
    call.offsets = offsets;
    call.offsets[sections] = count;
    spg_parallel(threads, call.parts, 1, split_parts, &call);
    spg_parallel(threads, call.parts, 1, draw_parts, &call);
    spg_release(context, offsets, bytes);
    return SPG_OK;
}

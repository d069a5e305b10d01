/* Draws without replacement (src/sampling/subset.h): a heap of the k least keys seen so far, the largest at its top.
 * Most items cannot get below the top, which their number shows before its logarithm is taken. Short and middle rows
 * are done by one thread each; of a long one each thread takes a part, and the heaps are then joined. */
#include "sampling/subset.h"

#include "host_sampling.h"
#include "memory.h"
#include "random.h"
#include "sampling/faults.h"
#include "weights.h"

#include <math.h>

typedef struct candidate {
    uint64_t key;
    int32_t item;
} candidate;

typedef struct heap {
    candidate *of; /* room for `room` of them */
    int64_t count, room;
    double least_ratio; /* E over weight of an item that comes in is less, if the heap is full; infinite: any */
} heap;

static bool comes_after(candidate a, candidate b) { return a.key != b.key ? a.key > b.key : a.item > b.item; }

/* Puts c at place `at` or below, among of[0, count). */
static void sink(candidate *of, int64_t count, int64_t at, candidate c)
{
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_after(of[child + 1], of[child])) ++child;
        if (!comes_after(of[child], c)) break;
        of[at] = of[child];
        at = child;
    }
    of[at] = c;
}

static void rise(candidate *of, int64_t at, candidate c)
{
    for (; at > 0 && comes_after(c, of[(at - 1) / 2]); at = (at - 1) / 2) of[at] = of[(at - 1) / 2];
    of[at] = c;
}

/* A key as a number, rounded up; infinite if it is out of the middle of what a double holds. */
static double ratio_of_key(uint64_t key)
{
    const int exponent = (int)(key >> 52) - 2048;
    return exponent > -900 && exponent < 900 ? spg_power_of_two(exponent) * 2 : (double)INFINITY;
}

static void consider(heap *h, candidate c)
{
    if (h->count < h->room) {
        rise(h->of, h->count++, c);
    } else if (comes_after(h->of[0], c)) {
        sink(h->of, h->count, 0, c);
    } else {
        return;
    }
    h->least_ratio = h->count < h->room ? (double)INFINITY : ratio_of_key(h->of[0].key);
}

/* Orders the heap: the least key first. */
static void sort(const heap *h)
{
    for (int64_t last = h->count - 1; last > 0; --last) {
        const candidate largest = h->of[0];
        sink(h->of, last, 0, h->of[last]);
        h->of[last] = largest;
    }
}

/* A row, and the number of its first item. */
typedef struct subset_row {
    const void *values;
    spg_type type;
    int64_t begin, items;
    const spg_random *random;
} subset_row;

/* Items [from, to) of a row. False if a weight is faulty. */
static bool consider_items(const subset_row *row, int64_t from, int64_t to, heap *h)
{
    for (int64_t first = from; first < to; first += SPG_BATCH) {
        uint64_t numbers[SPG_BATCH];
        const int size = to - first < SPG_BATCH ? (int)(to - first) : SPG_BATCH;
        spg_host_numbers(row->random, (uint64_t)(row->begin + first), size, numbers);
        for (int k = 0; k < size; ++k) {
            const double weight = spg_weight_at(row->values, row->type, first + k);
            if (spg_weight_kind(weight) != SPG_WEIGHT_SOUND) return false;
            if (weight == 0 || 0.99 * spg_subset_uniform(numbers[k]) > h->least_ratio * weight) continue;
            consider(h, (candidate){spg_subset_key(numbers[k], weight), (int32_t)(first + k)});
        }
    }
    return true;
}

typedef struct subset_call {
    int64_t k;
    bool empty_rows;
    const spg_random *random;
    int32_t *draws;
} subset_call;

/* The parts of a long row, a heap each. */
typedef struct parts_job {
    const subset_row *row;
    heap *heaps;
    int64_t parts;
    atomic_bool *is_faulty;
} parts_job;

static void consider_parts(const void *data, spg_range parts)
{
    const parts_job *job = data;
    for (int64_t p = parts.begin; p < parts.end; ++p)
        if (!consider_items(job->row, spg_host_cut(job->row->items, p, job->parts),
                            spg_host_cut(job->row->items, p + 1, job->parts), &job->heaps[p]))
            atomic_store(job->is_faulty, true);
}

enum { MOST_PARTS = 64 };

static int parts_of(spg_threads threads) { return threads.count < MOST_PARTS ? threads.count : MOST_PARTS; }

/* The heap of a row in `room`, which has k candidates for each part. False if a weight is faulty. */
static bool fill_heap(const subset_row *row, int64_t k, spg_threads threads, candidate *room, heap *all)
{
    heap heaps[MOST_PARTS];
    const int parts = parts_of(threads);
    atomic_bool is_faulty = false;
    for (int p = 0; p < parts; ++p) heaps[p] = (heap){room + p * k, 0, k, (double)INFINITY};
    spg_parallel(threads, parts, 1, consider_parts, &(parts_job){row, heaps, parts, &is_faulty});
    for (int p = 1; p < parts; ++p)
        for (int64_t c = 0; c < heaps[p].count; ++c) consider(&heaps[0], heaps[p].of[c]);
    *all = heaps[0];
    return !is_faulty;
}

static bool draw_row(const spg_csr *weights, const void *table, int64_t i, spg_threads threads, void *room)
{
    const subset_call *call = table;
    const int64_t begin = spg_offset_at(weights, i), items = spg_offset_at(weights, i + 1) - begin;
    const size_t size = spg_type_size(weights->value_type);
    const subset_row row = {items > 0 ? (const char *)weights->values + (size_t)begin * size : NULL,
                            weights->value_type, begin, items, call->random};
    const int64_t most = call->k < items ? call->k : items;
    int32_t *draws = call->draws + i * call->k;
    heap h;
    if (!fill_heap(&row, most, threads, room, &h)) return false;
    if (h.count < call->k && !call->empty_rows) return false;
    sort(&h);
    for (int64_t d = 0; d < h.count; ++d)
        draws[d] = weights->columns != NULL ? weights->columns[begin + h.of[d].item] : h.of[d].item;
    for (int64_t d = h.count; d < call->k; ++d) draws[d] = SPG_NO_ITEM;
    return true;
}

/* A row has too few items if all weights are sound. */
static spg_status fail(spg_context *context, const spg_csr *weights, int64_t row, int64_t k)
{
    int64_t positive = 0;
    spg_status status = spg_host_find_weight_fault(context, weights, weights->rows);
    for (int64_t e = spg_offset_at(weights, row); status == SPG_OK && e < spg_offset_at(weights, row + 1); ++e)
        positive += spg_weight_at(weights->values, weights->value_type, e) > 0;
    return status == SPG_OK ? spg_fail_few(context, row, positive, k) : status;
}

spg_status spg_host_subset_draws(spg_context *context, const spg_csr *weights, int64_t k, const spg_random *random,
                                 int32_t *draws)
{
    int64_t longest = 0;
    void *room = NULL;
    spg_status status = spg_host_open_weights(context, weights, context->draw_options.trusted != 0, &longest);
    if (status != SPG_OK) return status;
    const spg_threads threads = spg_host_threads(context, weights->nnz + weights->rows);
    const spg_threads team = spg_host_threads_up_to(context, MOST_PARTS);
    const int64_t by_thread = longest < SPG_TEAM_ITEMS ? longest : SPG_TEAM_ITEMS;
    const int64_t thread_bytes = spg_array_bytes(k < by_thread ? k : by_thread, sizeof(candidate));
    const int64_t team_bytes =
        longest > SPG_TEAM_ITEMS ? spg_array_bytes((k < longest ? k : longest) * parts_of(team), sizeof(candidate)) : 0;
    const int64_t bytes = thread_bytes * threads.count + team_bytes;
    status = spg_allocate_workspace(context, 0, bytes, "keys of a draw without replacement", &room);
    if (status != SPG_OK) return status;
    const subset_call call = {k, context->draw_options.empty_rows != 0, random, draws};
    const int64_t bad = spg_host_build_rows(weights, draw_row, &call, threads, team, thread_bytes, room);
    spg_release(context, room, bytes);
    return bad < weights->rows ? fail(context, weights, bad, k) : SPG_OK;
}

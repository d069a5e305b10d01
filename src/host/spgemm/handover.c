/* Assembly: finished rows go from a worker's staging to their place in C, chunk after chunk in A's order. */
#include "worker.h"

#include <sched.h>
#include <string.h>

static bool wait_for_turn(spg_worker *worker)
{
    multiplication *shared = worker->shared;
    if (worker->has_turn) return true;
    for (int spins = 0; atomic_load_explicit(&shared->turn, memory_order_acquire) != worker->chunk.index; spins++) {
        if (atomic_load_explicit(&shared->failed, memory_order_relaxed)) return false;
        if (spins > 200) sched_yield();
    }
    worker->has_turn = true;
    worker->offset = shared->appended;
    return true;
}

static int64_t c_offset(const spg_csr *C, int64_t row)
{
    return C->offset_type == SPG_I32 ? ((const int32_t *)C->row_offsets)[row] : ((const int64_t *)C->row_offsets)[row];
}

static bool find_place(spg_worker *worker)
{
    multiplication *shared = worker->shared;
    if (shared->mode == HANDOVER_APPEND) return wait_for_turn(worker);
    if (shared->mode == HANDOVER_PLACE) worker->offset = c_offset(shared->product->C, worker->chunk.first_row);
    return true;
}

/* From here on only lengths count: more entries than C's offsets can hold. */
static bool fits_offsets(const multiplication *shared, int64_t entries)
{
    return shared->product->C->offset_type == SPG_I64 || entries <= INT32_MAX;
}

static void copy_staged(spg_worker *worker)
{
    multiplication *shared = worker->shared;
    int64_t to = worker->offset + worker->flushed, count = worker->staged;
    if (shared->mode != HANDOVER_COUNT && fits_offsets(shared, to + count)) {
        memcpy(shared->c_columns + to, worker->columns, (size_t)count * sizeof(int32_t));
        if (shared->value_bytes > 0)
            memcpy(shared->c_values + to * shared->value_bytes, worker->values, (size_t)(count * shared->value_bytes));
    }
    worker->flushed += count;
    worker->staged = 0;
}

bool spg_make_room(spg_worker *worker, int64_t entries)
{
    if (worker->staged + entries <= worker->shared->sizes.staging_entries) return true;
    if (!find_place(worker)) return false;
    copy_staged(worker);
    return true;
}

/* C's offsets hold the ends of the rows; in a counting pass, their lengths. */
static void write_offsets(spg_worker *worker)
{
    const multiplication *shared = worker->shared;
    const row_chunk *chunk = &worker->chunk;
    const spg_csr *C = shared->product->C;
    int64_t rows = chunk->rows + chunk->has_long_row, end = shared->mode == HANDOVER_APPEND ? worker->offset : 0;
    for (int64_t r = 0; r < rows; r++) {
        end = shared->mode == HANDOVER_APPEND ? end + worker->row_counts[r] : worker->row_counts[r];
        int64_t at = chunk->first_row + r + 1;
        if (C->offset_type == SPG_I64)
            ((int64_t *)C->row_offsets)[at] = end;
        else
            ((int32_t *)C->row_offsets)[at] = (int32_t)(end <= INT32_MAX ? end : INT32_MAX);
    }
}

bool spg_finish_chunk(spg_worker *worker)
{
    multiplication *shared = worker->shared;
    if (!find_place(worker)) return false;
    if (shared->mode == HANDOVER_APPEND) {
        shared->appended = worker->offset + worker->flushed + worker->staged;
        atomic_store_explicit(&shared->turn, worker->chunk.index + 1, memory_order_release);
    }
    copy_staged(worker);
    if (shared->mode != HANDOVER_PLACE) write_offsets(worker);
    worker->flushed = 0;
    worker->has_turn = false;
    return true;
}

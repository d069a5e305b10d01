/* Assembly: finished rows are copied from a worker's staging buffer to their place in C, chunk after chunk in A's
 * order. A worker whose turn has not come continues with another chunk while its buffer has room, so that a thread that
 * lost its core for some milliseconds does not hold up the others. */
#include "host/work.h"
#include "worker.h"

#include <string.h>

static bool turn_has_come(const multiplication *shared, const staged_chunk *chunk)
{
    return atomic_load(&shared->turn) == chunk->index;
}

/* A chunk that waits for its turn, and its product. */
typedef struct waiting_for_turn {
    const multiplication *shared;
    const staged_chunk *chunk;
} waiting_for_turn;

static bool need_not_wait(const void *data)
{
    const waiting_for_turn *waiting = data;
    return turn_has_come(waiting->shared, waiting->chunk) || atomic_load(&waiting->shared->failed);
}

static bool wait_for_turn(const multiplication *shared, const staged_chunk *chunk)
{
    spg_wait_until(shared->product->context->pool, need_not_wait, &(waiting_for_turn){shared, chunk});
    return turn_has_come(shared, chunk);
}

/* Finds where the chunk's entries begin in C; in append mode only when its turn has come. */
static void place(multiplication *shared, staged_chunk *chunk)
{
    if (chunk->placed) return;
    if (shared->mode == HANDOVER_APPEND) chunk->offset = shared->appended;
    if (shared->mode == HANDOVER_PLACE) chunk->offset = spg_offset_at(shared->product->C, chunk->first_row);
    chunk->placed = true;
}

/* Beyond the range of C's offsets only lengths are counted. */
static bool fits_offsets(const multiplication *shared, int64_t entries)
{
    return shared->product->C->offset_type == SPG_I64 || entries <= INT32_MAX;
}

/* Copies `count` staged entries of a placed chunk. */
static void copy_staged(const spg_worker *worker, staged_chunk *chunk, int64_t count)
{
    const multiplication *shared = worker->shared;
    const int64_t to = chunk->offset + chunk->flushed, value_bytes = shared->value_bytes;
    chunk->flushed += count;
    if (count == 0 || shared->mode == HANDOVER_COUNT || !fits_offsets(shared, to + count)) return;
    memcpy(shared->c_columns + to, worker->columns + chunk->begin, (size_t)count * sizeof(int32_t));
    if (value_bytes > 0)
        memcpy(shared->c_values + to * value_bytes, worker->values + chunk->begin * value_bytes,
               (size_t)(count * value_bytes));
}

/* Until the chunk is placed, C's offsets hold the ends of rows within their chunk; in a counting pass, lengths. */
static void write_ends(const spg_worker *worker, const staged_chunk *chunk)
{
    const multiplication *shared = worker->shared;
    const spg_csr *C = shared->product->C;
    int64_t end = 0;
    for (int64_t r = 0; r < chunk->rows; r++) {
        end = shared->mode == HANDOVER_APPEND ? end + worker->row_counts[r] : worker->row_counts[r];
        spg_set_offset(C, chunk->first_row + r + 1, fits_offsets(shared, end) ? end : INT32_MAX);
    }
}

static void shift_ends(const spg_csr *C, const staged_chunk *chunk)
{
    int64_t *wide = (int64_t *)C->row_offsets + chunk->first_row + 1;
    uint32_t *narrow = (uint32_t *)C->row_offsets + chunk->first_row + 1; /* past 2^31 the product is refused */
    if (C->offset_type == SPG_I64)
        for (int64_t r = 0; r < chunk->rows; r++) wide[r] += chunk->offset;
    else
        for (int64_t r = 0; r < chunk->rows; r++) narrow[r] += (uint32_t)chunk->offset;
}

/* Copies a finished chunk whose turn has come; the next chunk may start as soon as its own place is known. */
static void finish(spg_worker *worker, staged_chunk *chunk)
{
    multiplication *shared = worker->shared;
    place(shared, chunk);
    shared->appended = chunk->offset + chunk->count;
    atomic_store(&shared->turn, chunk->index + 1);
    spg_wake_waiting(shared->product->context->pool);
    copy_staged(worker, chunk, chunk->count - chunk->flushed);
    shift_ends(shared->product->C, chunk);
}

/* Copies the finished chunks whose turn has come, or all of them, waiting for each turn. */
static bool finish_waiting(spg_worker *worker, bool all)
{
    int done = 0;
    for (; done < worker->waiting_chunks; done++) {
        staged_chunk *chunk = &worker->waiting[done];
        if (!all && !turn_has_come(worker->shared, chunk)) break;
        if (!wait_for_turn(worker->shared, chunk)) return false;
        finish(worker, chunk);
    }
    worker->waiting_chunks -= done;
    memmove(worker->waiting, worker->waiting + done, (size_t)worker->waiting_chunks * sizeof worker->waiting[0]);
    return true;
}

bool spg_finish_waiting(spg_worker *worker) { return finish_waiting(worker, true); }

void spg_begin_chunk(spg_worker *worker)
{
    const row_chunk *chunk = &worker->chunk;
    if (worker->waiting_chunks == 0) worker->staged = 0;
    worker->current = (staged_chunk){.index = chunk->index,
                                     .first_row = chunk->first_row,
                                     .rows = chunk->rows + chunk->has_long_row,
                                     .begin = worker->staged};
}

bool spg_make_room(spg_worker *worker, int64_t entries)
{
    multiplication *shared = worker->shared;
    staged_chunk *current = &worker->current;
    if (worker->staged + entries <= shared->sizes.staging_entries) return true;
    if (shared->mode == HANDOVER_APPEND &&
        !(finish_waiting(worker, true) && (current->placed || wait_for_turn(shared, current))))
        return false;
    place(shared, current);
    copy_staged(worker, current, worker->staged - current->begin);
    current->begin = worker->staged = 0;
    return true;
}

bool spg_finish_chunk(spg_worker *worker)
{
    const multiplication *shared = worker->shared;
    staged_chunk *current = &worker->current;
    current->count = current->flushed + worker->staged - current->begin;
    if (shared->mode != HANDOVER_PLACE) write_ends(worker, current);
    if (shared->mode != HANDOVER_APPEND) {
        place(worker->shared, current);
        copy_staged(worker, current, current->count - current->flushed);
        return true;
    }
    if (!finish_waiting(worker, worker->waiting_chunks == MOST_WAITING)) return false;
    worker->waiting[worker->waiting_chunks++] = *current;
    return finish_waiting(worker, false);
}

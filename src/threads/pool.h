/* The threads of a context: the caller's thread and helpers that sleep between regions of work. Private.
 *
 * Helpers start when they are first needed and end with the context. A waiting thread spins for at most some
 * microseconds and then sleeps, so that it does not occupy a core. Work is handed out in ranges on demand: a helper
 * that wakes late, or that has lost its core, is waited for only if it has taken a range. */
#ifndef SPG_SRC_THREADS_POOL_H
#define SPG_SRC_THREADS_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct spg_pool spg_pool;

/* How many threads a region of work takes, and their pool. One thread needs no pool. */
typedef struct spg_threads {
    int count;
    spg_pool *pool;
} spg_threads;

/* Items [begin, end), and the number in [0, count) of the thread that works on them; no two threads have the same
 * number at a time. */
typedef struct spg_range {
    int64_t begin, end;
    int thread;
} spg_range;

typedef void spg_work(const void *job, spg_range range);

/* Calls work(job, range) for ranges that cover [0, count), each once, on at most threads.count threads; returns when
 * all are done. grain: items per range; 0: a number that gives each thread several ranges. A single thread takes
 * everything in one range. The effect of work must not depend on the ranges, and work must not call this function. */
void spg_parallel(spg_threads threads, int64_t count, int64_t grain, spg_work *work, const void *job);

/* To be called within work: returns when has_come(data) is true. Another thread of the same work makes it true by a
 * store to an atomic (memory_order_seq_cst), and then calls spg_wake_waiting. */
void spg_wait_until(spg_pool *pool, bool (*has_come)(const void *data), const void *data);
void spg_wake_waiting(spg_pool *pool);

/* NULL if out of memory. threads: the most that work may take. Starts no thread yet. */
spg_pool *spg_pool_create(int threads);
void spg_pool_destroy(spg_pool *pool);

/* Running threads, including the caller's. */
int spg_pool_running(const spg_pool *pool);

#endif

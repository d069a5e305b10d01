/* The threads of a context: a caller's thread and helpers that sleep between pieces of work. Private.
 *
 * Helpers start when they are first needed and end with the context. A thread that waits spins for some microseconds at
 * most and then sleeps, so that it costs nobody a core. Work is handed out in ranges, to whoever comes: a helper that
 * wakes late, or whose core is taken, is not waited for unless it has a range in hand. */
#ifndef SPG_SRC_THREADS_POOL_H
#define SPG_SRC_THREADS_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct spg_pool spg_pool;

/* How many threads a piece of work takes, and where they come from. One thread needs no pool. */
typedef struct spg_threads {
    int count;
    spg_pool *pool;
} spg_threads;

/* Items [begin, end), and the number in [0, count) of the thread that has them: of one thread at a time. */
typedef struct spg_range {
    int64_t begin, end;
    int thread;
} spg_range;

typedef void spg_work(const void *job, spg_range range);

/* Calls work(job, range) for ranges that make up [0, count), each once, on at most threads.count threads; returns when
 * all are done. grain: items of a range; 0: a number that makes some ranges a thread. One thread takes all at once.
 * What work does must not depend on the cuts, and must not call this again. */
void spg_parallel(spg_threads threads, int64_t count, int64_t grain, spg_work *work, const void *job);

/* Within work: returns once has_come(data) is true, which another thread of the same work brings about by a store to an
 * atomic (memory_order_seq_cst) and then spg_tell_waiting. */
void spg_wait_until(spg_pool *pool, bool (*has_come)(const void *data), const void *data);
void spg_tell_waiting(spg_pool *pool);

/* NULL if there is no memory. threads: the most that work may take. Starts none yet. */
spg_pool *spg_pool_create(int threads);
void spg_pool_destroy(spg_pool *pool);

/* Threads that run, the caller's with them. */
int spg_pool_running(const spg_pool *pool);

#endif

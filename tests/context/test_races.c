/* What ThreadSanitizer is built in for: threads of the pool that write one place are told, and those that write a place
 * each are not.
 *
 *     test_races sound|racing */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "threads/pool.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, ITEMS = 64 };

typedef struct counters {
    int step; /* 0: all write the first place */
    int counts[ITEMS];
} counters;

/* Sleeps first, so that others take ranges meanwhile: handing them out orders what was done before. */
static void count(const void *job, spg_range range)
{
    counters *c = *(counters *const *)job;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    for (int64_t k = range.begin; k < range.end; ++k) c->counts[k * c->step]++;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    counters c = {.step = strcmp(argv[1], "racing") != 0}, *job = &c;
    spg_pool *pool = spg_pool_create(THREADS);
    if (pool == NULL) return 2;
    spg_parallel((spg_threads){THREADS, pool}, ITEMS, 1, count, &job);
    const int running = spg_pool_running(pool);
    spg_pool_destroy(pool);
    printf("%d threads, %d counted first\n", running, c.counts[0]);
    return running > 1 ? 0 : 2;
}

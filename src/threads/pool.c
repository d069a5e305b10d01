/* See pool.h. Regions of work follow one another. `gate` says which one is open, how many more helpers it admits, and
 * how many are in it. The thread that closes a region waits only for the helpers in it. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* threads and signals */
#endif
#include "pool.h"

#include "clock.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ volatile("yield")
#else
#define PAUSE() ((void)0)
#endif

enum { RANGES_A_THREAD = 8, CHECKS_A_LOOK = 16, SMALLEST_STACK = 2 << 20 };

/* How long a thread spins before it sleeps: a few times the cost of a wake-up. Chosen with `amg_bench --place host
 * fd2d5:200`, with as many other busy processes as cores and without. */
static const double SPIN_SECONDS = 20e-6;

/* An event that threads wait for. */
typedef struct event {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_int sleepers;
} event;

typedef struct region {
    spg_work *work;
    const void *job;
    int64_t count, grain;
    int threads;
    atomic_llong next; /* the first item not yet taken */
} region;

struct spg_pool {
    int most; /* the most helpers that may be started */
    int running;
    pid_t process; /* the process in which they run */
    pthread_t *helpers;
    region region;       /* the last one opened; helpers read it while they are in it */
    atomic_ullong gate;  /* of the region: its number, free places, helpers in it */
    atomic_bool is_over; /* helpers must end */
    event opened, left, changed;
};

enum { PLACE_BIT = 16, NUMBER_BIT = 32 };
static const unsigned long long WITHIN = 1, PLACE = 1ULL << PLACE_BIT, NUMBER = 1ULL << NUMBER_BIT;

static int within(unsigned long long gate) { return (int)(gate & 0xffff); }
static int places(unsigned long long gate) { return (int)(gate >> PLACE_BIT & 0xffff); }
static uint32_t number(unsigned long long gate) { return (uint32_t)(gate >> NUMBER_BIT); }

static void open_event(event *e)
{
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->changed, NULL);
    atomic_store(&e->sleepers, 0);
}

static void close_event(event *e)
{
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
}

static bool comes_soon(bool (*has_come)(const void *data), const void *data)
{
    if (has_come(data)) return true;
    const double end = spg_seconds() + SPIN_SECONDS;
    do
        for (int k = 0; k < CHECKS_A_LOOK; ++k) {
            PAUSE();
            if (has_come(data)) return true;
        }
    while (spg_seconds() < end);
    return false;
}

static void wait_for(event *e, bool (*has_come)(const void *data), const void *data)
{
    if (comes_soon(has_come, data)) return;
    pthread_mutex_lock(&e->lock);
    atomic_fetch_add(&e->sleepers, 1); /* before the last check: this sees the change, or `wake` sees this thread */
    while (!has_come(data)) pthread_cond_wait(&e->changed, &e->lock);
    atomic_fetch_sub(&e->sleepers, 1);
    pthread_mutex_unlock(&e->lock);
}

/* Call after the change: wakes up to `wanted` sleepers. */
static void wake(event *e, int wanted)
{
    const int asleep = atomic_load(&e->sleepers);
    if (asleep == 0) return;
    pthread_mutex_lock(&e->lock); /* a thread about to sleep does so before this */
    pthread_mutex_unlock(&e->lock);
    if (wanted >= asleep)
        pthread_cond_broadcast(&e->changed);
    else
        for (int k = 0; k < wanted; ++k) pthread_cond_signal(&e->changed);
}

static void take_ranges(region *open, int thread)
{
    for (;;) {
        const int64_t begin = atomic_fetch_add(&open->next, open->grain);
        if (begin >= open->count) return;
        const int64_t end = open->count - begin < open->grain ? open->count : begin + open->grain;
        open->work(open->job, (spg_range){begin, end, thread});
    }
}

/* A helper, and the number of the last region it was in. */
typedef struct helper {
    spg_pool *pool;
    uint32_t last;
} helper;

static bool may_enter(unsigned long long gate, uint32_t last) { return places(gate) > 0 && number(gate) != last; }

static bool is_wanted(const void *data)
{
    const helper *self = data;
    return may_enter(atomic_load(&self->pool->gate), self->last) || atomic_load(&self->pool->is_over);
}

/* The helper's thread number in the region; 0 if the region is full or closed. */
static int enter(helper *self)
{
    unsigned long long gate = atomic_load(&self->pool->gate);
    while (may_enter(gate, self->last))
        if (atomic_compare_exchange_weak(&self->pool->gate, &gate, gate - PLACE + WITHIN)) {
            self->last = number(gate);
            return self->pool->region.threads - places(gate);
        }
    return 0;
}

static void leave(spg_pool *pool)
{
    const unsigned long long gate = atomic_fetch_sub(&pool->gate, WITHIN) - WITHIN;
    if (within(gate) == 0 && places(gate) == 0) wake(&pool->left, INT_MAX);
}

static void *help(void *data)
{
    helper self = {data, 0};
    for (;;) {
        wait_for(&self.pool->opened, is_wanted, &self);
        if (atomic_load(&self.pool->is_over)) return NULL;
        const int thread = enter(&self);
        if (thread == 0) continue;
        take_ranges(&self.pool->region, thread);
        leave(self.pool);
    }
}

/* Starts a helper with a stack at least as large as that of other threads and with all signals blocked. */
static bool start_helper(spg_pool *pool)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    size_t stack = 0;
    if (pthread_attr_init(&attributes) != 0) return false;
    if (pthread_attr_getstacksize(&attributes, &stack) != 0 || stack < SMALLEST_STACK)
        pthread_attr_setstacksize(&attributes, SMALLEST_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&pool->helpers[pool->running], &attributes, help, pool) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (started) pool->running++;
    return started;
}

static void begin_anew(spg_pool *pool)
{
    pool->running = 0;
    pool->process = getpid();
    atomic_store(&pool->gate, 0);
    atomic_store(&pool->is_over, false);
    open_event(&pool->opened);
    open_event(&pool->left);
    open_event(&pool->changed);
}

/* The number of helpers available, at most `wanted`. A child of fork has none of its parent's. */
static int gather(spg_pool *pool, int wanted)
{
    if (pool->process != getpid()) begin_anew(pool);
    if (wanted > pool->most) wanted = pool->most;
    while (pool->running < wanted)
        if (!start_helper(pool)) pool->most = wanted = pool->running; /* no more can be started */
    return wanted;
}

static bool all_left(const void *pool) { return within(atomic_load(&((const spg_pool *)pool)->gate)) == 0; }

static void run_region(spg_pool *pool, int helpers)
{
    const unsigned long long before = atomic_load(&pool->gate);
    atomic_store(&pool->gate, (before / NUMBER + 1) * NUMBER + (unsigned)helpers * PLACE);
    wake(&pool->opened, helpers);
    take_ranges(&pool->region, 0);
    atomic_fetch_and(&pool->gate, ~(NUMBER - PLACE)); /* closed: no free places */
    wait_for(&pool->left, all_left, pool);
}

void spg_parallel(spg_threads threads, int64_t count, int64_t grain, spg_work *work, const void *job)
{
    if (count <= 0) return;
    if (grain <= 0) grain = 1 + (count - 1) / ((int64_t)RANGES_A_THREAD * threads.count);
    const int64_t ranges = 1 + (count - 1) / grain;
    int wanted = threads.count < ranges ? threads.count : (int)ranges;
    if (wanted > 1) wanted = 1 + gather(threads.pool, wanted - 1);
    if (wanted <= 1) {
        work(job, (spg_range){0, count, 0});
        return;
    }
    region *open = &threads.pool->region;
    open->work = work;
    open->job = job;
    open->count = count;
    open->grain = grain;
    open->threads = wanted;
    atomic_store(&open->next, 0);
    run_region(threads.pool, wanted - 1);
}

void spg_wait_until(spg_pool *pool, bool (*has_come)(const void *data), const void *data)
{
    wait_for(&pool->changed, has_come, data);
}

void spg_wake_waiting(spg_pool *pool) { wake(&pool->changed, INT_MAX); }

spg_pool *spg_pool_create(int threads)
{
    const int most = threads - 1;
    spg_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return NULL;
    pool->helpers = calloc((size_t)(most > 0 ? most : 1), sizeof *pool->helpers);
    if (pool->helpers == NULL) {
        free(pool);
        return NULL;
    }
#if SPG_WITH_THREADS
    pool->most = most;
#endif
    begin_anew(pool);
    return pool;
}

void spg_pool_destroy(spg_pool *pool)
{
    if (pool == NULL) return;
    if (pool->process == getpid()) {
        atomic_store(&pool->is_over, true);
        wake(&pool->opened, INT_MAX);
        for (int k = 0; k < pool->running; ++k) pthread_join(pool->helpers[k], NULL);
        close_event(&pool->opened);
        close_event(&pool->left);
        close_event(&pool->changed);
    }
    free(pool->helpers);
    free(pool);
}

int spg_pool_running(const spg_pool *pool) { return 1 + pool->running; }

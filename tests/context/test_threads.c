/* Threads of the host: that little work takes one, that they sleep where they wait, and that fork and threads that
 * cannot start are no trouble. How many there are: test_cores.c. What they cost on a shared machine:
 * test_threads_busy.c. */
#define _GNU_SOURCE
#include "place.h"

#include "clock.h"
#include "context.h"
#include "generators.h"
#include "threads/pool.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Threads that cannot start ---- */

static int threads_to_refuse; /* as many calls fail from now on */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    if (threads_to_refuse == 0) return __real_pthread_create(thread, attributes, run, argument);
    threads_to_refuse--;
    return 11; /* EAGAIN */
}

/* ThreadSanitizer lets no child of fork start threads, and takes processor time of its own. */
static void need_no_thread_sanitizer(void)
{
#if defined(__SANITIZE_THREAD__)
    skip();
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    skip();
#endif
#endif
}

/* ---- Work ---- */

static spg_csr matrix_named(const char *name)
{
    spg_csr A;
    assert_int_equal(generate_matrix(test_host(), name, 1, SPG_F64, &A), SPG_OK);
    return A;
}

static void square(spg_context *context, const spg_csr *A)
{
    spg_csr C;
    assert_int_equal(spgemm_csr(context, A, A, &C), SPG_OK);
    spg_csr_free(context, &C);
}

static void little_work_takes_one_thread_and_more_work_more(void **state)
{
    (void)state;
    test_require_threads();
    spg_context *context = test_context_at_place(4);
    spg_csr little = matrix_named("fd2d5:20"), more = matrix_named("fd2d5:200");
    square(context, &little); /* 10,000 products */
    assert_int_equal(spg_pool_running(context->pool), 1);
    square(context, &more);
    assert_int_equal(spg_pool_running(context->pool), 4);
    spg_csr_free(test_host(), &little);
    spg_csr_free(test_host(), &more);
    spg_context_destroy(context);
}

static void fewer_threads_do_where_more_cannot_start(void **state)
{
    (void)state;
    test_require_threads();
    spg_csr A = matrix_named("fd2d5:200");
    for (int refused = 1; refused <= 4; refused++) {
        spg_context *context = test_context_at_place(4);
        threads_to_refuse = refused;
        square(context, &A);
        assert_int_equal(spg_pool_running(context->pool),
                         1); /* the first that cannot start is the last that is tried */
        threads_to_refuse = 0;
        square(context, &A);
        assert_int_equal(spg_pool_running(context->pool), 1);
        spg_context_destroy(context);
    }
    spg_csr_free(test_host(), &A);
}

/* Those of the process, as the system tells; -1 where it does not. */
static int threads_of_process(void)
{
    DIR *folder = opendir("/proc/self/task");
    int threads = 0;
    if (folder == NULL) return -1;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) threads += entry->d_name[0] != '.';
    closedir(folder);
    return threads;
}

static void a_child_of_fork_can_go_on_with_its_parents_context_and_threads_of_its_own(void **state)
{
    (void)state;
    need_no_thread_sanitizer();
    spg_context *context = test_context_at_place(3);
    spg_csr A = matrix_named("fd2d5:200"), C, again;
    assert_int_equal(spgemm_csr(context, &A, &A, &C), SPG_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60); /* a child that hangs fails */
        bool same = spgemm_csr(context, &A, &A, &again) == SPG_OK && again.nnz == C.nnz &&
                    memcmp(again.values, C.values, (size_t)C.nnz * sizeof(double)) == 0;
        same = same && (threads_of_process() == spg_pool_running(context->pool) || threads_of_process() < 0);
        spg_context_destroy(context);
        _exit(same ? 0 : 1);
    }
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    square(context, &A);
    spg_csr_free(context, &C);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of a hundred products with a vector and of the pauses after them. */
static double spent_on_calls(spg_context *context, const spg_csr *A, struct timespec pause)
{
    double *x = calloc((size_t)A->cols, sizeof *x), *y = calloc((size_t)A->rows, sizeof *y);
    assert_true(x != NULL && y != NULL);
    const double begin = processor_seconds();
    for (int k = 0; k < 100; k++) {
        assert_int_equal(spg_csr_spmv(context, NULL, A, x, NULL, y), SPG_OK);
        nanosleep(&pause, NULL);
    }
    const double spent = processor_seconds() - begin;
    free(x);
    free(y);
    return spent;
}

/* Threads that spin on for 3 ms after each call would take 0.3 s a thread more. What the calls themselves take differs
 * from one machine and one build to the next, so it is measured with one thread, which waits for nobody. */
static void threads_sleep_between_calls(void **state)
{
    (void)state;
    need_no_thread_sanitizer();
    spg_context *four = test_context_at_place(4), *one = test_context_at_place(1);
    spg_csr A = matrix_named("fd2d5:100"); /* 49,600 entries: enough for all threads */
    const struct timespec pause = {0, 3000000};
    double work = 1e9, with_pauses = 1e9;
    for (int attempt = 0; attempt < 3; attempt++) {
        work = fmin(work, spent_on_calls(one, &A, pause));
        with_pauses = fmin(with_pauses, spent_on_calls(four, &A, pause));
    }
    print_message("100 calls and the pauses after them: %.3f s of processor time, %.3f s with one thread\n",
                  with_pauses, work);
    if (with_pauses > 0.15 + 2 * work) fail_msg("threads spin between calls");
    spg_csr_free(test_host(), &A);
    spg_context_destroy(one);
    spg_context_destroy(four);
}

/* ---- The pool itself ---- */

enum { ITEMS = 1000, ROUNDS = 3000 };

typedef struct marks {
    atomic_int times[ITEMS]; /* that each item was worked on */
    atomic_int in_use[8];    /* by a thread of that number */
    atomic_bool shared;      /* a number was in use twice */
} marks;

static void mark(const void *data, spg_range range)
{
    marks *m = *(marks *const *)data;
    if (atomic_fetch_add(&m->in_use[range.thread], 1) != 0) atomic_store(&m->shared, true);
    for (int64_t k = range.begin; k < range.end; k++) atomic_fetch_add(&m->times[k], 1);
    atomic_fetch_sub(&m->in_use[range.thread], 1);
}

static void each_item_is_worked_on_once_by_threads_of_different_numbers(void **state)
{
    (void)state;
    spg_pool *pool = spg_pool_create(8);
    marks *m = calloc(1, sizeof *m);
    assert_true(pool != NULL && m != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        const int count = 1 + round % ITEMS;
        spg_parallel((spg_threads){1 + round % 8, pool}, count, round % 3 * 7, mark, &m);
        for (int k = 0; k < ITEMS; k++) assert_int_equal(atomic_exchange(&m->times[k], 0), k < count);
    }
    assert_false(m->shared);
    free(m);
    spg_pool_destroy(pool);
}

/* Ranges that have begun. */
typedef struct meeting {
    atomic_int come;
    atomic_bool missed;
} meeting;

static void meet(const void *data, spg_range range)
{
    enum { SECONDS = 20 };
    meeting *m = *(meeting *const *)data;
    const double end = spg_seconds() + SECONDS;
    atomic_fetch_add(&m->come, (int)(range.end - range.begin));
    while (atomic_load(&m->come) < 2 && spg_seconds() < end) sched_yield();
    if (atomic_load(&m->come) < 2) atomic_store(&m->missed, true);
}

static void a_helper_comes_whenever_there_is_work_for_it(void **state)
{
    (void)state;
    test_require_threads();
    spg_pool *pool = spg_pool_create(2);
    assert_non_null(pool);
    for (int round = 0; round < 10; round++) {
        meeting m = {0}, *of = &m;
        spg_parallel((spg_threads){2, pool}, 2, 1, meet, &of);
        assert_false(m.missed);
    }
    spg_pool_destroy(pool);
}

/* A chain: each range waits for the one before it. */
typedef struct chain {
    spg_pool *pool;
    atomic_llong turn;
} chain;

typedef struct link {
    const chain *of;
    int64_t index;
} link_of_chain;

static bool turn_has_come(const void *data)
{
    const link_of_chain *link = data;
    return atomic_load(&link->of->turn) == link->index;
}

static void pass_on(const void *data, spg_range range)
{
    chain *c = *(chain *const *)data;
    for (int64_t k = range.begin; k < range.end; k++) {
        spg_wait_until(c->pool, turn_has_come, &(link_of_chain){c, k});
        atomic_store(&c->turn, k + 1);
        spg_wake_waiting(c->pool);
    }
}

static void turns_that_wait_are_told_when_they_have_come(void **state)
{
    (void)state;
    chain c = {.pool = spg_pool_create(6)}, *of = &c;
    assert_non_null(c.pool);
    for (int round = 0; round < 200; round++) {
        atomic_store(&c.turn, 0);
        spg_parallel((spg_threads){6, c.pool}, 50, 1, pass_on, &of);
        assert_int_equal(c.turn, 50);
    }
    spg_pool_destroy(c.pool);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_work_takes_one_thread_and_more_work_more),
        cmocka_unit_test(fewer_threads_do_where_more_cannot_start),
        cmocka_unit_test(a_child_of_fork_can_go_on_with_its_parents_context_and_threads_of_its_own),
        cmocka_unit_test(threads_sleep_between_calls),
        cmocka_unit_test(each_item_is_worked_on_once_by_threads_of_different_numbers),
        cmocka_unit_test(a_helper_comes_whenever_there_is_work_for_it),
        cmocka_unit_test(turns_that_wait_are_told_when_they_have_come),
    };
    return TEST_RUN_HERE(argc, argv, "threads", tests);
}

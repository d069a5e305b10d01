/* Threads of the host: how many the process may use, that little work takes one, that they sleep where they wait, and
 * that fork and threads that cannot start are no trouble. What they cost on a shared machine: test_threads_busy.c. */
#define _GNU_SOURCE
#include "place.h"

#include "context.h"
#include "cores.h"
#include "generators.h"
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---- Trees of /proc and /sys ---- */

/* A folder of the test's own, and the files written in it, for clean_tree. */
typedef struct tree {
    char root[64];
} tree;

static void open_tree(tree *t)
{
    snprintf(t->root, sizeof t->root, "/tmp/spg_cores_XXXXXX");
    assert_non_null(mkdtemp(t->root));
}

static void close_tree(const tree *t)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", t->root);
    assert_int_equal(system(command), 0);
}

/* Writes a file and the folders that it lies in. */
static void put(const tree *t, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", t->root, name);
    for (char *slash = path + strlen(t->root) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *const V2_MOUNT = "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                                    "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char *const V1_MOUNTS =
    "33 25 0:29 / /sys/fs/cgroup/cpuset rw,nosuid - cgroup cgroup rw,cpuset\n"
    "34 25 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw,nosuid master:11 - cgroup cgroup rw,cpu,cpuacct\n";

static void no_tree_sets_no_limit(void **state)
{
    (void)state;
    tree t;
    open_tree(&t);
    assert_int_equal(spg_granted_cores(t.root), 0);
    put(&t, "/proc/self/mountinfo", V2_MOUNT);
    assert_int_equal(spg_granted_cores(t.root), 0);
    put(&t, "/proc/self/cgroup", "0::/a/b\n");
    assert_int_equal(spg_granted_cores(t.root), 0);
    put(&t, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_int_equal(spg_granted_cores(t.root), 0);
    put(&t, "/sys/fs/cgroup/a/b/cpu.max", "nonsense\n");
    assert_int_equal(spg_granted_cores(t.root), 0);
    put(&t, "/sys/fs/cgroup/a/b/cpu.max", "100000 0\n");
    assert_int_equal(spg_granted_cores(t.root), 0);
    close_tree(&t);
}

static void quotas_of_version_2_count_of_the_group_and_of_those_around_it(void **state)
{
    (void)state;
    tree t;
    open_tree(&t);
    put(&t, "/proc/self/mountinfo", V2_MOUNT);
    put(&t, "/proc/self/cgroup", "0::/a/b\n");
    put(&t, "/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
    assert_int_equal(spg_granted_cores(t.root), 3);
    put(&t, "/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    assert_int_equal(spg_granted_cores(t.root), 2);
    put(&t, "/sys/fs/cgroup/cpu.max", "25000 100000\n");
    assert_int_equal(spg_granted_cores(t.root), 1);
    close_tree(&t);
}

static void a_container_that_sees_its_own_group_alone_is_limited_by_it(void **state)
{
    (void)state;
    tree t;
    open_tree(&t);
    put(&t, "/proc/self/mountinfo", V2_MOUNT);
    put(&t, "/proc/self/cgroup", "0::/../elsewhere\n");
    put(&t, "/sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_int_equal(spg_granted_cores(t.root), 2);
    close_tree(&t);
}

static void quotas_of_version_1_count_where_the_controller_is_mounted(void **state)
{
    (void)state;
    tree t;
    open_tree(&t);
    put(&t, "/proc/self/mountinfo", V1_MOUNTS);
    put(&t, "/proc/self/cgroup", "5:cpuset:/other\n4:cpu,cpuacct:/docker/abc/job\n");
    put(&t, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put(&t, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_int_equal(spg_granted_cores(t.root), 0);
    put(&t, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "500000\n");
    put(&t, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(spg_granted_cores(t.root), 5);
    put(&t, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
    assert_int_equal(spg_granted_cores(t.root), 4);
    close_tree(&t);
}

/* ---- How many threads a context takes ---- */

static int threads_of(int asked, int oversubscribe)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = asked;
    config.oversubscribe = oversubscribe;
    spg_context *context = test_context_of(&config);
    const int threads = spg_context_threads(context);
    spg_context_destroy(context);
    return threads;
}

/* Skips the test in a build without threads. */
static void need_threads(void)
{
    if (threads_of(3, 1) == 3) return;
    print_message("this build has no threads\n");
    skip();
}

static void a_number_asked_for_is_a_bound_and_the_cores_another(void **state)
{
    (void)state;
    need_threads();
    const int cores = spg_usable_cores("");
    assert_true(cores >= 1);
    assert_int_equal(threads_of(1, 0), 1);
    assert_int_equal(threads_of(0, 0), cores < 4096 ? cores : 4096);
    assert_int_equal(threads_of(4096, 0), cores < 4096 ? cores : 4096);
    assert_int_equal(threads_of(7, 1), 7);
    assert_int_equal(threads_of(0, 1), threads_of(0, 0));
}

static void the_variable_of_openmp_is_a_bound_where_no_number_is_asked_for(void **state)
{
    (void)state;
    need_threads();
    const int cores = threads_of(0, 0);
    setenv("OMP_NUM_THREADS", "1", 1);
    assert_int_equal(threads_of(0, 0), 1);
    assert_int_equal(threads_of(cores, 0), cores);
    setenv("OMP_NUM_THREADS", "100000", 1);
    assert_int_equal(threads_of(0, 0), cores);
    setenv("OMP_NUM_THREADS", "many", 1);
    assert_int_equal(threads_of(0, 0), cores);
    unsetenv("OMP_NUM_THREADS");
}

static void a_process_pinned_to_one_core_has_one_thread(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    size_t core = 0;
    while (!CPU_ISSET(core, &before)) core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        print_message("SKIPPED: the affinity of a process cannot be set here\n");
        skip();
    }
    const int threads = threads_of(8, 0);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(threads, 1);
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
    need_threads();
    spg_context *context = test_context_at_place(4);
    spg_csr little = matrix_named("fd2d5:40"), more = matrix_named("fd2d5:200");
    square(context, &little); /* 40,000 products */
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
    need_threads();
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

static void a_child_of_fork_can_go_on_with_its_parents_context(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(3);
    spg_csr A = matrix_named("fd2d5:200"), C, again;
    assert_int_equal(spgemm_csr(context, &A, &A, &C), SPG_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60); /* a child that hangs fails */
        bool same = spgemm_csr(context, &A, &A, &again) == SPG_OK && again.nnz == C.nnz &&
                    memcmp(again.values, C.values, (size_t)C.nnz * sizeof(double)) == 0;
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

/* Threads that spin on for 3 ms after each call would take 0.3 s a thread. */
static void threads_sleep_between_calls(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(4);
    spg_csr A = matrix_named("fd2d5:100"); /* 49,600 entries: enough for all threads */
    double *x = calloc((size_t)A.rows, sizeof *x), *y = calloc((size_t)A.rows, sizeof *y), least = 1e9;
    const struct timespec pause = {0, 3000000};
    assert_true(x != NULL && y != NULL);
    for (int attempt = 0; attempt < 3; attempt++) {
        const double begin = processor_seconds();
        for (int k = 0; k < 100; k++) {
            assert_int_equal(spg_csr_spmv(context, NULL, &A, x, NULL, y), SPG_OK);
            nanosleep(&pause, NULL);
        }
        const double taken = processor_seconds() - begin;
        least = taken < least ? taken : least;
    }
    if (least > 0.15) fail_msg("100 calls and the pauses after them took %.3f s of processor time", least);
    free(x);
    free(y);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
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
        spg_tell_waiting(c->pool);
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
        cmocka_unit_test(no_tree_sets_no_limit),
        cmocka_unit_test(quotas_of_version_2_count_of_the_group_and_of_those_around_it),
        cmocka_unit_test(a_container_that_sees_its_own_group_alone_is_limited_by_it),
        cmocka_unit_test(quotas_of_version_1_count_where_the_controller_is_mounted),
        cmocka_unit_test(a_number_asked_for_is_a_bound_and_the_cores_another),
        cmocka_unit_test(the_variable_of_openmp_is_a_bound_where_no_number_is_asked_for),
        cmocka_unit_test(a_process_pinned_to_one_core_has_one_thread),
        cmocka_unit_test(little_work_takes_one_thread_and_more_work_more),
        cmocka_unit_test(fewer_threads_do_where_more_cannot_start),
        cmocka_unit_test(a_child_of_fork_can_go_on_with_its_parents_context),
        cmocka_unit_test(threads_sleep_between_calls),
        cmocka_unit_test(each_item_is_worked_on_once_by_threads_of_different_numbers),
        cmocka_unit_test(turns_that_wait_are_told_when_they_have_come),
    };
    return TEST_RUN_HERE(argc, argv, "threads", tests);
}

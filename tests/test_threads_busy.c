/* Threads on a machine that others use: beside as many busy processes as there are cores, and pinned to one core with
 * eight threads asked for, a set-up of multigrid and a product take at most 1.5 times as long as with one thread. Uses
 * what the public headers offer alone. */
#define _GNU_SOURCE
#include "place.h"

#include "generators.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BUSY = 64, REPETITIONS = 9, ATTEMPTS = 6 };
static const double MOST_RATIO = 1.5;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_of_work(spg_context *context, const spg_csr *A)
{
    spg_csr C;
    spg_amg *amg = NULL;
    const double begin = seconds();
    assert_int_equal(spg_amg_setup(context, A, NULL, &amg), SPG_OK);
    assert_int_equal(spgemm_csr(context, A, A, &C), SPG_OK);
    const double taken = seconds() - begin;
    spg_csr_free(context, &C);
    spg_amg_destroy(amg);
    return taken;
}

static spg_context *open_context(int threads)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = threads;
    return test_context_of(&config);
}

/* The least time with `threads` threads over that with one, of times taken in turn; the best of some attempts. */
static void assert_gives_way(int threads, const char *where)
{
    spg_csr A;
    assert_int_equal(generate_matrix(test_host(), "fd2d5:120", 1, SPG_F64, &A), SPG_OK);
    spg_context *one = open_context(1), *many = open_context(threads);
    double best = 1e9;
    for (int attempt = 0; attempt < ATTEMPTS && best > MOST_RATIO; attempt++) {
        double least_one = 1e9, least_many = 1e9;
        for (int k = 0; k < REPETITIONS; k++) {
            const double of_one = time_of_work(one, &A), of_many = time_of_work(many, &A);
            least_one = of_one < least_one ? of_one : least_one;
            least_many = of_many < least_many ? of_many : least_many;
        }
        if (least_many / least_one < best) best = least_many / least_one;
    }
    spg_context_destroy(one);
    spg_context_destroy(many);
    spg_csr_free(test_host(), &A);
    print_message("%s: %.2f times as long as with one thread\n", where, best);
    if (best > MOST_RATIO) fail_msg("%s: %.2f times as long as with one thread", where, best);
}

/* Children that do nothing but take up a core, until they are ended. */
typedef struct crowd {
    int count;
    pid_t busy[MOST_BUSY];
} crowd;

static void start_crowd(crowd *c)
{
    cpu_set_t cores;
    assert_int_equal(sched_getaffinity(0, sizeof cores, &cores), 0);
    c->count = CPU_COUNT(&cores) < MOST_BUSY ? CPU_COUNT(&cores) : MOST_BUSY;
    for (int k = 0; k < c->count; k++) {
        const pid_t parent = getpid();
        c->busy[k] = fork();
        assert_true(c->busy[k] >= 0);
        if (c->busy[k] > 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* none outlives the test */
        for (volatile unsigned long turns = 0; getppid() == parent; turns++) continue;
        _exit(0);
    }
}

static void end_crowd(const crowd *c)
{
    for (int k = 0; k < c->count; k++) kill(c->busy[k], SIGKILL);
    for (int k = 0; k < c->count; k++) waitpid(c->busy[k], NULL, 0);
}

static void beside_as_many_busy_processes_as_cores_threads_cost_little(void **state)
{
    (void)state;
    crowd c;
    start_crowd(&c);
    assert_gives_way(c.count > 2 ? c.count : 2, "beside busy processes");
    end_crowd(&c);
}

static void eight_threads_asked_for_on_one_core_cost_little(void **state)
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
    assert_gives_way(8, "pinned to one core");
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_as_many_busy_processes_as_cores_threads_cost_little),
        cmocka_unit_test(eight_threads_asked_for_on_one_core_cost_little),
    };
    return TEST_RUN_HERE(argc, argv, "threads busy", tests);
}

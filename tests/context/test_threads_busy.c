/* Threads on a machine that others use: beside as many busy processes as there are cores, and pinned to one core with
 * eight threads asked for, a set-up of multigrid and a product take at most 1.5 times as long as with one thread. Uses
 * what the public headers offer alone. */
#define _GNU_SOURCE
#include "busy_machine.h"
#include "place.h"

#include "generators.h"

#include <time.h>

enum { REPETITIONS = 9, ATTEMPTS = 6 };
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

static void beside_as_many_busy_processes_as_cores_threads_cost_little(void **state)
{
    (void)state;
    test_crowd crowd;
    test_start_crowd(&crowd);
    assert_gives_way(crowd.count > 2 ? crowd.count : 2, "beside busy processes");
    test_end_crowd(&crowd);
}

static void eight_threads_asked_for_on_one_core_cost_little(void **state)
{
    (void)state;
    test_pin_to_one_core();
    assert_gives_way(8, "pinned to one core");
    test_unpin();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_as_many_busy_processes_as_cores_threads_cost_little),
        cmocka_unit_test(eight_threads_asked_for_on_one_core_cost_little),
    };
    return TEST_RUN_HERE(argc, argv, "threads busy", tests);
}

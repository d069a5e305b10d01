/* See busy_machine.h. */
#define _GNU_SOURCE
#include "busy_machine.h"

#include "test_support.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static cpu_set_t cores; /* before the process was pinned */

void test_pin_to_one_core(void)
{
    cpu_set_t one;
    size_t core = 0;
    assert_int_equal(sched_getaffinity(0, sizeof cores, &cores), 0);
    while (!CPU_ISSET(core, &cores)) core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) return;
    print_message("SKIPPED: the affinity of a process cannot be set here\n");
    skip();
}

void test_unpin(void) { assert_int_equal(sched_setaffinity(0, sizeof cores, &cores), 0); }

void test_start_crowd(test_crowd *crowd)
{
    cpu_set_t here;
    assert_int_equal(sched_getaffinity(0, sizeof here, &here), 0);
    crowd->count = CPU_COUNT(&here) < TEST_MOST_BUSY ? CPU_COUNT(&here) : TEST_MOST_BUSY;
    for (int k = 0; k < crowd->count; k++) {
        const pid_t parent = getpid();
        crowd->busy[k] = fork();
        assert_true(crowd->busy[k] >= 0);
        if (crowd->busy[k] > 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned long turns = 0; getppid() == parent; turns++) continue;
        _exit(0);
    }
}

void test_end_crowd(const test_crowd *crowd)
{
    for (int k = 0; k < crowd->count; k++) kill(crowd->busy[k], SIGKILL);
    for (int k = 0; k < crowd->count; k++) waitpid(crowd->busy[k], NULL, 0);
}

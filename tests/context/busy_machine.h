/* A machine that others use as well: cores taken away, and processes that keep them busy. */
#ifndef SPG_TESTS_BUSY_MACHINE_H
#define SPG_TESTS_BUSY_MACHINE_H

#include <sys/types.h>

/* The process on one of its cores, and back on all of them. Skips the running test where that cannot be set. */
void test_pin_to_one_core(void);
void test_unpin(void);

/* As many busy children as the process has cores, until they are ended; none outlives the process. */
enum { TEST_MOST_BUSY = 64 };
typedef struct test_crowd {
    int count;
    pid_t busy[TEST_MOST_BUSY];
} test_crowd;

void test_start_crowd(test_crowd *crowd);
void test_end_crowd(const test_crowd *crowd);

#endif

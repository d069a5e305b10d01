/* Fault injection: an allocator that counts, can refuse its k-th allocation, and knows what it gave out.
 *
 *     test_allocator memory;
 *     spg_context *context = test_faulty_context(&memory, 2, 0);
 *     for (int64_t k = 1;; ++k) {
 *         test_fail_at(&memory, k);
 *         spg_status status = call(context, ...);
 *         if (!test_failed(&memory)) break;              // fewer than k allocations: every one has been refused once
 *         assert_int_equal(status, SPG_ERROR_MEMORY);
 *         assert_int_equal(test_live(&memory), before);  // nothing leaked
 *     }
 *     test_fail_at(&memory, 0);
 *
 * A release of what was not allocated, or of another size, place or stream, fails the running test. */
#ifndef SPG_TESTS_FAULT_H
#define SPG_TESTS_FAULT_H

#include "spg/spg.h"

#include <stdbool.h>

typedef struct test_allocator {
    int64_t allocations; /* asked for since test_fail_at */
    int64_t fail_at;     /* the allocation to refuse, from 1; 0: none */
    struct test_block *blocks;
} test_allocator;

/* A context at the place under test (place.h) on this allocator; `memory` is initialised and must outlive it. Memory on
 * a device is lent by test_lender(). */
spg_context *test_faulty_context(test_allocator *memory, int threads, int64_t workspace_limit);

/* The hook itself, for other configurations; `memory` must be zeroed. */
spg_allocator test_allocator_hook(test_allocator *memory);

/* From now on the k-th allocation is refused, once; 0: none is. */
void test_fail_at(test_allocator *memory, int64_t k);

/* Whether the refusal has happened. */
bool test_failed(const test_allocator *memory);

/* Whether a call took a refusal for what it can do without: a device tries for memory that only saves time. */
bool test_did_without(const test_allocator *memory, spg_status status);

/* How many allocations have not been released. */
int64_t test_live(const test_allocator *memory);

#endif

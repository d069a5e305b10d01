/* Workspace limits: what a call holds beside its result stays within them. */
#ifndef SPG_TESTS_WORKSPACE_LIMITS_H
#define SPG_TESTS_WORKSPACE_LIMITS_H

#include "spg/spg.h"

#include <stdbool.h>

/* What a call made: a matrix or a handle. Zeroed before. */
typedef union test_made {
    spg_csr csr;
    spg_coo coo;
    void *handle;
} test_made;

typedef struct test_limited_call {
    const char *name;
    spg_status (*run)(spg_context *context, void *operands, test_made *made);
    void (*drop)(spg_context *context, test_made *made); /* or NULL */
} test_limited_call;

/* Fails the running test unless the call keeps to every limit tried, or is refused (SPG_ERROR_MEMORY): the least that
 * suffices, where anything that is not counted shows, and larger ones, until all its choices have had their room. */
void test_hold_to_limits(spg_context *context, const test_limited_call *call, void *operands);

#endif

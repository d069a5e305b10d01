/* Every call on containers that allocates, to be failed in turn. */
#ifndef SPG_TESTS_CONTAINER_CALLS_H
#define SPG_TESTS_CONTAINER_CALLS_H

#include "containers.h"

/* Unsorted matrices with repeated columns, and vectors lent by test_lender(). */
typedef struct container_inputs {
    spg_csr csr;
    spg_coo coo;
    void *x, *y;
    int32_t *columns; /* all of them, from the last to the first */
} container_inputs;

/* What a call made, or zeroed. */
typedef struct container_outputs {
    spg_csr csr;
    spg_coo coo;
    spg_difference difference;
} container_outputs;

typedef struct container_call {
    const char *name;
    spg_status (*run)(spg_context *context, container_inputs *inputs, container_outputs *outputs);
} container_call;

enum { TEST_CONTAINER_CALLS = 19 };
extern const container_call test_container_calls[TEST_CONTAINER_CALLS];

/* rows x 300 matrices of doubles, at the place, in this context; given back by the other. */
void test_open_inputs(spg_context *context, int64_t rows, double mean, container_inputs *inputs);
void test_close_inputs(spg_context *context, container_inputs *inputs);

/* Runs the call. On SPG_OK what it made is freed; else fails the test unless the status is MEMORY, its message tells
 * the bytes, and the outputs are zeroed. */
spg_status test_run_container_call(spg_context *context, const container_call *call, container_inputs *inputs);

#endif

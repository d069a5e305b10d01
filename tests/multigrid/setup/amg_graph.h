/* Graphs of strong connections, as the backend gives them, for their tests. */
#ifndef SPG_TESTS_AMG_GRAPH_H
#define SPG_TESTS_AMG_GRAPH_H

#include "amg/amg_backend.h"
#include "amg_reference.h"

#include <stdlib.h>

/* On the host. */
typedef struct graph {
    int64_t nodes, nnz;
    int64_t *offsets;
    int32_t *columns;
} graph;

/* The strong connections by a measure, fetched to the host. */
static inline graph strength_by(spg_context *context, const spg_csr *A, int block_size, spg_strength measure,
                                double theta)
{
    spg_csr here, pattern;
    spg_amg_graph strong;
    test_to_place(context, A, &here);
    if (context->backend->amg->strength(context, &here, block_size, measure, theta, &strong) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    graph fetched = {.nodes = strong.nodes, .nnz = strong.nnz};
    fetched.offsets = malloc((size_t)(strong.nodes + 1) * 8);
    fetched.columns = malloc((size_t)strong.nnz * 4 + 1);
    assert_true(fetched.offsets != NULL && fetched.columns != NULL);
    const size_t width = spg_type_size(strong.offset_type);
    pattern = (spg_csr){.offset_type = strong.offset_type, .row_offsets = malloc((size_t)(strong.nodes + 1) * width)};
    test_fetch(strong.row_offsets, (size_t)(strong.nodes + 1) * width, pattern.row_offsets);
    for (int64_t i = 0; i <= strong.nodes; i++) fetched.offsets[i] = test_offset(&pattern, i);
    free(pattern.row_offsets);
    if (strong.nnz > 0) test_fetch(strong.columns, (size_t)strong.nnz * 4, fetched.columns);
    if (!strong.borrowed) {
        spg_csr owned = {.rows = strong.nodes,
                         .cols = strong.nodes,
                         .nnz = strong.nnz,
                         .offset_type = strong.offset_type,
                         .value_type = SPG_F32,
                         .place = here.place,
                         .row_offsets = strong.row_offsets,
                         .columns = strong.columns};
        spg_csr_free(context, &owned);
    }
    spg_csr_free(context, &here);
    assert_int_equal(fetched.offsets[fetched.nodes], fetched.nnz);
    return fetched;
}

static inline graph strength(spg_context *context, const spg_csr *A, int block_size, double theta)
{
    return strength_by(context, A, block_size, SPG_STRENGTH_SYMMETRIC, theta);
}

static inline void free_graph(graph *g)
{
    free(g->offsets);
    free(g->columns);
}

#endif

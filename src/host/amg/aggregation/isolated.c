/* Nodes that are not coupled to others: rows with only a diagonal, as kept for boundary values, and rows whose other
 * entries are zero or weak. Coarse levels do not need them. */
#define REAL_ONLY
#include "graph.h"
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/by_type.h"
#include "host/work.h"

typedef struct isolated_job {
    const spg_csr *A;
    int block_size, parts;
    const spg_amg_graph *graph;
    uint8_t *isolated;
} isolated_job;

#define TYPE_TEMPLATE "host/amg/aggregation/isolated.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_find_isolated(spg_context *context, const spg_csr *A, int block_size, int parts,
                                  const spg_amg_graph *graph, uint8_t *isolated)
{
    static spg_work *const find[2][2] = BY_REAL_TYPE(find_isolated);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    spg_parallel(threads, graph->nodes, 0, find[A->value_type][A->offset_type - SPG_I32],
                 &(isolated_job){A, block_size, parts, graph, isolated});
    return SPG_OK;
}

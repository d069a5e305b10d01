/* Nodes that nothing couples to others: rows with nothing but a diagonal, as kept for boundary values, and rows whose
 * other entries are zeros or weak. Coarse levels have no use for them. */
#define REAL_ONLY
#include "host/amg/graph.h"
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/by_type.h"
#include "host/work.h"

#define TYPE_TEMPLATE "host/amg/isolated.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_find_isolated(spg_context *context, const spg_csr *A, int block_size, const spg_amg_graph *graph,
                                  uint8_t *isolated)
{
    static void (*const find[2][2])(const spg_csr *, int, const spg_amg_graph *, uint8_t *, int64_t, int64_t) =
        BY_REAL_TYPE(find_isolated);
    const int threads = spg_host_threads(context, A->nnz + A->rows);
    const int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p)
        find[A->value_type][A->offset_type - SPG_I32](A, block_size, graph, isolated,
                                                      spg_host_cut(graph->nodes, p, parts),
                                                      spg_host_cut(graph->nodes, p + 1, parts));
    return SPG_OK;
}

/* A graph of generated weights: an edge in each of as many equal parts of the nodes as a node has edges. */
#include "sampling_task.h"

#include "weights.h"

#include <stdlib.h>

spg_status make_graph(task_work *work)
{
    spg_csr *host = &work->of.host;
    spg_context *context = work->bench->context;
    const int64_t nodes = host->rows;
    if (host->columns != NULL && host->cols > nodes)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "%s: %lld x %lld; a graph's matrix is square", work->of.name,
                                (long long)nodes, (long long)host->cols);
    if (host->columns != NULL) return SPG_OK;
    if (work->bench->chosen->items > nodes)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "--items: %lld edges a node; there are %lld nodes",
                                (long long)work->bench->chosen->items, (long long)nodes);
    work->columns = malloc((size_t)host->nnz * sizeof *work->columns);
    if (work->columns == NULL) return spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for a graph");
#pragma omp parallel for schedule(static)
    for (int64_t v = 0; v < nodes; v++) {
        const int64_t begin = row_begin(host, v), edges = row_begin(host, v + 1) - begin;
        for (int64_t e = 0; e < edges; e++) {
            const int64_t from = nodes * e / edges, width = nodes * (e + 1) / edges - from;
            const double share = random_share(work->bench->chosen->seed + 5, (uint64_t)(begin + e));
            const int64_t step = (int64_t)(share * (double)width);
            work->columns[begin + e] = (int32_t)(from + (step < width ? step : width - 1));
        }
    }
    void *columns = NULL;
    const spg_status status = array_lend(context, work->columns, host->nnz * (int64_t)sizeof(int32_t), &columns);
    host->columns = work->columns;
    host->cols = work->of.here.cols = nodes;
    work->of.here.columns = columns;
    return status;
}

/* Stops in a row at the first value that couples it. Template; see for_each_type.h. */
static void TYPED(find_isolated)(const void *data, spg_range nodes)
{
    const isolated_job *job = data;
    const spg_csr *A = job->A;
    const spg_amg_graph *graph = job->graph;
    const int block_size = job->block_size, parts = job->parts;
    const OFFSET *offsets = A->row_offsets;
    const int32_t *columns = A->columns;
    const VALUE *values = A->values;
    for (int64_t node = nodes.begin; node < nodes.end; ++node) {
        const bool names_others = graph->borrowed || !spg_graph_is_alone(graph, node);
        bool is_coupled = false;
        if (!names_others && block_size == parts) {
            job->isolated[node] = 1;
            continue;
        }
        for (int64_t i = node * block_size; i < (node + 1) * block_size; ++i)
            for (int64_t k = offsets[i]; k < offsets[i + 1] && !is_coupled; ++k)
                is_coupled = (columns[k] ^ i) >= parts && values[k] != 0 && /* another unknown, for 1 or 2 parts */
                             (names_others || spg_amg_node_of(columns[k], block_size) == node);
        job->isolated[node] = !is_coupled;
    }
}

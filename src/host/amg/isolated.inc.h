/* Nodes [first, last). A row is left at the first value that couples it. Template; see for_each_type.h. */
static void TYPED(find_isolated)(const spg_csr *A, int block_size, const spg_amg_graph *graph, uint8_t *isolated,
                                 int64_t first, int64_t last)
{
    const OFFSET *offsets = A->row_offsets;
    const int32_t *columns = A->columns;
    const VALUE *values = A->values;
    for (int64_t node = first; node < last; ++node) {
        const bool names_others = graph->borrowed || !spg_graph_is_alone(graph, node);
        bool is_coupled = false;
        if (!names_others && block_size == 1) {
            isolated[node] = 1;
            continue;
        }
        for (int64_t i = node * block_size; i < (node + 1) * block_size; ++i)
            for (int64_t k = offsets[i]; k < offsets[i + 1] && !is_coupled; ++k)
                is_coupled = columns[k] != i && values[k] != 0 &&
                             (names_others || spg_amg_node_of(columns[k], block_size) == node);
        isolated[node] = !is_coupled;
    }
}

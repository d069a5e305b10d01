/* Finds isolated nodes, which nothing couples to others: rows with only a diagonal, as kept for boundary values, and
 * rows whose other entries are zero or weak. Coarse levels do not need them.
 *
 * A thread takes a node and stops at the first value that couples it: for most nodes, one of the first two entries.
 * Never waits. */
#include "../prolongator/prolongator.cuh"

namespace spg
{

namespace amg
{

namespace
{

template <typename Value> struct isolation {
    matrix_view<Value> A;
    int block_size, parts;
    divider nodes;
    numbers_view offsets; /* of the graph; NULL memory: A's own pattern, all of whose entries count */
    const int32_t *columns;

    __device__ bool names_others(int64_t node) const
    {
        if (offsets.memory == nullptr) return true;
        for (int64_t k = offsets[node]; k < offsets[node + 1]; ++k)
            if (columns[k] != node) return true;
        return false;
    }

    __device__ bool is_isolated(int64_t node) const
    {
        const bool names = names_others(node);
        if (!names && block_size == parts) return true;
        for (int64_t i = node * block_size; i < (node + 1) * block_size; ++i) {
            const int64_t end = A.offsets[i + 1];
            for (int64_t k = A.offsets[i]; k < end; ++k) {
                const int32_t column = A.columns[k];
                if ((column ^ i) < parts || A.values[k] == 0) continue; /* the same unknown, for 1 or 2 parts */
                if (names || nodes.quotient(column) == node) return false;
            }
        }
        return true;
    }
};

template <typename Value>
spg_status queue_search(spg_context *context, const isolation<Value> &job, int64_t nodes, uint8_t *isolated)
{
    return for_each(context, nodes, "isolated nodes",
                    [=] __device__(int64_t node) { isolated[node] = job.is_isolated(node) ? 1 : 0; });
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_find_isolated(spg_context *context, const spg_csr *A, int block_size, int parts,
                                  const spg_amg_graph *graph, uint8_t *isolated)
{
    using namespace spg::amg;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg::numbers_view offsets = {nullptr, false};
    if (!graph->borrowed) offsets = {graph->row_offsets, graph->offset_type == SPG_I64};
    status = with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        const isolation<Value> job = {view_of<Value>(*A),  block_size, parts,
                                      divider(block_size), offsets,    graph->columns};
        return queue_search(context, job, graph->nodes, isolated);
    });
    spg_cuda_leave(context);
    return status;
}

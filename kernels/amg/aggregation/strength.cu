/* Strength of connection: to which neighbours a node is strongly coupled, by the symmetric measure (Vanek, Mandel,
 * Brezina 1996, section 5.1) or the classical one, beside the row's largest coupling. With threshold 0 and one unknown
 * a node, the graph is A's own pattern.
 *
 * A group of lanes takes a row, once to count the strong entries and once to write them in order. The blocks of nodes
 * with several unknowns come from one product: A's entries, with the rows of a node joined into one and columns
 * replaced by their nodes, times the identity. It sums duplicates in storage order: the squares of a block. Integers
 * equal those of the host. Waits for the number of entries. */
#include "../counts.cuh"
#include "../prolongator/block_pattern.cuh"

#include "../../values.cuh"

#include "amg/numerics.h"

#include <cstring>

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 2 };

struct strength_rule {
    spg_strength measure;
    double theta;
};

/* Rows over nodes with the magnitudes of entries: of their values, or square roots if the values are squares. */
template <typename Value> struct coupling_view {
    matrix_view<Value> rows;
    bool are_squares;

    __device__ double magnitude(int64_t k) const
    {
        return are_squares ? sqrt((double)rows.values[k]) : fabs((double)rows.values[k]);
    }
};

template <typename Value> struct strength_job {
    coupling_view<Value> couplings;
    int lanes;
    strength_rule rule;
    const double *scales; /* of each row, the magnitude of its diagonal; classical: its largest coupling */

    __device__ bool is_strong(int64_t row, int64_t k) const
    {
        int32_t column = couplings.rows.columns[k];
        if (column == row) return true;
        bool is_classical = rule.measure == SPG_STRENGTH_CLASSICAL;
        return couplings.magnitude(k) >=
               rule.theta * (is_classical ? scales[row] : spg_amg_geometric_mean(scales[row], scales[column]));
    }
};

/* The magnitude of the sum of a row's diagonal entries. If there are more than two, one lane adds them in order. */
template <typename Value>
__global__ __launch_bounds__(THREADS) void measure_diagonal(coupling_view<Value> couplings, int lanes, double *diagonal)
{
    const matrix_view<Value> &A = couplings.rows;
    for_each_row(A.rows, lanes, [&](int64_t row, int lane) {
        int64_t begin = row >= 0 ? A.offsets[row] : 0, end = row >= 0 ? A.offsets[row + 1] : 0;
        double sum = 0;
        int count = 0;
        for (int64_t k = begin + lane; k < end; k += lanes)
            if (A.columns[k] == row) sum += (double)A.values[k], ++count;
        sum = combine_lanes(sum, lanes, plus());
        count = combine_lanes(count, lanes, plus());
        if (row < 0 || lane != 0) return;
        if (count > 2) sum = 0;
        for (int64_t k = begin; k < end && count > 2; ++k)
            if (A.columns[k] == row) sum += (double)A.values[k];
        diagonal[row] = couplings.are_squares ? sqrt(sum) : fabs(sum);
    });
}

/* The largest magnitude of a row off its diagonal. */
template <typename Value>
__global__ __launch_bounds__(THREADS) void measure_largest(coupling_view<Value> couplings, int lanes, double *largest)
{
    const matrix_view<Value> &A = couplings.rows;
    for_each_row(A.rows, lanes, [&](int64_t row, int lane) {
        int64_t end = row >= 0 ? A.offsets[row + 1] : 0;
        double most = 0;
        for (int64_t k = row >= 0 ? A.offsets[row] + lane : 0; k < end; k += lanes)
            if (A.columns[k] != row) most = fmax(most, couplings.magnitude(k));
        most = combine_lanes(most, lanes, maximum());
        if (row >= 0 && lane == 0) largest[row] = most;
    });
}

template <typename Value>
__global__ __launch_bounds__(THREADS) void count_strong(strength_job<Value> job, int32_t *lengths,
                                                        spg_counters *counters)
{
    const matrix_view<Value> &A = job.couplings.rows;
    unsigned long long nnz = 0;
    for_each_row(A.rows, job.lanes, [&](int64_t row, int lane) {
        int64_t end = row >= 0 ? A.offsets[row + 1] : 0;
        int count = 0;
        for (int64_t k = row >= 0 ? A.offsets[row] + lane : 0; k < end; k += job.lanes) count += job.is_strong(row, k);
        nnz += (unsigned long long)count;
        count = combine_lanes(count, job.lanes, plus());
        if (row >= 0 && lane == 0) lengths[row] = count;
    });
    nnz = reduce(nnz, plus());
    if (lane_in_warp() == 0 && nnz > 0) atomicAdd(&counters->nnz, nnz);
}

template <typename Value, typename Offset>
__global__ __launch_bounds__(THREADS) void write_strong(strength_job<Value> job, const Offset *offsets,
                                                        int32_t *columns)
{
    const matrix_view<Value> &A = job.couplings.rows;
    for_each_row(A.rows, job.lanes, [&](int64_t row, int lane) {
        int64_t begin = row >= 0 ? A.offsets[row] : 0, end = row >= 0 ? A.offsets[row + 1] : 0;
        int32_t *to = row >= 0 ? columns + offsets[row] : nullptr;
        int shift = lane_in_warp() - lane;
        for (int64_t k = begin; __any_sync(ALL_LANES, k < end); k += job.lanes) {
            bool is_strong = k + lane < end && job.is_strong(row, k + lane);
            unsigned int strong = __ballot_sync(ALL_LANES, is_strong) >> shift & (ALL_LANES >> (WARP - job.lanes));
            if (is_strong) to[__popc(strong & ((1u << lane) - 1))] = A.columns[k + lane];
            to += __popc(strong);
        }
    });
}

void release_graph(spg_context *context, spg_amg_graph *graph)
{
    spg_release(context, graph->row_offsets, (graph->nodes + 1) * (int64_t)spg_type_size(graph->offset_type));
    spg_release(context, graph->columns, graph->nnz * (int64_t)sizeof *graph->columns);
    memset(graph, 0, sizeof *graph);
}

/* Allocates the graph, whose entries have been counted. */
spg_status allocate_graph(spg_context *context, spg_amg_graph *graph)
{
    const char *what = "strong connections";
    void *columns = nullptr;
    int64_t offset_bytes = (graph->nodes + 1) * (int64_t)spg_type_size(graph->offset_type);
    spg_status status = spg_allocate(context, offset_bytes, what, &graph->row_offsets);
    if (status == SPG_OK)
        status = spg_allocate(context, spg_array_bytes(graph->nnz, sizeof *graph->columns), what, &columns);
    graph->columns = static_cast<int32_t *>(columns);
    return status;
}

template <typename Value>
spg_status write_graph(spg_context *context, const strength_job<Value> &job, const spg_amg_graph &graph)
{
    unsigned int blocks = blocks_for_groups(context, graph.nodes, job.lanes);
    cudaStream_t stream = spg_cuda_of(context)->stream;
    with_offset_type(graph.offset_type, [&](auto offset) {
        write_strong<<<blocks, THREADS, 0, stream>>>(job, static_cast<const decltype(offset) *>(graph.row_offsets),
                                                     graph.columns);
        return SPG_OK;
    });
    return spg_cuda_check_launch(context, "writing strong connections");
}

/* Keeps the strong couplings. */
template <typename Value>
spg_status filter(spg_context *context, const spg_csr &couplings, bool are_squares, strength_rule rule,
                  spg_amg_graph *graph)
{
    const char *what = "strong connections";
    spg_cuda *cuda = spg_cuda_of(context);
    workspace work(context);
    int32_t *lengths = nullptr;
    double *scales = nullptr;
    spg_status status = work.take(couplings.rows + 1, what, &lengths);
    if (status == SPG_OK) status = work.take(couplings.rows, what, &scales);
    if (status == SPG_OK) status = clear_counts(context);
    if (status != SPG_OK) return status;
    strength_job<Value> job = {{view_of<Value>(couplings), are_squares},
                               lanes_for(couplings.rows, couplings.nnz, ENTRIES_A_LANE),
                               rule,
                               scales};
    unsigned int blocks = blocks_for_groups(context, couplings.rows, job.lanes);
    auto *measure = rule.measure == SPG_STRENGTH_CLASSICAL ? measure_largest<Value> : measure_diagonal<Value>;
    measure<<<blocks, THREADS, 0, cuda->stream>>>(job.couplings, job.lanes, scales);
    count_strong<<<blocks, THREADS, 0, cuda->stream>>>(job, lengths, cuda->counters);
    status = spg_cuda_check_launch(context, what);
    spg_counters counts;
    if (status == SPG_OK) status = take_counts(context, &counts);
    if (status != SPG_OK) return status;
    graph->nodes = couplings.rows, graph->nnz = (int64_t)counts.nnz, graph->offset_type = couplings.offset_type;
    status = allocate_graph(context, graph);
    if (status == SPG_OK) status = scan_lengths(context, lengths, graph->nodes, graph->offset_type, graph->row_offsets);
    if (status == SPG_OK) status = write_graph(context, job, *graph);
    if (status != SPG_OK) release_graph(context, graph);
    return status;
}

/* The identity, with A's types. */
spg_status make_identity(spg_context *context, int64_t nodes, spg_type offset_type, spg_csr *identity)
{
    spg_status status = spg_csr_alloc(context, nodes, nodes, nodes, offset_type, SPG_F64, identity);
    if (status != SPG_OK) return status;
    void *offsets = identity->row_offsets;
    bool is_wide = offset_type == SPG_I64;
    int32_t *columns = identity->columns;
    double *values = static_cast<double *>(identity->values);
    return for_each(context, nodes + 1, "nodes", [=] __device__(int64_t i) {
        if (is_wide)
            static_cast<int64_t *>(offsets)[i] = i;
        else
            static_cast<int32_t *>(offsets)[i] = (int32_t)i;
        if (i < nodes) columns[i] = (int32_t)i, values[i] = 1;
    });
}

/* A's entries by nodes: the rows of a node joined, columns replaced by their nodes; the values are A's own. */
spg_status name_nodes(workspace &work, const spg_csr &A, int block_size, spg_csr *by_nodes)
{
    const char *what = "the blocks of nodes";
    const int64_t nodes = A.rows / block_size;
    numbers_view from = offsets_of(A);
    const int32_t *columns = A.columns;
    char *offsets = nullptr;
    int32_t *names = nullptr;
    spg_status status = work.take((nodes + 1) * (int64_t)spg_type_size(A.offset_type), what, &offsets);
    if (status == SPG_OK) status = work.take(A.nnz, what, &names);
    if (status != SPG_OK) return status;
    *by_nodes = {nodes, nodes, A.nnz, A.offset_type, A.value_type, A.place, offsets, names, A.values};
    void *to = offsets;
    status = for_each(work.context, nodes + 1, what, [=] __device__(int64_t i) {
        if (from.wide)
            static_cast<int64_t *>(to)[i] = from[i * block_size];
        else
            static_cast<int32_t *>(to)[i] = (int32_t)from[i * block_size];
    });
    if (status != SPG_OK) return status;
    divider by(block_size);
    return for_each(work.context, A.nnz, what, [=] __device__(int64_t k) { names[k] = by.quotient(columns[k]); });
}

template <typename Value>
__global__ __launch_bounds__(THREADS) void measure_nodes(matrix_view<Value> by_nodes, int lanes, bool is_classical,
                                                         double *scales)
{
    for_each_row(by_nodes.rows, lanes, [&](int64_t row, int lane) {
        const int64_t end = row >= 0 ? by_nodes.offsets[row + 1] : 0;
        double largest = 0;
        for (int64_t k = row >= 0 ? by_nodes.offsets[row] + lane : 0; k < end; k += lanes)
            if ((by_nodes.columns[k] == row) != is_classical) largest = fmax(largest, fabs((double)by_nodes.values[k]));
        largest = combine_lanes(largest, lanes, maximum());
        if (row >= 0 && lane == 0) scales[row] = spg_amg_node_scale(largest, is_classical);
    });
}

template <typename Value>
__global__ __launch_bounds__(THREADS) void square_entries(matrix_view<Value> by_nodes, int lanes, bool is_classical,
                                                          const double *scales, double *squares)
{
    for_each_row(by_nodes.rows, lanes, [&](int64_t row, int lane) {
        const int64_t end = row >= 0 ? by_nodes.offsets[row + 1] : 0;
        for (int64_t k = row >= 0 ? by_nodes.offsets[row] + lane : 0; k < end; k += lanes) {
            const double scale = spg_amg_block_scale(scales[row], scales[by_nodes.columns[k]], is_classical);
            const double value = (double)by_nodes.values[k] * scale;
            squares[k] = value * value;
        }
    });
}

/* Replaces the values by the squares of the scaled ones. */
template <typename Value> spg_status square_by_nodes(workspace &work, bool is_classical, spg_csr *by_nodes)
{
    const char *what = "the blocks of nodes";
    double *scales = nullptr, *squares = nullptr;
    spg_status status = work.take(by_nodes->rows, what, &scales);
    if (status == SPG_OK) status = work.take(by_nodes->nnz, what, &squares);
    if (status != SPG_OK) return status;
    const matrix_view<Value> view = view_of<Value>(*by_nodes);
    const int lanes = lanes_for(by_nodes->rows, by_nodes->nnz, ENTRIES_A_LANE);
    const unsigned int blocks = blocks_for_groups(work.context, by_nodes->rows, lanes);
    cudaStream_t stream = spg_cuda_of(work.context)->stream;
    measure_nodes<<<blocks, THREADS, 0, stream>>>(view, lanes, is_classical, scales);
    square_entries<<<blocks, THREADS, 0, stream>>>(view, lanes, is_classical, scales, squares);
    by_nodes->value_type = SPG_F64;
    by_nodes->values = squares;
    return spg_cuda_check_launch(work.context, what);
}

/* blocks: nodes x nodes; each entry is the sum of the squares of a scaled block. */
template <typename Value>
spg_status sum_blocks(spg_context *context, const spg_csr &A, int block_size, bool is_classical, spg_csr *blocks)
{
    workspace work(context);
    spg_csr by_nodes, identity = {};
    spg_status status = name_nodes(work, A, block_size, &by_nodes);
    if (status == SPG_OK) status = square_by_nodes<Value>(work, is_classical, &by_nodes);
    if (status == SPG_OK) status = make_identity(context, by_nodes.rows, A.offset_type, &identity);
    if (status == SPG_OK) status = spgemm_csr(context, &by_nodes, &identity, blocks);
    spg_csr_free(context, &identity);
    return status;
}

/* The pattern of all blocks of nodes that have entries. */
spg_status name_all_blocks(spg_context *context, const spg_csr &A, int block_size, spg_amg_graph *graph)
{
    workspace work(context);
    int64_t nodes = A.rows / block_size;
    block_rows rows = {nodes, A.nnz, offsets_of(A), A.columns, block_size, aggregate_view(block_size), false, true, 1};
    block_lists lists;
    graph->nodes = nodes, graph->offset_type = A.offset_type;
    spg_status status = count_blocks(work, rows, &lists, &graph->nnz);
    if (status == SPG_OK) status = allocate_graph(context, graph);
    if (status == SPG_OK)
        status = write_blocks(context, rows, lists, A.offset_type, graph->row_offsets, graph->columns);
    if (status != SPG_OK) release_graph(context, graph);
    return status;
}

template <typename Value>
spg_status find_strong_blocks(spg_context *context, const spg_csr &A, int block_size, strength_rule rule,
                              spg_amg_graph *graph)
{
    if (rule.theta == 0) return name_all_blocks(context, A, block_size, graph);
    spg_csr blocks = {};
    spg_status status = sum_blocks<Value>(context, A, block_size, rule.measure == SPG_STRENGTH_CLASSICAL, &blocks);
    if (status == SPG_OK) status = filter<double>(context, blocks, true, rule, graph);
    spg_csr_free(context, &blocks);
    return status;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_strength(spg_context *context, const spg_csr *A, int block_size, spg_strength measure, double theta,
                             spg_amg_graph *graph)
{
    memset(graph, 0, sizeof *graph);
    if (block_size == 1 && theta == 0) {
        *graph = {A->rows, A->nnz, A->offset_type, A->row_offsets, A->columns, true, nullptr, nullptr};
        return SPG_OK;
    }
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        const spg::amg::strength_rule rule = {measure, theta};
        return block_size == 1 ? spg::amg::filter<Value>(context, *A, false, rule, graph)
                               : spg::amg::find_strong_blocks<Value>(context, *A, block_size, rule, graph);
    });
    spg_cuda_leave(context);
    return status;
}

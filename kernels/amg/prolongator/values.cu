/* The values of the smoothed prolongator: P = T - relaxation/rho D^-1 (A T), in one pass over A.
 *
 * In: A, T by rows, the aggregates, and P's pattern. Out: P's values. One candidate: tiles.cu. Several candidates and
 * nodes of three or six unknowns: nodes.cu. Otherwise a group of lanes takes a row (rows.cuh), and rows of A with very
 * many entries are done by the whole block. Never waits. */
#include "rows.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 4, BUSY_THREADS = 1024 }; /* of a multiprocessor; amg_bench, H100 */

template <typename Value> __global__ __launch_bounds__(THREADS, 4) void fill_values(values_job<Value> job)
{
    wait_and_trigger();
    const double scale = job.scale();
    const int width = job.candidates * job.lanes, of_warp = WARP / width, groups = THREADS / WARP * of_warp;
    const int group = lane_in_warp() / width;
    const lane_of_row at(job.candidates, job.lanes);
    const int64_t step = (int64_t)gridDim.x * groups;
    bool sees_long = false;
    int64_t row = (int64_t)blockIdx.x * groups + (int)threadIdx.x / WARP * of_warp + group;
    for (; group < of_warp && row < job.A.rows; row += step) {
        sees_long = sees_long || job.is_long(row);
        if (!job.is_long(row)) fill_row(job, scale, row, at);
    }
    __shared__ Value sums_of_block[WINDOW];
    if (__syncthreads_or(sees_long)) fill_long_rows(job, scale, groups, sums_of_block);
}

/* Lanes for a candidate: the fewest that give all multiprocessors work, because lanes must combine their sums; no more
 * than there are entries, and all lanes of a row within a warp. */
int lanes_of_candidate(const spg_context *context, const spg_csr &A, int candidates)
{
    const int64_t wanted = (int64_t)spg_cuda_of(context)->multiprocessors * BUSY_THREADS;
    int most = lanes_for(A.rows, A.nnz, ENTRIES_A_LANE), lanes = 1;
    while (lanes < most && 2 * lanes * candidates <= WARP && A.rows * candidates * lanes < wanted) lanes *= 2;
    return lanes;
}

template <typename Value>
spg_status queue_fill(spg_context *context, const spg_csr &A, int block_size, int64_t P_nnz, values_job<Value> job)
{
    if (P_nnz == 0) return SPG_OK;
    if (job.candidates == 1 && job.relaxation != 0) return queue_tiles(context, job, A.nnz);
    job.lanes = lanes_of_candidate(context, A, job.candidates);
    if (fits_nodes(job, block_size)) return queue_nodes(context, job, block_size);
    const int groups = WARP / (job.candidates * job.lanes);
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a prolongator's values",
                               blocks_for_groups(context, A.rows, WARP / groups), THREADS, 0, fill_values<Value>, job);
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_prolongator_values(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                       const void *T, const void *inverse, double relaxation, const double *rho,
                                       spg_csr *P)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        spg::amg::values_job<Value> job = {spg::amg::view_of<Value>(*A),
                                           spg::amg::aggregate_view(*aggregates),
                                           static_cast<const Value *>(T),
                                           static_cast<const Value *>(inverse),
                                           relaxation,
                                           rho,
                                           spg::offsets_of(*P),
                                           P->columns,
                                           static_cast<Value *>(P->values),
                                           aggregates->candidates,
                                           1,
                                           spg::amg::LONG_ROW,
                                           spg::amg::divider(aggregates->candidates)};
        return spg::amg::queue_fill(context, *A, aggregates->block_size, P->nnz, job);
    });
    spg_cuda_leave(context);
    return status;
}

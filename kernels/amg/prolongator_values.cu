/* The values of the smoothed prolongator: P = T - relaxation/rho D^-1 (A T), in one pass over A.
 *
 * In: A, T by rows, the aggregates, and P's pattern. Out: P's values. With one candidate: prolongator_tiles.cu. With
 * more a group of lanes takes a row, or three rows of a node with the same columns: each lane one candidate and some of
 * A's entries, which it sums for some of the aggregates of P's row at a time, in registers; rows of P with more go over
 * A's row again. Lanes of the candidates of an entry are neighbours, so that they read A together; lanes of a candidate
 * combine their sums in a tree. Rows of A with very many entries are left to their block. Nothing waits. */
#include "prolongator_values.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { SUMS = 8, LONG_ROW = 1024, ROWS_OF_NODE = 3 };
enum { ENTRIES_A_LANE = 4, BUSY_THREADS = 1024 }; /* of a multiprocessor; amg_bench, H100 */

/* ---- a group of lanes a row, or some rows of a node with the same columns ---- */

/* Rows neighbouring rows of A, whose columns are those of the first. */
template <int Rows> struct rows_alike {
    int64_t begins[Rows];
    int length;
};

template <int Sums, int Rows, typename Value>
__device__ void sum_entries(const values_job<Value> &job, const rows_alike<Rows> &rows, int candidate, int lane,
                            const int32_t (&aggregates)[Sums], Value (&sums)[Rows][Sums])
{
    const int lanes = job.lanes;
    const int32_t *columns = job.A.columns + rows.begins[0];
    const Value *T = job.T + candidate;
    for (int k = lane; k < rows.length; k += ENTRIES_IN_FLIGHT * lanes) {
        int32_t found[ENTRIES_IN_FLIGHT];
        Value products[Rows][ENTRIES_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            bool reads = k + u * lanes < rows.length;
            found[u] = reads ? columns[k + u * lanes] : -1;
#pragma unroll
            for (int r = 0; r < Rows; ++r)
                products[r][u] = reads ? job.A.values[rows.begins[r] + k + u * lanes] : (Value)0;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            const Value factor = found[u] >= 0 ? T[(int64_t)found[u] * job.candidates] : (Value)0;
            found[u] = found[u] >= 0 ? job.aggregates[found[u]] : -1;
#pragma unroll
            for (int r = 0; r < Rows; ++r) products[r][u] *= factor;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u)
#pragma unroll
            for (int t = 0; t < Sums; ++t) {
                if (found[u] < 0 || found[u] != aggregates[t]) continue;
#pragma unroll
                for (int r = 0; r < Rows; ++r) sums[r][t] += products[r][u];
            }
    }
}

/* By all lanes of these rows, which are those of `group`; lane: of the candidate's, of which the first stores. A row
 * has at most LONG_ROW entries. */
template <int Sums, int Rows, typename Value>
__device__ void fill_rows_alike(const values_job<Value> &job, double scale, int64_t row, int candidate, int lane,
                                unsigned int group)
{
    const int k = job.candidates;
    const int64_t first = job.offsets[row];
    const int count = (int)(job.offsets[row + 1] - first);
    const int32_t *columns = job.columns + first;
    rows_alike<Rows> rows;
#pragma unroll
    for (int r = 0; r < Rows; ++r) rows.begins[r] = job.A.offsets[row + r];
    rows.length = (int)(job.A.offsets[row + 1] - rows.begins[0]);
    for (int p = candidate; p < count; p += Sums * k) {
        int32_t aggregates[Sums];
        Value sums[Rows][Sums] = {};
#pragma unroll
        for (int t = 0; t < Sums; ++t)
            aggregates[t] = p + t * k < count ? job.by_candidates.quotient(columns[p + t * k]) : -1;
        if (scale != 0) sum_entries<Sums, Rows>(job, rows, candidate, lane, aggregates, sums);
        for (int step = job.lanes / 2; step > 0; step /= 2)
#pragma unroll
            for (int r = 0; r < Rows; ++r)
#pragma unroll
                for (int t = 0; t < Sums; ++t) sums[r][t] += __shfl_down_sync(group, sums[r][t], step * k);
        if (lane != 0) continue;
        const int32_t own = job.aggregates[row];
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
            Value *values = job.values + first + (int64_t)r * count + p;
            const Value of_row = job.T[(row + r) * k + candidate];
            const Value factor = (Value)(scale * (double)job.inverse[row + r]);
#pragma unroll
            for (int t = 0; t < Sums; ++t) {
                if (aggregates[t] < 0) continue;
                Value value = aggregates[t] == own ? of_row : (Value)0;
                values[t * k] = scale != 0 ? value - factor * sums[r][t] : value;
            }
        }
    }
}

/* Whether A's rows row to row + Rows - 1 have the same columns, and no more than may be; by `width` lanes together,
 * `index` each its own. */
template <int Rows, typename Value>
__device__ bool are_alike(const values_job<Value> &job, int64_t row, int index, int width, unsigned int group)
{
    const int64_t begin = job.A.offsets[row], length = job.A.offsets[row + 1] - begin;
    bool differs = length > job.longest;
    for (int r = 1; r < Rows; ++r) differs = differs || job.A.offsets[row + r + 1] - job.A.offsets[row + r] != length;
    for (int64_t k = index; k < length && !differs; k += width)
#pragma unroll
        for (int r = 1; r < Rows; ++r)
            differs = differs || job.A.columns[begin + k] != job.A.columns[begin + r * length + k];
    return !__any_sync(group, differs);
}

/* Rows: that a group of lanes takes at a time, of one node. */
template <int Sums, int Rows, typename Value>
__global__ __launch_bounds__(THREADS, Rows == 1 ? 4 : 2) void fill_values(values_job<Value> job)
{
    take_turn();
    const double scale = job.scale();
    const int width = job.candidates * job.lanes, of_warp = WARP / width, groups = THREADS / WARP * of_warp;
    const int group = lane_in_warp() / width, index = lane_in_warp() % width;
    const int candidate = index % job.candidates, lane = index / job.candidates;
    const unsigned int mask = (width < WARP ? (1u << width) - 1 : ALL_LANES) << group * width;
    const int64_t step = (int64_t)gridDim.x * groups * Rows;
    bool sees_long = false;
    int64_t row = ((int64_t)blockIdx.x * groups + (int)threadIdx.x / WARP * of_warp + group) * Rows;
    for (; group < of_warp && row < job.A.rows; row += step) {
        if (Rows > 1 && are_alike<Rows>(job, row, index, width, mask)) {
            fill_rows_alike<Sums, Rows>(job, scale, row, candidate, lane, mask);
            continue;
        }
        for (int64_t one = row; one < row + Rows; ++one) {
            sees_long = sees_long || job.is_long(one);
            if (!job.is_long(one)) fill_rows_alike<Sums, 1>(job, scale, one, candidate, lane, mask);
        }
    }
    __shared__ Value sums_of_block[WINDOW];
    if (__syncthreads_or(sees_long)) fill_long_rows(job, scale, groups * Rows, sums_of_block);
}

/* Lanes to a candidate of `rows` rows at a time: as few as give all multiprocessors work, for they combine their sums;
 * no more than have entries, and all of a row within a warp. */
int lanes_of_candidate(const spg_context *context, const spg_csr &A, int candidates, int rows)
{
    const int64_t wanted = (int64_t)spg_cuda_of(context)->multiprocessors * BUSY_THREADS;
    int most = lanes_for(A.rows, A.nnz, ENTRIES_A_LANE), lanes = 1;
    while (lanes < most && 2 * lanes * candidates <= WARP && A.rows / rows * candidates * lanes < wanted) lanes *= 2;
    return lanes;
}

template <int Sums, int Rows, typename Value> spg_status queue_groups(spg_context *context, values_job<Value> job)
{
    const int groups = WARP / (job.candidates * job.lanes);
    return launch_in_turn(context, spg_cuda_of(context)->stream, "a prolongator's values",
                          blocks_for_groups(context, job.A.rows / Rows, WARP / groups), THREADS, 0,
                          fill_values<Sums, Rows, Value>, job);
}

template <typename Value>
spg_status queue_fill(spg_context *context, const spg_csr &A, int block_size, int64_t P_nnz, values_job<Value> job)
{
    if (P_nnz == 0) return SPG_OK;
    if (job.candidates == 1 && job.relaxation != 0) return queue_tiles(context, job, A.nnz);
    const bool by_nodes = block_size % ROWS_OF_NODE == 0 && job.relaxation != 0;
    job.lanes = lanes_of_candidate(context, A, job.candidates, by_nodes ? ROWS_OF_NODE : 1);
    if (by_nodes) return queue_groups<SUMS, ROWS_OF_NODE>(context, job);
    return queue_groups<SUMS, 1>(context, job);
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

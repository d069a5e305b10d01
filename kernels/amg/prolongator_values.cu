/* The values of the smoothed prolongator: P = T - relaxation/rho D^-1 (A T), in one pass over A.
 *
 * In: A, T by rows, the aggregates, and P's pattern. Out: P's values. A group of lanes takes a row: each lane sums one
 * entry of P's row while the group passes A's row from lane to lane, so that sums go in the order of storage; rows of P
 * with more entries than lanes go over A's row again. Nothing waits. */
#include "prolongator.cuh"

#include "../values.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 1 };

template <typename Value> struct values_job {
    matrix_view<Value> A;
    aggregate_view aggregates;
    const Value *T, *inverse;
    double relaxation;
    const double *rho;
    numbers_view offsets; /* of P */
    const int32_t *columns;
    Value *values;
    int candidates;
    divider by_candidates;
};

/* One entry of P: which aggregate, which candidate of it. */
struct coarse_unknown {
    int32_t aggregate, candidate;
};

/* The sum of the products of A's row with column `mine` of T, in the order of storage. By all lanes of a warp. */
template <bool Single, typename Value>
__device__ Value multiply_by_tentative(const values_job<Value> &job, int64_t begin, int64_t end, int lane, int lanes,
                                       coarse_unknown mine)
{
    Value sum = 0;
    for (int64_t k = begin + lane; __any_sync(ALL_LANES, k - lane < end); k += lanes) {
        bool reads = k < end;
        int32_t column = reads ? job.A.columns[k] : 0;
        Value value = reads ? job.A.values[k] : (Value)0;
        int32_t aggregate = reads ? job.aggregates[column] : -1;
        if (Single && aggregate >= 0) value *= job.T[column];
        for (int source = 0; source < lanes; ++source) {
            int32_t passed = __shfl_sync(ALL_LANES, aggregate, source, lanes);
            Value factor = __shfl_sync(ALL_LANES, value, source, lanes);
            int32_t row = Single ? 0 : __shfl_sync(ALL_LANES, column, source, lanes);
            if (passed != mine.aggregate || passed < 0) continue;
            sum += Single ? factor : factor * job.T[(int64_t)row * job.candidates + mine.candidate];
        }
    }
    return sum;
}

template <bool Single, typename Value>
__device__ void fill_row(const values_job<Value> &job, int64_t row, int lane, int lanes, double scale)
{
    bool has_row = row >= 0;
    int64_t p = has_row ? job.offsets[row] + lane : 0, p_end = has_row ? job.offsets[row + 1] : 0;
    int64_t begin = has_row && scale != 0 ? job.A.offsets[row] : 0;
    int64_t end = has_row && scale != 0 ? job.A.offsets[row + 1] : 0;
    int32_t own = has_row ? job.aggregates[row] : -1;
    Value factor = has_row && scale != 0 ? (Value)(scale * (double)job.inverse[row]) : (Value)0;
    for (; __any_sync(ALL_LANES, p - lane < p_end); p += lanes) {
        int32_t column = p < p_end ? job.columns[p] : 0;
        int32_t aggregate = Single ? column : job.by_candidates.quotient(column);
        coarse_unknown mine = {p < p_end ? aggregate : -2, column - aggregate * job.candidates};
        int64_t last = p - lane < p_end ? end : begin; /* a group that is done reads no more */
        Value sum = multiply_by_tentative<Single>(job, begin, last, lane, lanes, mine);
        if (p >= p_end) continue;
        Value value = mine.aggregate == own ? job.T[row * job.candidates + mine.candidate] : (Value)0;
        job.values[p] = scale != 0 ? value - factor * sum : value;
    }
}

template <bool Single, typename Value>
__global__ __launch_bounds__(THREADS) void fill_values(values_job<Value> job, int lanes)
{
    double scale = job.relaxation != 0 ? job.relaxation / *job.rho : 0;
    for_each_row(job.A.rows, lanes, [&](int64_t row, int lane) { fill_row<Single>(job, row, lane, lanes, scale); });
}

template <typename Value> spg_status queue_fill(spg_context *context, const values_job<Value> &job, int64_t nnz)
{
    if (nnz == 0) return SPG_OK;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int lanes = lanes_for(job.A.rows, nnz + nnz / 2, ENTRIES_A_LANE);
    unsigned int blocks = blocks_for_groups(context, job.A.rows, lanes);
    if (job.candidates == 1)
        fill_values<true><<<blocks, THREADS, 0, stream>>>(job, lanes);
    else
        fill_values<false><<<blocks, THREADS, 0, stream>>>(job, lanes);
    return spg_cuda_check_launch(context, "a prolongator's values");
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
                                           spg::amg::divider(aggregates->candidates)};
        return spg::amg::queue_fill(context, job, P->nnz);
    });
    spg_cuda_leave(context);
    return status;
}

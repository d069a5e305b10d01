/* The tentative prolongator T: the candidates restricted to the aggregates, made orthonormal in each by modified
 * Gram-Schmidt (Vanek, Mandel, Brezina 1996, section 5.2). The coefficients go to the coarse candidates.
 *
 * A stable sort gathers the members of aggregates, so that unknowns ascend. A group of lanes takes an aggregate, in
 * doubles, and sums in a fixed order. The columns are in T, or for floats in a separate array. Never waits. */
#include "../rows.cuh"

#include "../../containers/order.cuh"

#include "amg/numerics.h"
#include "amg/units.h"

namespace spg
{

namespace amg
{

namespace
{

enum { UNKNOWNS_A_LANE = 2 };

template <typename Value> struct tentative_job {
    int64_t rows, aggregates;
    int block_size, candidates, lanes;
    const uint32_t *members; /* nodes, ordered by aggregate, ascending in each */
    const int32_t *begins;   /* by aggregate: where it begins in members; one more than there are aggregates */
    const Value *fine;       /* NULL: constants */
    double *columns;         /* rows x candidates, row-major: becomes T */
    Value *T, *coarse;
};

/* The unknowns of an aggregate, in ascending order. */
struct unknowns {
    const uint32_t *members;
    int count, block_size;

    __device__ int64_t operator[](int r) const
    {
        return block_size == 1 ? (int64_t)members[r] : (int64_t)members[r / block_size] * block_size + r % block_size;
    }
};

template <typename Value> __device__ unknowns unknowns_of(const tentative_job<Value> &job, int64_t aggregate)
{
    if (aggregate < 0) return {job.members, 0, 1};
    int32_t begin = job.begins[aggregate];
    return {job.members + begin, (job.begins[aggregate + 1] - begin) * job.block_size, job.block_size};
}

template <typename Value> __device__ double candidate_value(const tentative_job<Value> &job, int64_t row, int candidate)
{
    if (job.fine != nullptr) return (double)job.fine[candidate * job.rows + row];
    return row % job.block_size == candidate ? 1 : 0;
}

/* The remainder of a candidate that depends on those before it is rounding error. */
template <typename Value> __device__ double rest_of(double square, double norm)
{
    double rest = sqrt(square);
    return rest > spg_amg_least_rest(sizeof(Value) == sizeof(float)) * norm ? rest : 0;
}

__device__ inline bool is_extreme(double norm, const unknowns &rows) { return rows.count > 0 && spg_is_extreme(norm); }

/* One candidate: T is the candidate normalised in each aggregate. */
template <typename Value> __global__ __launch_bounds__(THREADS) void normalise(tentative_job<Value> job)
{
    for_each_row(job.aggregates, job.lanes, [&](int64_t aggregate, int lane) {
        unknowns rows = unknowns_of(job, aggregate);
        double square = 0;
        for (int r = lane; r < rows.count; r += job.lanes) {
            double value = candidate_value(job, rows[r], 0);
            square += value * value;
        }
        double norm = sqrt(combine_lanes(square, job.lanes, plus())), unit = 1;
        if (__any_sync(ALL_LANES, is_extreme(norm, rows))) {
            double largest = 0;
            for (int r = lane; r < rows.count; r += job.lanes)
                largest = fmax(largest, fabs(candidate_value(job, rows[r], 0)));
            largest = combine_lanes(largest, job.lanes, maximum());
            if (is_extreme(norm, rows)) unit = spg_unit_of(largest);
            square = 0;
            for (int r = lane; r < rows.count; r += job.lanes) {
                double value = candidate_value(job, rows[r], 0) / unit;
                square += value * value;
            }
            norm = sqrt(combine_lanes(square, job.lanes, plus()));
        }
        const double scale = 1 / unit;
        for (int r = lane; r < rows.count; r += job.lanes) {
            int64_t row = rows[r];
            job.T[row] = (Value)(norm > 0 ? candidate_value(job, row, 0) * scale / norm : 0);
        }
        if (aggregate >= 0 && lane == 0) job.coarse[aggregate] = (Value)(norm * unit);
    });
}

template <typename Value>
__device__ double inner_product(const tentative_job<Value> &job, const unknowns &rows, int lane, int p, int c)
{
    double sum = 0;
    for (int r = lane; r < rows.count; r += job.lanes) {
        const double *row = job.columns + rows[r] * job.candidates;
        sum += row[p] * row[c];
    }
    return combine_lanes(sum, job.lanes, plus());
}

/* Scales column c to about 1 if its norm is extreme, and returns the unit used. All lanes of a warp call it
 * together. */
template <typename Value>
__device__ double choose_unit(const tentative_job<Value> &job, const unknowns &rows, int lane, int c, double norm)
{
    double largest = 0;
    for (int r = lane; r < rows.count; r += job.lanes)
        largest = fmax(largest, fabs(job.columns[rows[r] * job.candidates + c]));
    largest = combine_lanes(largest, job.lanes, maximum());
    const double unit = is_extreme(norm, rows) ? spg_unit_of(largest) : 1;
    for (int r = lane; r < rows.count; r += job.lanes) job.columns[rows[r] * job.candidates + c] /= unit;
    return unit;
}

/* Orthonormalises column c against those before it; its coefficients go to coarse row after row. A lane changes only
 * what it alone reads. */
template <typename Value>
__device__ void orthonormalise(const tentative_job<Value> &job, const unknowns &rows, int lane, int c, Value *coarse)
{
    const int k = job.candidates;
    double norm = sqrt(inner_product(job, rows, lane, c, c)), unit = 1;
    if (__any_sync(ALL_LANES, is_extreme(norm, rows))) {
        unit = choose_unit(job, rows, lane, c, norm);
        norm = sqrt(inner_product(job, rows, lane, c, c));
    }
    for (int p = 0; p < c; ++p) {
        double coefficient = inner_product(job, rows, lane, p, c);
        for (int r = lane; r < rows.count; r += job.lanes) {
            double *row = job.columns + rows[r] * k;
            row[c] -= coefficient * row[p];
        }
        if (coarse != nullptr) coarse[p] = (Value)(coefficient * unit);
    }
    double rest = rest_of<Value>(inner_product(job, rows, lane, c, c), norm);
    for (int r = lane; r < rows.count; r += job.lanes) {
        double *value = job.columns + rows[r] * k + c;
        *value = rest > 0 ? *value / rest : 0;
    }
    if (coarse == nullptr) return;
    coarse[c] = (Value)(rest * unit);
    for (int p = c + 1; p < k; ++p) coarse[p] = 0;
}

template <typename Value> __global__ __launch_bounds__(THREADS) void fit(tentative_job<Value> job)
{
    for_each_row(job.aggregates, job.lanes, [&](int64_t aggregate, int lane) {
        unknowns rows = unknowns_of(job, aggregate);
        const int k = job.candidates;
        for (int r = lane; r < rows.count; r += job.lanes)
            for (int c = 0; c < k; ++c) job.columns[rows[r] * k + c] = candidate_value(job, rows[r], c);
        bool writes = aggregate >= 0 && lane == 0;
        for (int c = 0; c < k; ++c)
            orthonormalise(job, rows, lane, c, writes ? job.coarse + (c * job.aggregates + aggregate) * k : nullptr);
        for (int r = lane; r < rows.count && sizeof(Value) == sizeof(float); r += job.lanes)
            for (int c = 0; c < k; ++c) job.T[rows[r] * k + c] = (Value)job.columns[rows[r] * k + c];
    });
}

/* Sorts the nodes by aggregate; those in none come last. */
spg_status list_members(workspace &work, const spg_amg_aggregates &aggregates, const uint32_t **members,
                        int32_t **begins)
{
    const char *what = "the members of aggregates";
    spg_context *context = work.context;
    key_order<uint32_t, uint32_t> sorted;
    const int64_t nodes = aggregates.nodes, count = aggregates.aggregates;
    const int32_t *aggregate_of = aggregates.aggregate_of;
    spg_status status = allocate_order(work, nodes, what, &sorted);
    if (status == SPG_OK) status = work.take(count + 1, what, begins);
    if (status != SPG_OK) return status;
    uint32_t *keys = sorted.keys;
    status = for_each(context, nodes, what, [=] __device__(int64_t i) {
        keys[i] = (uint32_t)(aggregate_of[i] < 0 ? count : aggregate_of[i]);
    });
    if (status == SPG_OK) status = sort_order(work, nodes, bits_below(count + 1), what, &sorted);
    if (status != SPG_OK) return status;
    *members = sorted.order;
    const uint32_t *ascending = sorted.keys;
    int32_t *first = *begins;
    return for_each(context, count + 1, what,
                    [=] __device__(int64_t a) { first[a] = (int32_t)first_not_below(ascending, nodes, (uint32_t)a); });
}

template <typename Value>
spg_status queue_fit(workspace &work, const spg_amg_aggregates &aggregates, const void *fine, void *T, void *coarse)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    tentative_job<Value> job = {};
    job.rows = aggregates.nodes * aggregates.block_size;
    job.aggregates = aggregates.aggregates;
    job.block_size = aggregates.block_size, job.candidates = aggregates.candidates;
    job.lanes = lanes_for(job.aggregates, job.rows, UNKNOWNS_A_LANE);
    job.fine = static_cast<const Value *>(fine);
    job.T = static_cast<Value *>(T), job.coarse = static_cast<Value *>(coarse);
    job.columns = reinterpret_cast<double *>(job.T);
    size_t bytes = (size_t)(job.rows * job.candidates) * sizeof(Value);
    spg_status status = spg_cuda_check(context, cudaMemsetAsync(T, 0, bytes, stream), "a tentative prolongator");
    if (status != SPG_OK || job.aggregates == 0) return status;
    int32_t *begins = nullptr;
    status = list_members(work, aggregates, &job.members, &begins);
    job.begins = begins;
    if (status == SPG_OK && job.candidates > 1 && sizeof(Value) == sizeof(float))
        status = work.take(job.rows * job.candidates, "a tentative prolongator", &job.columns);
    if (status != SPG_OK) return status;
    unsigned int blocks = blocks_for_groups(context, job.aggregates, job.lanes);
    if (job.candidates == 1)
        normalise<<<blocks, THREADS, 0, stream>>>(job);
    else
        fit<<<blocks, THREADS, 0, stream>>>(job);
    return spg_cuda_check_launch(context, "a tentative prolongator");
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_tentative(spg_context *context, spg_type type, const spg_amg_aggregates *aggregates,
                              const void *fine, void *T, void *coarse)
{
    if (aggregates->nodes == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(type, [&](auto value) {
        spg::workspace work(context);
        return spg::amg::queue_fit<decltype(value)>(work, *aggregates, fine, T, coarse);
    });
    spg_cuda_leave(context);
    return status;
}

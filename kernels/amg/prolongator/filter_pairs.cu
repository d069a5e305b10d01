/* The filtered operator of a real form: A without the blocks of its weak complex entries. A thread takes the two rows
 * of a node and adds in the host's order, so that values equal the host's. Never waits. */
#include "prolongator.cuh"

#include "amg/complex/filter.h"

namespace spg
{

namespace amg
{

namespace
{

template <typename Value> struct pair_filter {
    matrix_view<Value> A, pattern; /* pattern: of F */
    const int32_t *aggregate_of;
    const Value *T, *coarse;
    Value *kept; /* F's values */

    /* The first candidate, T*coarse: with the second, i times it, its columns in an aggregate stay orthogonal. */
    __device__ spg_amg_number candidate(int64_t node) const
    {
        const int32_t aggregate = aggregate_of[node];
        if (aggregate == SPG_AMG_NO_AGGREGATE) return {0, 0};
        const double norm = (double)coarse[2 * (int64_t)aggregate];
        return {norm * (double)T[4 * node], norm * (double)T[4 * node + 2]};
    }

    /* Row i of F, before anything is added to it. Returns the products of what it lacks with the candidate. */
    __device__ spg_amg_number keep(int64_t i) const
    {
        const int64_t begin = pattern.offsets[i], count = pattern.offsets[i + 1] - begin, end = A.offsets[i + 1];
        spg_amg_number dropped = {0, 0};
        for (int64_t e = 0; e < count; ++e) kept[begin + e] = 0;
        for (int64_t k = A.offsets[i]; k < end; ++k) {
            const int32_t node = A.columns[k] / 2, second = A.columns[k] % 2;
            const int64_t at = spg_amg_find_pair(pattern.columns + begin, count / 2, node);
            if (at >= 0)
                kept[begin + at + second] += A.values[k];
            else
                dropped = spg_amg_add_product(dropped, (double)A.values[k], second != 0, candidate(node));
        }
        return dropped;
    }

    __device__ void filter(int64_t node) const
    {
        const int64_t i = 2 * node, begin = pattern.offsets[i], count = pattern.offsets[i + 1] - begin;
        const spg_amg_number dropped = keep(i);
        keep(i + 1);
        const int64_t at = spg_amg_find_pair(pattern.columns + begin, count / 2, (int32_t)node);
        if (at < 0) return;
        Value *first = kept + begin + at, *second = first + count;
        const spg_amg_number diagonal = {(double)first[0], -(double)first[1]};
        const spg_amg_number lump = spg_amg_lump_complex(diagonal, dropped, candidate(node));
        first[0] = (Value)((double)first[0] + lump.re);
        first[1] = (Value)((double)first[1] - lump.im);
        second[0] = (Value)((double)second[0] + lump.im);
        second[1] = (Value)((double)second[1] + lump.re);
    }
};

template <typename Value> spg_status queue_filter(spg_context *context, const pair_filter<Value> &job, int64_t nodes)
{
    return for_each(context, nodes, "a filtered operator", [=] __device__(int64_t node) { job.filter(node); });
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_filter_pairs(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                 const void *T, const void *coarse, spg_csr *F)
{
    using namespace spg::amg;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        const pair_filter<Value> job = {view_of<Value>(*A),
                                        view_of<Value>(*F),
                                        aggregates->aggregate_of,
                                        static_cast<const Value *>(T),
                                        static_cast<const Value *>(coarse),
                                        static_cast<Value *>(F->values)};
        return queue_filter(context, job, aggregates->nodes);
    });
    spg_cuda_leave(context);
    return status;
}

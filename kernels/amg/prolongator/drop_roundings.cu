/* Sets the inverse of a coarse operator's diagonal entry to zero if the entry is only rounding error. A thread takes an
 * unknown, because few are in no aggregate. Never waits. */
#include "prolongator.cuh"

#include "amg/numerics.h"

namespace spg
{

namespace amg
{

namespace
{

template <typename Value> struct dropping {
    matrix_view<Value> R;
    aggregate_view aggregates;
    bool all; /* all unknowns; else only those in no aggregate */
    const Value *restricted;
    Value *inverse;

    __device__ void check(int64_t i) const
    {
        const double least = SPG_AMG_ROUNDINGS * spg_amg_epsilon(sizeof(Value) == sizeof(float));
        if (!all && aggregates[i] != SPG_AMG_NO_AGGREGATE) return;
        double magnitude = 0;
        const int64_t end = R.offsets[i + 1];
        for (int64_t k = R.offsets[i]; k < end; ++k) {
            const double part = (double)R.values[k], of_column = fabs((double)restricted[R.columns[k]]);
            if (of_column > 0) magnitude += part * part / of_column;
        }
        if (magnitude * least * fabs((double)inverse[i]) >= 1) inverse[i] = 0;
    }
};

template <typename Value> spg_status queue_checks(spg_context *context, const dropping<Value> &job)
{
    return for_each(context, job.R.rows, "roundings", [=] __device__(int64_t i) { job.check(i); });
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_drop_roundings(spg_context *context, const spg_csr *R, const void *restricted_inverse,
                                   const spg_amg_aggregates *aggregates, void *inverse)
{
    using namespace spg::amg;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = with_real_type(R->value_type, [&](auto value) {
        using Value = decltype(value);
        const dropping<Value> job = {view_of<Value>(*R), aggregate_view(*aggregates), aggregates->aggregate_of == NULL,
                                     static_cast<const Value *>(restricted_inverse), static_cast<Value *>(inverse)};
        return queue_checks(context, job);
    });
    spg_cuda_leave(context);
    return status;
}

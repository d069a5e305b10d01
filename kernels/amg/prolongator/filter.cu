/* The filtered operator: A without its weak entries, which are added to the diagonal. A thread takes a row and adds in
 * the host's order, so that values equal the host's. Sums begin with -0, which leaves every number as it is. Never
 * waits. */
#include "prolongator.cuh"

#include "amg/numerics.h"

namespace spg
{

namespace amg
{

namespace
{

template <typename Value> struct filtering {
    matrix_view<Value> A, pattern; /* pattern: of F; a row is a part of A's row, in its order */
    Value *kept;                   /* F's values */

    __device__ void filter(int64_t row) const
    {
        const int64_t end = A.offsets[row + 1], first = pattern.offsets[row], count = pattern.offsets[row + 1] - first;
        const int32_t *columns = pattern.columns + first;
        const bool ascends = spg_amg_ascends(columns, count);
        int64_t next = 0, at_diagonal = -1;
        double diagonal = 0, dropped = 0;
        for (int64_t e = 0; e < count; ++e) kept[first + e] = (Value)-0.0;
        for (int64_t k = A.offsets[row]; k < end; ++k) {
            const int32_t column = A.columns[k];
            const Value value = A.values[k];
            const int64_t at = spg_amg_find_kept(columns, count, next, ascends, column);
            if (at < 0) {
                dropped += (double)value;
                continue;
            }
            if (column == row) {
                diagonal += (double)value;
                at_diagonal = at_diagonal < 0 ? first + at : at_diagonal;
            }
            kept[first + at] += value;
            next += at == next;
        }
        if (at_diagonal < 0 || dropped == 0) return;
        kept[at_diagonal] = (Value)((double)kept[at_diagonal] + spg_amg_lump(diagonal, dropped));
    }
};

template <typename Value> spg_status queue_filter(spg_context *context, const filtering<Value> &job)
{
    return for_each(context, job.A.rows, "a filtered operator", [=] __device__(int64_t row) { job.filter(row); });
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_filter_values(spg_context *context, const spg_csr *A, spg_csr *F)
{
    using namespace spg::amg;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        const filtering<Value> job = {view_of<Value>(*A), view_of<Value>(*F), static_cast<Value *>(F->values)};
        return queue_filter(context, job);
    });
    spg_cuda_leave(context);
    return status;
}

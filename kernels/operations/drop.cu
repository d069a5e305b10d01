/* A copy without small entries: first the largest modulus of each row, if the rule needs it. */
#include "assemble_rows.cuh"
#include "parts.cuh"

namespace spg
{

namespace
{

const char what[] = "dropping small entries";

/* largest[row], as the bits of a double: those that are not negative have the same order. NaN counts as nothing. */
template <typename Value>
spg_status find_largest(spg_context *context, const spg_csr &matrix, unsigned long long *largest)
{
    const Value *values = static_cast<const Value *>(matrix.values);
    spg_status status = spg_cuda_zero_bytes(context, largest, spg_array_bytes(matrix.rows, sizeof *largest));
    if (status != SPG_OK) return status;
    return for_each_entry(context, matrix, what, [=] __device__(int64_t k, int64_t row) {
        const double modulus = modulus_of(values[k]);
        if (modulus > 0) atomicMax(&largest[row], (unsigned long long)__double_as_longlong(modulus));
    });
}

template <typename Value>
spg_status drop_entries(spg_context *context, const spg_csr &matrix, const spg_drop_rule &rule, spg_csr *kept)
{
    workspace work(context);
    unsigned long long *largest = nullptr;
    const bool is_relative = rule.relative > 0;
    spg_status status = is_relative ? work.take(matrix.rows, what, &largest) : SPG_OK;
    if (status == SPG_OK && is_relative) status = find_largest<Value>(context, matrix, largest);
    if (status != SPG_OK) return status;
    const Value *values = static_cast<const Value *>(matrix.values);
    const int32_t *columns = matrix.columns;
    const spg_drop_rule by = rule;
    *kept = {matrix.rows, matrix.cols, 0,      matrix.offset_type, matrix.value_type, SPG_PLACE_DEVICE,
             nullptr,     nullptr,     nullptr};
    return assemble_rows(
        work, {offsets_of(matrix), nullptr, 0}, matrix.values, what,
        [=] __device__(int64_t k, int64_t row) -> int64_t {
            const double modulus = modulus_of(values[k]);
            if (by.keep_diagonal && columns[k] == row) return columns[k];
            if (modulus <= by.absolute) return -1;
            if (is_relative && modulus < by.relative * __longlong_as_double((long long)largest[row])) return -1;
            return columns[k];
        },
        kept);
}

} // namespace

} // namespace spg

spg_status spg_cuda_drop(spg_context *context, const spg_csr *matrix, const spg_drop_rule *rule, spg_csr *kept)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::with_value_type(matrix->value_type, [&](auto value) {
        return spg::drop_entries<decltype(value)>(context, *matrix, *rule, kept);
    });
    spg_cuda_leave(context);
    return status;
}

/* How two matrices differ: of each, the sum with nothing has sorted rows without duplicates; each entry then looks for
 * its place in the other. */
#include "../containers/entries.cuh"
#include "add.cuh"
#include "cuda_operations.h"
#include "parts.cuh"

namespace spg
{

namespace
{

const char what[] = "comparing matrices";

/* Moduli are compared as the bits of doubles: those that are not negative have the same order, and NaN is above all. */
struct findings {
    unsigned long long first_row, first_column; /* all bits set: none */
    unsigned long long other_places, absolute, relative;
};

template <typename Value> struct sorted_entries {
    numbers_view offsets;
    const int32_t *columns;
    const Value *values;

    /* The entry at a place; zero, and *found is false, if there is none. */
    __device__ Value at(int64_t row, int32_t column, bool *found) const
    {
        const int64_t end = offsets[row + 1];
        const int64_t k = first_that(offsets[row], end, [=](int64_t e) { return columns[e] >= column; });
        *found = k < end && columns[k] == column;
        return *found ? values[k] : zero<Value>();
    }
};

template <typename Value> sorted_entries<Value> entries_of(const spg_csr &matrix)
{
    return {offsets_of(matrix), matrix.columns, static_cast<const Value *>(matrix.values)};
}

__device__ inline void raise(unsigned long long *most, double modulus)
{
    atomicMax(most, (unsigned long long)__double_as_longlong(fabs(modulus)));
}

/* Notes how the entries of one matrix differ from the other; those in both are the same from both sides. With in_row,
 * only the first column that differs in the first row, found before. */
template <typename Value>
spg_status note_differences(spg_context *context, const spg_csr &one, const spg_csr &other, bool in_row,
                            findings *found)
{
    const sorted_entries<Value> here = entries_of<Value>(one), there = entries_of<Value>(other);
    return for_each_entry(context, one, what, [=] __device__(int64_t k, int64_t row) {
        if (in_row && (unsigned long long)row != found->first_row) return;
        bool has_other;
        const int32_t column = here.columns[k];
        const Value a = here.values[k], b = there.at(row, column, &has_other);
        if (!has_other) found->other_places = 1;
        const double distance = spg_distance(re_of(a), im_of(a), re_of(b), im_of(b));
        if (distance == 0) return;
        report_first(in_row ? &found->first_column : &found->first_row, in_row ? column : row);
        raise(&found->absolute, distance);
        raise(&found->relative, spg_relative_distance(re_of(a), im_of(a), re_of(b), im_of(b)));
    });
}

template <typename Value>
spg_status compare_sorted(workspace &work, const spg_csr &A, const spg_csr &B, findings *of_all)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    findings *found = nullptr;
    spg_status status = work.take(1, what, &found);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(context, found, sizeof *found);
    if (status == SPG_OK)
        status = for_each(context, 1, what,
                          [=] __device__(int64_t) { found->first_row = found->first_column = NONE_FIRST; });
    for (int in_row = 0; in_row < 2; ++in_row) {
        if (status == SPG_OK) status = note_differences<Value>(context, A, B, in_row != 0, found);
        if (status == SPG_OK) status = note_differences<Value>(context, B, A, in_row != 0, found);
    }
    if (status == SPG_OK)
        status = spg_cuda_check(context, cudaMemcpyAsync(of_all, found, sizeof *of_all, cudaMemcpyDeviceToHost, stream),
                                what);
    return status == SPG_OK ? spg_cuda_wait(context) : status;
}

double from_bits(unsigned long long bits)
{
    double modulus;
    memcpy(&modulus, &bits, sizeof modulus);
    return modulus;
}

/* The matrix plus nothing, within the workspace limit, of which `held` bytes are in use. */
spg_status sort_out(spg_context *context, const spg_csr &matrix, int64_t held, spg_csr *sorted)
{
    const spg_csr nothing = {matrix.rows, matrix.cols, 0,      matrix.offset_type, matrix.value_type, SPG_PLACE_DEVICE,
                             nullptr,     nullptr,     nullptr};
    *sorted = {matrix.rows, matrix.cols, 0,      matrix.offset_type, matrix.value_type, SPG_PLACE_DEVICE,
               nullptr,     nullptr,     nullptr};
    held += spg_csr_bytes(&matrix); /* at least those of the sorted one */
    return add_matrices(context, nullptr, matrix, nullptr, nothing, held, sorted);
}

spg_status compare(spg_context *context, const spg_csr &A, const spg_csr &B, spg_difference *difference)
{
    spg_csr a, b;
    findings found;
    spg_status status = sort_out(context, A, 0, &a);
    if (status != SPG_OK) return status;
    status = sort_out(context, B, spg_csr_bytes(&a), &b);
    if (status == SPG_OK) {
        workspace work(context, spg_csr_bytes(&a) + spg_csr_bytes(&b));
        status = with_value_type(A.value_type,
                                 [&](auto value) { return compare_sorted<decltype(value)>(work, a, b, &found); });
        spg_csr_free(context, &b);
    }
    spg_csr_free(context, &a);
    if (status != SPG_OK) return status;
    difference->same_pattern = found.other_places == 0;
    difference->same_values = found.first_row == NONE_FIRST;
    difference->row = difference->same_values ? -1 : (int64_t)found.first_row;
    difference->column = difference->same_values ? -1 : (int64_t)found.first_column;
    difference->absolute = from_bits(found.absolute);
    difference->relative = from_bits(found.relative);
    return SPG_OK;
}

} // namespace

} // namespace spg

spg_status spg_cuda_compare(spg_context *context, const spg_csr *A, const spg_csr *B, spg_difference *difference)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::compare(context, *A, *B, difference);
    spg_cuda_leave(context);
    return status;
}

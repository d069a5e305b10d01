/* The real form of a complex matrix: a thread an entry. Entry k of row i, the e-th of the row, gives entries 2e and
 * 2e + 1 of rows 2i and 2i + 1. */
#include "../containers/entries.cuh"
#include "../values.cuh"
#include "cuda_operations.h"

namespace spg
{

namespace
{

spg_status write_offsets(spg_context *context, const spg_csr &matrix, const spg_csr &real_form)
{
    const numbers_view offsets = offsets_of(matrix);
    void *to = real_form.row_offsets;
    const bool wide = real_form.offset_type == SPG_I64;
    const int64_t rows = matrix.rows;
    return for_each(context, 2 * rows + 1, "the rows of a real form", [=] __device__(int64_t r) {
        const int64_t i = r / 2, begin = offsets[i];
        const int64_t offset = 4 * begin + (r % 2 != 0 ? 2 * (offsets[i + 1] - begin) : 0);
        if (wide)
            static_cast<int64_t *>(to)[r] = offset;
        else
            static_cast<int32_t *>(to)[r] = (int32_t)offset;
    });
}

spg_status write_columns(spg_context *context, const spg_csr &matrix, const spg_csr &real_form)
{
    const numbers_view offsets = offsets_of(matrix);
    const int32_t *columns = matrix.columns;
    int32_t *to = real_form.columns;
    return for_each_entry(context, matrix, "the columns of a real form", [=] __device__(int64_t k, int64_t row) {
        const int64_t begin = offsets[row], first = 2 * (k + begin), length = 2 * (offsets[row + 1] - begin);
        to[first] = to[first + length] = 2 * columns[k];
        to[first + 1] = to[first + length + 1] = 2 * columns[k] + 1;
    });
}

/* Zero added or subtracted makes both images of an imaginary part of zero +0. */
template <typename Real> spg_status write_values(spg_context *context, const spg_csr &matrix, const spg_csr &real_form)
{
    const numbers_view offsets = offsets_of(matrix);
    const complex<Real> *values = static_cast<const complex<Real> *>(matrix.values);
    Real *to = static_cast<Real *>(real_form.values);
    return for_each_entry(context, matrix, "the values of a real form", [=] __device__(int64_t k, int64_t row) {
        const int64_t begin = offsets[row], first = 2 * (k + begin), length = 2 * (offsets[row + 1] - begin);
        const complex<Real> value = values[k];
        to[first] = to[first + length + 1] = value.re;
        to[first + 1] = subtract(zero<Real>(), value.im);
        to[first + length] = add(zero<Real>(), value.im);
    });
}

} // namespace

} // namespace spg

spg_status spg_cuda_real_form_pattern(spg_context *context, const spg_csr *matrix, spg_csr *real_form)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::write_offsets(context, *matrix, *real_form);
    if (status == SPG_OK) status = spg::write_columns(context, *matrix, *real_form);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_real_form_values(spg_context *context, const spg_csr *matrix, spg_csr *real_form)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = real_form->value_type == SPG_F32 ? spg::write_values<float>(context, *matrix, *real_form)
                                              : spg::write_values<double>(context, *matrix, *real_form);
    spg_cuda_leave(context);
    return status;
}

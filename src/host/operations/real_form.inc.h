/* Values of a real form, by rows of the complex matrix. Template; see value_types.h. Zero added or subtracted makes
 * both images of an imaginary part of zero +0, so that the form of a Hermitian matrix is symmetric bit for bit. */
static void NAMED(write_values)(const void *data, spg_range rows)
{
    const real_form_job *job = data;
    const spg_csr *A = job->matrix;
    const VALUE *parts = A->values;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t begin = spg_offset_at(A, i), end = spg_offset_at(A, i + 1), length = 2 * (end - begin);
        for (int64_t k = begin; k < end; ++k) {
            VALUE *const to = (VALUE *)job->real_form->values + 2 * (k + begin);
            to[0] = to[length + 1] = parts[2 * k];
            to[1] = ZERO - parts[2 * k + 1];
            to[length] = ZERO + parts[2 * k + 1];
        }
    }
}

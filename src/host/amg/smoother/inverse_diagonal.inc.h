/* By rows. Repeated entries of the diagonal add up. Template; see for_each_type.h. */
static void TYPED(invert)(const void *data, spg_range rows)
{
    const diagonal_job *job = data;
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values;
    const bool l1 = job->l1;
    VALUE *inverse = job->inverse;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        VALUE diagonal = 0, magnitudes = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            if (columns[k] == i) diagonal += values[k];
            if (l1) magnitudes += values[k] < 0 ? -values[k] : values[k];
        }
        const VALUE inverted = 1 / (l1 ? magnitudes : diagonal);
        inverse[i] = diagonal != 0 && isfinite(inverted) ? inverted : 0;
    }
}

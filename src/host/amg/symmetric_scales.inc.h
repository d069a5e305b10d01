/* By rows. Repeated entries of the diagonal add up. Template; see for_each_type.h. */
static void TYPED(find_scales)(const void *data, spg_range rows)
{
    const scales_job *job = data;
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values;
    VALUE *scales = job->scales;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        double diagonal = 0;
        bool has_others = false;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
            if (columns[k] == i)
                diagonal += (double)values[k];
            else
                has_others = has_others || values[k] != 0;
        scales[i] = (VALUE)spg_amg_symmetric_scale(diagonal, has_others);
    }
}

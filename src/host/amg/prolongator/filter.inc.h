/* By rows: a row of F is a part of A's row, in its order. Sums begin with -0, which leaves every number as it is.
 * Template; see for_each_type.h. */
static void TYPED(filter_rows)(const void *data, spg_range rows)
{
    const filter_job *job = data;
    const OFFSET *offsets = job->A->row_offsets, *kept_offsets = job->F->row_offsets;
    const int32_t *columns = job->A->columns, *kept_columns = job->F->columns;
    const VALUE *values = job->A->values;
    VALUE *kept_values = job->F->values;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t first = kept_offsets[i], count = kept_offsets[i + 1] - first;
        const bool ascends = spg_amg_ascends(kept_columns + first, count);
        int64_t next = 0, at_diagonal = -1;
        double diagonal = 0, dropped = 0;
        for (int64_t e = 0; e < count; ++e) kept_values[first + e] = (VALUE)-0.0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            const int64_t at = spg_amg_find_kept(kept_columns + first, count, next, ascends, columns[k]);
            if (at < 0) {
                dropped += (double)values[k];
                continue;
            }
            if (columns[k] == i) {
                diagonal += (double)values[k];
                at_diagonal = at_diagonal < 0 ? first + at : at_diagonal;
            }
            kept_values[first + at] += values[k];
            next += at == next;
        }
        if (at_diagonal < 0 || dropped == 0) continue;
        kept_values[at_diagonal] = (VALUE)((double)kept_values[at_diagonal] + spg_amg_lump(diagonal, dropped));
    }
}

/* By rows: a row of F is a part of A's row, in its order. Template; see for_each_type.h. */
static void TYPED(filter_rows)(const void *data, spg_range rows)
{
    const filter_job *job = data;
    const OFFSET *offsets = job->A->row_offsets, *kept_offsets = job->F->row_offsets;
    const int32_t *columns = job->A->columns, *kept_columns = job->F->columns;
    const VALUE *values = job->A->values;
    VALUE *kept_values = job->F->values;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        int64_t to = kept_offsets[i], at_diagonal = -1;
        double diagonal = 0, dropped = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            if (to == kept_offsets[i + 1] || kept_columns[to] != columns[k]) {
                dropped += (double)values[k];
                continue;
            }
            if (columns[k] == i) {
                diagonal += (double)values[k];
                at_diagonal = at_diagonal < 0 ? to : at_diagonal;
            }
            kept_values[to++] = values[k];
        }
        if (at_diagonal < 0 || dropped == 0) continue;
        kept_values[at_diagonal] = (VALUE)((double)kept_values[at_diagonal] + spg_amg_lump(diagonal, dropped));
    }
}

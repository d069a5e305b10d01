/* Rows of P = T - factor D^-1 (A T). Template; see for_each_type.h. */

/* v += the row of A times T, in the blocks of the pattern. */
static void TYPED(gather_row)(const values_job *job, int64_t i, const int32_t *p_columns, int64_t blocks, VALUE *v)
{
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns, *aggregate_of = job->aggregates->aggregate_of;
    const VALUE *values = job->A->values, *T = job->T;
    const int size = job->aggregates->block_size, k = job->aggregates->candidates;
    int32_t before = -1; /* the aggregate of the last entry, and its block */
    int64_t at = -1;
    for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
        const int32_t aggregate = aggregate_of[spg_amg_node_of(columns[e], size)];
        if (aggregate < 0) continue;
        if (aggregate != before) at = find_block(p_columns, blocks, k, aggregate * k);
        before = aggregate;
        if (at < 0) continue;
        const VALUE *t = T + (int64_t)columns[e] * k;
        for (int c = 0; c < k; ++c) v[at + c] = SUM(v[at + c], PRODUCT(values[e], t[c]));
    }
}

static void TYPED(smooth_rows)(const void *data, spg_range rows)
{
    const values_job *job = data;
    const OFFSET *p_offsets = job->P->row_offsets;
    const VALUE *T = job->T, *inverse = job->inverse;
    VALUE *p_values = job->P->values;
    const int size = job->aggregates->block_size, k = job->aggregates->candidates;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t begin = p_offsets[i], count = p_offsets[i + 1] - begin;
        const int32_t *p_columns = job->P->columns + begin;
        VALUE *v = p_values + begin;
        for (int64_t e = 0; e < count; ++e) v[e] = 0;
        if (job->factor != 0) {
            const VALUE factor = (VALUE)(job->factor * (double)inverse[i]);
            TYPED(gather_row)(job, i, p_columns, count / k, v);
            for (int64_t e = 0; e < count; ++e) v[e] = -PRODUCT(factor, v[e]);
        }
        const int32_t own = job->aggregates->aggregate_of[spg_amg_node_of(i, size)];
        const int64_t at = own >= 0 ? find_block(p_columns, count / k, k, own * k) : -1;
        for (int c = 0; at >= 0 && c < k; ++c) v[at + c] = SUM(T[i * k + c], v[at + c]);
    }
}

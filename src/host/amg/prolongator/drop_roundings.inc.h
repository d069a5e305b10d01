/* Template; see for_each_type.h. */
static void TYPED(drop_roundings)(const void *data, spg_range rows)
{
    const rounding_job *job = data;
    const spg_csr *R = job->R;
    const spg_amg_aggregates *aggregates = job->aggregates;
    const OFFSET *offsets = R->row_offsets;
    const VALUE *values = R->values, *restricted = job->restricted;
    VALUE *inverse = job->inverse;
    const double least = SPG_AMG_ROUNDINGS * spg_amg_epsilon(sizeof(VALUE) == sizeof(float));
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int32_t *aggregate_of = aggregates->aggregate_of;
        if (aggregate_of != NULL && aggregate_of[spg_amg_node_of(i, aggregates->block_size)] != SPG_AMG_NO_AGGREGATE)
            continue;
        double magnitude = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            const double part = (double)values[k], of_column = fabs((double)restricted[R->columns[k]]);
            if (of_column > 0) magnitude += part * part / of_column;
        }
        if (magnitude * least * fabs((double)inverse[i]) >= 1) inverse[i] = 0;
    }
}

/* By nodes: two rows each. Template; see for_each_type.h. */

/* The first candidate, T*coarse: with the second, i times it, its columns in an aggregate stay orthogonal. */
static inline spg_amg_number TYPED(candidate_at)(const pairs_job *job, int64_t node)
{
    const VALUE *T = job->T, *coarse = job->coarse;
    const int32_t aggregate = job->aggregate_of[node];
    if (aggregate == SPG_AMG_NO_AGGREGATE) return (spg_amg_number){0, 0};
    const double norm = (double)coarse[2 * (int64_t)aggregate];
    return (spg_amg_number){norm * (double)T[4 * node], norm * (double)T[4 * node + 2]};
}

/* Row i of F, before anything is added to it. Returns the products of what it lacks with the candidate. */
static spg_amg_number TYPED(keep_row)(const pairs_job *job, int64_t i)
{
    const OFFSET *offsets = job->A->row_offsets, *kept_offsets = job->F->row_offsets;
    const int32_t *columns = job->A->columns, *kept_columns = job->F->columns + kept_offsets[i];
    const VALUE *values = job->A->values;
    VALUE *kept = (VALUE *)job->F->values + kept_offsets[i];
    const int64_t count = kept_offsets[i + 1] - kept_offsets[i];
    spg_amg_number dropped = {0, 0};
    for (int64_t e = 0; e < count; ++e) kept[e] = 0;
    for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
        const int32_t node = columns[k] / 2, second = columns[k] % 2;
        const int64_t at = spg_amg_find_pair(kept_columns, count / 2, node);
        if (at >= 0)
            kept[at + second] += values[k];
        else
            dropped = spg_amg_add_product(dropped, (double)values[k], second != 0, TYPED(candidate_at)(job, node));
    }
    return dropped;
}

static void TYPED(filter_nodes)(const void *data, spg_range nodes)
{
    const pairs_job *job = data;
    const OFFSET *offsets = job->F->row_offsets;
    for (int64_t node = nodes.begin; node < nodes.end; ++node) {
        const int64_t i = 2 * node, count = offsets[i + 1] - offsets[i];
        const spg_amg_number dropped = TYPED(keep_row)(job, i);
        TYPED(keep_row)(job, i + 1);
        const int64_t at = spg_amg_find_pair(job->F->columns + offsets[i], count / 2, (int32_t)node);
        if (at < 0) continue;
        VALUE *first = (VALUE *)job->F->values + offsets[i] + at, *second = first + count;
        const spg_amg_number diagonal = {(double)first[0], -(double)first[1]};
        const spg_amg_number lump = spg_amg_lump_complex(diagonal, dropped, TYPED(candidate_at)(job, node));
        first[0] = (VALUE)((double)first[0] + lump.re);
        first[1] = (VALUE)((double)first[1] - lump.im);
        second[0] = (VALUE)((double)second[0] + lump.im);
        second[1] = (VALUE)((double)second[1] + lump.re);
    }
}

/* See scan.c; included for each width of row offsets. */

static void OF_OFFSET(find_fall)(const void *data, spg_range rows)
{
    const scan_job *job = data;
    const OFFSET *offsets = job->matrix->row_offsets;
    int falls = 0;
    for (int64_t r = rows.begin; r < rows.end; r++) falls |= offsets[r + 1] < offsets[r];
    if (falls) atomic_store(&job->found->falls, true);
}

/* Columns that do not ascend are counted over all entries, which is done in vectors, and taken off where rows begin. */
static void OF_OFFSET(scan_rows)(const void *data, spg_range rows)
{
    const scan_job *job = data;
    const OFFSET *offsets = job->matrix->row_offsets;
    const int32_t *columns = job->matrix->columns;
    const int64_t first = offsets[rows.begin], past = offsets[rows.end];
    bool outside = false;
    int64_t longest = 0, falls = count_falls(columns, first, past, (uint32_t)job->matrix->cols, &outside);
    for (int64_t r = rows.begin; r < rows.end; r++) {
        const int64_t begin = offsets[r], length = offsets[r + 1] - begin;
        longest = length > longest ? length : longest;
        if (length > 0 && begin > first) falls -= columns[begin] <= columns[begin - 1];
    }
    if (outside) atomic_store(&job->found->outside, true);
    if (falls != 0) atomic_store(&job->found->unsorted, true);
    spg_raise(&job->found->longest, longest);
}

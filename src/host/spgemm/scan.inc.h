/* See scan.c; included for each width of row offsets. */

static void OF_OFFSET(find_fall)(const void *data, spg_range rows)
{
    const scan_job *job = data;
    const OFFSET *offsets = job->matrix->row_offsets;
    int falls = 0;
    for (int64_t r = rows.begin; r < rows.end; r++) falls |= offsets[r + 1] < offsets[r];
    if (falls) atomic_store(&job->found->falls, true);
}

static void OF_OFFSET(scan_rows)(const void *data, spg_range rows)
{
    const scan_job *job = data;
    const OFFSET *offsets = job->matrix->row_offsets;
    const int32_t *columns = job->matrix->columns;
    const uint32_t cols = (uint32_t)job->matrix->cols;
    int outside = 0, unsorted = 0;
    int64_t longest = 0;
    for (int64_t r = rows.begin; r < rows.end; r++) {
        int64_t begin = offsets[r], end = offsets[r + 1];
        longest = end - begin > longest ? end - begin : longest;
        if (begin == end) continue;
        int32_t last = columns[begin];
        outside |= (uint32_t)last >= cols;
        for (int64_t k = begin + 1; k < end; k++) {
            unsorted |= columns[k] <= last;
            last = columns[k];
            outside |= (uint32_t)last >= cols;
        }
    }
    if (outside) atomic_store(&job->found->outside, true);
    if (unsorted) atomic_store(&job->found->unsorted, true);
    spg_raise(&job->found->longest, longest);
}

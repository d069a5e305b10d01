/* The steps of a stable counting sort by row. Template; see for_each_type.h. */

/* The cursors of a part, one for each row of out: first the number of the part's entries in the row, then the position
 * of the next one. The last part's cursors are out's own offsets, shifted by one: after its entries are placed they are
 * the ends of the rows, as offsets must be. */
static OFFSET *TYPED(cursors_of)(const distribution *job, int64_t part)
{
    if (part + 1 == job->parts) return (OFFSET *)job->out->row_offsets + 1;
    return (OFFSET *)job->cursors + part * job->out->rows;
}

static void TYPED(count)(const distribution *job, int64_t part)
{
    OFFSET *cursors = TYPED(cursors_of)(job, part);
    memset(cursors, 0, (size_t)job->out->rows * sizeof *cursors);
    int64_t end = spg_host_cut(job->out->nnz, part + 1, job->parts);
    for (int64_t k = spg_host_cut(job->out->nnz, part, job->parts); k < end; ++k) ++cursors[job->entries->keys[k]];
}

/* The sum of the counts of rows [first, last). */
static int64_t TYPED(sum_counts)(const distribution *job, int64_t first, int64_t last)
{
    int64_t sum = 0;
    for (int64_t part = 0; part < job->parts; ++part) {
        const OFFSET *cursors = TYPED(cursors_of)(job, part);
        for (int64_t row = first; row < last; ++row) sum += cursors[row];
    }
    return sum;
}

/* Turns the counts of rows [first, last) into positions, from `place` on; within a row, part after part. */
static void TYPED(place_rows)(const distribution *job, int64_t first, int64_t last, int64_t place)
{
    for (int64_t row = first; row < last; ++row)
        for (int64_t part = 0; part < job->parts; ++part) {
            OFFSET *cursor = TYPED(cursors_of)(job, part) + row;
            OFFSET count = *cursor;
            *cursor = (OFFSET)place;
            place += count;
        }
}

static void TYPED(scatter)(const distribution *job, int64_t part)
{
    const spg_host_entries *entries = job->entries;
    const VALUE *values = entries->values;
    OFFSET *cursors = TYPED(cursors_of)(job, part);
    int32_t *columns = job->out->columns;
    VALUE *out_values = job->out->values;
    int64_t k = spg_host_cut(job->out->nnz, part, job->parts), end = spg_host_cut(job->out->nnz, part + 1, job->parts);
    if (entries->partners != NULL) {
        for (; k < end; ++k) {
            OFFSET to = cursors[entries->keys[k]]++;
            columns[to] = entries->partners[k];
            out_values[to] = values[k];
        }
        return;
    }
    for (int64_t row = spg_host_row_of(entries->rows_of, k); k < end; ++row) {
        int64_t row_end = spg_offset_at(entries->rows_of, row + 1);
        if (row_end > end) row_end = end;
        for (; entries->map != NULL && k < row_end; ++k) {
            OFFSET to = cursors[entries->keys[k]]++;
            columns[to] = (int32_t)row;
            entries->map[to] = k;
        }
        for (; k < row_end; ++k) {
            OFFSET to = cursors[entries->keys[k]]++;
            columns[to] = (int32_t)row;
            out_values[to] = values[k];
        }
    }
}

static void TYPED(count_parts)(const void *job, spg_range parts)
{
    for (int64_t part = parts.begin; part < parts.end; ++part) TYPED(count)(job, part);
}

static void TYPED(sum_blocks)(const void *data, spg_range blocks)
{
    const distribution *job = data;
    for (int64_t b = blocks.begin; b < blocks.end; ++b)
        job->places[b + 1] = TYPED(sum_counts)(job, spg_host_cut(job->out->rows, b, job->blocks),
                                               spg_host_cut(job->out->rows, b + 1, job->blocks));
}

static void TYPED(place_blocks)(const void *data, spg_range blocks)
{
    const distribution *job = data;
    for (int64_t b = blocks.begin; b < blocks.end; ++b) TYPED(place_rows)
    (job, spg_host_cut(job->out->rows, b, job->blocks), spg_host_cut(job->out->rows, b + 1, job->blocks),
     job->places[b]);
}

static void TYPED(scatter_parts)(const void *job, spg_range parts)
{
    for (int64_t part = parts.begin; part < parts.end; ++part) TYPED(scatter)(job, part);
}

static void TYPED(distribute)(const distribution *job)
{
    spg_parallel(job->threads, job->parts, 1, TYPED(count_parts), job);
    spg_parallel(job->threads, job->blocks, 1, TYPED(sum_blocks), job);
    for (int64_t b = 0; b < job->blocks; ++b) job->places[b + 1] += job->places[b];
    spg_parallel(job->threads, job->blocks, 1, TYPED(place_blocks), job);
    spg_parallel(job->threads, job->parts, 1, TYPED(scatter_parts), job);
}

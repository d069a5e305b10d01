/* Strength over nodes [first, last). Without a graph in the job a pass counts, with a graph it fills it. Template; see
 * for_each_type.h. */

static void TYPED(measure_nodes)(const strength_job *job, int64_t first, int64_t last, node_row *row)
{
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values;
    const int size = job->block_size;
    (void)row;
    for (int64_t node = first; node < last; ++node) {
        double largest = 0;
        for (int64_t k = offsets[node * size]; k < offsets[(node + 1) * size]; ++k)
            if ((columns[k] / size == node) != is_by_rows(job)) largest = fmax(largest, fabs((double)values[k]));
        job->scale[node] = spg_amg_node_scale(largest, is_by_rows(job));
    }
}

static inline double TYPED(square)(VALUE value, double scale)
{
    const double scaled = (double)value * scale;
    return scaled * scaled;
}

/* |a_ii|, or the Frobenius norms of scaled diagonal blocks. */
static void TYPED(measure_diagonals)(const strength_job *job, int64_t first, int64_t last, node_row *row)
{
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values;
    const int size = job->block_size;
    (void)row;
    for (int64_t node = first; node < last; ++node) {
        const double scale = scale_of(job, node, node);
        double sum = 0;
        for (int64_t k = offsets[node * size]; k < offsets[(node + 1) * size]; ++k)
            if (columns[k] / size == node) sum += size == 1 ? (double)values[k] : TYPED(square)(values[k], scale);
        job->diagonal[node] = size == 1 ? fabs(sum) : sqrt(sum);
    }
}

/* The largest magnitude of row i off the diagonal. */
static inline double TYPED(largest_scalar)(const strength_job *job, int64_t i)
{
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values;
    double largest = 0;
    for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
        if (columns[k] != i) largest = fmax(largest, fabs((double)values[k]));
    return largest;
}

static void TYPED(strong_scalars)(const strength_job *job, int64_t first, int64_t last, node_row *row)
{
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values;
    spg_amg_graph *graph = job->graph;
    (void)row;
    for (int64_t i = first; i < last; ++i) {
        const double largest = is_by_rows(job) ? TYPED(largest_scalar)(job, i) : 0;
        int64_t count = 0;
        int32_t *to = graph->columns != NULL ? graph->columns + spg_graph_offset(graph, i) : NULL;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            if (!is_strong(job, fabs((double)values[k]), i, columns[k], largest)) continue;
            if (to != NULL) to[count] = columns[k];
            ++count;
        }
        if (to == NULL) job->counts[i] = count;
    }
}

/* Lists the nodes named by the rows of a node, and sums the squares of each block. */
static void TYPED(collect_node)(const strength_job *job, int64_t node, node_row *row)
{
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values;
    const int32_t size = job->block_size;
    int32_t at = -1, begin = -1; /* the block of the last entry, and its first column */
    double scale = 1;
    row->count = 0;
    for (int64_t k = offsets[node * size]; k < offsets[(node + 1) * size]; ++k) {
        if (begin < 0 || columns[k] < begin || columns[k] - begin >= size) {
            const int32_t other = columns[k] / size;
            begin = other * size;
            scale = scale_of(job, node, other);
            at = row->place[other];
            if (at < 0) {
                at = (int32_t)row->count++;
                row->place[other] = at;
                row->list[at] = other;
                row->squares[at] = 0;
            }
        }
        row->squares[at] += TYPED(square)(values[k], scale);
    }
}

static void TYPED(strong_blocks)(const strength_job *job, int64_t first, int64_t last, node_row *row)
{
    spg_amg_graph *graph = job->graph;
    for (int64_t node = first; node < last; ++node) {
        TYPED(collect_node)(job, node, row);
        double largest = 0;
        for (int64_t k = 0; is_by_rows(job) && k < row->count; ++k)
            if (row->list[k] != node) largest = fmax(largest, sqrt(row->squares[k]));
        int64_t count = 0;
        for (int64_t k = 0; k < row->count; ++k) {
            const int32_t other = row->list[k];
            row->place[other] = -1;
            if (job->theta > 0 && !is_strong(job, sqrt(row->squares[k]), node, other, largest)) continue;
            row->list[count++] = other;
        }
        if (graph->columns == NULL) {
            job->counts[node] = count;
            continue;
        }
        spg_host_sort_indices(row->list, count);
        if (count > 0)
            memcpy(graph->columns + spg_graph_offset(graph, node), row->list, (size_t)count * sizeof *row->list);
    }
}

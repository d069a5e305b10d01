/* See scan.c; included once for each width of row offsets. */

static bool OF_OFFSET(offsets_are_valid)(const OFFSET *offsets, int64_t rows, int64_t nnz, int threads)
{
    int falls = offsets[0] != 0 || offsets[rows] != nnz;
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) reduction(| : falls) schedule(static)
    for (int64_t r = 0; r < rows; r++) falls |= offsets[r + 1] < offsets[r];
    return !falls;
}

static bool OF_OFFSET(scan_rows)(const spg_csr *B, int threads, b_facts *facts)
{
    const OFFSET *offsets = B->row_offsets;
    const int32_t *columns = B->columns;
    const uint32_t cols = (uint32_t)B->cols;
    int outside = 0, unsorted = 0;
    int64_t longest = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) reduction(| : outside, unsorted) reduction(max : longest) schedule(static)
    for (int64_t r = 0; r < B->rows; r++) {
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
    facts->sorted = !unsorted;
    facts->longest_row = longest;
    return !outside;
}

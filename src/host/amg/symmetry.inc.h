/* Symmetry by rows. Template; see for_each_type.h. */

/* Whether rows ascend and each of their entries above the diagonal has a mirror image of the same bits. If, over all
 * rows, there are as many entries below the diagonal as above it, these are the images. A may be malformed; it is then
 * not symmetric. */
static bool TYPED(rows_are_symmetric)(const spg_csr *A, spg_range rows, int64_t *excess)
{
    const OFFSET *offsets = A->row_offsets;
    const int32_t *columns = A->columns;
    const VALUE *values = A->values;
    next_images seen = {{0}};
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || end > A->nnz) return false;
        for (int64_t k = begin; k < end; ++k) {
            const int32_t j = columns[k];
            if (k > begin && columns[k - 1] >= j) return false;
            *excess += j > i ? 1 : j < i ? -1 : 0;
            if (j <= i) continue;
            if (j >= A->rows) return false;
            const int64_t image_begin = offsets[j], image_end = offsets[j + 1];
            if (image_begin < 0 || image_end > A->nnz) return false;
            const int64_t image = find_image(columns, image_begin, image_end, (int32_t)i, &seen, j);
            __builtin_prefetch(columns + image + 16);
            __builtin_prefetch(values + image + 8);
            if (image >= image_end || memcmp(values + image, values + k, sizeof *values) != 0) return false;
        }
    }
    return true;
}

static void TYPED(find_differences)(const void *data, spg_range rows)
{
    const symmetry_job *job = data;
    int64_t excess = 0;
    if (atomic_load(job->differs)) return;
    if (!TYPED(rows_are_symmetric)(job->A, rows, &excess)) atomic_store(job->differs, true);
    atomic_fetch_add(job->excess, excess);
}

static void TYPED(mirror_rows)(const void *matrix, spg_range rows)
{
    const spg_csr *C = matrix;
    const OFFSET *offsets = C->row_offsets;
    const int32_t *columns = C->columns;
    VALUE *values = C->values;
    next_images seen = {{0}};
    for (int64_t i = rows.begin; i < rows.end; ++i)
        for (int64_t k = offsets[i]; k < offsets[i + 1] && columns[k] < i; ++k) {
            const int32_t j = columns[k];
            const int64_t image = find_image(columns, offsets[j], offsets[j + 1], (int32_t)i, &seen, j);
            if (image < offsets[j + 1]) values[k] = values[image];
        }
}

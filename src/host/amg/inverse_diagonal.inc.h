/* Rows [first, last). Repeated entries of the diagonal add up. Template; see for_each_type.h. */
static void TYPED(invert)(const spg_csr *A, bool l1, void *inverses, int64_t first, int64_t last)
{
    const OFFSET *offsets = A->row_offsets;
    const int32_t *columns = A->columns;
    const VALUE *values = A->values;
    VALUE *inverse = inverses;
    for (int64_t i = first; i < last; ++i) {
        VALUE diagonal = 0, magnitudes = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            if (columns[k] == i) diagonal += values[k];
            if (l1) magnitudes += values[k] < 0 ? -values[k] : values[k];
        }
        const VALUE inverted = 1 / (l1 ? magnitudes : diagonal);
        inverse[i] = diagonal != 0 && isfinite(inverted) ? inverted : 0;
    }
}

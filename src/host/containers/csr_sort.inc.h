/* Stable sorting of rows by column. Template; see value_types.h. */

static void NAMED(insert)(int32_t *columns, VALUE *values, int64_t n)
{
    for (int64_t k = 1; k < n; ++k) {
        int32_t column = columns[k];
        VALUE value = values[k];
        int64_t to = k;
        for (; to > 0 && columns[to - 1] > column; --to) {
            columns[to] = columns[to - 1];
            values[to] = values[to - 1];
        }
        columns[to] = column;
        values[to] = value;
    }
}

/* One pass of a least-significant-digit radix sort. */
static void NAMED(sort_digit)(const int32_t *columns, const VALUE *values, int64_t n, int shift, int32_t *to_columns,
                              VALUE *to_values)
{
    int64_t ends[DIGITS + 1] = {0};
    for (int64_t k = 0; k < n; ++k) ++ends[digit_of(columns[k], shift) + 1];
    for (int d = 1; d < DIGITS; ++d) ends[d] += ends[d - 1];
    for (int64_t k = 0; k < n; ++k) {
        int64_t to = ends[digit_of(columns[k], shift)]++;
        to_columns[to] = columns[k];
        to_values[to] = values[k];
    }
}

/* spare: room for the row, values first. Skips digits that are equal in all columns. */
static void NAMED(radix_sort)(int32_t *columns, VALUE *values, int64_t n, void *spare)
{
    VALUE *from_values = values, *to_values = spare;
    int32_t *from = columns, *to = (int32_t *)(void *)(to_values + n);
    uint32_t differing = 0;
    for (int64_t k = 1; k < n; ++k) differing |= (uint32_t)(columns[k] ^ columns[0]);
    for (int shift = 0; shift < 32; shift += DIGIT_BITS) {
        if (digit_of((int32_t)differing, shift) == 0) continue;
        NAMED(sort_digit)(from, from_values, n, shift, to, to_values);
        int32_t *columns_before = from;
        VALUE *values_before = from_values;
        from = to, from_values = to_values;
        to = columns_before, to_values = values_before;
    }
    if (from == columns) return;
    memcpy(columns, from, (size_t)n * sizeof *columns);
    memcpy(values, from_values, (size_t)n * sizeof *values);
}

static void NAMED(sort_rows)(const spg_csr *matrix, int64_t first, int64_t last, void *spare)
{
    for (int64_t i = first; i < last; ++i) {
        int64_t begin = spg_offset_at(matrix, i), n = spg_offset_at(matrix, i + 1) - begin;
        int32_t *columns = matrix->columns + begin;
        VALUE *values = (VALUE *)matrix->values + begin;
        if (is_sorted(columns, n)) continue;
        if (n <= LONGEST_INSERTED)
            NAMED(insert)(columns, values, n);
        else
            NAMED(radix_sort)(columns, values, n, spare);
    }
}

/* Sums entries of equal columns of sorted rows. Template; see value_types.h. */

/* Sums duplicates in rows [first, last) of `sorted` into `out`, from entry `to` on, and writes the ends of the rows. An
 * entry without duplicates keeps its bits; a sum starts from zero, as in a product. */
static void NAMED(sum_rows)(const spg_csr *sorted, int64_t first, int64_t last, int64_t to, const spg_csr *out)
{
    const int32_t *columns = sorted->columns;
    const VALUE *values = sorted->values;
    VALUE *out_values = out->values;
    for (int64_t i = first; i < last; ++i) {
        int64_t k = spg_offset_at(sorted, i), end = spg_offset_at(sorted, i + 1);
        while (k < end) {
            int32_t column = columns[k];
            VALUE sum = values[k++];
            if (k < end && columns[k] == column) sum = SUM(ZERO, sum);
            for (; k < end && columns[k] == column; ++k) sum = SUM(sum, values[k]);
            out->columns[to] = column;
            out_values[to++] = sum;
        }
        spg_set_offset(out, i + 1, to);
    }
}

/* One pass of a stable radix sort of triples. Template; see value_types.h. */
static void NAMED(place_digits)(const void *data, spg_range parts)
{
    const sort_pass *pass = data;
    const VALUE *values = pass->from.values;
    VALUE *to_values = pass->to.values;
    for (int64_t part = parts.begin; part < parts.end; ++part) {
        int64_t *cursors = pass->cursors + part * DIGITS;
        int64_t end = spg_host_cut(pass->nnz, part + 1, pass->parts);
        for (int64_t k = spg_host_cut(pass->nnz, part, pass->parts); k < end; ++k) {
            int64_t to = cursors[digit_of(pass->keys[k], pass->shift)]++;
            pass->to.rows[to] = pass->from.rows[k];
            pass->to.columns[to] = pass->from.columns[k];
            to_values[to] = values[k];
        }
    }
}

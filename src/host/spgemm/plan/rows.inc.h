/* See rows.c. */

#define ADD_BY(NAME, PLACE)                                                                                            \
    static void NAMED(NAME)(const plan_rows *rows, const void *code, rank_lookup ranks, int64_t first, int64_t count,  \
                            VALUE *restrict sums)                                                                      \
    {                                                                                                                  \
        const row_chunk *chunk = &rows->worker->chunk;                                                                 \
        const VALUE *a_values = (const VALUE *)rows->A->values + chunk->first_entry;                                   \
        const VALUE *b_values = rows->B->values;                                                                       \
        const int32_t *b_columns = rows->B->columns;                                                                   \
        int64_t product = 0;                                                                                           \
        (void)code, (void)ranks, (void)b_columns;                                                                      \
        for (int64_t k = first; k < first + count; k++) {                                                              \
            const VALUE a = a_values[k];                                                                               \
            const int64_t start = chunk->starts[k], end = start + chunk->lengths[k];                                   \
            for (int64_t t = start; t < end; t++, product++) {                                                         \
                const int64_t place = PLACE;                                                                           \
                sums[place] = SUM(sums[place], PRODUCT(a, b_values[t]));                                               \
            }                                                                                                          \
        }                                                                                                              \
    }

ADD_BY(add_by_bytes, ((const uint8_t *)code)[product])
ADD_BY(add_by_shorts, ((const uint16_t *)code)[product])
ADD_BY(add_by_table, rank_by_table(ranks, b_columns[t]))
ADD_BY(add_by_bisection, rank_by_bisection(ranks, b_columns[t]))

#undef ADD_BY

static void NAMED(add_by_ranks)(const plan_rows *rows, rank_lookup ranks, int64_t first, int64_t count, VALUE *sums)
{
    if (ranks.table != NULL)
        NAMED(add_by_table)(rows, NULL, ranks, first, count, sums);
    else
        NAMED(add_by_bisection)(rows, NULL, ranks, first, count, sums);
}

static void NAMED(clear)(VALUE *sums, int64_t n)
{
    for (int64_t i = 0; i < n; i++) sums[i] = ZERO;
}

/* Rows with equal columns in A, by the positions of the first row: the sums of one position are adjacent in the list,
 * MOST_EQUAL_ROWS per position. */
#define ADD_EQUAL_BY(NAME, RANK)                                                                                       \
    static void NAMED(NAME)(const plan_rows *rows, rank_lookup ranks, int64_t first, int64_t count, int equal,         \
                            VALUE *restrict all_sums)                                                                  \
    {                                                                                                                  \
        const row_chunk *chunk = &rows->worker->chunk;                                                                 \
        const VALUE *a_values = (const VALUE *)rows->A->values + chunk->first_entry;                                   \
        const VALUE *b_values = rows->B->values;                                                                       \
        const int32_t *b_columns = rows->B->columns;                                                                   \
        for (int64_t k = first; k < first + count; k++) {                                                              \
            VALUE a[MOST_EQUAL_ROWS] = {a_values[k], a_values[k + count], ZERO, ZERO};                                 \
            for (int i = 2; i < equal; i++) a[i] = a_values[k + i * count];                                            \
            const int64_t start = chunk->starts[k], end = start + chunk->lengths[k];                                   \
            for (int64_t t = start; t < end; t++) {                                                                    \
                VALUE *sums = all_sums + MOST_EQUAL_ROWS * (int64_t)RANK(ranks, b_columns[t]);                         \
                for (int i = 0; i < MOST_EQUAL_ROWS; i++) sums[i] = SUM(sums[i], PRODUCT(a[i], b_values[t]));          \
            }                                                                                                          \
        }                                                                                                              \
    }

ADD_EQUAL_BY(add_equal_by_table, rank_by_table)
ADD_EQUAL_BY(add_equal_by_bisection, rank_by_bisection)

#undef ADD_EQUAL_BY

/* Then the sums are moved to their rows. */
static void NAMED(add_equal_by_ranks)(const plan_rows *rows, rank_lookup ranks, int64_t first, int64_t count, int equal,
                                      VALUE *values)
{
    VALUE *all_sums = rows->worker->list_sums;
    NAMED(clear)(all_sums, MOST_EQUAL_ROWS * ranks.n);
    if (ranks.table != NULL)
        NAMED(add_equal_by_table)(rows, ranks, first, count, equal, all_sums);
    else
        NAMED(add_equal_by_bisection)(rows, ranks, first, count, equal, all_sums);
    for (int i = 0; i < equal; i++)
        for (int64_t j = 0; j < ranks.n; j++) values[i * ranks.n + j] = all_sums[MOST_EQUAL_ROWS * j + i];
}

/* One row; *next then points to the code of the next row. False if this row cannot have this code. */
static bool NAMED(plan_row)(const plan_rows *rows, int64_t r, const uint8_t **next)
{
    const uint8_t *code = *next;
    const row_chunk *chunk = &rows->worker->chunk;
    const int64_t row = chunk->first_row + r, at = spg_offset_at(rows->C, row),
                  n = spg_offset_at(rows->C, row + 1) - at;
    const int64_t first = chunk->bounds[r], count = chunk->bounds[r + 1] - first;
    const planned_row planned = rows->planned[row];
    const row_code kind = (row_code)planned.code;
    const bool has_masks = kind == CODE_MASK_8 || kind == CODE_MASK_16;
    const bool has_places = kind == CODE_POSITION_8 || kind == CODE_POSITION_16;
    VALUE *sums = (VALUE *)rows->values + at;
    if ((has_masks && count != planned.count) || (has_places && chunk->row_products[r] != planned.count)) return false;
    if (has_masks) {
        NAMED(spg_mask_row_avx512)(rows, kind, code, first, count, n, sums);
    } else if (n > 0) {
        NAMED(clear)(sums, n);
        if (kind == CODE_POSITION_8) NAMED(add_by_bytes)(rows, code, (rank_lookup){0}, first, count, sums);
        if (kind == CODE_POSITION_16) NAMED(add_by_shorts)(rows, code, (rank_lookup){0}, first, count, sums);
        if (kind == CODE_RANK) {
            const rank_lookup ranks = spg_prepare_ranks(rows->worker, rows->C->columns + at, n);
            NAMED(add_by_ranks)(rows, ranks, first, count, sums);
        }
    }
    *next = code + spg_code_bytes(planned);
    return true;
}

/* Rows from r on that have the same columns in A, and so in C, and whose positions are looked up; returns how many. */
static int NAMED(plan_equal_rows)(const plan_rows *rows, int64_t r)
{
    const row_chunk *chunk = &rows->worker->chunk;
    const int64_t row = chunk->first_row + r, at = spg_offset_at(rows->C, row),
                  n = spg_offset_at(rows->C, row + 1) - at;
    if (rows->planned[row].code != CODE_RANK || n == 0 || n > MAX_LIST) return 0;
    const int equal = spg_equal_rows(rows->worker, r, chunk->rows);
    if (equal == 1) return 0;
    for (int i = 1; i < equal; i++) /* if A has changed, they might differ */
        if (rows->planned[row + i].code != CODE_RANK ||
            spg_offset_at(rows->C, row + i + 1) - spg_offset_at(rows->C, row + i) != n)
            return 0;
    const rank_lookup ranks = spg_prepare_ranks(rows->worker, rows->C->columns + at, n);
    NAMED(add_equal_by_ranks)
    (rows, ranks, chunk->bounds[r], chunk->bounds[r + 1] - chunk->bounds[r], equal, (VALUE *)rows->values + at);
    return equal;
}

/* The row after the described ones, in pieces; false if B lacks rows that it names. */
static bool NAMED(plan_long_row)(const plan_rows *rows)
{
    row_chunk *chunk = &rows->worker->chunk;
    const int64_t row = chunk->first_row + chunk->rows, at = spg_offset_at(rows->C, row);
    const int64_t n = spg_offset_at(rows->C, row + 1) - at, piece = rows->worker->shared->sizes.chunk_entries;
    const int64_t end = chunk->first_entry + chunk->bounds[chunk->rows + 1];
    VALUE *sums = (VALUE *)rows->values + at;
    if (n == 0) return true;
    const rank_lookup ranks = spg_prepare_ranks(rows->worker, rows->C->columns + at, n);
    NAMED(clear)(sums, n);
    for (chunk->first_entry += chunk->bounds[chunk->rows]; chunk->first_entry < end; chunk->first_entry += piece) {
        int64_t left = end - chunk->first_entry, count = left < piece ? left : piece;
        if (!spg_describe_entries(rows->A, rows->B, chunk->first_entry, count, chunk->starts, chunk->lengths))
            return false;
        NAMED(add_by_ranks)(rows, ranks, 0, count, sums);
    }
    return true;
}

bool NAMED(spg_plan_rows)(const plan_rows *rows)
{
    const uint8_t *code = rows->code;
    for (int64_t r = 0; r < rows->worker->chunk.rows;) {
        const int equal = NAMED(plan_equal_rows)(rows, r);
        if (equal == 0 && !NAMED(plan_row)(rows, r, &code)) return false;
        r += equal > 0 ? equal : 1;
    }
    return !rows->worker->chunk.has_long_row || NAMED(plan_long_row)(rows);
}

/* See rows.h. */
#include "rows.h"

#include "chance.h"
#include "host_matrix.h"
#include "traits.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* A matrix as it is written, row by row. */
typedef struct writer {
    const soak_pattern *pattern;
    uint64_t *state, base; /* base: of what rows have in common */
    int64_t rows, cols;
    int64_t most, nnz, room, row_room;
    int32_t *columns, *row;
} writer;

soak_rows soak_draw_row_kind(uint64_t *state)
{
    /* Of 100. */
    static const int weights[SOAK_ROW_KINDS] = {20, 12, 12, 16, 8, 8, 8, 4, 10, 2};
    int64_t at = chance_below(state, 100);
    int kind = 0;
    while (kind < SOAK_ROW_KINDS - 1 && at >= weights[kind]) at -= weights[kind++];
    return (soak_rows)kind;
}

soak_pattern soak_draw_pattern(uint64_t *state, soak_rows kind)
{
    soak_pattern pattern = {.rows = kind};
    pattern.mean = 0.2 * pow(500, chance_unit(state) * chance_unit(state)); /* 0.2 ... 100 */
    pattern.alpha = chance_of(state, 50) ? 1.1 : 1.05 + chance_unit(state);
    pattern.scale = chance_of(state, 50) ? 2 : 1 + 4 * chance_unit(state);
    pattern.from_zero = chance_of(state, 60);
    pattern.group = chance_log(state, 1, 40);
    pattern.stride = chance_of(state, 60) ? 1 : chance_log(state, 1, 1000);
    pattern.skewed = chance_of(state, 20);
    const int64_t order = chance_below(state, 100);
    pattern.order = order < 60 ? SOAK_SORTED : order < 80 ? SOAK_MIXED : SOAK_UNSORTED;
    pattern.repeated = chance_of(state, 20);
    return pattern;
}

int64_t soak_draw_size(uint64_t *state)
{
    const int64_t at = chance_below(state, 100);
    if (at < 2) return 0;
    if (at < 5) return 1;
    if (at < 20) return chance_between(state, 2, 16);
    if (at < 55) return chance_log(state, 17, 300);
    if (at < 97) return chance_log(state, 301, 20000);
    return chance_log(state, 100000, 300000);
}

int64_t soak_draw_size_to(uint64_t *state, int64_t most)
{
    const int64_t size = soak_draw_size(state);
    return size <= most ? size : chance_log(state, most / 4 + 1, most);
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* n of all columns, each set alike: Knuth's selection sampling, for rows that have many of them. */
static void select_columns(writer *w, uint64_t *state, int64_t n)
{
    for (int64_t j = 0, k = 0; k < n; j++)
        if (chance_unit(state) * (double)(w->cols - j) < (double)(n - k)) w->row[k++] = (int32_t)j;
}

/* At most n distinct columns, ascending: draws from a range shorter by n - 1, each moved up by its rank. */
static int64_t choose_columns(writer *w, uint64_t *state, int64_t n)
{
    if (n > w->cols) n = w->cols;
    if (n > w->most - w->nnz) n = w->most > w->nnz ? w->most - w->nnz : 0;
    w->row = soak_grow(w->row, &w->row_room, 2 * n + 1, sizeof *w->row);
    if (n > w->cols / 16 && !w->pattern->skewed) {
        select_columns(w, state, n);
        return n;
    }
    for (int64_t k = 0; k < n; k++) {
        const int64_t range = w->cols - n + 1;
        const double u = chance_unit(state);
        w->row[k] = (int32_t)(w->pattern->skewed ? (double)range * u * u * u * u : (double)range * u);
    }
    qsort(w->row, (size_t)n, sizeof *w->row, ascending);
    for (int64_t k = 0; k < n; k++) w->row[k] += (int32_t)k;
    return n;
}

static int64_t shifted_columns(writer *w, int64_t i)
{
    uint64_t state = w->base;
    const int64_t n = choose_columns(w, &state, 1 + (int64_t)w->pattern->mean);
    for (int64_t k = 0; k < n; k++) w->row[k] = (int32_t)((w->row[k] + i * w->pattern->stride) % w->cols);
    qsort(w->row, (size_t)n, sizeof *w->row, ascending);
    return n;
}

static int64_t banded_columns(writer *w, int64_t i)
{
    const int64_t centre = w->cols >= w->rows ? i : i * w->cols / w->rows;
    int64_t begin = centre - w->pattern->group, end = centre + w->pattern->group + 1, n = 0;
    if (begin < 0) begin = 0;
    if (end > w->cols) end = w->cols;
    w->row = soak_grow(w->row, &w->row_room, 4 * w->pattern->group + 3, sizeof *w->row);
    for (int64_t j = begin; j < end; j++) w->row[n++] = (int32_t)j;
    return n;
}

static int64_t drawn_length(writer *w)
{
    const soak_pattern *pattern = w->pattern;
    const double u = chance_unit(w->state);
    switch (pattern->rows) {
    case SOAK_SHORT: return (int64_t)(5 * u);
    case SOAK_HUBS:
        return chance_below(w->state, 200) == 0 ? chance_log(w->state, 1, w->cols < 20000 ? w->cols : 20000)
                                                : (int64_t)(4 * u);
    case SOAK_POWER: {
        const double length = pattern->scale * (pow(1 - u, -1 / pattern->alpha) - (pattern->from_zero ? 1 : 0));
        return length < (double)w->cols ? (int64_t)length : w->cols;
    }
    case SOAK_MOSTLY_EMPTY: return u >= 0.05 ? 0 : pattern->group % 2 ? 1 : (int64_t)(1 + 60 * u);
    case SOAK_DENSE: return w->cols;
    case SOAK_EMPTY: return 0;
    default: return (int64_t)(u * (2 * pattern->mean + 1));
    }
}

/* The columns of row i, ascending and distinct, in w->row. */
static int64_t row_columns(writer *w, int64_t i)
{
    if (w->cols == 0) return 0;
    if (w->pattern->rows == SOAK_SHIFTED) return shifted_columns(w, i);
    if (w->pattern->rows == SOAK_BANDED) return banded_columns(w, i);
    if (w->pattern->rows == SOAK_ALIKE) {
        uint64_t group = chance_mix(w->base, (uint64_t)(i / w->pattern->group)), *own = w->state;
        w->state = &group;
        const int64_t n = choose_columns(w, &group, drawn_length(w));
        w->state = own;
        return n;
    }
    return choose_columns(w, w->state, drawn_length(w));
}

static int64_t repeat_some(writer *w, int64_t n)
{
    if (n == 0 || !chance_of(w->state, 50)) return n;
    int64_t more = chance_between(w->state, 1, n);
    w->row = soak_grow(w->row, &w->row_room, n + more, sizeof *w->row);
    for (int64_t k = 0; k < more; k++) w->row[n + k] = w->row[chance_below(w->state, n)];
    n += more;
    qsort(w->row, (size_t)n, sizeof *w->row, ascending);
    return n;
}

static void shuffle(uint64_t *state, int32_t *row, int64_t n)
{
    for (int64_t k = n - 1; k > 0; k--) {
        const int64_t other = chance_below(state, k + 1);
        const int32_t swapped = row[k];
        row[k] = row[other], row[other] = swapped;
    }
}

static void write_row(writer *w, int64_t i)
{
    int64_t n = row_columns(w, i);
    if (w->nnz + n > w->most) n = w->most > w->nnz ? w->most - w->nnz : 0;
    if (w->pattern->repeated) n = repeat_some(w, n);
    if (w->pattern->order == SOAK_UNSORTED || (w->pattern->order == SOAK_MIXED && chance_of(w->state, 10)))
        shuffle(w->state, w->row, n);
    w->columns = soak_grow(w->columns, &w->room, w->nnz + n + 1, sizeof *w->columns);
    if (n > 0) memcpy(w->columns + w->nnz, w->row, (size_t)n * sizeof *w->row);
    w->nnz += n;
}

void soak_draw_numbers(uint64_t seed, soak_numbers numbers, spg_type type, int64_t count, void *values)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, DBL_TRUE_MIN, FLT_TRUE_MIN, DBL_MAX, 1e30};
    test_random_values(seed, numbers == SOAK_WHOLE ? TEST_INTEGER : 0, type, count, values);
    if (numbers != SOAK_SPECIAL) return;
    uint64_t state = seed;
    const bool narrow = type == SPG_F32 || type == SPG_C32;
    const int64_t parts = type == SPG_C32 || type == SPG_C64 ? 2 * count : count;
    for (int64_t k = 0; k < parts; k += chance_between(&state, 1, 12)) {
        const double value = specials[chance_below(&state, (int64_t)(sizeof specials / sizeof *specials))];
        if (narrow)
            ((float *)values)[k] = fabs(value) > (double)FLT_MAX && isfinite(value) ? FLT_MAX : (float)value;
        else
            ((double *)values)[k] = value;
    }
}

static void count_traits(const soak_pattern *pattern, const spg_csr *matrix)
{
    const int64_t rows = matrix->rows;
    soak_count(SOAK_ROWS_EVEN + (int)pattern->rows);
    soak_count(rows == 0       ? SOAK_SIZE_NONE
               : rows == 1     ? SOAK_SIZE_ONE
               : rows <= 16    ? SOAK_SIZE_FEW
               : rows <= 300   ? SOAK_SIZE_HUNDREDS
               : rows <= 20000 ? SOAK_SIZE_THOUSANDS
                               : SOAK_SIZE_LARGE);
    if (rows == matrix->cols) soak_count(SOAK_SIZE_SQUARE);
    if (matrix->cols == INT32_MAX) soak_count(SOAK_SIZE_WIDE);
    soak_count(SOAK_ORDER_SORTED + (int)pattern->order);
    if (pattern->repeated) soak_count(SOAK_ORDER_REPEATED);
    soak_count(matrix->offset_type == SPG_I32 ? SOAK_TYPE_I32 : SOAK_TYPE_I64);
}

/* Columns j of `cols` become about j * (2^31 - 1) / cols. */
static void spread_columns(spg_csr *matrix)
{
    for (int64_t k = 0; k < matrix->nnz; k++)
        matrix->columns[k] = (int32_t)((matrix->columns[k] + (int64_t)1) * (INT32_MAX - 1) / matrix->cols);
    matrix->cols = INT32_MAX;
}

void soak_draw_matrix(uint64_t *state, const soak_pattern *pattern, int64_t rows, int64_t cols, int64_t most,
                      const soak_settings *settings, spg_csr *matrix)
{
    soak_pattern fitting = *pattern;
    if (rows > 0 && fitting.mean > (double)most / (double)rows) fitting.mean = (double)most / (double)rows;
    writer w = {
        .pattern = &fitting, .state = state, .base = test_random(state), .rows = rows, .cols = cols, .most = most};
    const spg_type offset_type = chance_of(state, 60) ? SPG_I32 : SPG_I64;
    *matrix = soak_matrix(rows, cols, 0, offset_type, settings->value_type);
    for (int64_t i = 0; i < rows; i++) {
        write_row(&w, i);
        soak_set_offset(matrix, i + 1, w.nnz);
    }
    /* Arrays of just their size: what reads past them is seen. */
    free(matrix->values);
    free(matrix->columns);
    matrix->nnz = w.nnz;
    matrix->columns = soak_array(w.nnz, sizeof *w.columns);
    if (w.nnz > 0) memcpy(matrix->columns, w.columns, (size_t)w.nnz * sizeof *w.columns);
    matrix->values = soak_array(w.nnz, spg_type_size(settings->value_type));
    soak_draw_numbers(test_random(state), settings->numbers, settings->value_type, w.nnz, matrix->values);
    if (fitting.widest && cols > 0) spread_columns(matrix);
    free(w.columns);
    free(w.row);
    count_traits(&fitting, matrix);
}

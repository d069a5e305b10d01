/* Permutations, parts and products with several vectors, against naive loops. */
#include "fuzz_operations.h"

#include <stdlib.h>
#include <string.h>

/* Indices as spg_indices has them, and what they name: places[k] for each k. */
typedef struct side {
    spg_indices given;
    bool is_all; /* NULL is passed */
    int64_t limit;
    int32_t *indices; /* from malloc, or NULL */
    int64_t count;
    int64_t places[2 * FUZZ_MOST];
} side;

static bool is_within(const side *of)
{
    for (int64_t k = 0; k < of->count; ++k)
        if (of->places[k] < 0 || of->places[k] >= of->limit) return false;
    return of->count >= 0;
}

static bool has_repeats(const side *of)
{
    for (int64_t k = 0; k < of->count; ++k)
        for (int64_t j = 0; j < k; ++j)
            if (of->places[j] == of->places[k]) return true;
    return false;
}

/* So many numbers below the limit, each once as long as there are any; a few are then spoilt. */
static void take_places(fuzz_input *in, int64_t count, side *of)
{
    int64_t order[FUZZ_MOST];
    for (int64_t k = 0; k < of->limit; ++k) order[k] = k;
    for (int64_t k = 0; k < count; ++k) {
        if (of->limit == 0) {
            of->places[k] = fuzz_take_entry(in);
            continue;
        }
        const int64_t at = k % of->limit, other = at + fuzz_take(in, 1) % (of->limit - at), before = order[at];
        order[at] = order[other];
        order[other] = before;
        of->places[k] = order[at];
    }
    const int64_t spoil = fuzz_take(in, 1);
    if (spoil > 220 && count > 0) of->places[spoil % count] = fuzz_take_entry(in);
    of->count = count;
    of->indices = malloc((size_t)(count > 0 ? count : 1) * sizeof *of->indices);
    for (int64_t k = 0; k < count; ++k) of->indices[k] = (int32_t)of->places[k];
    of->given = (spg_indices){0, count, of->indices};
}

static void take_all(int64_t limit, side *of)
{
    memset(of, 0, sizeof *of);
    of->limit = of->count = limit;
    of->is_all = true;
    for (int64_t k = 0; k < limit; ++k) of->places[k] = k;
}

static void take_order(fuzz_input *in, int64_t limit, side *of)
{
    take_all(limit, of);
    if (fuzz_take(in, 1) % 4 == 0) return;
    of->is_all = false;
    take_places(in, limit, of);
}

static void take_range(fuzz_input *in, side *of)
{
    const int64_t first = fuzz_take_entry(in), count = fuzz_take_entry(in);
    of->given = (spg_indices){first, count, NULL};
    of->count = -1; /* not within */
    if (first < 0 || count < 0 || first > of->limit || count > of->limit - first) return;
    of->count = count;
    for (int64_t k = 0; k < count; ++k) of->places[k] = first + k;
}

static void take_side(fuzz_input *in, int64_t limit, bool may_repeat, side *of)
{
    const int64_t kind = fuzz_take(in, 1) % 4;
    take_all(limit, of);
    of->is_all = kind == 0;
    if (kind == 1) take_range(in, of);
    if (kind > 1) take_places(in, fuzz_take(in, 1) % (may_repeat ? 2 * FUZZ_MOST : limit + 1), of);
}

/* part(i, j) = A(rows[i], columns[j]), rows sorted, repeated columns in their order. */
static void require_part(const spg_csr *A, const side *rows, const side *columns, const spg_csr *part)
{
    const fuzz_array from = {A->value_type, A->nnz, A->values}, to = {part->value_type, part->nnz, part->values};
    REQUIRE(part->rows == rows->count && part->cols == columns->count && part->value_type == A->value_type);
    REQUIRE(part->offset_type == A->offset_type && fuzz_is_sound(part));
    int64_t at = 0;
    for (int64_t i = 0; i < rows->count; ++i) {
        const int64_t row = rows->places[i];
        for (int64_t j = 0; j < columns->count; ++j)
            for (int64_t k = fuzz_offset(A, row); k < fuzz_offset(A, row + 1); ++k) {
                if (A->columns[k] != columns->places[j]) continue;
                REQUIRE(at < part->nnz && part->columns[at] == j);
                REQUIRE(fuzz_is(fuzz_array_at(&to, at), fuzz_array_at(&from, k)));
                ++at;
            }
        REQUIRE(fuzz_offset(part, i + 1) == at);
    }
}

static void finish(spg_context *context, spg_status status, const spg_csr *A, side sides[2], bool may_run,
                   spg_csr *part)
{
    if (status == SPG_OK) {
        REQUIRE(may_run);
        require_part(A, &sides[0], &sides[1], part);
    } else {
        fuzz_require_refusal(context, status, part, sizeof *part);
        fuzz_require_why(context, status, may_run);
    }
    spg_csr_free(context, part);
    free(sides[0].indices);
    free(sides[1].indices);
}

void fuzz_try_permute(fuzz_input *in, spg_context *context, const spg_csr *A)
{
    side sides[2];
    spg_csr permuted;
    take_order(in, A->rows, &sides[0]);
    take_order(in, A->cols, &sides[1]);
    bool may_run = fuzz_is_sound(A);
    for (int k = 0; k < 2; ++k) may_run = may_run && is_within(&sides[k]) && !has_repeats(&sides[k]);
    const spg_status status = spg_csr_permute(context, A, sides[0].indices, sides[1].indices, &permuted);
    finish(context, status, A, sides, may_run, &permuted);
}

void fuzz_try_extract(fuzz_input *in, spg_context *context, const spg_csr *A)
{
    side sides[2];
    spg_csr part;
    take_side(in, A->rows, true, &sides[0]);
    take_side(in, A->cols, false, &sides[1]);
    const bool may_run = fuzz_is_sound(A) && is_within(&sides[0]) && is_within(&sides[1]) && !has_repeats(&sides[1]);
    const spg_status status = spg_csr_extract(context, A, sides[0].is_all ? NULL : &sides[0].given,
                                              sides[1].is_all ? NULL : &sides[1].given, &part);
    finish(context, status, A, sides, may_run, &part);
}

/* ---- Products with several vectors ---- */

/* Vectors in memory that ends with the last of them. */
typedef struct vectors {
    bool by_row;
    int64_t stride;
    fuzz_array array;
} vectors;

static int64_t place_of(const vectors *of, int64_t i, int64_t vector)
{
    return of->by_row ? i * of->stride + vector : vector * of->stride + i;
}

static vectors take_vectors(fuzz_input *in, bool by_row, int64_t length, int64_t count, spg_type type)
{
    static const int64_t more[] = {0, 0, 1, 3};
    vectors of = {by_row, (by_row ? count : length) + FUZZ_CHOOSE(in, more), {type, 0, NULL}};
    of.array = fuzz_take_array(in, type, length > 0 && count > 0 ? place_of(&of, length - 1, count - 1) + 1 : 0);
    return of;
}

/* What Y becomes, and what lies between its vectors. */
static void multiply(const spg_csr *A, const fuzz_array *alpha, const fuzz_array *beta, const vectors *X,
                     const vectors *Y, int64_t count, fuzz_whole *expected)
{
    const fuzz_array values = {A->value_type, A->nnz, A->values};
    for (int64_t k = 0; k < Y->array.count; ++k) expected[k] = fuzz_array_at(&Y->array, k);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t vector = 0; vector < count; ++vector) {
            fuzz_whole sum = {0, 0}, *const y = &expected[place_of(Y, i, vector)];
            for (int64_t k = fuzz_offset(A, i); k < fuzz_offset(A, i + 1); ++k)
                sum = fuzz_plus(sum, fuzz_times(fuzz_array_at(&values, k),
                                                fuzz_array_at(&X->array, place_of(X, A->columns[k], vector))));
            *y = fuzz_plus(fuzz_times(fuzz_scale_of(alpha, 1), sum), fuzz_times(fuzz_scale_of(beta, 0), *y));
        }
}

/* Contents are not checked, so a faulty matrix is not passed. */
void fuzz_try_spmm(fuzz_input *in, spg_context *context, const spg_csr *A)
{
    enum { MOST_COUNT = 17 };
    fuzz_whole expected[(FUZZ_MOST + MOST_COUNT) * (FUZZ_MOST + 4)];
    if (!fuzz_is_sound(A)) return;
    const int64_t kind = fuzz_take(in, 1), count = fuzz_take(in, 1) % (MOST_COUNT + 1);
    const bool by_row = kind % 2 != 0, is_layout = kind < 240;
    fuzz_array alpha = fuzz_take_scale(in, A->value_type), beta = fuzz_take_scale(in, A->value_type);
    vectors X = take_vectors(in, by_row, A->cols, count, A->value_type);
    vectors Y = take_vectors(in, by_row, A->rows, count, A->value_type);
    const int64_t least_x = by_row ? count : A->cols, least_y = by_row ? count : A->rows;
    int64_t x_stride = X.stride, y_stride = Y.stride, passed = count;
    if (kind / 2 % 8 == 7) {
        const int64_t which = fuzz_take(in, 1) % 3, less = 1 + fuzz_take(in, 4);
        if (which == 0) x_stride = least_x - less;
        if (which == 1) y_stride = least_y - less;
        if (which == 2) passed = -less;
    }
    const bool may_run = is_layout && passed >= 0 && x_stride >= least_x && y_stride >= least_y;
    multiply(A, &alpha, &beta, &X, &Y, may_run ? count : 0, expected);
    const spg_layout layout = by_row ? SPG_ROW_MAJOR : SPG_COLUMN_MAJOR;
    const spg_status status = spg_csr_spmm(context, alpha.values, A, passed, is_layout ? layout : (spg_layout)kind,
                                           X.array.values, x_stride, beta.values, Y.array.values, y_stride);
    if (status != SPG_OK) fuzz_require_why(context, status, may_run);
    REQUIRE(status != SPG_OK || may_run);
    for (int64_t k = 0; k < Y.array.count; ++k)
        REQUIRE((status != SPG_OK && may_run) || fuzz_is(fuzz_array_at(&Y.array, k), expected[k]));
    free(alpha.values);
    free(beta.values);
    free(X.array.values);
    free(Y.array.values);
}

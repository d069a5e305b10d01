/* The dense operator's scaling and its connected components. Components are solved separately, so that a thousand small
 * systems do not cost the cube of a thousand. */
#include "dense.h"
#include "host/work.h"

#include "amg/units.h"

#include <math.h>
#include <string.h>

static double value_at(const spg_csr *A, int64_t k) { return spg_dense_real_at(A->values, A->value_type, k); }

static double magnitude_of(const spg_amg_dense_source *source, int64_t row)
{
    const spg_csr *A = source->A, *R = source->R;
    double sum = 0, diagonal = 0, largest = 0;
    for (int64_t k = R != NULL ? spg_offset_at(R, row) : 0; R != NULL && k < spg_offset_at(R, row + 1); ++k) {
        const double inverse = fabs(spg_dense_real_at(source->inverse, A->value_type, R->columns[k]));
        const double part = value_at(R, k);
        if (inverse > 0) sum += part * part / inverse;
    }
    for (int64_t k = spg_offset_at(A, row); k < spg_offset_at(A, row + 1); ++k) {
        if (A->columns[k] == row) diagonal += value_at(A, k);
        largest = fmax(largest, fabs(value_at(A, k)));
    }
    const double most = fmax(sum, fabs(diagonal));
    return most > 0 ? most : largest;
}

/* Entry k of A, which is in this row, in S A S. */
static double scaled_at(const spg_amg_dense *dense, const spg_csr *A, int64_t row, int64_t k)
{
    return value_at(A, k) * (dense->scaling[row] * dense->scaling[A->columns[k]]);
}

/* The first row of the tree of row i; trees are kept flat. */
static int first_of(int *tree, int i)
{
    while (tree[i] != i) i = tree[i] = tree[tree[i]];
    return i;
}

/* An unknown without values is null if a candidate has it. If none has it, it comes from a linearly dependent candidate
 * and is not an unknown at all. */
static bool is_in_candidates(const spg_amg_dense *dense, int64_t row)
{
    for (int64_t c = 0; c < dense->candidates; ++c)
        if (dense->candidate[c * dense->rows + row] != 0) return true;
    return false;
}

/* place: for each row, the lowest row that it is connected to by values; -1: no values, and not in the candidates. */
static spg_status connect(spg_context *context, spg_amg_dense *dense, const spg_csr *A)
{
    int *const tree = dense->place, *const is_used = dense->unknowns;
    for (int64_t i = 0; i < A->rows; ++i) tree[i] = (int)i, is_used[i] = 0;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = spg_offset_at(A, i); k < spg_offset_at(A, i + 1); ++k) {
            const double value = scaled_at(dense, A, i, k);
            if (!isfinite(value))
                return spg_context_fail(context, SPG_ERROR_BREAKDOWN,
                                        "the coarsest operator has a value that is not finite in row %lld",
                                        (long long)i);
            if (value == 0) continue;
            is_used[i] = is_used[A->columns[k]] = 1;
            const int a = first_of(tree, (int)i), b = first_of(tree, A->columns[k]);
            tree[a < b ? b : a] = a < b ? a : b;
        }
    for (int i = 0; i < (int)A->rows; ++i) tree[i] = is_used[i] || is_in_candidates(dense, i) ? first_of(tree, i) : -1;
    return SPG_OK;
}

/* Numbers the parts in the order of their first rows; place becomes the position in `unknowns`. */
static void number_parts(spg_amg_dense *dense)
{
    int *const place = dense->place, *const part_of = dense->pivots; /* for each first row */
    const int rows = (int)dense->rows;
    dense->parts = 0;
    for (int i = 0; i < rows; ++i) {
        if (place[i] < 0) continue;
        if (place[i] == i) {
            part_of[i] = dense->parts++;
            dense->part[part_of[i]] = (spg_dense_part){0};
        }
        dense->part[part_of[place[i]]].rows++;
    }
    int64_t at = 0;
    for (int p = 0, first = 0; p < dense->parts; ++p) {
        spg_dense_part *part = &dense->part[p];
        part->first = first;
        part->at = at;
        first += part->rows;
        at += (int64_t)part->rows * part->rows;
        part->rows = 0;
    }
    for (int i = 0; i < rows; ++i) {
        if (place[i] < 0) continue;
        spg_dense_part *part = &dense->part[part_of[place[i]]];
        dense->unknowns[part->first + part->rows++] = i;
    }
    for (int p = 0; p < dense->parts; ++p)
        for (int k = 0; k < dense->part[p].rows; ++k)
            place[dense->unknowns[dense->part[p].first + k]] = dense->part[p].first + k;
}

spg_status spg_dense_find_parts(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source)
{
    const spg_csr *A = source->A;
    for (int64_t i = 0; i < A->rows; ++i) dense->scaling[i] = spg_scaling_of(magnitude_of(source, i));
    const spg_status status = connect(context, dense, A);
    if (status == SPG_OK) number_parts(dense);
    return status;
}

void spg_dense_spread(spg_amg_dense *dense, const spg_csr *A, const spg_dense_part *part)
{
    const int64_t n = part->rows;
    double *const matrix = dense->matrix + part->at;
    memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t row = dense->unknowns[part->first + i];
        for (int64_t k = spg_offset_at(A, row); k < spg_offset_at(A, row + 1); ++k) {
            const double value = scaled_at(dense, A, row, k);
            if (value != 0) matrix[(dense->place[A->columns[k]] - part->first) * n + i] += value;
        }
    }
}

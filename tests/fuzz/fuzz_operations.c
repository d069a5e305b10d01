/* Small operands, sound and not, of the operations that spg/operations.h declares: sound ones give what naive loops
 * over dense copies give, others a status and a message; a refused allocation loses nothing. */
#include "fuzz_operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

fuzz_array fuzz_take_array(fuzz_input *in, spg_type type, int64_t count)
{
    fuzz_array array = {type, count, count > 0 ? malloc((size_t)count * spg_type_size(type)) : NULL};
    const spg_csr view = {.nnz = count, .value_type = type, .values = array.values};
    fuzz_take_values(in, &view);
    return array;
}

fuzz_whole fuzz_array_at(const fuzz_array *array, int64_t k)
{
    const spg_csr view = {.value_type = array->type, .values = array->values};
    const fuzz_whole value = fuzz_value_at(&view, k);
    return fuzz_is_complex(array->type) ? value : (fuzz_whole){value.re, 0};
}

fuzz_whole fuzz_times(fuzz_whole a, fuzz_whole b)
{
    return (fuzz_whole){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

fuzz_whole fuzz_plus(fuzz_whole a, fuzz_whole b) { return (fuzz_whole){a.re + b.re, a.im + b.im}; }

bool fuzz_is(fuzz_whole a, fuzz_whole b) { return a.re == b.re && a.im == b.im; }

fuzz_array fuzz_take_scale(fuzz_input *in, spg_type type)
{
    return fuzz_take_array(in, type, fuzz_take(in, 1) % 4 != 0);
}

fuzz_whole fuzz_scale_of(const fuzz_array *scale, int64_t otherwise)
{
    return scale->count > 0 ? fuzz_array_at(scale, 0) : (fuzz_whole){otherwise, 0};
}

void fuzz_require_why(const spg_context *context, spg_status status, bool may_run)
{
    REQUIRE(status != SPG_ERROR_INTERNAL && strlen(spg_context_message(context)) > 0);
    REQUIRE(!may_run || (status == SPG_ERROR_MEMORY && fuzz_refused()));
}

static bool are_alike(const spg_csr *A, const spg_csr *B)
{
    return A->rows == B->rows && A->cols == B->cols && A->value_type == B->value_type && fuzz_is_sound(A) &&
           fuzz_is_sound(B);
}

static void try_add(fuzz_input *in, spg_context *context, const spg_csr *A, const spg_csr *B)
{
    fuzz_array alpha = fuzz_take_scale(in, A->value_type), beta = fuzz_take_scale(in, A->value_type);
    spg_csr C;
    const spg_status status = spg_csr_add(context, alpha.values, A, beta.values, B, &C);
    if (status == SPG_OK) {
        REQUIRE(are_alike(A, B));
        REQUIRE((C.offset_type == SPG_I64) == (A->offset_type == SPG_I64 || B->offset_type == SPG_I64));
        fuzz_dense sum, other;
        fuzz_to_dense(A, false, &sum);
        fuzz_to_dense(B, false, &other);
        for (int64_t i = 0; i < A->rows; ++i)
            for (int64_t j = 0; j < A->cols; ++j) {
                sum.named[i][j] |= other.named[i][j];
                sum.sums[i][j] = fuzz_plus(fuzz_times(fuzz_scale_of(&alpha, 1), sum.sums[i][j]),
                                           fuzz_times(fuzz_scale_of(&beta, 1), other.sums[i][j]));
            }
        fuzz_require_equal(&sum, &C);
    } else {
        fuzz_require_refusal(context, status, &C, sizeof C);
        fuzz_require_why(context, status, are_alike(A, B));
    }
    spg_csr_free(context, &C);
    free(alpha.values);
    free(beta.values);
}

static void try_scale(fuzz_input *in, spg_context *context, spg_csr *A)
{
    const spg_type type = A->value_type;
    const int64_t which = fuzz_take(in, 1);
    fuzz_array rows = fuzz_take_array(in, type, which % 2 != 0 ? A->rows : 0);
    fuzz_array columns = fuzz_take_array(in, type, which / 2 % 2 != 0 ? A->cols : 0);
    const fuzz_array values = {type, A->nnz, A->values};
    fuzz_whole before[FUZZ_MOST_ENTRIES];
    for (int64_t k = 0; k < A->nnz; ++k) before[k] = fuzz_array_at(&values, k);
    const spg_status status = spg_csr_scale(context, rows.values, columns.values, A);
    REQUIRE((status == SPG_OK) == fuzz_is_sound(A));
    if (status != SPG_OK) fuzz_require_why(context, status, false);
    for (int64_t i = 0; status != SPG_OK && i < A->nnz; ++i) REQUIRE(fuzz_is(fuzz_array_at(&values, i), before[i]));
    for (int64_t i = 0; status == SPG_OK && i < A->rows; ++i)
        for (int64_t k = fuzz_offset(A, i); k < fuzz_offset(A, i + 1); ++k) {
            fuzz_whole expected = before[k];
            if (rows.count > 0) expected = fuzz_times(fuzz_array_at(&rows, i), expected);
            if (columns.count > 0) expected = fuzz_times(fuzz_array_at(&columns, A->columns[k]), expected);
            REQUIRE(fuzz_is(fuzz_array_at(&values, k), expected));
        }
    free(rows.values);
    free(columns.values);
}

static void try_diagonal(fuzz_input *in, spg_context *context, const spg_csr *A)
{
    const int64_t count = A->rows < A->cols ? A->rows : A->cols;
    fuzz_array diagonal = fuzz_take_array(in, A->value_type, count);
    const spg_status status = spg_csr_diagonal(context, A, diagonal.values);
    REQUIRE((status == SPG_OK) == fuzz_is_sound(A));
    if (status != SPG_OK) {
        fuzz_require_why(context, status, false);
    } else {
        fuzz_dense dense;
        fuzz_to_dense(A, false, &dense);
        for (int64_t i = 0; i < count; ++i) {
            const fuzz_whole found = fuzz_array_at(&diagonal, i);
            REQUIRE(found.re == dense.sums[i][i].re);
            REQUIRE(!fuzz_is_complex(A->value_type) || found.im == dense.sums[i][i].im);
        }
    }
    free(diagonal.values);
}

/* Bounds that no modulus comes near, so that its rounding decides nothing; of real numbers also those it may be. */
static spg_drop_rule take_rule(fuzz_input *in, bool is_complex)
{
    static const double absolute[] = {0, 0.3, 1.3, 2.3, 5.3, 8.3, 1, 2, 5, 8, -1, NAN, -INFINITY, INFINITY};
    static const double relative[] = {0, 0.37, 0.73, 0.5, 1, -0.01, 1.01, NAN};
    const int64_t kind = fuzz_take(in, 1), bound = fuzz_take(in, 1), share = fuzz_take(in, 1);
    spg_drop_rule rule = {0, 0, kind % 2 != 0};
    if (bound % 4 != 0) rule.absolute = absolute[bound / 4 % (is_complex ? 6 : 14)];
    if (share % 4 != 0) rule.relative = relative[share / 4 % (is_complex ? 3 : 8)];
    return rule;
}

static bool stays(const spg_drop_rule *rule, fuzz_whole value, double largest, bool on_diagonal)
{
    const double modulus = hypot((double)value.re, (double)value.im);
    if (rule->keep_diagonal && on_diagonal) return true;
    return modulus > rule->absolute && modulus >= rule->relative * largest;
}

static void require_kept(const spg_csr *A, const spg_drop_rule *rule, const spg_csr *kept)
{
    const fuzz_array from = {A->value_type, A->nnz, A->values}, to = {kept->value_type, kept->nnz, kept->values};
    REQUIRE(kept->rows == A->rows && kept->cols == A->cols && kept->value_type == A->value_type);
    REQUIRE(kept->offset_type == A->offset_type && fuzz_is_sound(kept));
    int64_t at = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double largest = 0;
        for (int64_t k = fuzz_offset(A, i); k < fuzz_offset(A, i + 1); ++k) {
            const fuzz_whole value = fuzz_array_at(&from, k);
            largest = fmax(largest, hypot((double)value.re, (double)value.im));
        }
        for (int64_t k = fuzz_offset(A, i); k < fuzz_offset(A, i + 1); ++k) {
            if (!stays(rule, fuzz_array_at(&from, k), largest, A->columns[k] == i)) continue;
            REQUIRE(at < kept->nnz && kept->columns[at] == A->columns[k]);
            REQUIRE(fuzz_is(fuzz_array_at(&to, at), fuzz_array_at(&from, k)));
            ++at;
        }
        REQUIRE(fuzz_offset(kept, i + 1) == at);
    }
}

static void try_drop(fuzz_input *in, spg_context *context, const spg_csr *A)
{
    const spg_drop_rule rule = take_rule(in, fuzz_is_complex(A->value_type));
    const bool may_run = fuzz_is_sound(A) && rule.absolute >= 0 && rule.relative >= 0 && rule.relative <= 1;
    spg_csr kept;
    const spg_status status = spg_csr_drop(context, A, &rule, &kept);
    if (status == SPG_OK) {
        REQUIRE(may_run);
        require_kept(A, &rule, &kept);
    } else {
        fuzz_require_refusal(context, status, &kept, sizeof kept);
        fuzz_require_why(context, status, may_run);
    }
    spg_csr_free(context, &kept);
}

static bool is_near(double found, double expected) { return fabs(found - expected) <= 1e-12 * expected; }

static void require_difference(const spg_csr *A, const spg_csr *B, const spg_difference *found)
{
    fuzz_dense a, b;
    fuzz_to_dense(A, false, &a);
    fuzz_to_dense(B, false, &b);
    int64_t row = -1, column = -1;
    double absolute = 0, relative = 0;
    for (int64_t i = A->rows - 1; i >= 0; --i)
        for (int64_t j = A->cols - 1; j >= 0; --j) {
            const bool has_imaginary = fuzz_is_complex(A->value_type);
            const fuzz_whole p = a.sums[i][j], q = b.sums[i][j];
            const double p_im = has_imaginary ? (double)p.im : 0, q_im = has_imaginary ? (double)q.im : 0;
            const double distance = hypot((double)(p.re - q.re), p_im - q_im);
            if (distance == 0) continue;
            row = i, column = j;
            absolute = fmax(absolute, distance);
            relative = fmax(relative, distance / fmax(hypot((double)p.re, p_im), hypot((double)q.re, q_im)));
        }
    REQUIRE(found->same_pattern == (memcmp(a.named, b.named, sizeof a.named) == 0));
    REQUIRE(found->same_values == (row < 0) && found->row == row && found->column == column);
    REQUIRE(is_near(found->absolute, absolute) && is_near(found->relative, relative));
}

static void try_compare(spg_context *context, const spg_csr *A, const spg_csr *B)
{
    spg_difference difference;
    const spg_status status = spg_csr_compare(context, A, B, &difference);
    if (status == SPG_OK) {
        REQUIRE(are_alike(A, B));
        require_difference(A, B, &difference);
    } else {
        fuzz_require_refusal(context, status, &difference, sizeof difference);
        fuzz_require_why(context, status, are_alike(A, B));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    spg_context *context = fuzz_open_context((size_t)1 << 26);
    const int64_t kind = fuzz_take(&in, 1), refused = fuzz_take(&in, 1), call = kind % 8;
    const int64_t rows = fuzz_take_size(&in), cols = fuzz_take_size(&in);
    const bool is_odd_pair = kind >= 240;
    const spg_type type = (spg_type)(kind / 8 % 4);
    spg_csr A, B = {0};
    fuzz_take_operand(&in, rows, cols, type, &A);
    if (call == 0 || call == 1)
        fuzz_take_operand(&in, is_odd_pair ? fuzz_take_size(&in) : rows, is_odd_pair ? fuzz_take_size(&in) : cols,
                          is_odd_pair ? (spg_type)(fuzz_take(&in, 1) % 4) : type, &B);
    fuzz_refuse(refused > 200 ? refused - 200 : 0);
    switch (call) {
    case 0: try_add(&in, context, &A, &B); break;
    case 1: try_compare(context, &A, &B); break;
    case 2: try_scale(&in, context, &A); break;
    case 3: try_diagonal(&in, context, &A); break;
    case 4: fuzz_try_permute(&in, context, &A); break;
    case 5: fuzz_try_extract(&in, context, &A); break;
    case 6: try_drop(&in, context, &A); break;
    default: fuzz_try_spmm(&in, context, &A); break;
    }
    fuzz_free_operand(&A);
    fuzz_free_operand(&B);
    fuzz_close_context(context);
    return 0;
}

/* See fuzz_operands.h. */
#include "fuzz_operands.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROW = 7 };

bool fuzz_is_complex(spg_type type) { return type == SPG_C32 || type == SPG_C64; }

fuzz_whole fuzz_value_at(const spg_csr *matrix, int64_t k)
{
    switch (matrix->value_type) {
    case SPG_F32: return (fuzz_whole){(int64_t)((const float *)matrix->values)[k], 0};
    case SPG_C32: {
        const float *at = (const float *)matrix->values + 2 * k;
        return (fuzz_whole){(int64_t)at[0], (int64_t)at[1]};
    }
    case SPG_C64: {
        const double *at = (const double *)matrix->values + 2 * k;
        return (fuzz_whole){(int64_t)at[0], (int64_t)at[1]};
    }
    default: return (fuzz_whole){(int64_t)((const double *)matrix->values)[k], 0};
    }
}

static void set_value(const spg_csr *matrix, int64_t k, fuzz_whole value)
{
    const int64_t parts = fuzz_is_complex(matrix->value_type) ? 2 : 1;
    for (int64_t p = 0; p < parts; ++p) {
        const double part = (double)(p == 0 ? value.re : value.im);
        if (matrix->value_type == SPG_F32 || matrix->value_type == SPG_C32)
            ((float *)matrix->values)[parts * k + p] = (float)part;
        else
            ((double *)matrix->values)[parts * k + p] = part;
    }
}

static fuzz_whole take_value(fuzz_input *in)
{
    const int64_t byte = fuzz_take(in, 1);
    return (fuzz_whole){byte % 16 - 8, byte / 16 - 8};
}

void fuzz_take_values(fuzz_input *in, const spg_csr *matrix)
{
    for (int64_t k = 0; k < matrix->nnz; ++k) set_value(matrix, k, take_value(in));
}

int64_t fuzz_take_size(fuzz_input *in) { return fuzz_take(in, 1) % (FUZZ_MOST + 1); }

void fuzz_spoil(fuzz_input *in, const spg_csr *matrix)
{
    const int64_t place = fuzz_take(in, 1), entry = fuzz_take_entry(in);
    if (place % 2 == 0)
        fuzz_set_offset(matrix, place / 2 % (matrix->rows + 1), entry);
    else if (matrix->nnz > 0)
        matrix->columns[place / 2 % matrix->nnz] = (int32_t)entry;
}

/* Arrays of rows of these lengths. */
static void allocate(int64_t kind, const int64_t *lengths, spg_csr *matrix)
{
    matrix->place = SPG_PLACE_HOST;
    matrix->offset_type = kind % 2 == 0 ? SPG_I32 : SPG_I64;
    for (int64_t i = 0; i < matrix->rows; ++i) matrix->nnz += lengths[i];
    const size_t nnz = (size_t)matrix->nnz;
    matrix->row_offsets = malloc((size_t)(matrix->rows + 1) * spg_type_size(matrix->offset_type));
    matrix->columns = nnz > 0 ? malloc(nnz * sizeof *matrix->columns) : NULL;
    matrix->values = nnz > 0 ? malloc(nnz * spg_type_size(matrix->value_type)) : NULL;
    int64_t offset = 0;
    for (int64_t i = 0; i <= matrix->rows; offset += lengths[i++]) fuzz_set_offset(matrix, i, offset);
}

void fuzz_take_operand(fuzz_input *in, int64_t rows, int64_t cols, spg_type type, spg_csr *matrix)
{
    const int64_t kind = fuzz_take(in, 1);
    int64_t lengths[FUZZ_MOST + 1] = {0};
    for (int64_t i = 0; i < rows && cols > 0; ++i) lengths[i] = fuzz_take(in, 1) % MOST_ROW;
    *matrix = (spg_csr){.rows = rows, .cols = cols, .value_type = type};
    allocate(kind, lengths, matrix);
    for (int64_t k = 0; k < matrix->nnz; ++k) matrix->columns[k] = (int32_t)(fuzz_take(in, 1) % cols);
    fuzz_take_values(in, matrix);
    if (kind >= 200) fuzz_spoil(in, matrix);
}

void fuzz_take_symmetric(fuzz_input *in, int64_t rows, spg_type type, spg_csr *matrix)
{
    const int64_t kind = fuzz_take(in, 1);
    int64_t lengths[FUZZ_MOST + 1] = {0};
    bool named[FUZZ_MOST][FUZZ_MOST] = {{false}};
    fuzz_whole values[FUZZ_MOST][FUZZ_MOST];
    for (int64_t i = 0; i < rows; ++i) {
        int64_t mask = fuzz_take(in, 2);
        for (int64_t j = 0; j <= i; ++j, mask >>= 1) {
            if ((mask & 1) == 0) continue;
            named[i][j] = named[j][i] = true;
            values[i][j] = values[j][i] = take_value(in);
            ++lengths[i];
            lengths[j] += i != j;
        }
    }
    *matrix = (spg_csr){.rows = rows, .cols = rows, .value_type = type};
    allocate(kind, lengths, matrix);
    int64_t k = 0;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < rows; ++j) {
            if (!named[i][j]) continue;
            matrix->columns[k] = (int32_t)j;
            set_value(matrix, k++, values[i][j]);
        }
}

void fuzz_free_operand(spg_csr *matrix)
{
    free(matrix->values);
    fuzz_free_copy(matrix);
}

spg_csr fuzz_copy_of(const spg_csr *matrix)
{
    spg_csr copy = *matrix;
    const size_t offsets = (size_t)(matrix->rows + 1) * spg_type_size(matrix->offset_type);
    const size_t columns = (size_t)matrix->nnz * sizeof *matrix->columns;
    copy.row_offsets = memcpy(malloc(offsets), matrix->row_offsets, offsets);
    copy.columns = columns > 0 ? memcpy(malloc(columns), matrix->columns, columns) : NULL;
    return copy;
}

void fuzz_free_copy(spg_csr *copy)
{
    free(copy->row_offsets);
    free(copy->columns);
}

bool fuzz_has_pattern_of(const spg_csr *copy, const spg_csr *matrix)
{
    const size_t offsets = (size_t)(matrix->rows + 1) * spg_type_size(matrix->offset_type);
    return memcmp(copy->row_offsets, matrix->row_offsets, offsets) == 0 &&
           (copy->nnz == 0 || memcmp(copy->columns, matrix->columns, (size_t)copy->nnz * sizeof *copy->columns) == 0);
}

void fuzz_to_dense(const spg_csr *matrix, bool transposed, fuzz_dense *dense)
{
    memset(dense, 0, sizeof *dense);
    dense->rows = transposed ? matrix->cols : matrix->rows;
    dense->cols = transposed ? matrix->rows : matrix->cols;
    for (int64_t i = 0; i < matrix->rows; ++i)
        for (int64_t k = fuzz_offset(matrix, i); k < fuzz_offset(matrix, i + 1); ++k) {
            const int64_t row = transposed ? matrix->columns[k] : i, col = transposed ? i : matrix->columns[k];
            const fuzz_whole value = fuzz_value_at(matrix, k);
            dense->named[row][col] = true;
            dense->sums[row][col].re += value.re;
            dense->sums[row][col].im += value.im;
        }
}

void fuzz_multiply(const fuzz_dense *left, const spg_csr *right, fuzz_dense *product)
{
    memset(product, 0, sizeof *product);
    product->rows = left->rows;
    product->cols = right->cols;
    for (int64_t i = 0; i < left->rows; ++i)
        for (int64_t t = 0; t < left->cols; ++t) {
            const fuzz_whole a = left->sums[i][t];
            if (!left->named[i][t]) continue;
            for (int64_t k = fuzz_offset(right, t); k < fuzz_offset(right, t + 1); ++k) {
                const fuzz_whole b = fuzz_value_at(right, k);
                const int32_t j = right->columns[k];
                product->named[i][j] = true;
                product->sums[i][j].re += a.re * b.re - a.im * b.im;
                product->sums[i][j].im += a.re * b.im + a.im * b.re;
            }
        }
}

void fuzz_require_equal(const fuzz_dense *expected, const spg_csr *found)
{
    REQUIRE(found->rows == expected->rows && found->cols == expected->cols && fuzz_is_sound(found));
    const bool has_imaginary = fuzz_is_complex(found->value_type);
    for (int64_t i = 0; i < found->rows; ++i) {
        int64_t at = fuzz_offset(found, i);
        const int64_t end = fuzz_offset(found, i + 1);
        for (int64_t j = 0; j < found->cols; ++j) {
            if (!expected->named[i][j]) continue;
            REQUIRE(at < end && found->columns[at] == j);
            const fuzz_whole value = fuzz_value_at(found, at++);
            REQUIRE(value.re == expected->sums[i][j].re && (!has_imaginary || value.im == expected->sums[i][j].im));
        }
        REQUIRE(at == end);
    }
}

void fuzz_require_refusal(const spg_context *context, spg_status status, const void *result, size_t bytes)
{
    REQUIRE(status != SPG_OK && status != SPG_ERROR_INTERNAL && strlen(spg_context_message(context)) > 0);
    fuzz_require_zeroed(result, bytes);
}

bool fuzz_take_limits(fuzz_input *in, spg_context *context)
{
    /* Small ones often: what a product holds without a limit takes longest. */
    static const int64_t limits[] = {60000, 80000, 100000, 100000, 120000, 80000,  100000, 100000,
                                     60000, 80000, 100000, 100000, 1,      200000, 400000, 0};
    static const int64_t class_limits[] = {-1, -1, 0, 1, 4, 32, 1000};
    const int64_t limit = FUZZ_CHOOSE(in, limits), refused = fuzz_take(in, 1);
    const int64_t thread = FUZZ_CHOOSE(in, class_limits), warp = FUZZ_CHOOSE(in, class_limits);
    const spg_row_limits rows = {thread, warp, FUZZ_CHOOSE(in, class_limits)};
    REQUIRE(spg_context_set_workspace_limit(context, limit) == SPG_OK);
    REQUIRE(spg_context_set_row_limits(context, &rows) == SPG_OK);
    fuzz_refuse(refused > 200 ? refused - 200 : 0);
    return limit > 0;
}

/* See matrices_for_tests.h. */
#include "matrices_for_tests.h"
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Below n, which must be positive; the bias is of no matter here. */
static int64_t random_below(uint64_t *state, int64_t n) { return (int64_t)(test_random(state) % (uint64_t)n); }

static double random_unit(uint64_t *state) { return (double)(test_random(state) >> 11) * 0x1p-53; }

static void *allocate(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

void test_random_values(uint64_t seed, unsigned flags, spg_type value_type, int64_t n, void *values)
{
    uint64_t state = seed ^ 0x76616c756573u;
    int64_t parts = value_type == SPG_C32 || value_type == SPG_C64 ? 2 * n : n;
    for (int64_t k = 0; k < parts; ++k) {
        double value = flags & TEST_INTEGER ? (double)(random_below(&state, 9) - 4) : 2 * random_unit(&state) - 1;
        if (value_type == SPG_F32 || value_type == SPG_C32)
            ((float *)values)[k] = (float)value;
        else
            ((double *)values)[k] = value;
    }
}

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int64_t random_length(uint64_t *state, int64_t cols, double mean, unsigned flags)
{
    if (cols == 0 || random_below(state, 8) == 0) return 0;
    int64_t length = (int64_t)(random_unit(state) * (2 * mean * 8 / 7 + 1));
    return !(flags & TEST_DUPLICATES) && length > cols ? cols : length;
}

/* n columns below cols: n draws from a range shorter by n-1 in order, each moved up by its rank, are distinct. */
static void random_row(uint64_t *state, int64_t cols, unsigned flags, int64_t n, int32_t *columns)
{
    int64_t distinct = n < cols ? n : cols;
    for (int64_t k = 0; k < distinct; ++k) columns[k] = (int32_t)random_below(state, cols - distinct + 1);
    qsort(columns, (size_t)distinct, sizeof *columns, ascending);
    for (int64_t k = 0; k < distinct; ++k) columns[k] += (int32_t)k;
    for (int64_t k = 1; k < n; ++k)
        if (k >= distinct || (flags & TEST_DUPLICATES && random_below(state, 4) == 0))
            columns[k] = columns[random_below(state, k)];
    if (!(flags & TEST_UNSORTED)) qsort(columns, (size_t)n, sizeof *columns, ascending);
    for (int64_t k = n - 1; k > 0 && flags & TEST_UNSORTED; --k) {
        int64_t other = random_below(state, k + 1);
        int32_t swapped = columns[k];
        columns[k] = columns[other];
        columns[other] = swapped;
    }
}

void test_random_csr(spg_context *context, test_matrix of, uint64_t seed, unsigned flags, spg_csr *out)
{
    uint64_t state = seed;
    int64_t *offsets = allocate(of.rows + 1, sizeof *offsets);
    for (int64_t i = 0; i < of.rows; ++i) offsets[i + 1] = offsets[i] + random_length(&state, of.cols, of.mean, flags);
    int64_t nnz = offsets[of.rows];
    int32_t *narrow_offsets = allocate(of.rows + 1, sizeof *narrow_offsets);
    for (int64_t i = 0; i <= of.rows; ++i) narrow_offsets[i] = (int32_t)offsets[i];
    int32_t *columns = allocate(nnz, sizeof *columns);
    for (int64_t i = 0; i < of.rows; ++i)
        random_row(&state, of.cols, flags, offsets[i + 1] - offsets[i], columns + offsets[i]);
    void *values = allocate(nnz, spg_type_size(of.value_type));
    test_random_values(seed, flags, of.value_type, nnz, values);
    spg_csr host = {of.rows, of.cols, nnz, of.offset_type, of.value_type, SPG_PLACE_HOST, offsets, columns, values};
    if (of.offset_type == SPG_I32) host.row_offsets = narrow_offsets;
    assert_int_equal(spg_csr_copy(context, &host, out), SPG_OK);
    free(offsets);
    free(narrow_offsets);
    free(columns);
    free(values);
}

void test_random_coo(spg_context *context, int64_t rows, int64_t cols, double mean_entries_per_row, spg_type value_type,
                     uint64_t seed, unsigned flags, spg_coo *out)
{
    uint64_t state = seed;
    int64_t *lengths = allocate(rows, sizeof *lengths), nnz = 0;
    for (int64_t i = 0; i < rows; ++i) nnz += lengths[i] = random_length(&state, cols, mean_entries_per_row, flags);
    int32_t *row_indices = allocate(nnz, sizeof *row_indices), *columns = allocate(nnz, sizeof *columns);
    for (int64_t i = 0, k = 0; i < rows; k += lengths[i++]) {
        random_row(&state, cols, flags, lengths[i], columns + k);
        for (int64_t l = 0; l < lengths[i]; ++l) row_indices[k + l] = (int32_t)i;
    }
    for (int64_t k = nnz - 1; k > 0; --k) {
        int64_t other = random_below(&state, k + 1);
        int32_t row = row_indices[k], column = columns[k];
        row_indices[k] = row_indices[other], columns[k] = columns[other];
        row_indices[other] = row, columns[other] = column;
    }
    void *values = allocate(nnz, spg_type_size(value_type));
    test_random_values(seed, flags, value_type, nnz, values);
    spg_coo host = {rows, cols, nnz, value_type, SPG_PLACE_HOST, row_indices, columns, values};
    assert_int_equal(spg_coo_copy(context, &host, out), SPG_OK);
    free(lengths);
    free(row_indices);
    free(columns);
    free(values);
}

static void assert_same_bytes(const void *a, const void *b, int64_t count, size_t size)
{
    if (count > 0) assert_memory_equal(a, b, (size_t)count * size);
}

void test_assert_same_csr(const spg_csr *a, const spg_csr *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_int_equal(a->nnz, b->nnz);
    assert_int_equal(a->offset_type, b->offset_type);
    assert_int_equal(a->value_type, b->value_type);
    assert_same_bytes(a->row_offsets, b->row_offsets, a->rows + 1, spg_type_size(a->offset_type));
    assert_same_bytes(a->columns, b->columns, a->nnz, sizeof *a->columns);
    assert_same_bytes(a->values, b->values, a->nnz, spg_type_size(a->value_type));
}

void test_assert_same_coo(const spg_coo *a, const spg_coo *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_int_equal(a->nnz, b->nnz);
    assert_int_equal(a->value_type, b->value_type);
    assert_same_bytes(a->row_indices, b->row_indices, a->nnz, sizeof *a->row_indices);
    assert_same_bytes(a->columns, b->columns, a->nnz, sizeof *a->columns);
    assert_same_bytes(a->values, b->values, a->nnz, spg_type_size(a->value_type));
}

void test_assert_zeroed(const void *object, size_t bytes)
{
    const unsigned char *byte = object;
    for (size_t k = 0; k < bytes; ++k) assert_int_equal(byte[k], 0);
}

void test_assert_message(const spg_context *context, const char *text)
{
    if (strstr(spg_context_message(context), text) == NULL)
        fail_msg("'%s' is not in: %s", text, spg_context_message(context));
}

double test_element(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

void test_set_element(void *values, spg_type type, int64_t k, double value)
{
    if (type == SPG_F32)
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

int64_t test_offset(const spg_csr *matrix, int64_t k)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[k]
                                          : ((const int32_t *)matrix->row_offsets)[k];
}

/* See containers.h. */
#include "containers.h"

#include "host/by_type.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE "containers_reference.inc.h"
#include "host/for_each_value_type.h"

void *test_array(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

spg_context *test_host_context(int threads)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = threads;
    spg_context *context = NULL;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    return context;
}

typedef struct shape {
    int64_t rows, cols;
    double mean;
} shape;

static const shape shapes[] = {{0, 0, 0},       {0, 5, 0},      {5, 0, 0},          {7, 9, 0},   {1, 1, 1},
                               {31, 31, 4},     {32, 33, 16},   {33, 32, 31},       {1, 40, 40}, {40, 1, 2},
                               {3, 9000, 8000}, {900, 300, 40}, {30000, 70000, 0.7}};
static const unsigned flag_sets[] = {0, TEST_UNSORTED, TEST_DUPLICATES, TEST_UNSORTED | TEST_DUPLICATES};

enum { SHAPES = sizeof shapes / sizeof *shapes, FLAG_SETS = 4, MOST_THREADS = 3 };

/* The large shapes take the four value types and flags in turn, the small ones all combinations. */
static bool is_wanted(int s, int combination) { return s < SHAPES - 3 || combination % 5 == s % 5; }

static void check_csr(spg_context *context, int s, int combination, test_csr_check *check)
{
    spg_csr matrix;
    test_random_csr(context, shapes[s].rows, shapes[s].cols, shapes[s].mean, combination & 1 ? SPG_I64 : SPG_I32,
                    (spg_type)(combination >> 1 & 3), (uint64_t)(s * 64 + combination), flag_sets[combination >> 3],
                    &matrix);
    check(context, &matrix);
    spg_csr_free(context, &matrix);
}

static void check_coo(spg_context *context, int s, int combination, test_coo_check *check)
{
    spg_coo matrix;
    test_random_coo(context, shapes[s].rows, shapes[s].cols, shapes[s].mean, (spg_type)(combination & 3),
                    (uint64_t)(s * 64 + combination), flag_sets[combination >> 2], &matrix);
    check(context, &matrix);
    spg_coo_free(context, &matrix);
}

static void for_each(test_csr_check *csr_check, test_coo_check *coo_check)
{
    for (int threads = 1; threads <= MOST_THREADS; ++threads) {
        spg_context *context = test_host_context(threads);
        for (int s = 0; s < SHAPES; ++s)
            for (int combination = 0; combination < (csr_check != NULL ? 8 : 4) * FLAG_SETS; ++combination) {
                if (!is_wanted(s, combination)) continue;
                if (csr_check != NULL) check_csr(context, s, combination, csr_check);
                if (coo_check != NULL) check_coo(context, s, combination, coo_check);
            }
        int64_t bytes;
        spg_context_memory(context, &bytes, NULL);
        assert_int_equal(bytes, 0);
        spg_context_destroy(context);
    }
}

void test_for_each_csr(test_csr_check *check) { for_each(check, NULL); }

void test_for_each_coo(test_coo_check *check) { for_each(NULL, check); }

test_entry *test_csr_entries(const spg_csr *matrix)
{
    test_entry *entries = test_array(matrix->nnz, sizeof *entries);
    for (int64_t i = 0; i < matrix->rows; ++i)
        for (int64_t k = test_offset(matrix, i); k < test_offset(matrix, i + 1); ++k)
            entries[k] = (test_entry){i, matrix->columns[k], k};
    return entries;
}

test_entry *test_coo_entries(const spg_coo *matrix)
{
    test_entry *entries = test_array(matrix->nnz, sizeof *entries);
    for (int64_t k = 0; k < matrix->nnz; ++k) entries[k] = (test_entry){matrix->row_indices[k], matrix->columns[k], k};
    return entries;
}

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_entries(const void *a, const void *b)
{
    const test_entry *x = a, *y = b;
    if (x->row != y->row) return compare(x->row, y->row);
    if (x->column != y->column) return compare(x->column, y->column);
    return compare(x->index, y->index);
}

void test_order_entries(test_entry *entries, int64_t count)
{
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
}

void test_assert_csr_entries(const spg_csr *actual, const test_entry *entries, int64_t count, const void *values)
{
    size_t size = spg_type_size(actual->value_type);
    assert_int_equal(actual->nnz, count);
    assert_int_equal(test_offset(actual, 0), 0);
    assert_int_equal(test_offset(actual, actual->rows), count);
    for (int64_t i = 0; i < actual->rows; ++i)
        for (int64_t k = test_offset(actual, i); k < test_offset(actual, i + 1); ++k)
            if (k < 0 || k >= count || entries[k].row != i || entries[k].column != actual->columns[k] ||
                memcmp((const char *)actual->values + (size_t)k * size,
                       (const char *)values + (size_t)entries[k].index * size, size) != 0)
                fail_msg("row %lld: entry %lld differs", (long long)i, (long long)k);
}

void test_open_spmv(const test_entry *entries, int64_t count, const void *values, spg_type value_type, int64_t rows,
                    int64_t cols, const void *alpha, const void *beta, test_spmv *spmv)
{
    static void (*const reference[4])(const test_entry *, int64_t, const void *, int64_t, const void *, const void *,
                                      const void *, void *) = BY_VALUE_TYPE(reference_spmv);
    size_t size = spg_type_size(value_type);
    spmv->x = test_array(cols, size);
    spmv->y = test_array(rows, size);
    spmv->expected = test_array(rows, size);
    spmv->y_bytes = (size_t)rows * size;
    test_random_values(1, 0, value_type, cols, spmv->x);
    test_random_values(2, 0, value_type, rows, spmv->y);
    if (beta == NULL) memset(spmv->y, 0xff, spmv->y_bytes);
    memcpy(spmv->expected, spmv->y, spmv->y_bytes);
    reference[value_type](entries, count, values, rows, alpha, spmv->x, beta, spmv->expected);
}

void test_close_spmv(test_spmv *spmv)
{
    assert_memory_equal(spmv->y, spmv->expected, spmv->y_bytes);
    free(spmv->x);
    free(spmv->y);
    free(spmv->expected);
}

void test_reference_sum(const test_entry *entries, int64_t count, const void *values, spg_type value_type, void *sum)
{
    static void (*const reference[4])(const test_entry *, int64_t, const void *, void *) = BY_VALUE_TYPE(reference_sum);
    reference[value_type](entries, count, values, sum);
}

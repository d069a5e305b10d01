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
static bool is_wanted(int s, int combination)
{
    const int every = test_is_short() ? 11 : 5;
    return s < SHAPES - 3 || combination % every == s % every;
}

static void check_csr(spg_context *context, int s, int combination, test_csr_check *check)
{
    spg_csr matrix;
    test_random_csr(test_host(),
                    (test_matrix){shapes[s].rows, shapes[s].cols, shapes[s].mean, combination & 1 ? SPG_I64 : SPG_I32,
                                  (spg_type)(combination >> 1 & 3)},
                    (uint64_t)(s * 64 + combination), flag_sets[combination >> 3], &matrix);
    check(context, &matrix);
    spg_csr_free(test_host(), &matrix);
}

static void check_coo(spg_context *context, int s, int combination, test_coo_check *check)
{
    spg_coo matrix;
    test_random_coo(test_host(), shapes[s].rows, shapes[s].cols, shapes[s].mean, (spg_type)(combination & 3),
                    (uint64_t)(s * 64 + combination), flag_sets[combination >> 2], &matrix);
    check(context, &matrix);
    spg_coo_free(test_host(), &matrix);
}

static void for_each(test_csr_check *csr_check, test_coo_check *coo_check)
{
    const int step = test_is_short() ? MOST_THREADS - 1 : 1;
    for (int threads = 1; threads <= (test_place() == SPG_PLACE_HOST ? MOST_THREADS : 1); threads += step) {
        spg_context *context = test_context_at_place(threads);
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

void test_assert_fetched_csr(const spg_csr *here, const spg_csr *expected)
{
    spg_csr fetched;
    assert_int_equal(here->place, test_place());
    test_to_host(NULL, here, &fetched);
    test_assert_same_csr(&fetched, expected);
    spg_csr_free(test_host(), &fetched);
}

void test_assert_fetched_coo(const spg_coo *here, const spg_coo *expected)
{
    spg_coo fetched;
    assert_int_equal(here->place, test_place());
    test_coo_to_host(NULL, here, &fetched);
    test_assert_same_coo(&fetched, expected);
    spg_coo_free(test_host(), &fetched);
}

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

static void assert_entries(const spg_csr *actual, const test_entry *entries, int64_t count, const void *values)
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

void test_assert_csr_entries(const spg_csr *here, const test_entry *entries, int64_t count, const void *values)
{
    spg_csr fetched;
    test_to_host(NULL, here, &fetched);
    assert_entries(&fetched, entries, count, values);
    spg_csr_free(test_host(), &fetched);
}

void test_open_spmv(const test_triples *of, const void *alpha, const void *beta, test_spmv *spmv)
{
    static void (*const reference[4])(const test_entry *, int64_t, const void *, int64_t, const void *, const void *,
                                      const void *, void *) = BY_VALUE_TYPE(reference_spmv);
    size_t size = spg_type_size(of->value_type);
    void *x = test_array(of->cols, size), *y = test_array(of->rows, size);
    spmv->expected = test_array(of->rows, size);
    spmv->x_bytes = (size_t)of->cols * size;
    spmv->y_bytes = (size_t)of->rows * size;
    test_random_values(1, 0, of->value_type, of->cols, x);
    test_random_values(2, 0, of->value_type, of->rows, y);
    if (beta == NULL) memset(y, 0xff, spmv->y_bytes);
    memcpy(spmv->expected, y, spmv->y_bytes);
    reference[of->value_type](of->entries, of->count, of->values, of->rows, alpha, x, beta, spmv->expected);
    spmv->x = test_lend(x, spmv->x_bytes);
    spmv->y = test_lend(y, spmv->y_bytes);
    free(x);
    free(y);
}

void test_close_spmv(test_spmv *spmv)
{
    void *y = test_array((int64_t)spmv->y_bytes, 1);
    test_fetch(spmv->y, spmv->y_bytes, y);
    assert_memory_equal(y, spmv->expected, spmv->y_bytes);
    free(y);
    free(spmv->expected);
    test_give_back(spmv->x, spmv->x_bytes);
    test_give_back(spmv->y, spmv->y_bytes);
}

void test_reference_sum(const test_entry *entries, int64_t count, const void *values, spg_type value_type, void *sum)
{
    static void (*const reference[4])(const test_entry *, int64_t, const void *, void *) = BY_VALUE_TYPE(reference_sum);
    reference[value_type](entries, count, values, sum);
}

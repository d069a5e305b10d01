/* See products.h. */
#include "products.h"
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const test_limits test_limit_sets[TEST_LIMITS] = {
    {"default limits", {-1, -1, -1}},
    {"all rows in thread", {INT64_MAX, INT64_MAX, INT64_MAX}},
    {"all rows in warp", {0, INT64_MAX, INT64_MAX}},
    {"all rows in cta", {0, 0, INT64_MAX}},
    {"all rows in global", {0, 0, 0}},
    {"small limits", {2, 12, 48}},
};
const int test_thread_counts[TEST_THREADS] = {1, 2, 3, 5};
const spg_type test_value_types[TEST_VALUE_TYPES] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};
const spg_type test_offset_types[TEST_OFFSET_TYPES] = {SPG_I32, SPG_I64};
const spg_row_limits test_default_limits = {-1, -1, -1};

spg_context *test_context(int threads, spg_row_limits limits)
{
    spg_config config = test_config();
    config.threads = threads;
    config.row_limits = limits;
    return test_context_of(&config);
}

void test_multiply(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    spg_csr here_A, here_B, here_C;
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    spg_status status = spgemm_csr(context, &here_A, &here_B, &here_C);
    if (status != SPG_OK) fail_msg("%s: %s", spg_status_name(status), spg_context_message(context));
    test_to_host(context, &here_C, C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(context, &here_C);
}

int64_t test_row_products(const spg_csr *A, const spg_csr *B, int64_t i)
{
    int64_t products = 0;
    for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k)
        products += test_offset(B, A->columns[k] + (int64_t)1) - test_offset(B, A->columns[k]);
    return products;
}

static bool both_nan(const void *a, const void *b, size_t part)
{
    if (part == sizeof(float)) return *(const float *)a != *(const float *)a && *(const float *)b != *(const float *)b;
    return *(const double *)a != *(const double *)a && *(const double *)b != *(const double *)b;
}

static bool same_part(const spg_csr *a, const spg_csr *b, int64_t k, size_t part)
{
    const char *x = (const char *)a->values + (size_t)k * part, *y = (const char *)b->values + (size_t)k * part;
    return memcmp(x, y, part) == 0 || both_nan(x, y, part);
}

static double part_value(const spg_csr *a, int64_t k, size_t part)
{
    return part == sizeof(float) ? (double)((const float *)a->values)[k] : ((const double *)a->values)[k];
}

static void assert_same_row(const spg_csr *actual, const spg_csr *expected, int64_t i, const char *where)
{
    int64_t begin = test_offset(expected, i), end = test_offset(expected, i + 1);
    if (test_offset(actual, i) != begin || test_offset(actual, i + 1) != end)
        fail_msg("%s: row %lld lies at [%lld, %lld), expected [%lld, %lld)", where, (long long)i,
                 (long long)test_offset(actual, i), (long long)test_offset(actual, i + 1), (long long)begin,
                 (long long)end);
    bool is_complex = expected->value_type == SPG_C32 || expected->value_type == SPG_C64;
    int64_t parts = is_complex ? 2 : 1;
    size_t part = spg_type_size(expected->value_type) / (size_t)parts;
    for (int64_t k = begin; k < end; ++k)
        if (actual->columns[k] != expected->columns[k])
            fail_msg("%s: row %lld, entry %lld of %lld: column %d, expected %d", where, (long long)i,
                     (long long)(k - begin), (long long)(end - begin), (int)actual->columns[k],
                     (int)expected->columns[k]);
    for (int64_t k = begin * parts; k < end * parts; ++k)
        if (!same_part(actual, expected, k, part))
            fail_msg("%s: row %lld, column %d: value %a, expected %a (part %lld)", where, (long long)i,
                     (int)actual->columns[k / parts], part_value(actual, k, part), part_value(expected, k, part),
                     (long long)(k % parts));
}

void test_assert_same_product(const spg_csr *actual, const spg_csr *expected, const char *where)
{
    if (actual->rows != expected->rows || actual->cols != expected->cols || actual->nnz != expected->nnz)
        fail_msg("%s: %lld x %lld with %lld entries, expected %lld x %lld with %lld", where, (long long)actual->rows,
                 (long long)actual->cols, (long long)actual->nnz, (long long)expected->rows, (long long)expected->cols,
                 (long long)expected->nnz);
    if (actual->offset_type != expected->offset_type || actual->value_type != expected->value_type)
        fail_msg("%s: %s offsets, %s values, expected %s and %s", where, spg_type_name(actual->offset_type),
                 spg_type_name(actual->value_type), spg_type_name(expected->offset_type),
                 spg_type_name(expected->value_type));
    for (int64_t i = 0; i < expected->rows; ++i) assert_same_row(actual, expected, i, where);
}

/* How a product is made besides its limits and threads. */
typedef enum variant {
    AS_USUAL,
    TIGHT,   /* little workspace: slices, buffers and tables are small, so that all of them overflow */
    POISONED /* the caller's allocator: exact sizes, memory that holds something */
} variant;

static void check_variant(const spg_csr *A, const spg_csr *B, const spg_csr *expected, const char *limits_name,
                          spg_row_limits limits, int threads, variant kind)
{
    static const char *const kinds[] = {"", ", tight", ", poisoned"};
    char where[160];
    snprintf(where, sizeof where, "%lld x %lld x %lld, %s%s, %d threads, %s values, %s and %s offsets",
             (long long)A->rows, (long long)A->cols, (long long)B->cols, limits_name, kinds[kind], threads,
             spg_type_name(A->value_type), spg_type_name(A->offset_type), spg_type_name(B->offset_type));
    test_allocator memory = {0};
    spg_config config = test_config();
    config.threads = threads;
    config.row_limits = limits;
    if (kind == TIGHT) config.workspace_limit = test_place() == SPG_PLACE_HOST ? 100000 * threads : 1 << 24;
    if (kind == POISONED) config.allocator = test_allocator_hook(&memory);
    spg_context *context = test_context_of(&config);
    spg_csr C;
    test_multiply(context, A, B, &C);
    test_assert_same_product(&C, expected, where);
    spg_csr_free(test_host(), &C);
    spg_context_destroy(context);
    assert_int_equal(test_live(&memory), 0);
}

static int64_t all_products(const spg_csr *A, const spg_csr *B)
{
    int64_t products = 0;
    for (int64_t i = 0; i < A->rows; ++i) products += test_row_products(A, B, i);
    return products;
}

/* Little workspace costs time where columns are spread, so it is for small products. */
static void check_with(const spg_csr *A, const spg_csr *B, const spg_csr *expected, const char *limits_name,
                       spg_row_limits limits, int threads)
{
    const int64_t products = all_products(A, B);
    check_variant(A, B, expected, limits_name, limits, threads, AS_USUAL);
    if (products < 100000) check_variant(A, B, expected, limits_name, limits, threads, TIGHT);
    if (products < (test_place() == SPG_PLACE_HOST ? 1000000 : 100000))
        check_variant(A, B, expected, limits_name, limits, threads, POISONED);
}

/* `times` copies of a matrix below each other. */
static void stack(const spg_csr *matrix, int64_t times, spg_csr *stacked)
{
    spg_status status = spg_csr_alloc(test_host(), matrix->rows * times, matrix->cols, matrix->nnz * times,
                                      matrix->offset_type, matrix->value_type, stacked);
    assert_int_equal(status, SPG_OK);
    size_t columns = (size_t)matrix->nnz * sizeof(int32_t),
           values = (size_t)matrix->nnz * spg_type_size(matrix->value_type);
    for (int64_t t = 0; t < times; ++t) {
        for (int64_t i = 1; i <= matrix->rows; ++i) {
            int64_t row = t * matrix->rows + i, offset = t * matrix->nnz + test_offset(matrix, i);
            if (matrix->offset_type == SPG_I64)
                ((int64_t *)stacked->row_offsets)[row] = offset;
            else
                ((int32_t *)stacked->row_offsets)[row] = (int32_t)offset;
        }
        if (columns == 0) continue;
        memcpy((char *)stacked->columns + (size_t)t * columns, matrix->columns, columns);
        memcpy((char *)stacked->values + (size_t)t * values, matrix->values, values);
    }
}

/* With copies of A below each other there is work for many chunks of like rows, so that a backend which chooses among
 * kernels by what they cost tries each of them on every kind of row. */
static void check_stacked(const spg_csr *A, const spg_csr *B, const spg_csr *expected)
{
    enum { WORK = 40000, MOST_PRODUCTS = 1000000 };
    const int64_t products = all_products(A, B);
    int64_t times = A->nnz > 0 ? WORK / (A->nnz + A->rows) : 0;
    if (times > MOST_PRODUCTS / (products + 1)) times = MOST_PRODUCTS / (products + 1);
    if (times < 2) return;
    spg_csr many_A, many_C;
    stack(A, times, &many_A);
    stack(expected, times, &many_C);
    for (int threads = test_is_short() ? 2 : 1; threads <= 2; ++threads)
        check_with(&many_A, B, &many_C, "default limits, stacked", test_default_limits, threads);
    spg_csr_free(test_host(), &many_A);
    spg_csr_free(test_host(), &many_C);
}

void test_check_product(const spg_csr *A, const spg_csr *B, spg_row_limits limits, int threads)
{
    char name[96];
    snprintf(name, sizeof name, "limits %lld, %lld, %lld", (long long)limits.thread, (long long)limits.warp,
             (long long)limits.cta);
    spg_csr expected;
    test_reference_product(A, B, &expected);
    check_with(A, B, &expected, name, limits, threads);
    spg_csr_free(test_host(), &expected);
}

void test_check_limits(const spg_csr *A, const spg_csr *B)
{
    spg_csr expected;
    test_reference_product(A, B, &expected);
    for (int l = 0; l < TEST_LIMITS; ++l)
        check_with(A, B, &expected, test_limit_sets[l].name, test_limit_sets[l].limits, 2);
    check_stacked(A, B, &expected);
    spg_csr_free(test_host(), &expected);
}

void test_check_all(const spg_csr *A, const spg_csr *B)
{
    spg_csr expected;
    test_reference_product(A, B, &expected);
    for (int l = 0; l < TEST_LIMITS; ++l)
        for (int t = 0; t < TEST_THREADS; t += test_is_short() ? 2 : 1)
            check_with(A, B, &expected, test_limit_sets[l].name, test_limit_sets[l].limits, test_thread_counts[t]);
    check_stacked(A, B, &expected);
    spg_csr_free(test_host(), &expected);
}

static void *grow(void *memory, int64_t *room, int64_t needed, size_t size)
{
    if (needed <= *room) return memory;
    *room = needed > 2 * *room ? needed : 2 * *room;
    memory = realloc(memory, (size_t)*room * size);
    assert_non_null(memory);
    return memory;
}

void test_add(test_pattern *pattern, int64_t column)
{
    pattern->columns = grow(pattern->columns, &pattern->room, pattern->nnz + 1, sizeof *pattern->columns);
    pattern->columns[pattern->nnz++] = (int32_t)column;
}

void test_end_row(test_pattern *pattern)
{
    pattern->offsets = grow(pattern->offsets, &pattern->row_room, pattern->rows + 1, sizeof *pattern->offsets);
    pattern->offsets[pattern->rows++] = pattern->nnz;
}

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* n draws from a range shorter by n-1, in order, each moved up by its rank, are distinct. */
void test_add_random(test_pattern *pattern, uint64_t *state, int64_t n, int64_t begin, int64_t end, bool sorted)
{
    int64_t first = pattern->nnz;
    for (int64_t k = 0; k < n; ++k) test_add(pattern, begin + test_below(state, end - begin - n + 1));
    if (n == 0) return;
    int32_t *row = pattern->columns + first;
    qsort(row, (size_t)n, sizeof *row, ascending);
    for (int64_t k = 0; k < n; ++k) row[k] += (int32_t)k;
    for (int64_t k = n - 1; k > 0 && !sorted; --k) {
        int64_t other = test_below(state, k + 1);
        int32_t column = row[k];
        row[k] = row[other];
        row[other] = column;
    }
}

void test_free_pattern(test_pattern *pattern)
{
    free(pattern->offsets);
    free(pattern->columns);
    *pattern = (test_pattern){0};
}

void test_matrix_of(const test_pattern *pattern, int64_t cols, spg_type offset_type, spg_type value_type, uint64_t seed,
                    unsigned flags, spg_csr *matrix)
{
    spg_status status = spg_csr_alloc(test_host(), pattern->rows, cols, pattern->nnz, offset_type, value_type, matrix);
    assert_int_equal(status, SPG_OK);
    for (int64_t i = 0; i < pattern->rows; ++i) {
        if (offset_type == SPG_I64)
            ((int64_t *)matrix->row_offsets)[i + 1] = pattern->offsets[i];
        else
            ((int32_t *)matrix->row_offsets)[i + 1] = (int32_t)pattern->offsets[i];
    }
    if (pattern->nnz > 0) memcpy(matrix->columns, pattern->columns, (size_t)pattern->nnz * sizeof *pattern->columns);
    test_random_values(seed, flags, value_type, pattern->nnz, matrix->values);
}

int64_t test_below(uint64_t *state, int64_t n) { return (int64_t)(test_random(state) % (uint64_t)n); }

void test_check_patterns(test_pattern *a, test_pattern *b, int64_t cols)
{
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_csr A, B;
        test_matrix_of(a, b->rows, SPG_I32, test_value_types[v], 1, 0, &A);
        test_matrix_of(b, cols, SPG_I32, test_value_types[v], 2, 0, &B);
        test_check_product(&A, &B, test_default_limits, 2);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    test_free_pattern(a);
    test_free_pattern(b);
}

void test_assert_malformed(const spg_csr *A, const spg_csr *B)
{
    spg_context *context = test_context(1, test_default_limits);
    spg_csr here_A, here_B, C;
    int64_t before, after;
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    spg_context_memory(context, &before, NULL);
    assert_int_equal(spgemm_csr(context, &here_A, &here_B, &C), SPG_ERROR_FORMAT);
    spg_context_memory(context, &after, NULL);
    assert_int_equal(after, before);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
}

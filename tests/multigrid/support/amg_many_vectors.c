#include "amg_many_vectors.h"

#include "matrices_for_tests.h"

#include <stdlib.h>
#include <string.h>

static const double gap_number = 77;

int64_t test_place_of(const test_vectors *vectors, int64_t i, int64_t j)
{
    return vectors->layout == SPG_ROW_MAJOR ? i * vectors->stride + j : j * vectors->stride + i;
}

static test_vectors create(int64_t n, int64_t count, spg_layout layout, int64_t gap, spg_type type)
{
    const bool by_row = layout == SPG_ROW_MAJOR;
    const int64_t stride = (by_row ? count : n) + gap, numbers = stride * (by_row ? n : count);
    test_vectors vectors = {n, count, stride, layout, type, NULL, NULL, (size_t)numbers * spg_type_size(type)};
    vectors.B = malloc(vectors.bytes + 1);
    vectors.X = malloc(vectors.bytes + 1);
    assert_true(vectors.B != NULL && vectors.X != NULL);
    for (int64_t k = 0; k < numbers; ++k) {
        test_set_element(vectors.B, type, k, gap_number);
        test_set_element(vectors.X, type, k, gap_number);
    }
    return vectors;
}

void test_vectors_free(const test_vectors *vectors)
{
    free(vectors->B);
    free(vectors->X);
}

test_vectors test_vectors_random(const test_system *system, int64_t count, spg_layout layout, int64_t gap,
                                 uint64_t seed)
{
    const int64_t n = system->A.rows, numbers = n * count;
    test_vectors vectors = create(n, count, layout, gap, system->A.value_type);
    double *values = malloc((size_t)(2 * numbers) * sizeof *values);
    assert_non_null(values);
    test_random_values(seed, 0, SPG_F64, 2 * numbers, values);
    for (int64_t k = 0; k < numbers; ++k) {
        const int64_t place = test_place_of(&vectors, k % n, k / n);
        test_set_element(vectors.B, vectors.type, place, values[k]);
        test_set_element(vectors.X, vectors.type, place, values[numbers + k]);
    }
    free(values);
    return vectors;
}

test_vectors test_vectors_part(const test_vectors *of, int64_t first, int64_t count, spg_layout layout, int64_t gap)
{
    test_vectors part = create(of->n, count, layout, gap, of->type);
    for (int64_t j = 0; j < count; ++j)
        for (int64_t i = 0; i < of->n; ++i) {
            const int64_t from = test_place_of(of, i, first + j), to = test_place_of(&part, i, j);
            test_set_element(part.B, part.type, to, test_element(of->B, of->type, from));
            test_set_element(part.X, part.type, to, test_element(of->X, of->type, from));
        }
    return part;
}

static void assert_gaps(const test_vectors *vectors)
{
    const bool by_row = vectors->layout == SPG_ROW_MAJOR;
    const int64_t lines = by_row ? vectors->n : vectors->count, line = by_row ? vectors->count : vectors->n;
    for (int64_t k = 0; k < lines; ++k)
        for (int64_t gap = line; gap < vectors->stride; ++gap)
            assert_true(test_element(vectors->X, vectors->type, k * vectors->stride + gap) == gap_number);
}

typedef struct placed {
    void *B, *X;
} placed;

static placed send(const test_vectors *vectors)
{
    return (placed){test_lend(vectors->B, vectors->bytes), test_lend(vectors->X, vectors->bytes)};
}

static void receive(test_vectors *vectors, placed from)
{
    test_fetch(from.X, vectors->bytes, vectors->X);
    test_give_back(from.B, vectors->bytes);
    test_give_back(from.X, vectors->bytes);
    assert_gaps(vectors);
}

void test_vectors_solve(const test_system *system, test_vectors *vectors, const spg_amg_solve_options *options,
                        spg_amg_solve_result *results, spg_status expected)
{
    const placed here = send(vectors);
    const spg_status status = spg_amg_solve_many(system->context, system->amg, vectors->count, vectors->layout, here.B,
                                                 vectors->stride, here.X, vectors->stride, options, results);
    receive(vectors, here);
    if (status != expected)
        fail_msg("spg_amg_solve_many: %s: %s", spg_status_name(status), spg_context_message(system->context));
}

void test_vectors_apply(const test_system *system, test_vectors *vectors)
{
    const placed here = send(vectors);
    const spg_status status = spg_amg_apply_many(system->context, system->amg, vectors->count, vectors->layout, here.B,
                                                 vectors->stride, here.X, vectors->stride);
    receive(vectors, here);
    if (status != SPG_OK) fail_msg("spg_amg_apply_many: %s", spg_context_message(system->context));
}

void test_assert_same_vector(const test_vectors *a, int64_t j, const test_vectors *b, int64_t k)
{
    const size_t size = spg_type_size(a->type);
    for (int64_t i = 0; i < a->n; ++i) {
        const char *one = (const char *)a->X + (size_t)test_place_of(a, i, j) * size;
        const char *other = (const char *)b->X + (size_t)test_place_of(b, i, k) * size;
        if (memcmp(one, other, size) != 0)
            fail_msg("vectors %lld and %lld differ in row %lld", (long long)j, (long long)k, (long long)i);
    }
}

double test_vectors_residual(const test_system *system, const test_vectors *of_b, const test_vectors *of_x, int64_t j)
{
    const test_vectors b = test_vectors_part(of_b, j, 1, SPG_COLUMN_MAJOR, 0);
    const test_vectors x = test_vectors_part(of_x, j, 1, SPG_COLUMN_MAJOR, 0);
    const double residual = test_residual(&system->A, b.B, x.X);
    test_vectors_free(&b);
    test_vectors_free(&x);
    return residual;
}

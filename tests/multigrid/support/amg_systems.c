/* See amg_systems.h. */
#include "amg_systems.h"
#include "generators.h"
#include "matrices_for_tests.h"
#include "real_matrices.h"
#include "spg/io.h"
#include "spg/spg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const spg_amg_method test_methods[TEST_METHODS] = {SPG_AMG_CG, SPG_AMG_STANDALONE};

spg_csr test_generate(const char *name, spg_type type)
{
    spg_csr A;
    if (generate_matrix(test_host(), name, 1, type, &A) != SPG_OK)
        fail_msg("%s: %s", name, spg_context_message(test_host()));
    return A;
}

spg_csr test_read_real(const char *name)
{
    char path[TEST_PATH_SIZE];
    spg_csr A;
    if (!test_find_real_matrix(name, path)) skip();
    if (spg_read_matrix_market(test_host(), path, &A) != SPG_OK) fail_msg("%s", spg_context_message(test_host()));
    return A;
}

double *test_read_real_dense(const char *name, int64_t rows, int64_t cols)
{
    char path[TEST_PATH_SIZE];
    spg_dense dense;
    if (!test_find_real_matrix(name, path)) skip();
    if (spg_read_matrix_market_dense(test_host(), path, &dense) != SPG_OK)
        fail_msg("%s", spg_context_message(test_host()));
    assert_true(dense.rows == rows && dense.cols == cols && dense.value_type == SPG_F64);
    double *values = malloc((size_t)(rows * cols) * sizeof *values);
    assert_non_null(values);
    memcpy(values, dense.values, (size_t)(rows * cols) * sizeof *values);
    spg_dense_free(test_host(), &dense);
    return values;
}

void test_system_reset(test_system *system)
{
    const spg_type type = system->A.value_type;
    const int64_t n = system->A.rows, parts = type == SPG_C32 || type == SPG_C64 ? 2 : 1;
    void *values = calloc((size_t)n + 1, 2 * sizeof(double));
    assert_non_null(values);
    test_send(values, system->bytes, system->x);
    for (int64_t i = 0; i < n; i++)
        test_set_element(values, type == SPG_F32 || type == SPG_C32 ? SPG_F32 : SPG_F64, parts * i, 1);
    test_send(values, system->bytes, system->b);
    free(values);
}

void test_system_begin(const spg_csr *A, const spg_amg_options *options, int threads, test_system *system)
{
    memset(system, 0, sizeof *system);
    system->context = test_context_at_place(threads);
    system->A = *A;
    system->bytes = (size_t)A->rows * spg_type_size(A->value_type);
    test_to_place(system->context, A, &system->A_here);
    if (spg_amg_setup(system->context, &system->A_here, options, &system->amg) != SPG_OK)
        fail_msg("spg_amg_setup: %s", spg_context_message(system->context));
    void *zeros = calloc((size_t)A->rows + 1, 2 * sizeof(double));
    assert_non_null(zeros);
    system->b = test_lend(zeros, system->bytes);
    system->x = test_lend(zeros, system->bytes);
    free(zeros);
    test_system_reset(system);
}

spg_amg_options test_several_levels(void)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 20;
    return options;
}

void test_system_of(const char *name, spg_type type, test_system *system)
{
    const spg_csr A = test_generate(name, type);
    const spg_amg_options options = test_several_levels();
    test_system_begin(&A, &options, 2, system);
}

void test_system_end(test_system *system)
{
    test_give_back(system->b, system->bytes);
    test_give_back(system->x, system->bytes);
    spg_amg_destroy(system->amg);
    spg_csr_free(system->context, &system->A_here);
    spg_context_destroy(system->context);
    spg_csr_free(test_host(), &system->A);
}

spg_amg_solve_result test_system_solve(test_system *system, const spg_amg_solve_options *options, spg_status expected)
{
    spg_amg_solve_result result;
    const spg_status status = spg_amg_solve(system->context, system->amg, system->b, system->x, options, &result);
    if (status != expected)
        fail_msg("spg_amg_solve: %s: %s", spg_status_name(status), spg_context_message(system->context));
    return result;
}

double test_residual(const spg_csr *A, const double *b, const double *x)
{
    const double *values = A->values;
    double sum = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        double r = b[i];
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) r -= values[k] * x[A->columns[k]];
        sum += r * r;
    }
    return sqrt(sum);
}

double *test_system_fetch(const test_system *system, const void *vector)
{
    double *values = malloc(system->bytes + 1);
    assert_non_null(values);
    test_fetch(vector, system->bytes, values);
    return values;
}

double test_system_residual(const test_system *system)
{
    double *b = test_system_fetch(system, system->b), *x = test_system_fetch(system, system->x);
    const double residual = test_residual(&system->A, b, x);
    free(b);
    free(x);
    return residual;
}

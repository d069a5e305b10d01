/* See amg_complex.h. */
#include "amg_complex.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern void zgesv_(const int *n, const int *columns, double complex *a, const int *lda, int *pivots, double complex *b,
                   const int *ldb, int *info);

static bool is_single(spg_type type) { return type == SPG_C32; }

double complex test_complex(double real, double imaginary)
{
    const double parts[2] = {real, imaginary};
    double complex value;
    memcpy(&value, parts, sizeof value);
    return value;
}

double complex test_complex_at(const void *values, spg_type type, int64_t k)
{
    const spg_type part = is_single(type) ? SPG_F32 : SPG_F64;
    return test_complex(test_element(values, part, 2 * k), test_element(values, part, 2 * k + 1));
}

void test_set_complex(void *values, spg_type type, int64_t k, double complex value)
{
    const spg_type part = is_single(type) ? SPG_F32 : SPG_F64;
    test_set_element(values, part, 2 * k, creal(value));
    test_set_element(values, part, 2 * k + 1, cimag(value));
}

static void *array(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

double complex *test_random_complex(uint64_t seed, int64_t n)
{
    double complex *values = array(n, sizeof *values);
    test_random_values(seed, 0, SPG_C64, n, values);
    return values;
}

spg_csr test_gauged(const char *name, bool closed, spg_type type, double complex **gauge)
{
    spg_csr L = test_generate(name, SPG_F64), A;
    double complex *const phases = test_random_complex(5, L.rows);
    for (int64_t i = 0; i < L.rows; i++) phases[i] /= cabs(phases[i]);
    assert_int_equal(spg_csr_alloc(test_host(), L.rows, L.rows, L.nnz, SPG_I32, type, &A), SPG_OK);
    memcpy(A.row_offsets, L.row_offsets, (size_t)(L.rows + 1) * sizeof(int32_t));
    memcpy(A.columns, L.columns, (size_t)L.nnz * sizeof(int32_t));
    for (int64_t i = 0; i < L.rows; i++) {
        double others = 0;
        for (int64_t k = test_offset(&L, i); k < test_offset(&L, i + 1); k++)
            if (L.columns[k] != i) others += ((const double *)L.values)[k];
        for (int64_t k = test_offset(&L, i); k < test_offset(&L, i + 1); k++) {
            const int64_t j = L.columns[k], low = i < j ? i : j, high = i < j ? j : i;
            const double value = ((const double *)L.values)[k];
            const double complex turned = value * (conj(phases[high]) * phases[low]);
            test_set_complex(A.values, type, k, i == j ? (closed ? -others : value) : i < j ? conj(turned) : turned);
        }
    }
    for (int64_t i = 0; i < L.rows; i++) phases[i] = conj(phases[i]);
    spg_csr_free(test_host(), &L);
    if (gauge != NULL)
        *gauge = phases;
    else
        free(phases);
    return A;
}

void test_send_complex(test_system *system, const double complex *values, void *vector)
{
    void *sent = array(system->A.rows, sizeof(double complex));
    for (int64_t i = 0; i < system->A.rows; i++) test_set_complex(sent, system->A.value_type, i, values[i]);
    test_send(sent, system->bytes, vector);
    free(sent);
}

double complex *test_fetch_complex(const test_system *system, const void *vector)
{
    void *found = array(system->A.rows, sizeof(double complex));
    double complex *values = array(system->A.rows, sizeof *values);
    test_fetch(vector, system->bytes, found);
    for (int64_t i = 0; i < system->A.rows; i++) values[i] = test_complex_at(found, system->A.value_type, i);
    free(found);
    return values;
}

double complex *test_complex_product(const spg_csr *A, const double complex *x)
{
    double complex *y = array(A->rows, sizeof *y);
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            y[i] += test_complex_at(A->values, A->value_type, k) * x[A->columns[k]];
    return y;
}

double test_complex_norm(const double complex *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += creal(x[i] * conj(x[i]));
    return sqrt(sum);
}

double test_complex_residual(const test_system *system)
{
    double complex *b = test_fetch_complex(system, system->b), *x = test_fetch_complex(system, system->x);
    double complex *y = test_complex_product(&system->A, x);
    for (int64_t i = 0; i < system->A.rows; i++) y[i] = b[i] - y[i];
    const double norm = test_complex_norm(y, system->A.rows);
    free(b);
    free(x);
    free(y);
    return norm;
}

double complex *test_dense_solution(const spg_csr *A, const double complex *b)
{
    const int n = (int)A->rows, one = 1;
    int *pivots = array(n, sizeof *pivots), info;
    double complex *dense = array((int64_t)n * n, sizeof *dense), *x = array(n, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            dense[(int64_t)A->columns[k] * n + i] += test_complex_at(A->values, A->value_type, k);
    memcpy(x, b, (size_t)n * sizeof *x);
    zgesv_(&n, &one, dense, &n, pivots, x, &n, &info);
    assert_int_equal(info, 0);
    free(dense);
    free(pivots);
    return x;
}

static void hear(void *user, const char *line)
{
    test_told *told = user;
    told->lines++;
    strncat(told->text, line, sizeof told->text - strlen(told->text) - 1);
}

void test_system_begin_told(const spg_csr *A, const spg_amg_options *options, test_told *told, test_system *system)
{
    memset(system, 0, sizeof *system);
    memset(told, 0, sizeof *told);
    spg_config config = test_config();
    config.threads = 1;
    config.log = hear;
    config.log_user = told;
    system->context = test_context_of(&config);
    system->A = *A;
    system->bytes = (size_t)A->rows * spg_type_size(A->value_type);
    test_to_place(system->context, A, &system->A_here);
    if (spg_amg_setup(system->context, &system->A_here, options, &system->amg) != SPG_OK)
        fail_msg("spg_amg_setup: %s", spg_context_message(system->context));
    void *zeros = array(A->rows, sizeof(double complex));
    system->b = test_lend(zeros, system->bytes);
    system->x = test_lend(zeros, system->bytes);
    free(zeros);
    test_system_reset(system);
}

/* Which matrices count as unsymmetric does not depend on the scale of their rows, nor on their diagonal. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include <math.h>

static int counts_as_unsymmetric(const test_system *system)
{
    spg_amg_summary summary;
    assert_int_equal(spg_amg_summarise(system->amg, &summary), SPG_OK);
    return summary.unsymmetric;
}

static void multiply(const spg_csr *A, int64_t k, double factor)
{
    test_set_element(A->values, A->value_type, k, test_element(A->values, A->value_type, k) * factor);
}

/* Swaps two entries of the first row, so that symmetry is not seen bit for bit. */
static void unsort(const spg_csr *A)
{
    const int32_t column = A->columns[0];
    const double first = test_element(A->values, A->value_type, 0), second = test_element(A->values, A->value_type, 1);
    A->columns[0] = A->columns[1];
    A->columns[1] = column;
    test_set_element(A->values, A->value_type, 0, second);
    test_set_element(A->values, A->value_type, 1, first);
}

/* Two matrices beside each other, the second times `unit`. */
static spg_csr side_by_side(const spg_csr *first, const spg_csr *second, double unit)
{
    spg_csr A;
    const int64_t rows = first->rows + second->rows, nnz = first->nnz + second->nnz;
    assert_int_equal(spg_csr_alloc(test_host(), rows, rows, nnz, SPG_I32, first->value_type, &A), SPG_OK);
    for (int64_t i = 0; i <= rows; i++)
        ((int32_t *)A.row_offsets)[i] =
            (int32_t)(i <= first->rows ? test_offset(first, i) : first->nnz + test_offset(second, i - first->rows));
    for (int64_t k = 0; k < nnz; k++) {
        const bool is_first = k < first->nnz;
        const spg_csr *from = is_first ? first : second;
        const int64_t at = is_first ? k : k - first->nnz;
        A.columns[k] = from->columns[at] + (is_first ? 0 : (int32_t)first->rows);
        test_set_element(A.values, A.value_type, k,
                         test_element(from->values, from->value_type, at) * (is_first ? 1 : unit));
    }
    return A;
}

/* Convection beside diffusion, either of which has numbers far below the other's. */
static void what_is_unsymmetric_counts_beside_numbers_of_another_scale(void **state)
{
    (void)state;
    const double units[] = {1, 1e-4, 1e-8, 1e-16, 1e-30, 1e4, 1e8, 1e16, 1e30, 1e-150, 1e150};
    for (spg_type type = SPG_F32; type <= SPG_F64; type++)
        for (int u = 0; u < (type == SPG_F32 ? 9 : 11); u++)
            for (int convects = 0; convects < 2; convects++) {
                spg_csr first = test_generate(convects ? "conv2d:20" : "fd2d5:20", type);
                spg_csr second = test_generate("fd2d5:20", type);
                const spg_csr A = side_by_side(&first, &second, units[u]);
                test_system system;
                unsort(&A);
                spg_csr_free(test_host(), &first);
                spg_csr_free(test_host(), &second);
                test_system_begin(&A, NULL, 2, &system);
                if (counts_as_unsymmetric(&system) != convects)
                    fail_msg("unit %g: %d, not %d", units[u], !convects, convects);
                test_system_end(&system);
            }
}

/* Rows and columns times 10^k, k up to `most`; every so many rows hold only a diagonal, while their columns stay. */
static void scale_and_keep_boundary(const spg_csr *A, int most, int64_t boundary)
{
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            const int64_t j = A->columns[k];
            multiply(A, k, i != j && boundary > 0 && i % boundary == 0 ? 0 : 1);
            multiply(A, k, pow(10, (double)(i * 7 % (2 * most + 1) - most)));
            multiply(A, k, pow(10, (double)(j * 7 % (2 * most + 1) - most)));
        }
}

typedef enum kind { POSITIVE, NEGATIVE, INDEFINITE, KEPT_BOUNDARY } kind;

/* A grid's matrix, symmetric up to rounding: positive definite, also with boundary rows; negative definite; or with
 * diagonals of both signs and zeros. */
static spg_csr symmetric_matrix(kind of, spg_type type, int most)
{
    const spg_csr A = test_generate("fe2d9:20", type);
    for (int64_t i = 0; i < A.rows; i++)
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
            if (of == NEGATIVE) multiply(&A, k, -1);
            if (of == INDEFINITE && A.columns[k] == i && i % 5 < 2) multiply(&A, k, (double)-(i % 5));
        }
    scale_and_keep_boundary(&A, most, of == KEPT_BOUNDARY ? 13 : 0);
    unsort(&A);
    return A;
}

static void what_is_symmetric_does_so_in_any_scale_and_with_any_diagonal(void **state)
{
    (void)state;
    const struct {
        kind of;
        int most; /* in floats; in doubles seven times as much */
    } cases[] = {{POSITIVE, 0}, {POSITIVE, 6},      {POSITIVE, 12},     {NEGATIVE, 0},
                 {NEGATIVE, 6}, {KEPT_BOUNDARY, 0}, {KEPT_BOUNDARY, 6}, {INDEFINITE, 0}};
    for (spg_type type = SPG_F32; type <= SPG_F64; type++)
        for (int c = 0; c < 8; c++) {
            const int most = cases[c].most * (type == SPG_F32 ? 1 : 7);
            spg_csr A = symmetric_matrix(cases[c].of, type, most);
            for (int changes = 0; changes < 2; changes++) {
                spg_csr copy;
                test_system system;
                assert_int_equal(spg_csr_copy(test_host(), &A, &copy), SPG_OK);
                if (changes) multiply(&copy, test_offset(&copy, 33), 1.01);
                test_system_begin(&copy, NULL, 2, &system);
                if (counts_as_unsymmetric(&system) != changes)
                    fail_msg("kind %d, scales up to 10^%d: %d", (int)cases[c].of, most, !changes);
                test_system_end(&system);
            }
            spg_csr_free(test_host(), &A);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_unsymmetric_counts_beside_numbers_of_another_scale),
        cmocka_unit_test(what_is_symmetric_does_so_in_any_scale_and_with_any_diagonal),
    };
    return TEST_RUN_HERE(argc, argv, "amg unsymmetric scales", tests);
}

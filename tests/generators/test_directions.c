/* Generators of diffusion and convection along a direction, by what they make of polynomials, which their differences
 * treat exactly; and of a magnetic field, by its flux. */
#include "generator_support.h"
#include "matrices_for_tests.h"
#include "test_support.h"

#include <math.h>

/* Row (x, y) of an n x n grid times the polynomial (i - x)^p (j - y)^q of the points (i, j). */
static double apply(const spg_csr *A, int64_t n, int64_t x, int64_t y, int p, int q)
{
    const int64_t row = y * n + x;
    double sum = 0;
    for (int64_t k = test_offset(A, row); k < test_offset(A, row + 1); k++) {
        const int64_t i = A->columns[k] % n, j = A->columns[k] / n;
        sum += ((const double *)A->values)[k] * pow((double)(i - x), p) * pow((double)(j - y), q);
    }
    return sum;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected)))) fail_msg("%.17g, not %.17g", found, expected);
}

/* -div K grad of x^2, xy and y^2, with K = R diag(1, epsilon) R^T for the rotation R. */
static void aniso2d_diffuses_along_its_direction(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double epsilon, degrees;
    } cases[] = {{"aniso2d:9", 1e-3, 45},
                 {"aniso2d:9:0.25", 0.25, 45},
                 {"aniso2d:9:0.25:30", 0.25, 30},
                 {"aniso2d:9:1e-3:0", 1e-3, 0},
                 {"aniso2d:9:0.5:-120.5", 0.5, -120.5}};
    for (size_t t = 0; t < LENGTH(cases); t++) {
        spg_csr A = make(cases[t].name, 1, SPG_F64);
        const double angle = cases[t].degrees * acos(-1) / 180, c = cos(angle), s = sin(angle), e = cases[t].epsilon;
        assert_near(apply(&A, 9, 4, 3, 0, 0), 0);
        assert_near(apply(&A, 9, 4, 3, 1, 0), 0);
        assert_near(apply(&A, 9, 4, 3, 0, 1), 0);
        assert_near(apply(&A, 9, 4, 3, 2, 0), -2 * (c * c + e * s * s));
        assert_near(apply(&A, 9, 4, 3, 0, 2), -2 * (s * s + e * c * c));
        assert_near(apply(&A, 9, 4, 3, 1, 1), -2 * (1 - e) * c * s);
        spg_csr_free(context, &A);
    }
}

/* Times h^2/epsilon, in steps of h: the wind along x of x, the diffusion of x^2 and what upwinding adds to it. */
static void assert_blows(const spg_csr *A, int64_t x, int64_t y, const double speed[2])
{
    assert_near(apply(A, 9, x, y, 0, 0), 0);
    assert_near(apply(A, 9, x, y, 1, 0), speed[0]);
    assert_near(apply(A, 9, x, y, 0, 1), speed[1]);
    assert_near(apply(A, 9, x, y, 2, 0), -2 - fabs(speed[0]));
    assert_near(apply(A, 9, x, y, 0, 2), -2 - fabs(speed[1]));
}

static void conv2d_and_recirc2d_carry_what_their_winds_do(void **state)
{
    (void)state;
    spg_csr constant = make("conv2d:9:0.02", 1, SPG_F64), weak = make("conv2d:9", 1, SPG_F64);
    spg_csr around = make("recirc2d:9:0.02", 1, SPG_F64);
    assert_blows(&constant, 4, 3, (const double[2]){5 * cos(acos(-1) / 6), 2.5});
    assert_blows(&weak, 7, 1, (const double[2]){10 * cos(acos(-1) / 6), 5});
    for (int64_t y = 1; y < 8; y++)
        for (int64_t x = 1; x < 8; x++) {
            const double a = (double)(x - 4) / 5, b = (double)(y - 4) / 5;
            assert_blows(&around, x, y, (const double[2]){10 * b * (1 - a * a), -10 * a * (1 - b * b)});
        }
    spg_csr_free(context, &constant);
    spg_csr_free(context, &weak);
    spg_csr_free(context, &around);
}

/* The product of the entries around a cell has the phase of the flux through it, whatever the gauge. */
static void assert_flux(const spg_csr *A, int64_t row, int64_t side, double degrees)
{
    const int64_t corners[] = {row, row + 1, row + 1 + side, row + side, row};
    double re = 1, im = 0;
    for (int c = 0; c < 4; c++)
        for (int64_t k = test_offset(A, corners[c]); k < test_offset(A, corners[c] + 1); k++) {
            if (A->columns[k] != corners[c + 1]) continue;
            const double a = re, b = im, x = real_part(A, k), y = imaginary_part(A, k);
            re = a * x - b * y;
            im = a * y + b * x;
        }
    const double angle = degrees * acos(-1) / 180;
    assert_near(re, cos(angle));
    assert_near(im, sin(angle));
}

static void flux_goes_through_each_cell_of_a_magnet_and_no_field_is_a_laplacian(void **state)
{
    (void)state;
    spg_csr two = make("magnet2d:6:4.5", 1, SPG_C64), three = make("magnet3d:4:-3", 1, SPG_C64);
    for (int64_t y = 0; y < 5; y++)
        for (int64_t x = 0; x < 5; x++) assert_flux(&two, 6 * y + x, 6, 360 * 4.5 / 36);
    for (int64_t z = 0; z < 4; z++)
        for (int64_t y = 0; y < 3; y++) assert_flux(&three, 16 * z + 4 * y + 1, 4, -360 * 3.0 / 16);
    spg_csr none = make("magnet2d:9:0", 1, SPG_F64), laplacian = make("fd2d5:9", 1, SPG_F64);
    test_assert_same_csr(&none, &laplacian);
    spg_csr_free(context, &two);
    spg_csr_free(context, &three);
    spg_csr_free(context, &none);
    spg_csr_free(context, &laplacian);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aniso2d_diffuses_along_its_direction),
        cmocka_unit_test(conv2d_and_recirc2d_carry_what_their_winds_do),
        cmocka_unit_test(flux_goes_through_each_cell_of_a_magnet_and_no_field_is_a_laplacian),
    };
    return cmocka_run_group_tests_name("generators of directions", tests, create_context, destroy_context);
}

/* solid3d, whose energies are those of its material, and rigid-body modes. */
#include "generator_support.h"
#include "test_support.h"

#include <math.h>

enum { SIDE = 5, ROWS = 3 * SIDE * SIDE * SIDE, FIRST = 3 * SIDE * SIDE };

typedef void displacement_at(const int node[3], double displacement[3]);

/* The energy of a displacement; the clamped nodes are below, at z = 0. */
static double energy_of(const char *name, displacement_at *displace)
{
    spg_csr A = make(name, 1, SPG_F64);
    double u[ROWS], forces[ROWS], energy = 0;
    assert_int_equal(A.rows, ROWS);
    for (int k = 0; k < ROWS / 3; k++)
        displace((const int[]){k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE) + 1}, u + 3 * k);
    assert_int_equal(spg_csr_spmv(context, NULL, &A, u, NULL, forces), SPG_OK);
    for (int i = 0; i < ROWS; i++) energy += u[i] * forces[i];
    spg_csr_free(context, &A);
    return energy;
}

static void stretch_along_z(const int node[3], double displacement[3])
{
    displacement[0] = displacement[1] = 0;
    displacement[2] = node[2];
}

static void shear_along_z(const int node[3], double displacement[3])
{
    displacement[1] = displacement[2] = 0;
    displacement[0] = node[2];
}

/* A uniform strain: the energy is the volume times lambda + 2 mu for a stretch, and mu for a shear. */
static void a_solid_resists_as_its_poissons_ratio_says(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double ratio;
    } solids[] = {{"solid3d:5", 0.3},
                  {"solid3d:5:0.3", 0.3},
                  {"solid3d:5:0.49", 0.49},
                  {"solid3d:5:0", 0},
                  {"solid3d:5:-0.5", -0.5}};
    for (size_t k = 0; k < LENGTH(solids); k++) {
        const double nu = solids[k].ratio, lambda = nu / ((1 + nu) * (1 - 2 * nu)), mu = 0.5 / (1 + nu);
        const double volume = (SIDE - 1) * (SIDE - 1) * SIDE;
        const double stretch = volume * (lambda + 2 * mu), shear = volume * mu;
        assert_true(fabs(energy_of(solids[k].name, stretch_along_z) - stretch) < 1e-12 * stretch);
        assert_true(fabs(energy_of(solids[k].name, shear_along_z) - shear) < 1e-12 * shear);
    }
}

static void rigid_body_modes_cost_a_solid_no_energy_away_from_its_clamp(void **state)
{
    (void)state;
    spg_csr A = make("solid3d:5", 1, SPG_F64);
    double modes[6 * ROWS], forces[ROWS];
    assert_int_equal(A.rows, ROWS);
    assert_int_equal(generate_rigid_body_modes(context, "solid3d:5", SPG_F64, modes), SPG_OK);
    for (int m = 0; m < 6; m++) {
        double most = 0.0;
        assert_int_equal(spg_csr_spmv(context, NULL, &A, modes + m * ROWS, NULL, forces), SPG_OK);
        for (int i = FIRST; i < ROWS; i++) assert_true(fabs(forces[i]) < 1e-14 * SIDE);
        for (int i = 0; i < FIRST; i++) most = fmax(most, fabs(forces[i]));
        assert_true(most > 0.1); /* the clamp holds it */
    }
    spg_csr_free(context, &A);
}

static void rigid_body_modes_of_other_generators_are_refused(void **state)
{
    (void)state;
    double modes[6 * 64];
    assert_true(has_rigid_body_modes("elast3d:3"));
    assert_false(has_rigid_body_modes("fd3d7:3"));
    assert_int_equal(generate_rigid_body_modes(context, "fd3d7:3", SPG_F64, modes), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_rigid_body_modes(context, "solid3d:2", SPG_C64, modes), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_rigid_body_modes(context, "solid3d:2x", SPG_F64, modes), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_rigid_body_modes(context, "solid3d:2", SPG_F64, NULL), SPG_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solid_resists_as_its_poissons_ratio_says),
        cmocka_unit_test(rigid_body_modes_cost_a_solid_no_energy_away_from_its_clamp),
        cmocka_unit_test(rigid_body_modes_of_other_generators_are_refused),
    };
    return cmocka_run_group_tests_name("elasticity", tests, create_context, destroy_context);
}

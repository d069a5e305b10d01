/* Hierarchies: the levels that PyAMG builds, and what is told of them. What must hold on every level of any:
 * test_amg_levels.c. */
#include "amg_reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 2 };

static spg_amg_options standard(void)
{
    spg_amg_options options = spg_amg_options_default();
    options.aggregation = SPG_AGGREGATION_STANDARD;
    options.max_coarse = 10;
    return options;
}

/* ---- PyAMG 5.2.1, smoothed_aggregation_solver with strength theta 0, standard aggregation, Jacobi smoothing ----
 * Which of two aggregates a row left over joins depends on the order of its entries; rows of spg's coarse operators
 * ascend, those of SciPy's do not. PyAMG's aggregation of rows that ascend gives 284 nonzeros where it is left at 286.
 */

typedef struct known_level {
    int64_t rows, nnz; /* nnz 0: not known */
} known_level;

static void check_known(const char *name, const known_level *known, int levels, double operator_complexity)
{
    const spg_csr A = test_generate(name, SPG_F64);
    const spg_amg_options options = standard();
    test_system system;
    test_system_begin(&A, &options, THREADS, &system);
    assert_int_equal(spg_amg_levels(system.amg), levels);
    for (int l = 0; l < levels; l++) {
        spg_amg_level_view view;
        assert_int_equal(spg_amg_level(system.amg, l, &view), SPG_OK);
        if (view.A.rows != known[l].rows || (known[l].nnz != 0 && view.A.nnz != known[l].nnz))
            fail_msg("%s, level %d: %d rows, %d nonzeros", name, l, (int)view.A.rows, (int)view.A.nnz);
    }
    spg_amg_summary summary;
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    assert_int_equal(summary.levels, levels);
    assert_true(operator_complexity == 0 || fabs(summary.operator_complexity - operator_complexity) < 0.0005);
    test_system_end(&system);
}

static void standard_aggregation_gives_the_levels_of_pyamg(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    const known_level fd2d5_256[] = {{65536, 326656}, {11008, 98128}, {1237, 11981}, {131, 1351}, {13, 0}, {2, 0}};
    const known_level fd2d5_64[] = {{4096, 20224}, {704, 6096}, {80, 690}, {9, 63}};
    const known_level fd2d5_128[] = {{16384, 81408}, {2752, 24170}, {319, 2707}, {38, 296}, {6, 32}};
    const known_level fd3d7_16[] = {{4096, 27136}, {514, 12730}, {18, 284}, {1, 1}};
    const known_level fd3d7_32[] = {{32768, 0}, {4192, 114356}, {117, 4273}, {4, 0}};
    const known_level fe2d9_256[] = {{65536, 0}, {7396, 65536}, {841, 7225}, {100, 784}, {16, 0}, {4, 0}};
    check_known("fd2d5:256", fd2d5_256, 6, 1.342);
    check_known("fd2d5:64", fd2d5_64, 4, 1.339);
    check_known("fd2d5:128", fd2d5_128, 5, 0);
    check_known("fd3d7:16", fd3d7_16, 4, 0);
    check_known("fd3d7:32", fd3d7_32, 4, 1.531);
    check_known("fe2d9:256", fe2d9_256, 6, 1.126);
}

static void mis2_gives_the_complexity_that_was_measured(void **state)
{
    (void)state;
    for (int join = 0; join < 2; join++) {
        const spg_csr A = test_generate("fd2d5:256", SPG_F64);
        spg_amg_options options = spg_amg_options_default();
        options.join_leftovers = join;
        test_system system;
        spg_amg_summary summary;
        test_system_begin(&A, &options, THREADS, &system);
        assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
        assert_true(fabs(summary.operator_complexity - (join ? 1.513 : 1.325)) < 0.02);
        test_system_end(&system);
    }
}

static void the_spectral_radius_lands_within_half_a_percent_below_the_truth_in_25_steps(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int side;
    } grids[] = {{"fd2d5:64", 64}, {"fd2d5:200", 200}, {"fd3d7:16", 16}, {"fd3d7:40", 40}, {"fd3d7:60", 60}};
    for (int g = 0; g < 5; g++) {
        const spg_csr A = test_generate(grids[g].name, SPG_F64);
        spg_amg_options options = spg_amg_options_default();
        test_system system;
        spg_amg_level_view view;
        options.spectral_steps = 25;
        test_system_begin(&A, &options, THREADS, &system);
        assert_int_equal(spg_amg_level(system.amg, 0, &view), SPG_OK);
        const double truth = 1 + cos(acos(-1) / (grids[g].side + 1));
        if (!(view.rho <= truth * (1 + 1e-12) && view.rho >= 0.995 * truth))
            fail_msg("%s: %.6f, the truth is %.6f", grids[g].name, view.rho, truth);
        test_system_end(&system);
    }
}

static void wide_offsets_give_the_same_hierarchy(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd2d5:40", SPG_F64), wide;
    assert_int_equal(spg_csr_alloc(test_host(), A.rows, A.cols, A.nnz, SPG_I64, SPG_F64, &wide), SPG_OK);
    for (int64_t i = 0; i <= A.rows; i++) ((int64_t *)wide.row_offsets)[i] = test_offset(&A, i);
    memcpy(wide.columns, A.columns, (size_t)A.nnz * 4);
    memcpy(wide.values, A.values, (size_t)A.nnz * 8);
    spg_amg_options options = spg_amg_options_default();
    options.theta = 0.1;
    options.max_coarse = 20;
    test_system narrow_system, wide_system;
    test_hierarchy narrow_levels, wide_levels;
    test_system_begin(&A, &options, THREADS, &narrow_system);
    test_system_begin(&wide, &options, THREADS, &wide_system);
    test_fetch_hierarchy(&narrow_system, &narrow_levels);
    test_fetch_hierarchy(&wide_system, &wide_levels);
    assert_int_equal(narrow_levels.levels, wide_levels.levels);
    for (int l = 0; l < narrow_levels.levels; l++) {
        const spg_csr *one = &narrow_levels.level[l].A, *other = &wide_levels.level[l].A;
        assert_int_equal(other->offset_type, SPG_I64);
        assert_int_equal(one->nnz, other->nnz);
        assert_memory_equal(one->columns, other->columns, (size_t)one->nnz * 4);
        assert_memory_equal(one->values, other->values, (size_t)one->nnz * 8);
    }
    test_free_hierarchy(&narrow_levels);
    test_free_hierarchy(&wide_levels);
    test_system_end(&narrow_system);
    test_system_end(&wide_system);
}

/* ---- Reports ---- */

typedef struct lines {
    int count;
    char text[64][256];
} lines;

static void keep_line(void *user, const char *line)
{
    lines *kept = user;
    assert_true(kept->count < 64 && strlen(line) < 256);
    strcpy(kept->text[kept->count++], line);
}

static void the_table_has_a_line_for_each_level_and_step(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:64", SPG_F64);
    spg_amg_options options = spg_amg_options_default();
    options.timing = 1;
    options.max_coarse = 100;
    test_system system;
    spg_amg_summary summary;
    test_system_begin(&A, &options, THREADS, &system);
    lines kept = {0};
    assert_int_equal(spg_amg_print(system.amg, keep_line, &kept), SPG_OK);
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    char expected[64];
    int64_t rows, nnz;
    double all_rows = 0, all_nnz = 0;
    for (int l = 0; l < summary.levels; l++) {
        spg_amg_level_view view;
        assert_int_equal(spg_amg_level(system.amg, l, &view), SPG_OK);
        int level;
        long long r, n;
        assert_int_equal(sscanf(kept.text[2 + l], "%d %lld %lld", &level, &r, &n), 3);
        rows = r, nnz = n;
        assert_true(level == l && rows == view.A.rows && nnz == view.A.nnz);
        all_rows += (double)rows;
        all_nnz += (double)nnz;
    }
    assert_true(fabs(summary.operator_complexity - all_nnz / (double)A.nnz) < 1e-12);
    assert_true(fabs(summary.grid_complexity - all_rows / (double)A.rows) < 1e-12);
    snprintf(expected, sizeof expected, "%d levels", summary.levels);
    assert_non_null(strstr(kept.text[0], expected));
    const spg_amg_timings *t = &summary.setup;
    const double steps = t->strength + t->aggregate + t->tentative + t->spectral_radius + t->smooth + t->transpose +
                         t->AP + t->RAP + t->symmetry + t->coarse;
    assert_true(steps > 0 && steps <= t->total * 1.0001 && t->small_levels <= t->total);
    int64_t held;
    spg_context_memory(system.context, &held, NULL);
    const int64_t a_bytes = A.nnz * 12 + (A.rows + 1) * 4;
    assert_int_equal(summary.bytes, held - a_bytes);
    test_system_end(&system);
}

static void expect_last_line(const test_system *system, const char *end)
{
    lines kept = {0};
    assert_int_equal(spg_amg_print(system->amg, keep_line, &kept), SPG_OK);
    const char *const line = kept.text[1 + spg_amg_levels(system->amg)];
    const size_t length = strlen(line), of_end = strlen(end);
    if (length < of_end || strcmp(line + length - of_end, end) != 0) fail_msg("'%s' does not end in '%s'", line, end);
}

static void the_table_tells_how_the_last_level_is_solved(void **state)
{
    (void)state;
    test_system system;
    spg_amg_options options = spg_amg_options_default();
    spg_csr A = test_generate("fd2d5:20", SPG_F64), singular = test_generate("fd2d5:20", SPG_F64),
            large = test_generate("fd2d5:70", SPG_F64), none = test_generate("fd2d5:0", SPG_F64);
    for (int64_t i = 0; i < singular.rows; i++)
        for (int64_t k = test_offset(&singular, i); k < test_offset(&singular, i + 1); k++)
            if (singular.columns[k] == i)
                ((double *)singular.values)[k] =
                    (double)(test_offset(&singular, i + 1) - test_offset(&singular, i) - 1);
    options.max_coarse = 50;
    test_system_begin(&A, &options, THREADS, &system);
    expect_last_line(&system, "  dense");
    test_system_end(&system);
    test_system_begin(&singular, &options, THREADS, &system);
    expect_last_line(&system, "  dense, singular");
    test_system_end(&system);
    options.max_levels = 1;
    test_system_begin(&large, &options, THREADS, &system);
    expect_last_line(&system, "  smoothed");
    test_system_end(&system);
    test_system_begin(&none, NULL, THREADS, &system);
    expect_last_line(&system, " 0");
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_aggregation_gives_the_levels_of_pyamg),
        cmocka_unit_test(mis2_gives_the_complexity_that_was_measured),
        cmocka_unit_test(the_spectral_radius_lands_within_half_a_percent_below_the_truth_in_25_steps),
        cmocka_unit_test(wide_offsets_give_the_same_hierarchy),
        cmocka_unit_test(the_table_has_a_line_for_each_level_and_step),
        cmocka_unit_test(the_table_tells_how_the_last_level_is_solved),
    };
    return TEST_RUN_HERE(argc, argv, "amg hierarchy", tests);
}

/* Generated matrices: counts, structure, values, and the same bits everywhere. */
#include "generator_support.h"
#include "matrices_for_tests.h"
#include "test_support.h"

#include <math.h>

/* The entry (row, column) of a matrix with sorted rows, or -1. */
static int64_t find_entry(const spg_csr *A, int64_t row, int64_t column)
{
    int64_t low = test_offset(A, row), high = test_offset(A, row + 1);
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (A->columns[middle] == column) return middle;
        if (A->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static void default_sizes_have_the_documented_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t rows, nnz;
    } documented[] = {{"fd2d5", 1048576, 5238784},  {"fe2d9", 1048576, 9424900},    {"fd3d7", 1030301, 7150901},
                      {"tri2d", 1048576, 7331842},  {"tet3d", 1030301, 15210901},   {"elast3d", 63504, 4780764},
                      {"solid3d", 65856, 4962312},  {"econ", 206500, 1235965},      {"fe3d27", 1030301, 27270901},
                      {"rmat16", 65536, 1020601},   {"arrow", 4096, 3 * 4096 - 2},  {"ladder", 100000, 772776},
                      {"empty", 1000000, 0},        {"stretch2d", 262144, 1308672}, {"layers3d", 262144, 1810432},
                      {"aniso2d", 262144, 2353156}, {"conv2d", 262144, 1308672},    {"recirc2d", 262144, 1308672}};
    for (size_t i = 0; i < LENGTH(documented); i++) {
        spg_csr A = make(documented[i].name, 1, SPG_F32);
        assert_true(A.rows == documented[i].rows && A.cols == documented[i].rows);
        assert_int_equal(A.nnz, documented[i].nnz);
        assert_int_equal(A.offset_type, SPG_I32);
        spg_csr_free(context, &A);
    }
}

static void fixed_seeds_give_fixed_bits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t f64, c32;
    } known[] = {
        {"fd2d5:17", 0xd1e52a13cc565fa9, 0x601a2ada1380fad9},
        {"fe2d9:17", 0x9abe08147c65c389, 0xa6d46c6ba25d2506},
        {"fd3d7:7", 0xcdab0e85101318d5, 0x18482dc48875769d},
        {"fe3d27:7", 0xcd83ff55a387d8cf, 0xdab82123c0ac3e92},
        {"tri2d:70", 0x42d135245cbd2cdd, 0x33d2f86adf306ce7},
        {"tet3d:18", 0x306a7e74b7efddb8, 0x3d56ee3f1a8141b6},
        {"elast3d:5", 0x12e66a1481a6ef2e, 0x73035f3b0933a70e},
        {"solid3d:5", 0x5d153b67d3334c79, 0x55ac9841d0c17e9d},
        {"econ:5000", 0x5bf62ec6c3dc9835, 0xa9f2e11e749d5b3a},
        {"rmat9", 0x561f99e93679d961, 0x4272c9657bcbd87a},
        {"random:700", 0xf2e28415b02757ef, 0xbb6ee6d144ce5c5e},
        {"arrow:40", 0xf48ac20c031afb21, 0x0a874961e667b65f},
        {"ladder:300", 0x160d212087ee4e83, 0xac09da1370e61dbb},
        {"stretch2d:17", 0x1b696f8f0e4bc6e6, 0x73d3c6b38f6e1051},
        {"layers3d:7", 0x3ead2b1fea90b36d, 0xba91006766d01057},
        {"empty:5", 0xf550302f73000985, 0xf550302f73000985},
        {"hypersparse:3000", 0x76e95206ac39659b, 0xf5dc610713f243b4},
    };
    for (size_t i = 0; i < LENGTH(known); i++) {
        spg_csr A = make(known[i].name, 1, SPG_F64), B = make(known[i].name, 1, SPG_C32);
        uint64_t f64 = checksum(&A), c32 = checksum(&B);
        if (f64 != known[i].f64 || c32 != known[i].c32)
            fail_msg("%s: 0x%016llx, 0x%016llx", known[i].name, (unsigned long long)f64, (unsigned long long)c32);
        spg_csr_free(context, &A);
        spg_csr_free(context, &B);
    }
    /* An edge of each is drawn at the very bound between two quadrants: the first two, the middle, the last two. */
    static const uint64_t on_bounds[][2] = {
        {129801, 0xbbf4355f3d408108}, {43719, 0x115e1257e81851b5}, {189704, 0xb88ad9fd56e95f23}};
    for (size_t i = 0; i < LENGTH(on_bounds); i++) {
        spg_csr A = make("rmat9", on_bounds[i][0], SPG_F64);
        const uint64_t sum = checksum(&A);
        if (sum != on_bounds[i][1]) fail_msg("seed %d: 0x%016llx", (int)on_bounds[i][0], (unsigned long long)sum);
        spg_csr_free(context, &A);
    }
}

/* Sorted, without repeats, diagonals that dominate and, where a row has entries, are there. */
static void assert_well_formed(const spg_csr *A, const char *name)
{
    assert_int_equal(spg_csr_check(context, A), SPG_OK);
    for (int64_t row = 0; row < A->rows; row++) {
        double diagonal = 0.0, others = 0.0;
        for (int64_t k = test_offset(A, row); k < test_offset(A, row + 1); k++) {
            if (k > test_offset(A, row)) assert_true(A->columns[k] > A->columns[k - 1]);
            double modulus = hypot(real_part(A, k), imaginary_part(A, k));
            if (A->columns[k] == row) {
                diagonal = modulus;
                assert_true(real_part(A, k) > 0.0 && imaginary_part(A, k) == 0.0);
            } else {
                others += modulus;
                assert_true(real_part(A, k) < 0.0 && (imaginary_part(A, k) != 0.0) == is_complex(A->value_type));
            }
        }
        bool is_empty = test_offset(A, row) == test_offset(A, row + 1);
        if (diagonal < others || (diagonal == 0.0 && !is_empty)) fail_msg("%s: row %lld", name, (long long)row);
    }
}

static void plain_generators_give_sorted_diagonally_dominant_rows_in_every_type(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 3, 9};
    for (int g = 0; g < PLAIN_NAMES; g++)
        for (size_t s = 0; s < LENGTH(sizes); s++)
            for (size_t t = 0; t < LENGTH(value_types); t++) {
                spg_csr A = make_sized(base_names[g].name, sizes[s], 5, value_types[t]);
                assert_int_equal(A.value_type, value_types[t]);
                assert_int_equal(A.rows, A.cols);
                assert_well_formed(&A, base_names[g].name);
                spg_csr_free(context, &A);
            }
}

static void every_type_holds_the_same_pattern_and_values(void **state)
{
    (void)state;
    for (int g = 0; g < PLAIN_NAMES; g++) {
        spg_csr A = make_sized(base_names[g].name, 8, 3, SPG_F64);
        for (size_t t = 0; t < LENGTH(value_types); t++) {
            spg_csr B = make_sized(base_names[g].name, 8, 3, value_types[t]);
            assert_int_equal(A.nnz, B.nnz);
            if (A.nnz > 0) assert_memory_equal(A.columns, B.columns, sizeof(int32_t) * (size_t)A.nnz);
            for (int64_t row = 0; row < A.rows; row++)
                for (int64_t k = test_offset(&A, row); k < test_offset(&A, row + 1); k++) {
                    bool is_turned = is_complex(B.value_type) && A.columns[k] != row;
                    assert_true(real_part(&B, k) == (is_turned ? 0.75 : 1.0) * real_part(&A, k));
                }
            spg_csr_free(context, &B);
        }
        spg_csr_free(context, &A);
    }
}

static void meshes_and_grids_are_symmetric_and_hermitian_in_complex_types(void **state)
{
    (void)state;
    static const char *const names[] = {"fd2d5:20", "fe2d9:20",  "fd3d7:8",   "fe3d27:8",     "tri2d:90",
                                        "tet3d:20", "elast3d:6", "solid3d:6", "magnet3d:6:30"};
    for (size_t i = 0; i < LENGTH(names); i++)
        for (size_t t = 0; t < LENGTH(value_types); t++) {
            spg_csr A = make(names[i], 2, value_types[t]);
            for (int64_t row = 0; row < A.rows; row++)
                for (int64_t k = test_offset(&A, row); k < test_offset(&A, row + 1); k++) {
                    int64_t mirrored = find_entry(&A, A.columns[k], row);
                    assert_true(mirrored >= 0 && real_part(&A, mirrored) == real_part(&A, k));
                    assert_true(imaginary_part(&A, mirrored) == -imaginary_part(&A, k));
                }
            spg_csr_free(context, &A);
        }
}

static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

/* The largest difference of a coordinate, and their sum, between points i and j of a grid of this side. */
static void grid_distance(int64_t side, int64_t i, int64_t j, int64_t *largest, int64_t *sum)
{
    *largest = *sum = 0;
    for (int axis = 0; axis < 3; axis++, i /= side, j /= side) {
        int64_t d = distance(i % side, j % side);
        *sum += d;
        if (d > *largest) *largest = d;
    }
}

static void grids_couple_exactly_the_points_of_their_stencils(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t side, unknowns;
        bool faces;
    } grids[] = {{"fd2d5:7", 7, 1, true},     {"fe2d9:7", 7, 1, false},   {"fd3d7:5", 5, 1, true},
                 {"fe3d27:5", 5, 1, false},   {"elast3d:4", 4, 3, false}, {"solid3d:4", 4, 3, false},
                 {"stretch2d:7", 7, 1, true}, {"layers3d:5", 5, 1, true}, {"aniso2d:7", 7, 1, false},
                 {"conv2d:7", 7, 1, true},    {"recirc2d:7", 7, 1, true}};
    for (size_t g = 0; g < LENGTH(grids); g++) {
        spg_csr A = make(grids[g].name, 1, SPG_F64);
        for (int64_t i = 0; i < A.rows; i++)
            for (int64_t j = 0; j < A.cols; j++) {
                int64_t largest, sum;
                grid_distance(grids[g].side, i / grids[g].unknowns, j / grids[g].unknowns, &largest, &sum);
                assert_int_equal(find_entry(&A, i, j) >= 0, grids[g].faces ? sum <= 1 : largest <= 1);
            }
        spg_csr_free(context, &A);
    }
}

/* How many rows are as long as the longest one, and the sum of each of those must be zero exactly. */
static int64_t count_inner_rows(const spg_csr *A, int64_t length)
{
    int64_t inner = 0;
    for (int64_t row = 0; row < A->rows; row++) {
        if (test_offset(A, row + 1) - test_offset(A, row) != length) continue;
        double sum = 0.0;
        for (int64_t k = test_offset(A, row); k < test_offset(A, row + 1); k++) sum += real_part(A, k);
        assert_true(sum == 0.0);
        inner++;
    }
    return inner;
}

static void inner_rows_of_grids_sum_to_zero(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t length, inner;
    } grids[] = {{"fd2d5:12", 5, 100},    {"fe2d9:12", 9, 100},   {"fd3d7:12", 7, 1000},
                 {"fe3d27:12", 27, 1000}, {"tet3d:12", 15, 1000}, {"elast3d:12", 81, 3 * 10 * 10 * 9}};
    for (size_t g = 0; g < LENGTH(grids); g++) {
        spg_csr A = make(grids[g].name, 1, SPG_F32);
        assert_int_equal(count_inner_rows(&A, grids[g].length), grids[g].inner);
        spg_csr_free(context, &A);
    }
}

/* A triangle whose corners are grid points at most one step apart holds no other point, so each is one of the mesh. */
static void tri2d_has_two_triangles_in_each_cell(void **state)
{
    (void)state;
    spg_csr A = make("tri2d:40", 9, SPG_F64);
    int64_t triangles = 0;
    for (int64_t i = 0; i < A.rows; i++)
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
            for (int64_t l = k + 1; l < test_offset(&A, i + 1); l++)
                triangles += A.columns[k] > i && find_entry(&A, A.columns[k], A.columns[l]) >= 0;
    assert_int_equal(triangles, 2 * 39 * 39);
    spg_csr_free(context, &A);
}

static void meshes_are_renumbered_inside_blocks_only(void **state)
{
    (void)state;
    static const char *const names[] = {"tri2d:128", "tet3d:20"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        spg_csr A = make(names[i], 1, SPG_F64);
        int64_t far = 0;
        for (int64_t row = 0; row < A.rows; row++)
            for (int64_t k = test_offset(&A, row); k < test_offset(&A, row + 1); k++) {
                assert_true(distance(row / 4096, A.columns[k] / 4096) <= 1);
                far += distance(row, A.columns[k]) > 1000;
            }
        assert_true(far > A.nnz / 4);
        spg_csr_free(context, &A);
    }
}

static void econ_stays_within_2000_columns_and_fills_them_evenly(void **state)
{
    (void)state;
    spg_csr A = make("econ:40000", 1, SPG_F64);
    double sum = 0.0;
    int64_t drawn = 0;
    for (int64_t row = 2000; row < 38000; row++)
        for (int64_t k = test_offset(&A, row); k < test_offset(&A, row + 1); k++) {
            assert_true(distance(row, A.columns[k]) <= 2000);
            if (A.columns[k] == row) continue;
            sum += (double)(A.columns[k] - row);
            drawn++;
        }
    assert_true(drawn > 36000 * 5 - 400 && drawn <= 36000 * 5);
    assert_true(fabs(sum / (double)drawn) < 15.0); /* 5 standard deviations */
    spg_csr_free(context, &A);
}

/* Also every edge is there: the diagonals count them, the values off the diagonal carry them. */
static void rmat_spreads_its_edges_over_the_quadrants_as_asked(void **state)
{
    (void)state;
    spg_csr A = make("rmat12", 1, SPG_F64);
    double edges = 0.0, upper = 0.0, lower = 0.0;
    for (int64_t row = 0; row < A.rows; row++)
        for (int64_t k = test_offset(&A, row); k < test_offset(&A, row + 1); k++) {
            int64_t column = A.columns[k];
            if (column == row) edges += real_part(&A, k) - 1.0;
            if (row < A.rows / 2 && column >= A.rows / 2) upper -= real_part(&A, k);
            if (row >= A.rows / 2 && column < A.rows / 2) lower -= real_part(&A, k);
        }
    assert_true(edges == 16.0 * 4096.0);
    assert_true(fabs(upper / edges - 0.19) < 0.01 && fabs(lower / edges - 0.19) < 0.01);
    spg_csr_free(context, &A);
}

static void arrow_is_its_first_row_its_first_column_and_the_diagonal(void **state)
{
    (void)state;
    spg_csr A = make("arrow:33", 1, SPG_F64);
    for (int64_t i = 0; i < 33; i++)
        for (int64_t j = 0; j < 33; j++) assert_int_equal(find_entry(&A, i, j) >= 0, i == 0 || j == 0 || i == j);
    spg_csr_free(context, &A);
}

/* By halves: the odd rows hold one entry, half of the others two, and so on to an eighth of the size. */
static void ladder_rows_need_from_1_to_about_as_many_products_as_there_are_rows(void **state)
{
    (void)state;
    spg_csr A = make("ladder:4096", 1, SPG_F64);
    int64_t most = 0, rows_of[10] = {0};
    for (int64_t row = 0; row < A.rows; row++) {
        int64_t products = 0, length = test_offset(&A, row + 1) - test_offset(&A, row);
        for (int64_t k = test_offset(&A, row); k < test_offset(&A, row + 1); k++)
            products += test_offset(&A, A.columns[k] + 1) - test_offset(&A, A.columns[k]);
        if (products > most) most = products;
        if (length == 1) assert_int_equal(products, 1);
        int step = 0;
        while (step < 9 && length > (int64_t)1 << step) step++;
        assert_int_equal(length, (int64_t)1 << step);
        rows_of[step]++;
    }
    for (int step = 0; step < 9; step++) assert_int_equal(rows_of[step], 4096 >> (step + 1));
    assert_int_equal(rows_of[9], 8);
    assert_true(most > 4096 / 2 && most < 4096 * 2);
    spg_csr_free(context, &A);
}

static void hypersparse_has_fewer_entries_than_rows(void **state)
{
    (void)state;
    spg_csr A = make("hypersparse:20000", 1, SPG_F64);
    assert_true(A.nnz > 500 && A.nnz < A.rows / 8);
    spg_csr_free(context, &A);
}

static void seeds_change_random_matrices_and_no_others(void **state)
{
    (void)state;
    for (int g = 0; g < BASE_NAMES; g++) {
        int64_t size = base_names[g].name[0] == 'h' ? 2000 : 10; /* hypersparse: few rows have entries */
        spg_csr A = make_sized(base_names[g].name, size, 1, SPG_F64),
                B = make_sized(base_names[g].name, size, 2, SPG_F64);
        assert_int_equal(checksum(&A) != checksum(&B), base_names[g].is_random);
        spg_csr_free(context, &A);
        spg_csr_free(context, &B);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_sizes_have_the_documented_counts),
        cmocka_unit_test(fixed_seeds_give_fixed_bits),
        cmocka_unit_test(plain_generators_give_sorted_diagonally_dominant_rows_in_every_type),
        cmocka_unit_test(every_type_holds_the_same_pattern_and_values),
        cmocka_unit_test(meshes_and_grids_are_symmetric_and_hermitian_in_complex_types),
        cmocka_unit_test(grids_couple_exactly_the_points_of_their_stencils),
        cmocka_unit_test(inner_rows_of_grids_sum_to_zero),
        cmocka_unit_test(tri2d_has_two_triangles_in_each_cell),
        cmocka_unit_test(meshes_are_renumbered_inside_blocks_only),
        cmocka_unit_test(econ_stays_within_2000_columns_and_fills_them_evenly),
        cmocka_unit_test(rmat_spreads_its_edges_over_the_quadrants_as_asked),
        cmocka_unit_test(arrow_is_its_first_row_its_first_column_and_the_diagonal),
        cmocka_unit_test(ladder_rows_need_from_1_to_about_as_many_products_as_there_are_rows),
        cmocka_unit_test(hypersparse_has_fewer_entries_than_rows),
        cmocka_unit_test(seeds_change_random_matrices_and_no_others),
    };
    return cmocka_run_group_tests(tests, create_context, destroy_context);
}

/* Names and sizes of generated matrices, and what is refused. */
#include "fault.h"
#include "generator_support.h"
#include "matrices_for_tests.h"
#include "test_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void rmat_takes_its_scale_as_a_suffix_or_as_a_size(void **state)
{
    (void)state;
    spg_csr A = make("rmat7", 1, SPG_F64), B = make("rmat:7", 1, SPG_F64), C = make("rmat16:7", 1, SPG_F64);
    assert_int_equal(A.rows, 128);
    test_assert_same_csr(&A, &B);
    test_assert_same_csr(&A, &C);
    spg_csr_free(context, &A);
    spg_csr_free(context, &B);
    spg_csr_free(context, &C);
}

static void assert_refused(const char *name, spg_status expected, const char *text)
{
    spg_csr A;
    memset(&A, 0xff, sizeof A);
    assert_int_equal(generate_matrix(context, name, 1, SPG_F64, &A), expected);
    test_assert_zeroed(&A, sizeof A);
    test_assert_message(context, text);
}

static void unknown_names_are_refused_with_the_names_there_are(void **state)
{
    (void)state;
    static const char *const bad[] = {"",       ":",      ":5",     "fd2d",   "fd2d55", "FD2D5",
                                      "fd2d5 ", " fd2d5", "rmat5x", "rmat-5", "5"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_false(is_generator_name(bad[i]));
        assert_refused(bad[i], SPG_ERROR_ARGUMENT,
                       "fd2d5 fe2d9 fd3d7 fe3d27 tri2d tet3d elast3d econ rmat16 random "
                       "arrow ladder empty hypersparse solid3d stretch2d layers3d aniso2d conv2d recirc2d "
                       "magnet2d magnet3d");
    }
    assert_false(is_generator_name(NULL));
    assert_refused(NULL, SPG_ERROR_ARGUMENT, "name is NULL");
}

static void malformed_sizes_are_refused_with_their_text(void **state)
{
    (void)state;
    static const char *const bad[] = {"fd2d5:", "fd2d5:-1", "fd2d5: 4", "fd2d5:4x", "econ:1e3", "rmat:x", "rmat:+5"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_true(is_generator_name(bad[i]));
        assert_refused(bad[i], SPG_ERROR_ARGUMENT, "is not a size");
        test_assert_message(context, bad[i]);
    }
}

static void numbers_after_a_size_are_refused_where_there_are_none_or_they_are_not_valid(void **state)
{
    (void)state;
    static const char *const bad[] = {"fd2d5:4:4",      "conv2d:4:",      "conv2d:4:x",      "conv2d:4:0.1:2",
                                      "conv2d:4:inf",   "conv2d:4:0.1x",  "aniso2d:4:1:2:3", "aniso2d:4:nan",
                                      "magnet2d:4:1:2", "magnet3d:4:inf", "solid3d:4:x",     "solid3d:4:0.3:1"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_true(is_generator_name(bad[i]));
        assert_refused(bad[i], SPG_ERROR_ARGUMENT, "is not what a size is followed by");
        test_assert_message(context, bad[i]);
    }
    static const char *const extreme[] = {"conv2d:4:1e-31",   "recirc2d:4:1e-320", "aniso2d:4:1e31",
                                          "magnet2d:4:1e308", "magnet3d:4:-1e31",  "aniso2d:4:1:1e-31"};
    for (size_t i = 0; i < LENGTH(extreme); i++)
        assert_refused(extreme[i], SPG_ERROR_ARGUMENT, "its modulus is from 1e-30 to 1e30");
    assert_refused("conv2d:4:0", SPG_ERROR_ARGUMENT, "the diffusion is 0, not above 0");
    assert_refused("recirc2d:4:-1", SPG_ERROR_ARGUMENT, "the diffusion is -1, not above 0");
    assert_refused("solid3d:4:0.5", SPG_ERROR_ARGUMENT, "Poisson's ratio is 0.5, not above -1 and below 0.5");
    assert_refused("solid3d:4:-1", SPG_ERROR_ARGUMENT, "Poisson's ratio is -1, not above -1");
    assert_refused("aniso2d:4:0", SPG_ERROR_ARGUMENT, "the diffusion across the direction is 0");
    assert_refused("aniso2d:4:1:181", SPG_ERROR_ARGUMENT, "the direction is 181 degrees");
}

static void the_largest_and_smallest_numbers_give_finite_values(void **state)
{
    (void)state;
    static const char *const names[] = {"conv2d:5:1e-30",  "conv2d:5:1e30",    "recirc2d:5:1e-30",
                                        "aniso2d:5:1e30",  "aniso2d:5:1e-30",  "aniso2d:5:1:180",
                                        "magnet2d:5:1e30", "magnet3d:3:-1e30", "solid3d:3:0.49999999999999994"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        spg_csr A = make(names[i], 1, SPG_C32);
        const float *parts = A.values;
        for (int64_t k = 0; k < 2 * A.nnz; k++) assert_true(isfinite(parts[k]));
        spg_csr_free(context, &A);
    }
}

static void sizes_past_32_bit_columns_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"fd2d5:46341",      "fe2d9:3037000500",
                                      "fd3d7:1291",       "fe3d27:2097152",
                                      "tri2d:46341",      "tet3d:1291",
                                      "elast3d:896",      "elast3d:9223372036854775807",
                                      "solid3d:895",      "stretch2d:46341",
                                      "layers3d:1291",    "aniso2d:46341",
                                      "conv2d:46341:0.1", "recirc2d:46341",
                                      "magnet2d:46341",   "magnet3d:1291",
                                      "econ:2147483648",  "rmat31",
                                      "rmat32",           "rmat63",
                                      "rmat:64",          "random:99999999999999999999999999",
                                      "arrow:2147483648", "ladder:2147483648",
                                      "empty:2147483648", "hypersparse:9223372036854775808"};
    for (size_t i = 0; i < LENGTH(bad); i++) assert_refused(bad[i], SPG_ERROR_OVERFLOW, "2147483647");
}

static void null_pointers_and_wrong_types_are_refused(void **state)
{
    (void)state;
    spg_csr A;
    assert_int_equal(generate_matrix(NULL, "fd2d5:4", 1, SPG_F64, &A), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_matrix(context, "fd2d5:4", 1, SPG_F64, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_matrix(context, "fd2d5:4", 1, SPG_I32, &A), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_matrix(context, "fd2d5:4", 1, (spg_type)99, &A), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&A, sizeof A);
}

static void every_generator_is_described_under_its_name(void **state)
{
    (void)state;
    for (int g = 0; g < BASE_NAMES; g++) {
        assert_true(is_generator_name(base_names[g].name));
        const char *line = generator_description(g);
        assert_non_null(line);
        assert_int_equal(strncmp(line, base_names[g].name, strlen(base_names[g].name)), 0);
    }
    assert_null(generator_description(BASE_NAMES));
    assert_null(generator_description(-1));
}

static void a_refused_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *faulty = test_faulty_context(&memory, 1, 0);
    spg_csr A;
    for (int g = 0; g < BASE_NAMES; g++) {
        char name[40];
        snprintf(name, sizeof name, "%s:8", base_names[g].name);
        for (int64_t k = 1;; k++) {
            test_fail_at(&memory, k);
            spg_status status = generate_matrix(faulty, name, 1, SPG_F64, &A);
            if (!test_failed(&memory)) break;
            assert_int_equal(status, SPG_ERROR_MEMORY);
            assert_int_equal(test_live(&memory), 0);
            test_assert_zeroed(&A, sizeof A);
        }
        spg_csr_free(faulty, &A);
        for (int64_t k = 1;; k++) {
            fail_malloc_at(k);
            spg_status status = generate_matrix(context, name, 1, SPG_F64, &A);
            if (!malloc_failed()) break;
            assert_int_equal(status, SPG_ERROR_MEMORY);
            assert_int_equal(live_mallocs(), 0);
            test_assert_zeroed(&A, sizeof A);
        }
        fail_malloc_at(0);
        spg_csr_free(context, &A);
    }
    spg_context_destroy(faulty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rmat_takes_its_scale_as_a_suffix_or_as_a_size),
        cmocka_unit_test(unknown_names_are_refused_with_the_names_there_are),
        cmocka_unit_test(malformed_sizes_are_refused_with_their_text),
        cmocka_unit_test(numbers_after_a_size_are_refused_where_there_are_none_or_they_are_not_valid),
        cmocka_unit_test(the_largest_and_smallest_numbers_give_finite_values),
        cmocka_unit_test(sizes_past_32_bit_columns_are_refused),
        cmocka_unit_test(null_pointers_and_wrong_types_are_refused),
        cmocka_unit_test(every_generator_is_described_under_its_name),
        cmocka_unit_test(a_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, create_context, destroy_context);
}

/* Updates to what is no matrix of finite values: refused as by set-up, and the hierarchy stays as it was. */
#include "amg_reference.h"

#include <math.h>
#include <stdio.h>

/* Makes B, a copy of A, faulty; what set-up says of it. */
typedef struct fault {
    const char *name;
    void (*make)(spg_csr *B);
} fault;

static void move_a_column(spg_csr *B) { B->columns[100] = 1000000; }
static void lower_a_column(spg_csr *B) { B->columns[B->nnz - 1] = -1; }
static void raise_an_offset(spg_csr *B) { ((int32_t *)B->row_offsets)[7] = 1000000; }
static void lower_an_offset(spg_csr *B) { ((int32_t *)B->row_offsets)[7] = 0; }
static void spoil_a_value(spg_csr *B) { ((double *)B->values)[200] = NAN; }
static void blow_a_value_up(spg_csr *B) { ((double *)B->values)[B->nnz - 1] = -INFINITY; }

static const fault faults[] = {
    {"column past the last", move_a_column},
    {"column below the first", lower_a_column},
    {"offset too large", raise_an_offset},
    {"offset too small", lower_an_offset},
    {"NaN", spoil_a_value},
    {"infinity", blow_a_value_up},
};

enum { FAULTS = sizeof faults / sizeof *faults, PATTERN_FAULTS = 4 };

/* On a device an update waits for nothing, and takes contents on trust. */
static void a_faulty_matrix_is_refused_as_by_set_up_and_the_hierarchy_stays(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    for (int run = 0; run < 2 * FAULTS; run++) {
        const int f = run / 2;
        const bool has_levels = run % 2 == 1;
        spg_amg_options options = spg_amg_options_default();
        spg_csr A = test_generate("fd2d5:16", SPG_F64), B;
        test_system system;
        test_hierarchy before, after;
        spg_amg *other;
        if (has_levels) options.max_coarse = 20;
        test_system_begin(&A, &options, 2, &system);
        assert_int_equal(spg_amg_levels(system.amg) > 1, has_levels);
        assert_int_equal(spg_csr_copy(test_host(), &A, &B), SPG_OK);
        faults[f].make(&B);
        assert_int_equal(spg_amg_setup(system.context, &B, &options, &other), SPG_ERROR_FORMAT);
        char message[256];
        snprintf(message, sizeof message, "%s", spg_context_message(system.context));
        test_fetch_hierarchy(&system, &before);
        const spg_status status = spg_amg_update(system.context, system.amg, &B);
        if (has_levels && f < PATTERN_FAULTS) { /* then it is another pattern */
            assert_int_equal(status, SPG_ERROR_SHAPE);
        } else {
            if (status != SPG_ERROR_FORMAT) fail_msg("%s: %s", faults[f].name, spg_status_name(status));
            test_assert_message(system.context, message);
        }
        assert_ptr_equal(before.level[0].view.A.values, system.A_here.values);
        test_fetch_hierarchy(&system, &after);
        assert_ptr_equal(after.level[0].view.A.values, system.A_here.values);
        test_assert_same_hierarchy(&after, &before);
        assert_true(test_system_solve(&system, NULL, SPG_OK).converged);
        test_free_hierarchy(&before);
        test_free_hierarchy(&after);
        spg_csr_free(test_host(), &B);
        test_system_end(&system);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faulty_matrix_is_refused_as_by_set_up_and_the_hierarchy_stays),
    };
    return TEST_RUN_HERE(argc, argv, "amg update refusal", tests);
}

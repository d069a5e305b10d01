/* A plan's fingerprints have keys that nobody can foretell, each plan its own; and where another pattern passes for the
 * plan's all the same, as here by keys that are all zero, runs stay within the arrays, and within the rows of C. */
#include "products.h"

#include <stdlib.h>
#include <string.h>

/* The library's source of keys (src/random_bytes.h) and the system's, both put aside by the linker. */
enum { KEY_BYTES = 64, MOST_DRAWS = 8 };
static struct {
    bool gives_zeros, system_fails;
    int draws;
    unsigned char drawn[MOST_DRAWS][KEY_BYTES];
} keys;

void __real_spg_random_bytes(void *bytes, size_t count);
void __wrap_spg_random_bytes(void *bytes, size_t count);
int __real_getentropy(void *bytes, size_t count);
int __wrap_getentropy(void *bytes, size_t count);

void __wrap_spg_random_bytes(void *bytes, size_t count)
{
    __real_spg_random_bytes(bytes, count);
    if (keys.gives_zeros) memset(bytes, 0, count);
    if (keys.draws < MOST_DRAWS) memcpy(keys.drawn[keys.draws], bytes, count < KEY_BYTES ? count : KEY_BYTES);
    keys.draws++;
}

/* As many bytes as the system gives at once, which is never asked for more. */
int __wrap_getentropy(void *bytes, size_t count)
{
    assert_true(count <= 256);
    return keys.system_fails ? -1 : __real_getentropy(bytes, count);
}

static int forget_keys(void **state)
{
    (void)state;
    memset(&keys, 0, sizeof keys);
    return 0;
}

static spg_csr one_row(int64_t nnz, int32_t *offsets, int32_t *columns, double *values)
{
    offsets[0] = 0, offsets[1] = (int32_t)nnz;
    for (int64_t k = 0; k < nnz; ++k) values[k] = (double)(k + 1);
    return (spg_csr){1, INT32_MAX, nnz, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
}

/* Refused by a check, and on the host by a run. */
static void assert_refused(spg_context *context, spgemm_plan *plan, const spg_csr *A, const spg_csr *host_B)
{
    spg_csr B, C = {0};
    test_to_place(context, host_B, &B);
    assert_int_equal(spgemm_plan_check(plan, A, &B), SPG_ERROR_SHAPE);
    if (test_place() == SPG_PLACE_HOST) assert_int_equal(spgemm_plan_run(plan, A, &B, &C), SPG_ERROR_SHAPE);
    spg_csr_free(context, &B);
}

/* The column that hid its neighbour where keys were public: each place of a row, with each of its neighbours' columns
 * as 2^32 less a key that was the same in all plans. */
static void a_column_that_public_keys_would_hide_is_seen(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    int32_t a_offsets[2], a_columns[1] = {0}, b_offsets[2], b_columns[] = {0, 1, 2, 3, 4, 1772102518};
    double a_values[1], b_values[6];
    spg_csr host_A = one_row(1, a_offsets, a_columns, a_values), A, B;
    const spg_csr host_B = one_row(6, b_offsets, b_columns, b_values);
    host_A.cols = 1;
    test_to_place(context, &host_A, &A);
    test_to_place(context, &host_B, &B);
    spgemm_plan *plan;
    assert_int_equal(spgemm_plan_create(context, &A, &B, &plan), SPG_OK);
    assert_int_equal(spgemm_plan_check(plan, &A, &B), SPG_OK);
    b_columns[4] = 123456;
    assert_refused(context, plan, &A, &host_B);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &A);
    spg_csr_free(context, &B);
    spg_context_destroy(context);
}

static void two_plans_of_the_same_operands_have_different_keys(void **state)
{
    (void)state;
    for (int fails = 0; fails < 2; ++fails) {
        forget_keys(NULL);
        keys.system_fails = fails;
        spg_context *context = test_context_at_place(2);
        spg_csr host, A, B;
        spgemm_plan *plans[2];
        test_random_csr(test_host(), (test_matrix){50, 50, 6, SPG_I32, SPG_F64}, 3, 0, &host);
        test_to_place(context, &host, &A);
        for (int k = 0; k < 2; ++k) assert_int_equal(spgemm_plan_create(context, &A, &A, &plans[k]), SPG_OK);
        assert_int_equal(keys.draws, 2);
        assert_memory_not_equal(keys.drawn[0], keys.drawn[1], KEY_BYTES);
        for (int k = 0; k < 2; ++k) /* no eight bytes are as they were, nor all alike */
            for (int at = 8; at < KEY_BYTES; at += 8) assert_memory_not_equal(keys.drawn[k], keys.drawn[k] + at, 8);
        host.columns[7] = (host.columns[7] + 1) % 50;
        test_to_place(context, &host, &B);
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(spgemm_plan_check(plans[k], &A, &A), SPG_OK);
            assert_int_equal(spgemm_plan_check(plans[k], &A, &B), SPG_ERROR_SHAPE);
            assert_int_equal(spgemm_plan_check(plans[k], &B, &A), SPG_ERROR_SHAPE);
            spgemm_plan_destroy(plans[k]);
        }
        spg_csr_free(context, &A);
        spg_csr_free(context, &B);
        spg_csr_free(test_host(), &host);
        spg_context_destroy(context);
    }
}

/* A result between guards, in the test's own memory on the host; elsewhere the plan's own. */
enum { GUARD = 512 };
#define GUARD_VALUE 12345.5

typedef struct guarded {
    spg_csr C;
    void *own_values;
    double *memory;
} guarded;

static guarded guard(const spg_csr *C)
{
    guarded g = {*C, C->values, NULL};
    if (test_place() != SPG_PLACE_HOST) return g;
    g.memory = malloc((size_t)(C->nnz + 2 * GUARD) * sizeof *g.memory);
    assert_non_null(g.memory);
    for (int64_t k = 0; k < C->nnz + 2 * GUARD; ++k) g.memory[k] = GUARD_VALUE;
    g.C.values = g.memory + GUARD;
    return g;
}

static void assert_guards_hold(const guarded *g)
{
    for (int k = 0; k < GUARD && g->memory != NULL; ++k) {
        assert_true(g->memory[k] == GUARD_VALUE);
        assert_true(g->memory[GUARD + g->C.nnz + k] == GUARD_VALUE);
    }
}

static void drop_guards(spg_context *context, guarded *g)
{
    free(g->memory);
    g->C.values = g->own_values;
    spg_csr_free(context, &g->C);
}

/* Rows of B of 128 even columns, all the same, so often that their places are looked up. */
static void a_row_of_128_entries_is_not_left(void **state)
{
    (void)state;
    enum { N = 128, ROWS = 20 };
    static int32_t offsets[ROWS + 1], columns[ROWS * N], a_offsets[3], a_columns[ROWS + 1];
    static double values[ROWS * N];
    for (int r = 0; r <= ROWS; ++r) offsets[r] = r * N;
    for (int k = 0; k < ROWS * N; ++k) columns[k] = 2 * (k % N), values[k] = 1;
    a_offsets[1] = 1, a_offsets[2] = ROWS + 1;
    for (int k = 0; k < ROWS; ++k) a_columns[k + 1] = k;
    const int32_t others[] = {1, 255, 256, 100000, INT32_MAX - 1, -1, INT32_MIN};
    keys.gives_zeros = true;
    spg_context *context = test_context_at_place(1);
    const spg_csr host_A = {2, ROWS, ROWS + 1, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, a_columns, values};
    spg_csr host_B = {ROWS, 256, ROWS * N, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values}, A, B, C;
    for (int wide = 0; wide < 2; ++wide) { /* places from a table, and by bisection */
        host_B.cols = wide ? INT32_MAX : 256;
        for (int r = 0; r < ROWS; ++r) columns[r * N + N - 1] = wide ? INT32_MAX - 1 : 2 * (N - 1);
        spgemm_plan *plan;
        memset(&C, 0, sizeof C);
        test_to_place(context, &host_A, &A);
        test_to_place(context, &host_B, &B);
        assert_int_equal(spgemm_plan_create(context, &A, &B, &plan), SPG_OK);
        assert_int_equal(spgemm_plan_run(plan, &A, &B, &C), SPG_OK);
        guarded g = guard(&C);
        for (int k = 0; k < 7; ++k) {
            spg_csr changed;
            columns[19 * N + 77] = others[k];
            test_to_place(context, &host_B, &changed);
            assert_int_equal(spgemm_plan_check(plan, &A, &changed), SPG_OK); /* the keys are zero */
            assert_int_equal(spgemm_plan_run(plan, &A, &changed, &g.C), SPG_OK);
            assert_guards_hold(&g);
            spg_csr_free(context, &changed);
        }
        columns[19 * N + 77] = 2 * 77;
        drop_guards(context, &g);
        spgemm_plan_destroy(plan);
        spg_csr_free(context, &A);
        spg_csr_free(context, &B);
    }
    spg_context_destroy(context);
}

/* Rows whose places are kept in all the ways there are: short ones, of many products, equal ones, and one so long that
 * it is done in pieces. */
static void make_operands(spg_type offset_type, bool square, spg_csr *A, spg_csr *B)
{
    enum { ROWS = 64, LONG_ROW = 10000 };
    uint64_t state = 9;
    test_pattern a = {0}, b = {0};
    for (int r = 0; r < ROWS; ++r) {
        const int64_t n = r % 4 == 0 ? 2 : r % 4 == 1 ? 40 : 5;
        if (r == 50)
            for (int k = 0; k < LONG_ROW; ++k) test_add(&a, test_below(&state, ROWS));
        else if (r < 12 && r % 3 > 0) /* as the row before */
            for (int64_t k = r > 1 ? a.offsets[r - 2] : 0; k < a.offsets[r - 1]; ++k) test_add(&a, a.columns[k]);
        else
            test_add_random(&a, &state, r < 12 ? 40 : n, 0, ROWS, true);
        test_end_row(&a);
        test_add_random(&b, &state, r % 7, 0, square ? 20 : 300, true);
        test_end_row(&b);
    }
    test_matrix_of(&a, ROWS, offset_type, SPG_F64, 5, 0, A);
    test_matrix_of(&b, square ? 20 : 300, offset_type, SPG_F64, 6, 0, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void set_offset(const spg_csr *matrix, int64_t row, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[row] = offset;
    else
        ((int32_t *)matrix->row_offsets)[row] = (int32_t)offset;
}

static int64_t any_number(uint64_t *state, int64_t like, int64_t most)
{
    const int64_t numbers[] = {
        like + 1,  like - 1, test_below(state, most), test_below(state, most), 0, -1, most, most + 1,
        INT32_MAX, INT32_MIN};
    return numbers[test_below(state, 10)];
}

/* Some columns or offsets of a matrix other than they were. */
static void spoil(uint64_t *state, const spg_csr *matrix)
{
    const int64_t count = 1 + test_below(state, 3);
    const bool is_offset = test_below(state, 2) == 0;
    for (int64_t k = 0; k < count; ++k)
        if (is_offset) {
            const int64_t row = test_below(state, matrix->rows + 1);
            set_offset(matrix, row, any_number(state, test_offset(matrix, row), matrix->nnz));
        } else {
            int32_t *column = &matrix->columns[test_below(state, matrix->nnz)];
            *column = (int32_t)any_number(state, *column, matrix->cols);
        }
}

typedef struct fooled {
    spg_context *context;
    spgemm_plan *plan;
    spg_galerkin_plan *galerkin;
} fooled;

static spg_status run(const fooled *f, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    return f->plan != NULL ? spgemm_plan_run(f->plan, A, B, C) : spg_galerkin_plan_run(f->galerkin, NULL, A, B, C);
}

/* Runs on operands, of which one or both are spoilt, until so many have passed; and then on the plan's own. */
static void run_on_spoilt_operands(const fooled *f, const spg_csr *host_A, const spg_csr *host_B)
{
    const int rounds = test_place() == SPG_PLACE_HOST ? 1500 : 100;
    uint64_t state = 17;
    spg_csr A, B, C = {0}, expected, actual;
    test_to_place(f->context, host_A, &A);
    test_to_place(f->context, host_B, &B);
    assert_int_equal(run(f, &A, &B, &C), SPG_OK);
    test_to_host(f->context, &C, &expected);
    guarded g = guard(&C);
    int passed = 0;
    for (int round = 0; round < rounds; ++round) {
        spg_csr spoilt[2], here[2];
        assert_int_equal(spg_csr_copy(test_host(), host_A, &spoilt[0]), SPG_OK);
        assert_int_equal(spg_csr_copy(test_host(), host_B, &spoilt[1]), SPG_OK);
        const int which = (int)test_below(&state, 3);
        if (which != 0) spoil(&state, &spoilt[0]);
        if (which != 1) spoil(&state, &spoilt[1]);
        for (int k = 0; k < 2; ++k) test_to_place(f->context, &spoilt[k], &here[k]);
        const spg_status status = run(f, &here[0], &here[1], &g.C);
        if (status != SPG_ERROR_SHAPE || test_place() != SPG_PLACE_HOST) assert_int_equal(status, SPG_OK);
        passed += status == SPG_OK;
        assert_guards_hold(&g);
        for (int k = 0; k < 2; ++k) {
            spg_csr_free(f->context, &here[k]);
            spg_csr_free(test_host(), &spoilt[k]);
        }
    }
    assert_true(passed > rounds / 10); /* the keys are zero */
    assert_int_equal(run(f, &A, &B, &g.C), SPG_OK);
    test_to_host(f->context, &g.C, &actual);
    test_assert_same_csr(&actual, &expected);
    spg_csr_free(test_host(), &actual);
    spg_csr_free(test_host(), &expected);
    drop_guards(f->context, &g);
    spg_csr_free(f->context, &A);
    spg_csr_free(f->context, &B);
}

static void runs_on_patterns_that_pass_for_the_plans_stay_within_the_arrays(void **state)
{
    (void)state;
    keys.gives_zeros = true;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t) {
        spg_csr host_A, host_B, A, B;
        fooled f = {.context = test_context_at_place(2)};
        make_operands(test_offset_types[t], false, &host_A, &host_B);
        test_to_place(f.context, &host_A, &A);
        test_to_place(f.context, &host_B, &B);
        assert_int_equal(spgemm_plan_create(f.context, &A, &B, &f.plan), SPG_OK);
        run_on_spoilt_operands(&f, &host_A, &host_B);
        spgemm_plan_destroy(f.plan);
        spg_csr_free(f.context, &A);
        spg_csr_free(f.context, &B);
        spg_csr_free(test_host(), &host_A);
        spg_csr_free(test_host(), &host_B);
        spg_context_destroy(f.context);
    }
}

/* Of A + A^T, which is symmetric, so that the result's lower triangle is taken from its upper. */
static void make_symmetric(const spg_csr *A, spg_csr *sum)
{
    test_pattern pattern = {0};
    static bool has[64][64];
    memset(has, 0, sizeof has);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k)
            has[i][A->columns[k]] = has[A->columns[k]][i] = true;
    for (int64_t i = 0; i < A->rows; ++i) {
        for (int64_t j = 0; j < A->rows; ++j)
            if (has[i][j]) test_add(&pattern, j);
        test_end_row(&pattern);
    }
    test_matrix_of(&pattern, A->rows, A->offset_type, SPG_F64, 8, 0, sum);
    for (int64_t k = 0; k < sum->nnz; ++k) ((double *)sum->values)[k] = 1.5;
    test_free_pattern(&pattern);
}

static void galerkin_runs_on_patterns_that_pass_for_the_plans_stay_within_the_arrays(void **state)
{
    (void)state;
    keys.gives_zeros = true;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t) {
        spg_csr any, host_A, host_P, A, P;
        fooled f = {.context = test_context_at_place(2)};
        make_operands(test_offset_types[t], true, &any, &host_P);
        make_symmetric(&any, &host_A);
        test_to_place(f.context, &host_A, &A);
        test_to_place(f.context, &host_P, &P);
        assert_int_equal(spg_galerkin_plan_create(f.context, NULL, &A, &P, &f.galerkin), SPG_OK);
        run_on_spoilt_operands(&f, &host_A, &host_P);
        spg_galerkin_plan_destroy(f.galerkin);
        spg_csr_free(f.context, &A);
        spg_csr_free(f.context, &P);
        spg_csr_free(test_host(), &any);
        spg_csr_free(test_host(), &host_A);
        spg_csr_free(test_host(), &host_P);
        spg_context_destroy(f.context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_column_that_public_keys_would_hide_is_seen, forget_keys),
        cmocka_unit_test_setup(two_plans_of_the_same_operands_have_different_keys, forget_keys),
        cmocka_unit_test_setup(a_row_of_128_entries_is_not_left, forget_keys),
        cmocka_unit_test_setup(runs_on_patterns_that_pass_for_the_plans_stay_within_the_arrays, forget_keys),
        cmocka_unit_test_setup(galerkin_runs_on_patterns_that_pass_for_the_plans_stay_within_the_arrays, forget_keys),
    };
    return TEST_RUN_HERE(argc, argv, "product plan keys", tests);
}

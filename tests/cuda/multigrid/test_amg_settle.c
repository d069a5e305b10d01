/* A dense operator on a device whose singular values do not settle stays unsettled until it gets other values. */
#include "sides.h"

enum { ROWS = 32 };

/* A at the device, and what restricted it: R is the identity, so 1/inverse is the unknowns' magnitude. */
typedef struct problem {
    side sides[SIDES];
    spg_csr A, R;
    double *inverse, *state;
    spg_amg_dense *dense;
} problem;

/* Numbers whose squares are denormal: scalar products of rows are roundings, and rotations never end. */
static const double regular = 1, tiny = 0x1p-528;

static spg_amg_dense_source source_of(problem *p, double inverse)
{
    const side *device = &p->sides[DEVICE];
    double values[ROWS];
    for (int i = 0; i < ROWS; ++i) values[i] = inverse;
    if (p->inverse != NULL) drop(device, p->inverse, sizeof values);
    p->inverse = put(device, values, sizeof values);
    return (spg_amg_dense_source){.A = &p->A, .R = &p->R, .inverse = p->inverse};
}

static void open_problem(problem *p)
{
    spg_csr A, R;
    *p = (problem){0};
    open_sides(p->sides);
    const side *device = &p->sides[DEVICE];
    assert_int_equal(spg_csr_alloc(test_host(), ROWS, ROWS, ROWS * ROWS, SPG_I32, SPG_F64, &A), SPG_OK);
    assert_int_equal(spg_csr_alloc(test_host(), ROWS, ROWS, ROWS, SPG_I32, SPG_F64, &R), SPG_OK);
    for (int i = 0; i <= ROWS; ++i) ((int32_t *)A.row_offsets)[i] = ROWS * i, ((int32_t *)R.row_offsets)[i] = i;
    for (int i = 0; i < ROWS; ++i) {
        R.columns[i] = i;
        ((double *)R.values)[i] = 1;
        for (int j = 0; j < ROWS; ++j) {
            A.columns[ROWS * i + j] = j;
            ((double *)A.values)[ROWS * i + j] = i == j ? 4 : ((i * 7 + j * 13 + i * j % 11) % 17 - 8) / 8.0;
        }
    }
    put_matrix(device, &A, &p->A);
    put_matrix(device, &R, &p->R);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &R);
    p->state = put(device, NULL, sizeof *p->state);
    const spg_amg_dense_source source = source_of(p, regular);
    assert_int_equal(device->stages->dense_create(device->context, &source, &p->dense), SPG_OK);
}

static void close_problem(problem *p)
{
    const side *device = &p->sides[DEVICE];
    device->stages->dense_destroy(device->context, p->dense);
    drop(device, p->state, sizeof *p->state);
    drop(device, p->inverse, ROWS * sizeof *p->inverse);
    spg_csr_free(device->context, &p->A);
    spg_csr_free(device->context, &p->R);
    close_sides(p->sides);
}

static void assert_state(const problem *p, double expected)
{
    const side *device = &p->sides[DEVICE];
    double state = -1;
    assert_int_equal(device->stages->dense_tell(device->context, p->dense, p->state), SPG_OK);
    get(device, p->state, sizeof state, &state);
    assert_true(state == expected);
}

/* The first time the update does not know that it needs singular values; the second time it does. */
static void singular_values_that_do_not_settle_are_found_again_by_each_call(void **unused)
{
    (void)unused;
    problem p;
    open_problem(&p);
    const side *device = &p.sides[DEVICE];
    for (int turn = 0; turn < 2; ++turn) {
        spg_amg_dense_source source = source_of(&p, tiny);
        assert_int_equal(device->stages->dense_update(device->context, p.dense, &source),
                         turn == 0 ? SPG_OK : SPG_ERROR_BREAKDOWN);
        for (int call = 0; call < 2; ++call) {
            assert_state(&p, SPG_AMG_DENSE_UNSETTLED);
            assert_int_equal(device->stages->dense_settle(device->context, p.dense, &source), SPG_ERROR_BREAKDOWN);
            test_assert_message(device->context, "did not settle");
        }
        source = source_of(&p, regular);
        assert_int_equal(device->stages->dense_update(device->context, p.dense, &source), SPG_OK);
        assert_state(&p, SPG_AMG_DENSE_PLAIN);
        assert_int_equal(device->stages->dense_settle(device->context, p.dense, &source), SPG_OK);
    }
    close_problem(&p);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values_that_do_not_settle_are_found_again_by_each_call),
    };
    return TEST_RUN_HERE(2, arguments, "dense operators that do not settle", tests);
}

/* What a user of streams and graphs relies on in multigrid: an update waits for nothing and allocates nothing, and
 * updates and cycles can be captured and replayed with new values. */
#include "count_waits.h"
#include "sides.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* A symmetric matrix in a context with a stream of its own, a hierarchy ready for updates, and vectors. */
typedef struct problem {
    cudaStream_t stream;
    side at;
    spg_csr A, here;
    spg_amg *amg;
    double *b, *x;
} problem;

/* The smoothers, and K-cycles. */
enum { JACOBI, L1_JACOBI, CHEBYSHEV, K_CYCLES, WAYS };
static const char *const names[] = {"fd2d5:60", "fe3d27:14"};
enum { NAMES = 2 };

static int64_t vector_bytes(const problem *p) { return p->A.rows * (int64_t)sizeof(double); }

static void set_up(const problem *p, int way, spg_amg **amg)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 60;
    options.smoother = way == K_CYCLES ? SPG_SMOOTHER_JACOBI : (spg_smoother)way;
    if (way == K_CYCLES) options.cycle = SPG_CYCLE_K, options.max_coarse = 10;
    options.prepare_update = 1;
    assert_int_equal(spg_amg_setup(p->at.context, &p->here, &options, amg), SPG_OK);
    assert_true(spg_amg_levels(*amg) > (way == K_CYCLES ? 2 : 1));
}

static void open_problem(problem *p, const char *name, int way)
{
    memset(p, 0, sizeof *p);
    assert_int_equal(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = p->stream;
    p->at.context = test_context_of(&config);
    generate(name, SPG_F64, &p->A);
    put_matrix(&p->at, &p->A, &p->here);
    p->b = put(&p->at, NULL, vector_bytes(p));
    p->x = put(&p->at, NULL, vector_bytes(p));
    set_up(p, way, &p->amg);
}

static void close_problem(problem *p)
{
    spg_amg_destroy(p->amg);
    drop(&p->at, p->b, vector_bytes(p));
    drop(&p->at, p->x, vector_bytes(p));
    spg_csr_free(p->at.context, &p->here);
    spg_csr_free(test_host(), &p->A);
    spg_context_destroy(p->at.context);
    assert_int_equal(cudaStreamDestroy(p->stream), cudaSuccess);
}

static void put_values(const problem *p, const double *values)
{
    assert_int_equal(
        cudaMemcpyAsync(p->here.values, values, (size_t)p->A.nnz * sizeof *values, cudaMemcpyHostToDevice, p->stream),
        cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(p->stream), cudaSuccess);
}

/* Scales rows and columns of what was generated alike, which leaves it symmetric bit for bit and positive definite; and
 * renews b. */
static void renew(problem *p, uint64_t seed)
{
    const int64_t n = p->A.rows;
    double *d = malloc((size_t)vector_bytes(p)), *renewed = malloc((size_t)p->A.nnz * sizeof *renewed);
    assert_true(d != NULL && renewed != NULL);
    test_random_values(seed, 0, SPG_F64, n, d);
    assert_int_equal(cudaMemcpyAsync(p->b, d, (size_t)vector_bytes(p), cudaMemcpyHostToDevice, p->stream), cudaSuccess);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = test_offset(&p->A, i); k < test_offset(&p->A, i + 1); ++k)
            renewed[k] = (1.5 + d[i]) * (1.5 + d[p->A.columns[k]]) * ((double *)p->A.values)[k];
    put_values(p, renewed);
    free(d);
    free(renewed);
}

static void cycle(const problem *p, spg_amg *amg)
{
    assert_int_equal(cudaMemsetAsync(p->x, 0, (size_t)vector_bytes(p), p->stream), cudaSuccess);
    assert_int_equal(spg_amg_cycle(p->at.context, amg, p->b, p->x), SPG_OK);
}

/* What lies in x has the bits of a cycle of a hierarchy that was set up as this one and then updated once, to these
 * values. */
static void assert_cycle_of_a_new_hierarchy(const problem *p, int way)
{
    double *found = malloc((size_t)vector_bytes(p)), *expected = malloc((size_t)vector_bytes(p));
    double *values = malloc((size_t)p->A.nnz * sizeof *values);
    spg_amg *amg = NULL;
    assert_true(found != NULL && expected != NULL && values != NULL);
    get(&p->at, p->x, vector_bytes(p), found);
    get(&p->at, p->here.values, p->A.nnz * (int64_t)sizeof *values, values);
    put_values(p, p->A.values);
    set_up(p, way, &amg);
    put_values(p, values);
    assert_int_equal(spg_amg_update(p->at.context, amg, &p->here), SPG_OK);
    cycle(p, amg);
    get(&p->at, p->x, vector_bytes(p), expected);
    assert_memory_equal(found, expected, (size_t)vector_bytes(p));
    spg_amg_destroy(amg);
    free(values);
    free(found);
    free(expected);
}

static void an_update_and_a_cycle_wait_for_nothing_and_allocate_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < NAMES; ++k)
        for (int way = 0; way < WAYS; ++way) {
            problem p;
            int64_t before, peak, after;
            open_problem(&p, names[k], way);
            renew(&p, 30);
            spg_context_memory(p.at.context, &before, &peak);
            waits = 0;
            assert_int_equal(spg_amg_update(p.at.context, p.amg, &p.here), SPG_OK);
            cycle(&p, p.amg);
            assert_int_equal(waits, 0);
            spg_context_memory(p.at.context, &after, NULL);
            assert_int_equal(before, after);
            assert_int_equal(cudaStreamSynchronize(p.stream), cudaSuccess);
            assert_cycle_of_a_new_hierarchy(&p, way);
            close_problem(&p);
        }
}

static void several_cycles_at_once_wait_for_nothing_after_the_first(void **state)
{
    (void)state;
    problem p;
    int64_t before, peak, after;
    open_problem(&p, names[1], CHEBYSHEV);
    for (int k = 0; k < 2; ++k) {
        waits = 0;
        spg_context_memory(p.at.context, &before, &peak);
        assert_int_equal(spg_amg_apply_many(p.at.context, p.amg, 1, SPG_ROW_MAJOR, p.b, 1, p.x, 1), SPG_OK);
        spg_context_memory(p.at.context, &after, NULL);
        assert_true(k == 0 || (waits == 0 && before == after));
    }
    close_problem(&p);
}

/* Cycles on the same vectors are recorded after a few, and forgotten when the hierarchy changes. */
static void a_cycle_that_repeats_keeps_its_bits_and_knows_of_updates(void **state)
{
    (void)state;
    enum { REPEATS = 6 };
    for (int k = 0; k < NAMES; ++k)
        for (int way = 0; way < WAYS; ++way) {
            problem p;
            open_problem(&p, names[k], way);
            for (uint64_t seed = 50; seed < 52; ++seed) {
                renew(&p, seed);
                assert_int_equal(spg_amg_update(p.at.context, p.amg, &p.here), SPG_OK);
                for (int r = 0; r < REPEATS; ++r) {
                    waits = 0;
                    cycle(&p, p.amg);
                    assert_int_equal(waits, 0);
                    assert_cycle_of_a_new_hierarchy(&p, way);
                }
            }
            close_problem(&p);
        }
}

/* Counted without those of the steps of conjugate gradients that a device posts. */
static int waits_of_iterations(const problem *p, spg_krylov_method method, int iterations)
{
    const spg_operator A = spg_csr_operator(&p->here), M = spg_amg_operator(p->amg);
    spg_krylov_options options = spg_krylov_options_default();
    spg_krylov_result result;
    options.method = method;
    options.tolerance = 0;
    options.zero_guess = 1;
    options.max_iterations = iterations;
    waits = 0;
    assert_int_equal(spg_krylov_solve(p->at.context, &A, &M, p->b, p->x, &options, &result), SPG_ERROR_NOT_CONVERGED);
    assert_int_equal(result.iterations, iterations);
    return waits;
}

static void iterations_of_krylov_methods_wait_every_few_at_most(void **state)
{
    (void)state;
    enum { FEW = 2, MORE = 20, MOST_WAITS = 5 };
    problem p;
    open_problem(&p, names[0], JACOBI);
    renew(&p, 60);
    assert_int_equal(spg_amg_update(p.at.context, p.amg, &p.here), SPG_OK);
    for (int method = SPG_KRYLOV_CG; method <= SPG_KRYLOV_BICGSTAB; ++method) {
        const int few = waits_of_iterations(&p, (spg_krylov_method)method, FEW);
        const int more = waits_of_iterations(&p, (spg_krylov_method)method, MORE);
        if (more - few > (method == SPG_KRYLOV_CG ? 0 : MOST_WAITS))
            fail_msg("method %d: %d waits, then %d", method, few, more);
    }
    close_problem(&p);
}

/* A preconditioner that captures what a solve queues from its call `begin` to its call `end`, and launches that. */
typedef struct capturing {
    spg_operator of;
    cudaStream_t stream;
    int calls, begin, end;
} capturing;

static void launch_captured(cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t captured;
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&captured, graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphLaunch(captured, stream), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    cudaGraphExecDestroy(captured);
    cudaGraphDestroy(graph);
}

static spg_status apply_capturing(void *user, spg_context *context, const void *x, void *y)
{
    capturing *c = user;
    ++c->calls;
    if (c->calls == c->end) launch_captured(c->stream);
    if (c->calls == c->begin)
        assert_int_equal(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    return c->of.apply(c->of.user, context, x, y);
}

/* From within the fourth iteration to the same place of the fifth: both are begun before the host looks. */
static void an_iteration_of_a_krylov_method_can_be_captured(void **state)
{
    (void)state;
    static const struct {
        spg_krylov_method method;
        int begin, end;
    } cases[] = {{SPG_KRYLOV_FCG, 5, 6}, {SPG_KRYLOV_FGMRES, 4, 5}, {SPG_KRYLOV_BICGSTAB, 7, 9}};
    problem p;
    open_problem(&p, names[0], JACOBI);
    renew(&p, 61);
    assert_int_equal(spg_amg_update(p.at.context, p.amg, &p.here), SPG_OK);
    double *const x[2] = {malloc((size_t)vector_bytes(&p)), malloc((size_t)vector_bytes(&p))};
    assert_true(x[0] != NULL && x[1] != NULL);
    const spg_operator A = spg_csr_operator(&p.here);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        spg_krylov_options options = spg_krylov_options_default();
        options.method = cases[k].method;
        options.tolerance = 0;
        options.zero_guess = 1;
        options.max_iterations = 8;
        for (int captures = 0; captures < 2; ++captures) {
            capturing c = {spg_amg_operator(p.amg), p.stream, 0, captures ? cases[k].begin : 0,
                           captures ? cases[k].end : 0};
            const spg_operator M = {A.rows, A.type, &c, apply_capturing};
            assert_int_equal(spg_krylov_solve(p.at.context, &A, &M, p.b, p.x, &options, NULL), SPG_ERROR_NOT_CONVERGED);
            assert_true(c.calls > cases[k].end);
            get(&p.at, p.x, vector_bytes(&p), x[captures]);
        }
        assert_memory_equal(x[0], x[1], (size_t)vector_bytes(&p));
    }
    free(x[0]);
    free(x[1]);
    close_problem(&p);
}

static void captured_updates_and_cycles_are_replayed_with_new_values(void **state)
{
    (void)state;
    for (int k = 0; k < NAMES; ++k)
        for (int way = 0; way < WAYS; ++way) {
            problem p;
            cudaGraph_t graph;
            cudaGraphExec_t replay;
            open_problem(&p, names[k], way);
            assert_int_equal(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
            assert_int_equal(spg_amg_update(p.at.context, p.amg, &p.here), SPG_OK);
            cycle(&p, p.amg);
            assert_int_equal(cudaStreamEndCapture(p.stream, &graph), cudaSuccess);
            assert_int_equal(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
            for (uint64_t seed = 40; seed < 42; ++seed) {
                renew(&p, seed);
                assert_int_equal(cudaGraphLaunch(replay, p.stream), cudaSuccess);
                assert_int_equal(cudaStreamSynchronize(p.stream), cudaSuccess);
                assert_cycle_of_a_new_hierarchy(&p, way);
            }
            cudaGraphExecDestroy(replay);
            cudaGraphDestroy(graph);
            close_problem(&p);
        }
}

/* A plan for a symmetric operator, replayed with values that are none, and with such as are. */
static void a_captured_product_notices_whether_its_operator_is_symmetric(void **state)
{
    (void)state;
    for (int k = 0; k < NAMES; ++k) {
        problem p;
        cudaGraph_t graph;
        cudaGraphExec_t replay;
        spg_amg_level_view first;
        spg_galerkin_plan *plan;
        spg_csr C = {0}, expected;
        open_problem(&p, names[k], JACOBI);
        assert_int_equal(spg_amg_level(p.amg, 0, &first), SPG_OK);
        assert_int_equal(spg_galerkin_plan_create(p.at.context, NULL, &p.here, &first.P, &plan), SPG_OK);
        assert_int_equal(spg_galerkin_plan_run(plan, NULL, &p.here, &first.P, &C), SPG_OK);
        assert_int_equal(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
        assert_int_equal(spg_galerkin_plan_run(plan, NULL, &p.here, &first.P, &C), SPG_OK);
        assert_int_equal(cudaStreamEndCapture(p.stream, &graph), cudaSuccess);
        assert_int_equal(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
        const int64_t bytes = C.nnz * (int64_t)sizeof(double);
        double *values = malloc((size_t)p.A.nnz * sizeof *values), *sums = malloc((size_t)bytes);
        double *expected_sums = malloc((size_t)bytes);
        assert_true(values != NULL && sums != NULL && expected_sums != NULL);
        for (uint64_t run = 0; run < 3; ++run) {
            test_random_values(60 + run, 0, SPG_F64, p.A.nnz, values);
            if (run == 1)
                renew(&p, 60);
            else
                put_values(&p, values);
            assert_int_equal(cudaGraphLaunch(replay, p.stream), cudaSuccess);
            assert_int_equal(spg_galerkin(p.at.context, NULL, &p.here, &first.P, &expected), SPG_OK);
            get(&p.at, C.values, bytes, sums);
            get(&p.at, expected.values, bytes, expected_sums);
            assert_memory_equal(sums, expected_sums, (size_t)bytes);
            spg_csr_free(p.at.context, &expected);
        }
        free(values);
        free(sums);
        free(expected_sums);
        cudaGraphExecDestroy(replay);
        cudaGraphDestroy(graph);
        spg_csr_free(p.at.context, &C);
        spg_galerkin_plan_destroy(plan);
        close_problem(&p);
    }
}

/* Steps that are timed go one after the other, others beside each other. */
static void steps_beside_each_other_change_no_bit(void **state)
{
    (void)state;
    for (int k = 0; k < NAMES; ++k) {
        problem p;
        spg_amg *in_turn = NULL;
        open_problem(&p, names[k], JACOBI);
        spg_amg_options options = spg_amg_options_default();
        options.max_coarse = 60;
        options.timing = 1;
        assert_int_equal(spg_amg_setup(p.at.context, &p.here, &options, &in_turn), SPG_OK);
        double *found = malloc((size_t)vector_bytes(&p)), *expected = malloc((size_t)vector_bytes(&p));
        assert_true(found != NULL && expected != NULL);
        test_random_values(31, 0, SPG_F64, p.A.rows, found);
        assert_int_equal(cudaMemcpyAsync(p.b, found, (size_t)vector_bytes(&p), cudaMemcpyHostToDevice, p.stream),
                         cudaSuccess);
        cycle(&p, p.amg);
        get(&p.at, p.x, vector_bytes(&p), found);
        cycle(&p, in_turn);
        get(&p.at, p.x, vector_bytes(&p), expected);
        assert_memory_equal(found, expected, (size_t)vector_bytes(&p));
        free(found);
        free(expected);
        spg_amg_destroy(in_turn);
        close_problem(&p);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_and_a_cycle_wait_for_nothing_and_allocate_nothing),
        cmocka_unit_test(several_cycles_at_once_wait_for_nothing_after_the_first),
        cmocka_unit_test(a_cycle_that_repeats_keeps_its_bits_and_knows_of_updates),
        cmocka_unit_test(iterations_of_krylov_methods_wait_every_few_at_most),
        cmocka_unit_test(an_iteration_of_a_krylov_method_can_be_captured),
        cmocka_unit_test(captured_updates_and_cycles_are_replayed_with_new_values),
        cmocka_unit_test(a_captured_product_notices_whether_its_operator_is_symmetric),
        cmocka_unit_test(steps_beside_each_other_change_no_bit),
    };
    return TEST_RUN_HERE(2, arguments, "multigrid on streams and in graphs", tests);
}

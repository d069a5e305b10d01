/* What a user who captures calls relies on: a call that needs memory is refused while the stream is captured, and
 * memory that a captured call uses is not given to others while its hierarchy lives. */
#include "sides.h"

#include "spg/spg.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
    cudaStream_t stream;
    side at;
    spg_csr A, here;
} problem;

/* A path of n nodes, without values yet. */
static void make_path(int64_t n, spg_csr *A)
{
    assert_int_equal(spg_csr_alloc(test_host(), n, n, 3 * n - 2, SPG_I32, SPG_F64, A), SPG_OK);
    int32_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = i - (i > 0); j <= i + (i + 1 < n); ++j) {
            ((double *)A->values)[at] = 0;
            A->columns[at++] = (int32_t)j;
        }
        ((int32_t *)A->row_offsets)[i + 1] = at;
    }
}

/* name: NULL for a path. */
static void open_problem(problem *p, const char *name)
{
    memset(p, 0, sizeof *p);
    assert_int_equal(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = p->stream;
    p->at.context = test_context_of(&config);
    if (name != NULL)
        generate(name, SPG_F64, &p->A);
    else
        make_path(200, &p->A);
    put_matrix(&p->at, &p->A, &p->here);
}

static void close_problem(problem *p)
{
    spg_csr_free(p->at.context, &p->here);
    spg_csr_free(test_host(), &p->A);
    spg_context_destroy(p->at.context);
    assert_int_equal(cudaStreamDestroy(p->stream), cudaSuccess);
}

static void begin(const problem *p)
{
    assert_int_equal(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
}

static cudaGraphExec_t end(const problem *p)
{
    cudaGraph_t graph;
    cudaGraphExec_t captured;
    assert_int_equal(cudaStreamEndCapture(p->stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&captured, graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    return captured;
}

static void replay(const problem *p, cudaGraphExec_t captured)
{
    assert_int_equal(cudaGraphLaunch(captured, p->stream), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(p->stream), cudaSuccess);
}

/* Whether memory of that size is kept or not. The capture goes on, and works. */
static void a_call_that_needs_memory_is_refused(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; ++keeps) {
        problem p;
        spgemm_plan *plan;
        spg_csr C = {0}, other = {0}, product;
        int64_t before, after;
        open_problem(&p, "fd2d5:60");
        spg_context *context = p.at.context;
        assert_int_equal(spgemm_plan_create(context, &p.here, &p.here, &plan), SPG_OK);
        assert_int_equal(spgemm_plan_run(plan, &p.here, &p.here, &C), SPG_OK);
        if (keeps) {
            assert_int_equal(spgemm_plan_run(plan, &p.here, &p.here, &other), SPG_OK);
            assert_int_equal(spgemm_plan_run(plan, &p.here, &p.here, &C), SPG_OK); /* the run before the capture's */
            spg_csr_free(context, &other);
        }
        spg_context_memory(context, &before, NULL);
        begin(&p);
        assert_int_equal(spgemm_plan_run(plan, &p.here, &p.here, &other), SPG_ERROR_UNSUPPORTED);
        test_assert_message(context, "while the stream is captured");
        assert_int_equal(spgemm_plan_run(plan, &p.here, &p.here, &C), SPG_OK);
        cudaGraphExec_t captured = end(&p);
        spg_context_memory(context, &after, NULL);
        assert_int_equal(before, after);
        assert_int_equal(cudaMemset(C.values, 0, (size_t)C.nnz * sizeof(double)), cudaSuccess);
        replay(&p, captured);
        assert_int_equal(spgemm_csr(context, &p.here, &p.here, &product), SPG_OK);
        const int64_t bytes = C.nnz * (int64_t)sizeof(double);
        double *found = malloc((size_t)bytes), *expected = malloc((size_t)bytes);
        assert_true(found != NULL && expected != NULL && product.nnz == C.nnz);
        get(&p.at, C.values, bytes, found);
        get(&p.at, product.values, bytes, expected);
        assert_memory_equal(found, expected, (size_t)bytes);
        free(found);
        free(expected);
        cudaGraphExecDestroy(captured);
        spg_csr_free(context, &C);
        spg_csr_free(context, &product);
        spgemm_plan_destroy(plan);
        close_problem(&p);
    }
}

static void assert_are_nan(const side *at, const double *there, int64_t count)
{
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    get(at, there, count * (int64_t)sizeof *values, values);
    for (int64_t k = 0; k < count; ++k) assert_true(isnan(values[k]));
    free(values);
}

/* Cycles on few vectors are captured; then others run on more, whose memory is larger. Memory of the captured ones, if
 * it was freed, serves one of the requests that follow: they are of all sizes, and more than blocks are kept. */
static void vectors_of_a_captured_cycle_stay_when_more_are_asked_for(void **state)
{
    (void)state;
    enum { FEW = 4, MANY = 16, SIZES = 6, OTHERS = 12 * SIZES };
    problem p;
    spg_amg *amg;
    double *others[OTHERS];
    open_problem(&p, "fd2d5:60");
    spg_context *context = p.at.context;
    const int64_t n = p.A.rows, few = FEW * n * (int64_t)sizeof(double), many = MANY * n * (int64_t)sizeof(double);
    double *values = malloc((size_t)many), *expected = malloc((size_t)few), *found = malloc((size_t)few);
    assert_true(values != NULL && expected != NULL && found != NULL);
    test_random_values(5, 0, SPG_F64, MANY * n, values);
    double *B = put(&p.at, values, many), *X = put(&p.at, NULL, many);
    assert_int_equal(spg_amg_setup(context, &p.here, NULL, &amg), SPG_OK);
    assert_int_equal(spg_amg_apply_many(context, amg, FEW, SPG_COLUMN_MAJOR, B, n, X, n), SPG_OK);
    get(&p.at, X, few, expected);
    begin(&p);
    assert_int_equal(spg_amg_apply_many(context, amg, FEW, SPG_COLUMN_MAJOR, B, n, X, n), SPG_OK);
    assert_int_equal(spg_amg_apply_many(context, amg, MANY, SPG_COLUMN_MAJOR, B, n, X, n), SPG_ERROR_UNSUPPORTED);
    cudaGraphExec_t captured = end(&p);
    assert_int_equal(spg_amg_apply_many(context, amg, MANY, SPG_COLUMN_MAJOR, B, n, X, n), SPG_OK);
    for (int k = 0; k < OTHERS; ++k) {
        const int64_t bytes = few << k % SIZES;
        others[k] = put(&p.at, NULL, bytes);
        assert_int_equal(cudaMemset(others[k], 0xff, (size_t)bytes), cudaSuccess);
    }
    replay(&p, captured);
    get(&p.at, X, few, found);
    assert_memory_equal(found, expected, (size_t)few);
    for (int k = 0; k < OTHERS; ++k) {
        assert_are_nan(&p.at, others[k], FEW * n << k % SIZES);
        drop(&p.at, others[k], few << k % SIZES);
    }
    cudaGraphExecDestroy(captured);
    drop(&p.at, B, many);
    drop(&p.at, X, many);
    free(values);
    free(expected);
    free(found);
    spg_amg_destroy(amg);
    close_problem(&p);
}

/* The values of the path: of its Laplacian with signs that all agree, which is singular, or of a definite matrix. */
static void put_path(const problem *p, bool is_singular)
{
    double *values = malloc((size_t)p->A.nnz * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < p->A.rows; ++i)
        for (int64_t k = test_offset(&p->A, i); k < test_offset(&p->A, i + 1); ++k) {
            const bool is_diagonal = p->A.columns[k] == i;
            const double degree = (double)(test_offset(&p->A, i + 1) - test_offset(&p->A, i) - 1);
            const double held = i == 0 && !is_singular ? 1.5 : 0;
            values[k] = is_diagonal ? degree + held : is_singular ? 1 : -1;
        }
    assert_int_equal(cudaMemcpy(p->here.values, values, (size_t)p->A.nnz * sizeof *values, cudaMemcpyHostToDevice),
                     cudaSuccess);
    free(values);
}

/* A null vector of alternating signs, which no candidate shows. The first solve makes a pseudo-inverse, by memory that
 * the captured update does not know of. The same values have the same solution each time, bit for bit. */
static void captured_updates_to_singular_values_are_settled_each_time(void **state)
{
    (void)state;
    problem p;
    spg_amg *amg;
    spg_amg_options options = spg_amg_options_default();
    options.prepare_update = 1;
    open_problem(&p, NULL);
    spg_context *context = p.at.context;
    const int64_t n = p.A.rows, bytes = n * (int64_t)sizeof(double);
    double *b = malloc((size_t)bytes), *first = malloc((size_t)bytes), *found = malloc((size_t)bytes);
    assert_true(b != NULL && first != NULL && found != NULL);
    for (int64_t i = 0; i < n; ++i) b[i] = i % 40 < 20 ? 1 : -1; /* orthogonal to the null vector */
    double *b_here = put(&p.at, b, bytes), *x = put(&p.at, NULL, bytes);
    put_path(&p, false);
    assert_int_equal(spg_amg_setup(context, &p.here, &options, &amg), SPG_OK);
    begin(&p);
    assert_int_equal(spg_amg_update(context, amg, &p.here), SPG_OK);
    cudaGraphExec_t captured = end(&p);
    for (int turn = 0; turn < 4; ++turn) {
        spg_amg_solve_result result;
        put_path(&p, turn != 2);
        replay(&p, captured);
        assert_int_equal(cudaMemset(x, 0, (size_t)bytes), cudaSuccess);
        assert_int_equal(spg_amg_solve(context, amg, b_here, x, NULL, &result), SPG_OK);
        assert_true(result.iterations <= 3);
        get(&p.at, x, bytes, turn == 0 ? first : found);
        if (turn % 2 == 1) assert_memory_equal(found, first, (size_t)bytes);
    }
    cudaGraphExecDestroy(captured);
    drop(&p.at, b_here, bytes);
    drop(&p.at, x, bytes);
    free(b);
    free(first);
    free(found);
    spg_amg_destroy(amg);
    close_problem(&p);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_needs_memory_is_refused),
        cmocka_unit_test(vectors_of_a_captured_cycle_stay_when_more_are_asked_for),
        cmocka_unit_test(captured_updates_to_singular_values_are_settled_each_time),
    };
    return TEST_RUN_HERE(2, arguments, "captured calls", tests);
}

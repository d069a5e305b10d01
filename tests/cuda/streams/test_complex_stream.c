/* What a user of streams and graphs relies on with complex matrices: new values of a real form, updates and cycles wait
 * for nothing, allocate nothing, and can be captured and replayed with new values. */
#include "count_waits.h"
#include "sides.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* A Hermitian matrix in a context with a stream of its own. */
typedef struct problem {
    cudaStream_t stream;
    side at;
    spg_csr A, here;
    int64_t bytes; /* of A's values */
} problem;

static void open_problem(problem *p, const char *name, spg_type type)
{
    memset(p, 0, sizeof *p);
    assert_int_equal(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = p->stream;
    p->at.context = test_context_of(&config);
    generate(name, type, &p->A);
    put_matrix(&p->at, &p->A, &p->here);
    p->bytes = p->A.nnz * (int64_t)spg_type_size(type);
}

static void close_problem(problem *p)
{
    spg_csr_free(p->at.context, &p->here);
    spg_csr_free(test_host(), &p->A);
    spg_context_destroy(p->at.context);
    assert_int_equal(cudaStreamDestroy(p->stream), cudaSuccess);
}

static void *room(int64_t bytes)
{
    void *memory = calloc((size_t)bytes + 1, 1);
    assert_non_null(memory);
    return memory;
}

static void send(const problem *p, void *there, const void *bytes, int64_t count)
{
    assert_int_equal(cudaMemcpyAsync(there, bytes, (size_t)count, cudaMemcpyHostToDevice, p->stream), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(p->stream), cudaSuccess);
}

/* Values of A with rows and columns scaled alike: Hermitian bit for bit and positive definite, as A. malloc'ed. */
static void *renewed_values(const problem *p, uint64_t seed)
{
    const bool single = p->A.value_type == SPG_C32;
    double *d = room(p->A.rows * (int64_t)sizeof *d);
    void *values = room(p->bytes);
    test_random_values(seed, 0, SPG_F64, p->A.rows, d);
    for (int64_t i = 0; i < p->A.rows; ++i)
        for (int64_t k = test_offset(&p->A, i); k < test_offset(&p->A, i + 1); ++k)
            for (int64_t part = 2 * k; part < 2 * k + 2; ++part) {
                const double factor = (1.5 + d[i]) * (1.5 + d[p->A.columns[k]]);
                if (single)
                    ((float *)values)[part] = (float)factor * ((const float *)p->A.values)[part];
                else
                    ((double *)values)[part] = factor * ((const double *)p->A.values)[part];
            }
    free(d);
    return values;
}

static void begin_capture(const problem *p)
{
    waits = 0;
    assert_int_equal(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
}

static cudaGraphExec_t end_capture(const problem *p)
{
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    assert_int_equal(waits, 0);
    assert_int_equal(cudaStreamEndCapture(p->stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
    cudaGraphDestroy(graph);
    return replay;
}

static void launch(const problem *p, cudaGraphExec_t replay)
{
    assert_int_equal(cudaGraphLaunch(replay, p->stream), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(p->stream), cudaSuccess);
}

/* ---- Real forms ---- */

/* The form on the device has the bits that the host's has for these values. */
static void assert_form_of(const problem *p, const spg_csr *form, void *values)
{
    spg_csr A = p->A, expected;
    const int64_t bytes = form->nnz * (int64_t)spg_type_size(form->value_type);
    void *found = room(bytes);
    A.values = values;
    assert_int_equal(spg_csr_real_form(test_host(), &A, &expected), SPG_OK);
    assert_int_equal(expected.nnz, form->nnz);
    get(&p->at, form->values, bytes, found);
    assert_memory_equal(found, expected.values, (size_t)bytes);
    spg_csr_free(test_host(), &expected);
    free(found);
}

static void new_values_of_a_real_form_are_captured_and_replayed(void **state)
{
    (void)state;
    for (spg_type type = SPG_C32; type <= SPG_C64; ++type) {
        problem p;
        spg_csr form;
        int64_t before, after;
        open_problem(&p, "magnet2d:50", type);
        assert_int_equal(spg_csr_real_form(p.at.context, &p.here, &form), SPG_OK);
        spg_context_memory(p.at.context, &before, NULL);
        begin_capture(&p);
        assert_int_equal(spg_csr_real_form_values(p.at.context, &p.here, &form), SPG_OK);
        cudaGraphExec_t replay = end_capture(&p);
        spg_context_memory(p.at.context, &after, NULL);
        assert_int_equal(before, after);
        for (uint64_t seed = 70; seed < 73; ++seed) {
            void *values = renewed_values(&p, seed);
            send(&p, p.here.values, values, p.bytes);
            launch(&p, replay);
            assert_form_of(&p, &form, values);
            free(values);
        }
        cudaGraphExecDestroy(replay);
        spg_csr_free(p.at.context, &form);
        close_problem(&p);
    }
}

/* ---- Products with several vectors ---- */

static void products_with_several_vectors_are_captured_and_replayed(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    problem p;
    open_problem(&p, "magnet2d:30", SPG_C64);
    const int64_t n = p.A.rows, bytes = n * COUNT * (int64_t)spg_type_size(SPG_C64);
    void *x = room(bytes), *y = room(bytes), *expected = room(bytes);
    void *x_here = put(&p.at, NULL, bytes), *y_here = put(&p.at, NULL, bytes);
    for (int layout = SPG_ROW_MAJOR; layout <= SPG_COLUMN_MAJOR; ++layout) {
        const int64_t stride = layout == SPG_ROW_MAJOR ? COUNT : n;
        begin_capture(&p);
        assert_int_equal(
            spg_csr_spmm(p.at.context, NULL, &p.here, COUNT, (spg_layout)layout, x_here, stride, NULL, y_here, stride),
            SPG_OK);
        cudaGraphExec_t replay = end_capture(&p);
        for (uint64_t seed = 80; seed < 82; ++seed) {
            spg_csr A = p.A;
            A.values = renewed_values(&p, seed);
            test_random_values(seed, 1, SPG_C64, n * COUNT, x);
            send(&p, p.here.values, A.values, p.bytes);
            send(&p, x_here, x, bytes);
            launch(&p, replay);
            get(&p.at, y_here, bytes, y);
            assert_int_equal(
                spg_csr_spmm(test_host(), NULL, &A, COUNT, (spg_layout)layout, x, stride, NULL, expected, stride),
                SPG_OK);
            assert_memory_equal(y, expected, (size_t)bytes);
            free(A.values);
        }
        cudaGraphExecDestroy(replay);
    }
    drop(&p.at, x_here, bytes);
    drop(&p.at, y_here, bytes);
    free(x);
    free(y);
    free(expected);
    close_problem(&p);
}

/* ---- Hierarchies ---- */

static spg_amg *hierarchy(const problem *p, int filter)
{
    spg_amg *amg;
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 60;
    options.prepare_update = 1;
    options.theta = filter ? 0.08 : 0;
    options.filter = filter;
    assert_int_equal(spg_amg_setup(p->at.context, &p->here, &options, &amg), SPG_OK);
    assert_true(spg_amg_levels(amg) > 2);
    return amg;
}

static void update_and_cycle(const problem *p, spg_amg *amg, const void *b, void *x, int64_t bytes)
{
    assert_int_equal(spg_amg_update(p->at.context, amg, &p->here), SPG_OK);
    assert_int_equal(cudaMemsetAsync(x, 0, (size_t)bytes, p->stream), cudaSuccess);
    assert_int_equal(spg_amg_cycle(p->at.context, amg, b, x), SPG_OK);
}

/* A cycle of a hierarchy that was set up as the captured one and then updated once, to these values. */
static void expected_cycle(const problem *p, int filter, const void *values, const void *b, void *x, int64_t bytes)
{
    send(p, p->here.values, p->A.values, p->bytes);
    spg_amg *amg = hierarchy(p, filter);
    send(p, p->here.values, values, p->bytes);
    update_and_cycle(p, amg, b, x, bytes);
    assert_int_equal(cudaStreamSynchronize(p->stream), cudaSuccess);
    spg_amg_destroy(amg);
}

static void captured_updates_and_cycles_are_replayed(const char *name, spg_type type, int filter)
{
    problem p;
    int64_t before, after;
    open_problem(&p, name, type);
    const int64_t bytes = p.A.rows * (int64_t)spg_type_size(type);
    void *b = put(&p.at, NULL, bytes), *x = put(&p.at, NULL, bytes);
    void *numbers = room(bytes), *found = room(bytes), *expected = room(bytes);
    spg_amg *amg = hierarchy(&p, filter);
    spg_context_memory(p.at.context, &before, NULL);
    begin_capture(&p);
    update_and_cycle(&p, amg, b, x, bytes);
    cudaGraphExec_t replay = end_capture(&p);
    spg_context_memory(p.at.context, &after, NULL);
    assert_int_equal(before, after);
    for (uint64_t seed = 90; seed < 92; ++seed) {
        void *values = renewed_values(&p, seed);
        test_random_values(seed, 2, type, p.A.rows, numbers);
        send(&p, b, numbers, bytes);
        send(&p, p.here.values, values, p.bytes);
        launch(&p, replay);
        get(&p.at, x, bytes, found);
        expected_cycle(&p, filter, values, b, x, bytes);
        get(&p.at, x, bytes, expected);
        assert_memory_equal(found, expected, (size_t)bytes);
        free(values);
    }
    cudaGraphExecDestroy(replay);
    spg_amg_destroy(amg);
    drop(&p.at, b, bytes);
    drop(&p.at, x, bytes);
    free(numbers);
    free(found);
    free(expected);
    close_problem(&p);
}

static void captured_updates_and_cycles_of_complex_hierarchies_are_replayed_with_new_values(void **state)
{
    (void)state;
    for (spg_type type = SPG_C32; type <= SPG_C64; ++type)
        for (int filter = 0; filter < 2; ++filter) {
            captured_updates_and_cycles_are_replayed("magnet2d:50", type, filter);
            captured_updates_and_cycles_are_replayed("magnet3d:12:3", type, filter);
        }
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_values_of_a_real_form_are_captured_and_replayed),
        cmocka_unit_test(products_with_several_vectors_are_captured_and_replayed),
        cmocka_unit_test(captured_updates_and_cycles_of_complex_hierarchies_are_replayed_with_new_values),
    };
    return TEST_RUN_HERE(2, arguments, "complex matrices on streams and in graphs", tests);
}

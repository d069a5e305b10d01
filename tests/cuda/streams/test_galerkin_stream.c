/* What a user of streams relies on in Galerkin products, whose parts are queued beside each other: all of it follows
 * what was queued on the caller's stream before, and what he queues after the call follows all of it. */
#include "products.h"

#include "spg/amg.h"

#include <cuda_runtime_api.h>
#include <string.h>

typedef struct operands {
    cudaStream_t stream;
    spg_context *context;
    spg_csr A, P, here_A, here_P, other_A, other_P; /* the others have other numbers */
} operands;

/* A is its own transpose, or not quite: the last entry above the diagonal differs. */
static void random_square(int64_t rows, bool symmetric, uint64_t seed, spg_csr *A)
{
    spg_coo triples;
    spg_csr half;
    test_random_csr(test_host(), (test_matrix){rows, rows, 3, SPG_I32, SPG_F64}, 3, TEST_INTEGER, &half);
    test_random_values(seed, 0, SPG_F64, half.nnz, half.values);
    assert_int_equal(spg_coo_alloc(test_host(), rows, rows, 2 * half.nnz, SPG_F64, &triples), SPG_OK);
    int64_t k = 0;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t e = test_offset(&half, i); e < test_offset(&half, i + 1); ++e)
            for (int turned = 0; turned < 2; ++turned, ++k) {
                triples.row_indices[k] = turned ? half.columns[e] : (int32_t)i;
                triples.columns[k] = turned ? (int32_t)i : half.columns[e];
                ((double *)triples.values)[k] = ((double *)half.values)[e];
            }
    assert_int_equal(spg_csr_from_coo(test_host(), &triples, SPG_I32, A), SPG_OK);
    if (!symmetric) ((double *)A->values)[A->nnz - 1] += 1;
    spg_coo_free(test_host(), &triples);
    spg_csr_free(test_host(), &half);
}

static void open_operands(operands *o, int64_t rows, bool symmetric)
{
    memset(o, 0, sizeof *o);
    assert_int_equal(cudaStreamCreateWithFlags(&o->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = o->stream;
    o->context = test_context_of(&config);
    random_square(rows, symmetric, 7, &o->A);
    random_square(rows, symmetric, 8, &o->other_A);
    test_random_csr(test_host(), (test_matrix){rows, rows / 8 + 1, 3, SPG_I32, SPG_F64}, 4, 0, &o->P);
    assert_int_equal(spg_csr_copy(test_host(), &o->P, &o->other_P), SPG_OK);
    test_random_values(9, 0, SPG_F64, o->P.nnz, o->other_P.values);
    test_to_place(o->context, &o->other_A, &o->here_A);
    test_to_place(o->context, &o->other_P, &o->here_P);
}

static void close_operands(operands *o)
{
    spg_csr *matrices[] = {&o->A, &o->P, &o->other_A, &o->other_P};
    for (int k = 0; k < 4; ++k) spg_csr_free(test_host(), matrices[k]);
    spg_csr_free(o->context, &o->here_A);
    spg_csr_free(o->context, &o->here_P);
    spg_context_destroy(o->context);
    assert_int_equal(cudaStreamDestroy(o->stream), cudaSuccess);
}

static void queue_values(const operands *o, const spg_csr *from, const spg_csr *to)
{
    assert_int_equal(cudaMemcpyAsync(to->values, from->values, (size_t)from->nnz * sizeof(double),
                                     cudaMemcpyHostToDevice, o->stream),
                     cudaSuccess);
}

/* Fails the test unless `here_C` has the bits of the host's product; frees it. */
static void take_product(const operands *o, spg_csr *here_C, const char *where)
{
    spg_csr expected, C;
    assert_int_equal(spg_galerkin(test_host(), NULL, &o->A, &o->P, &expected), SPG_OK);
    test_to_host(o->context, here_C, &C);
    test_assert_same_product(&C, &expected, where);
    spg_csr_free(test_host(), &expected);
    spg_csr_free(test_host(), &C);
    spg_csr_free(o->context, here_C);
}

/* Long enough that what is not ordered would show: values come before the call by copies, and are gone after it. */
static void a_product_stays_between_what_is_queued_before_and_after_it(void **state)
{
    (void)state;
    for (int symmetric = 0; symmetric < 2; ++symmetric) {
        operands o;
        open_operands(&o, 300000, symmetric);
        for (int k = 0; k < 4; ++k) {
            spg_csr here_C;
            queue_values(&o, &o.A, &o.here_A);
            queue_values(&o, &o.P, &o.here_P);
            assert_int_equal(spg_galerkin(o.context, NULL, &o.here_A, &o.here_P, &here_C), SPG_OK);
            assert_int_equal(cudaMemsetAsync(o.here_A.values, 0xff, (size_t)o.A.nnz * sizeof(double), o.stream),
                             cudaSuccess);
            assert_int_equal(cudaMemsetAsync(o.here_P.values, 0xff, (size_t)o.P.nnz * sizeof(double), o.stream),
                             cudaSuccess);
            take_product(&o, &here_C, "between copies");
        }
        close_operands(&o);
    }
}

static void set_column(const operands *o, const spg_csr *matrix, int64_t entry, int32_t column)
{
    assert_int_equal(
        cudaMemcpyAsync(matrix->columns + entry, &column, sizeof column, cudaMemcpyHostToDevice, o->stream),
        cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(o->stream), cudaSuccess);
}

static void set_offset(const operands *o, const spg_csr *matrix, int64_t row, int32_t offset)
{
    assert_int_equal(cudaMemcpyAsync((int32_t *)matrix->row_offsets + row, &offset, sizeof offset,
                                     cudaMemcpyHostToDevice, o->stream),
                     cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(o->stream), cudaSuccess);
}

/* Both are being worked on when either is found out. */
static void a_failure_leaves_nothing_and_the_next_product_is_right(void **state)
{
    (void)state;
    operands o;
    open_operands(&o, 40000, true);
    queue_values(&o, &o.A, &o.here_A);
    queue_values(&o, &o.P, &o.here_P);
    int64_t before, after;
    spg_context_memory(o.context, &before, NULL);
    for (int fault = 0; fault < 5; ++fault) {
        const spg_csr *matrix = fault < 3 ? &o.here_P : &o.here_A, *host = fault < 3 ? &o.P : &o.A;
        const int64_t place = fault == 0 ? 0 : fault == 1 ? host->nnz - 1 : host->rows / 2;
        const bool is_column = fault < 2 || fault == 3;
        spg_csr here_C;
        if (is_column)
            set_column(&o, matrix, place, fault == 1 ? -1 : (int32_t)host->cols);
        else
            set_offset(&o, matrix, place, (int32_t)host->nnz + 1);
        assert_int_equal(spg_galerkin(o.context, NULL, &o.here_A, &o.here_P, &here_C), SPG_ERROR_FORMAT);
        const char *message = spg_context_message(o.context);
        if (strncmp(message, fault < 3 ? "P: row " : "A*P, whose B is P: A: row ", fault < 3 ? 7 : 26) != 0)
            fail_msg("fault %d is told as \"%s\"", fault, message);
        test_assert_zeroed(&here_C, sizeof here_C);
        spg_context_memory(o.context, &after, NULL);
        assert_int_equal(after, before);
        if (is_column)
            set_column(&o, matrix, place, host->columns[place]);
        else
            set_offset(&o, matrix, place, (int32_t)test_offset(host, place));
        assert_int_equal(spg_galerkin(o.context, NULL, &o.here_A, &o.here_P, &here_C), SPG_OK);
        take_product(&o, &here_C, "after a failure");
    }
    close_operands(&o);
}

/* In turn, as there is no room for the workspace of both at a time. */
static void a_small_workspace_limit_changes_no_bit(void **state)
{
    (void)state;
    operands o;
    open_operands(&o, 40000, true);
    queue_values(&o, &o.A, &o.here_A);
    queue_values(&o, &o.P, &o.here_P);
    int products = 0;
    for (int64_t limit = 1 << 20; limit <= 1 << 26; limit *= 2) {
        spg_csr here_C;
        int64_t before, peak;
        assert_int_equal(spg_context_set_workspace_limit(o.context, limit), SPG_OK);
        spg_context_memory_reset(o.context);
        spg_context_memory(o.context, &before, NULL);
        if (spg_galerkin(o.context, NULL, &o.here_A, &o.here_P, &here_C) != SPG_OK) continue;
        spg_context_memory(o.context, NULL, &peak);
        assert_true(peak - before <= limit + here_C.nnz * 12 + (here_C.rows + 1) * 4);
        take_product(&o, &here_C, "under a limit");
        products++;
    }
    assert_true(products > 0);
    close_operands(&o);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_stays_between_what_is_queued_before_and_after_it),
        cmocka_unit_test(a_failure_leaves_nothing_and_the_next_product_is_right),
        cmocka_unit_test(a_small_workspace_limit_changes_no_bit),
    };
    return TEST_RUN_HERE(2, arguments, "galerkin products on streams", tests);
}

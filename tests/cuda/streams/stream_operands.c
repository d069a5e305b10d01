/* See stream_operands.h. */
#include "stream_operands.h"

const operand_shape shapes[SHAPES] = {{3000, 4, 3}, {2000, 12, 9}, {1500, 30, 30}, {900, 200, 150}};

void send_operands_within(operands *o, int64_t workspace_limit)
{
    assert_int_equal(cudaStreamCreateWithFlags(&o->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = o->stream;
    config.workspace_limit = workspace_limit;
    o->context = test_context_of(&config);
    test_to_place(o->context, &o->A, &o->here_A);
    test_to_place(o->context, &o->B, &o->here_B);
}

void send_operands(operands *o) { send_operands_within(o, 0); }

void open_operands(operands *o, const operand_shape *shape, spg_type value_type)
{
    const int64_t n = shape->rows;
    test_random_csr(test_host(), (test_matrix){n, n, shape->a_mean, SPG_I32, value_type}, 3, TEST_INTEGER, &o->A);
    test_random_csr(test_host(), (test_matrix){n, n, shape->b_mean, SPG_I32, value_type}, 4, TEST_INTEGER, &o->B);
    send_operands(o);
}

void close_operands(operands *o)
{
    spg_csr_free(o->context, &o->here_A);
    spg_csr_free(o->context, &o->here_B);
    spg_csr_free(test_host(), &o->A);
    spg_csr_free(test_host(), &o->B);
    spg_context_destroy(o->context);
    assert_int_equal(cudaStreamDestroy(o->stream), cudaSuccess);
}

void assert_product(operands *o, const spg_csr *here_C, const char *where)
{
    spg_csr expected, C;
    test_reference_product(&o->A, &o->B, &expected);
    test_to_host(o->context, here_C, &C);
    test_assert_same_product(&C, &expected, where);
    spg_csr_free(test_host(), &expected);
    spg_csr_free(test_host(), &C);
}

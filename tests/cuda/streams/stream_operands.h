/* Operands on the host and on a device, and a context of the caller's stream there. */
#ifndef SPG_TESTS_CUDA_STREAM_OPERANDS_H
#define SPG_TESTS_CUDA_STREAM_OPERANDS_H

#include "products.h"

#include <cuda_runtime_api.h>

typedef struct operands {
    cudaStream_t stream;
    spg_context *context;
    spg_csr A, B, here_A, here_B;
} operands;

/* The rest of the operands, of which A and B are made. */
void send_operands(operands *o);
void send_operands_within(operands *o, int64_t workspace_limit);

/* Square ones, of so many entries a row on average: shapes by which products of every class of rows come up. */
typedef struct operand_shape {
    int64_t rows;
    double a_mean, b_mean;
} operand_shape;
enum { SHAPES = 4 };
extern const operand_shape shapes[SHAPES];
void open_operands(operands *o, const operand_shape *shape, spg_type value_type);

void close_operands(operands *o);

/* Fails the test unless C has the bits of the reference for A and B as they are on the host. */
void assert_product(operands *o, const spg_csr *here_C, const char *where);

#endif

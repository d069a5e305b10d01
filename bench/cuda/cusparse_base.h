/* What both kinds of cuSPARSE peers stand on: handle, memory, operands and result. Private to bench/cuda/. */
#ifndef SPG_BENCH_CUDA_CUSPARSE_BASE_H
#define SPG_BENCH_CUDA_CUSPARSE_BASE_H

#include "peer.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>

typedef struct device_buffer {
    void *memory; /* not NULL for 0 bytes either: to cuSPARSE, NULL asks for a size */
    int64_t bytes;
} device_buffer;

/* A matrix on the device, 32-bit offsets. */
typedef struct device_csr {
    int64_t rows, cols, nnz;
    device_buffer row_offsets, columns, values;
    cusparseSpMatDescr_t descriptor;
} device_csr;

/* Buffers come from a stream-ordered pool that keeps all that is freed, so that allocating costs cuSPARSE as little as
 * can be. */
typedef struct cusparse_base {
    spg_context *errors;
    cusparseHandle_t handle;
    cudaMemPool_t pool;
    spg_type value_type;
    cudaDataType type;
    const void *one, *zero;         /* of the value type, on the host */
    device_csr A, B, C;             /* B unused for A*A, P for R*A*P */
    device_csr R, AP;               /* during a product R*A*P */
    bool is_square, is_galerkin;    /* A*A, R*A*P */
    int64_t held_bytes, peak_bytes; /* of workspace */
} cusparse_base;

bool cusparse_supports(spg_type value_type);

/* Both libraries' statuses as ours: MEMORY or UNSUPPORTED where that is what they say. `what` was being done. */
spg_status check_cuda(const cusparse_base *base, cudaError_t error, const char *what);
spg_status check_cusparse(const cusparse_base *base, cusparseStatus_t status, const char *what);

/* take_workspace and give_workspace count; giving what was not taken is allowed. */
spg_status take_buffer(cusparse_base *base, int64_t bytes, device_buffer *buffer);
void give_buffer(device_buffer *buffer);
spg_status take_workspace(cusparse_base *base, size_t bytes, device_buffer *buffer);
void give_workspace(cusparse_base *base, device_buffer *buffer);

/* Handle, pool, and the operands copied to the device. After a failure, too, close it. */
spg_status open_cusparse(cusparse_base *base, spg_context *errors, const problem *task);
void close_cusparse(cusparse_base *base);
cusparseSpMatDescr_t second_operand(const cusparse_base *base);

/* A result, C or AP: first without entries, its offsets allocated; then, when cuSPARSE has counted them, columns and
 * values. */
spg_status begin_result(cusparse_base *base, device_csr *result);
spg_status size_result(cusparse_base *base, device_csr *result);
void release_result(cusparse_base *base);

/* R = P^T, its arrays allocated; give_intermediates frees it and AP, whichever there are. */
spg_status make_restriction(cusparse_base *base);
void count_intermediate(cusparse_base *base, const device_csr *matrix); /* as workspace */
void give_intermediates(cusparse_base *base);
void view_result(const cusparse_base *base, csr_view *view);

#endif

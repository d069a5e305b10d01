/* See cusparse_base.h. */
#include "cusparse_base.h"

#include <stdlib.h>

bool cusparse_supports(spg_type value_type)
{
    (void)value_type;
    return true;
}

spg_status check_cuda(const cusparse_base *base, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return SPG_OK;
    cudaGetLastError();
    return spg_context_fail(base->errors, error == cudaErrorMemoryAllocation ? SPG_ERROR_MEMORY : SPG_ERROR_DEVICE,
                            "%s: %s", what, cudaGetErrorString(error));
}

spg_status check_cusparse(const cusparse_base *base, cusparseStatus_t status, const char *what)
{
    spg_status result = SPG_ERROR_DEVICE;
    switch (status) {
    case CUSPARSE_STATUS_SUCCESS: return SPG_OK;
    case CUSPARSE_STATUS_ALLOC_FAILED:
    case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES: result = SPG_ERROR_MEMORY; break;
    case CUSPARSE_STATUS_NOT_SUPPORTED: result = SPG_ERROR_UNSUPPORTED; break;
    default: break;
    }
    return spg_context_fail(base->errors, result, "%s: %s", what, cusparseGetErrorString(status));
}

spg_status take_buffer(cusparse_base *base, int64_t bytes, device_buffer *buffer)
{
    *buffer = (device_buffer){NULL, 0};
    const size_t asked = bytes > 0 ? (size_t)bytes : 1;
    const cudaError_t error = cudaMallocFromPoolAsync(&buffer->memory, asked, base->pool, NULL);
    if (error == cudaSuccess) buffer->bytes = bytes;
    return check_cuda(base, error, "a buffer");
}

void give_buffer(device_buffer *buffer)
{
    if (buffer->memory != NULL) cudaFreeAsync(buffer->memory, NULL);
    *buffer = (device_buffer){NULL, 0};
}

spg_status take_workspace(cusparse_base *base, size_t bytes, device_buffer *buffer)
{
    const spg_status status = take_buffer(base, (int64_t)bytes, buffer);
    base->held_bytes += buffer->bytes;
    if (base->held_bytes > base->peak_bytes) base->peak_bytes = base->held_bytes;
    return status;
}

void give_workspace(cusparse_base *base, device_buffer *buffer)
{
    base->held_bytes -= buffer->bytes;
    give_buffer(buffer);
}

static spg_status upload(cusparse_base *base, const void *from, int64_t bytes, device_buffer *to)
{
    spg_status status = take_buffer(base, bytes, to);
    if (status != SPG_OK || bytes == 0) return status;
    return check_cuda(base, cudaMemcpy(to->memory, from, (size_t)bytes, cudaMemcpyHostToDevice),
                      "a copy of an operand");
}

static spg_status describe(cusparse_base *base, device_csr *matrix)
{
    const cusparseStatus_t status =
        cusparseCreateCsr(&matrix->descriptor, matrix->rows, matrix->cols, matrix->nnz, matrix->row_offsets.memory,
                          matrix->columns.memory, matrix->values.memory, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, base->type);
    return check_cusparse(base, status, "cusparseCreateCsr");
}

static spg_status upload_matrix(cusparse_base *base, const spg_csr *from, device_csr *to)
{
    to->rows = from->rows;
    to->cols = from->cols;
    to->nnz = from->nnz;
    int32_t *offsets = offsets_as_int32(from);
    if (offsets == NULL)
        return spg_context_fail(base->errors, SPG_ERROR_UNSUPPORTED, "it needs 32-bit offsets, which do not suffice");
    spg_status status = upload(base, offsets, (from->rows + 1) * (int64_t)sizeof *offsets, &to->row_offsets);
    free(offsets);
    const int64_t value_bytes = from->nnz * (int64_t)spg_type_size(from->value_type);
    if (status == SPG_OK) status = upload(base, from->columns, from->nnz * (int64_t)sizeof(int32_t), &to->columns);
    if (status == SPG_OK) status = upload(base, from->values, value_bytes, &to->values);
    return status == SPG_OK ? describe(base, to) : status;
}

static void give_matrix(device_csr *matrix)
{
    if (matrix->descriptor != NULL) cusparseDestroySpMat(matrix->descriptor);
    give_buffer(&matrix->row_offsets);
    give_buffer(&matrix->columns);
    give_buffer(&matrix->values);
    *matrix = (device_csr){0};
}

static spg_status create_pool(cusparse_base *base)
{
    int device = 0;
    uint64_t keep_all = UINT64_MAX;
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice}};
    cudaError_t error = cudaGetDevice(&device);
    properties.location.id = device;
    if (error == cudaSuccess) error = cudaMemPoolCreate(&base->pool, &properties);
    if (error == cudaSuccess) error = cudaMemPoolSetAttribute(base->pool, cudaMemPoolAttrReleaseThreshold, &keep_all);
    return check_cuda(base, error, "a memory pool");
}

static void choose_type(cusparse_base *base, spg_type type)
{
    static const cudaDataType types[] = {
        [SPG_F32] = CUDA_R_32F, [SPG_F64] = CUDA_R_64F, [SPG_C32] = CUDA_C_32F, [SPG_C64] = CUDA_C_64F};
    static const float singles[] = {1.0F, 0.0F, 0.0F};
    static const double doubles[] = {1.0, 0.0, 0.0};
    const bool is_single = type == SPG_F32 || type == SPG_C32;
    base->value_type = type;
    base->type = types[type];
    base->one = is_single ? (const void *)singles : doubles;
    base->zero = is_single ? (const void *)(singles + 1) : doubles + 1;
}

spg_status open_cusparse(cusparse_base *base, spg_context *errors, const problem *task)
{
    *base = (cusparse_base){
        .errors = errors, .is_square = task->product == PRODUCT_AA, .is_galerkin = task->product == PRODUCT_RAP};
    choose_type(base, task->A.value_type);
    spg_status status = create_pool(base);
    if (status == SPG_OK) status = check_cusparse(base, cusparseCreate(&base->handle), "cusparseCreate");
    if (status == SPG_OK) status = upload_matrix(base, &task->A, &base->A);
    if (status == SPG_OK && !base->is_square) status = upload_matrix(base, &task->B, &base->B);
    base->C.rows = base->is_galerkin ? task->B.cols : task->A.rows;
    base->C.cols = task->B.cols;
    return status;
}

void close_cusparse(cusparse_base *base)
{
    release_result(base);
    give_intermediates(base);
    give_matrix(&base->A);
    give_matrix(&base->B);
    cudaDeviceSynchronize();
    if (base->handle != NULL) cusparseDestroy(base->handle);
    if (base->pool != NULL) cudaMemPoolDestroy(base->pool);
    cudaGetLastError();
}

cusparseSpMatDescr_t second_operand(const cusparse_base *base)
{
    return base->is_square ? base->A.descriptor : base->B.descriptor;
}

spg_status begin_result(cusparse_base *base, device_csr *C)
{
    C->nnz = 0;
    spg_status status = take_buffer(base, (C->rows + 1) * (int64_t)sizeof(int32_t), &C->row_offsets);
    return status == SPG_OK ? describe(base, C) : status;
}

spg_status size_result(cusparse_base *base, device_csr *C)
{
    int64_t rows, cols;
    spg_status status =
        check_cusparse(base, cusparseSpMatGetSize(C->descriptor, &rows, &cols, &C->nnz), "cusparseSpMatGetSize");
    const int64_t value_bytes = C->nnz * (int64_t)spg_type_size(base->value_type);
    if (status == SPG_OK) status = take_buffer(base, C->nnz * (int64_t)sizeof(int32_t), &C->columns);
    if (status == SPG_OK) status = take_buffer(base, value_bytes, &C->values);
    if (status != SPG_OK) return status;
    return check_cusparse(
        base, cusparseCsrSetPointers(C->descriptor, C->row_offsets.memory, C->columns.memory, C->values.memory),
        "cusparseCsrSetPointers");
}

void release_result(cusparse_base *base)
{
    const int64_t rows = base->C.rows, cols = base->C.cols;
    give_matrix(&base->C);
    base->C.rows = rows;
    base->C.cols = cols;
}

spg_status make_restriction(cusparse_base *base)
{
    const device_csr *P = &base->B;
    device_csr *R = &base->R;
    device_buffer work = {NULL, 0};
    size_t bytes = 0;
    *R = (device_csr){.rows = P->cols, .cols = P->rows, .nnz = P->nnz};
    spg_status status = take_buffer(base, (R->rows + 1) * (int64_t)sizeof(int32_t), &R->row_offsets);
    if (status == SPG_OK) status = take_buffer(base, R->nnz * (int64_t)sizeof(int32_t), &R->columns);
    if (status == SPG_OK) status = take_buffer(base, R->nnz * (int64_t)spg_type_size(base->value_type), &R->values);
    if (status != SPG_OK) return status;
    count_intermediate(base, R);
    status = check_cusparse(base,
                            cusparseCsr2cscEx2_bufferSize(base->handle, (int)P->rows, (int)P->cols, (int)P->nnz,
                                                          P->values.memory, P->row_offsets.memory, P->columns.memory,
                                                          R->values.memory, R->row_offsets.memory, R->columns.memory,
                                                          base->type, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                                          CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes),
                            "cusparseCsr2cscEx2_bufferSize");
    if (status == SPG_OK) status = take_workspace(base, bytes, &work);
    if (status == SPG_OK)
        status = check_cusparse(base,
                                cusparseCsr2cscEx2(base->handle, (int)P->rows, (int)P->cols, (int)P->nnz,
                                                   P->values.memory, P->row_offsets.memory, P->columns.memory,
                                                   R->values.memory, R->row_offsets.memory, R->columns.memory,
                                                   base->type, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                                   CUSPARSE_CSR2CSC_ALG_DEFAULT, work.memory),
                                "cusparseCsr2cscEx2");
    give_workspace(base, &work);
    return status == SPG_OK ? describe(base, R) : status;
}

static int64_t matrix_bytes(const device_csr *matrix)
{
    return matrix->row_offsets.bytes + matrix->columns.bytes + matrix->values.bytes;
}

void count_intermediate(cusparse_base *base, const device_csr *matrix)
{
    base->held_bytes += matrix_bytes(matrix);
    if (base->held_bytes > base->peak_bytes) base->peak_bytes = base->held_bytes;
}

void give_intermediates(cusparse_base *base)
{
    base->held_bytes = 0; /* nothing else is held between products */
    give_matrix(&base->R);
    give_matrix(&base->AP);
}

void view_result(const cusparse_base *base, csr_view *view)
{
    const device_csr *C = &base->C;
    *view = (csr_view){.rows = C->rows,
                       .cols = C->cols,
                       .nnz = C->nnz,
                       .offset_type = SPG_I32,
                       .column_type = SPG_I32,
                       .value_type = base->value_type,
                       .row_offsets = C->row_offsets.memory,
                       .columns = C->columns.memory,
                       .values = C->values.memory,
                       .place = SPG_PLACE_DEVICE};
}

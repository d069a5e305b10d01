/* The context of the device, and matrices on it as spg sees them. */
#include "cusparse.h"

static spg_context *context_of_device;
static cudaStream_t stream;
static cusparseHandle_t cusparse;

static PetscErrorCode destroy_context(void)
{
    PetscFunctionBegin;
    spg_context_destroy(context_of_device);
    context_of_device = NULL;
    if (cusparse) PetscCallCUSPARSE(cusparseDestroy(cusparse));
    cusparse = NULL;
    PetscFunctionReturn(0);
}

/* PETSc chooses the device of each process: one of its own where there are enough, else they share. */
PetscErrorCode device_context(spg_context **context)
{
    spg_config config = spg_config_default();
    PetscDeviceContext current;
    PetscDevice device;
    PetscInt number;
    void *handle;
    spg_status status;

    PetscFunctionBegin;
    *context = context_of_device;
    if (context_of_device) PetscFunctionReturn(0);
    PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
    PetscCall(PetscDeviceContextGetCurrentContext(&current));
    PetscCall(PetscDeviceContextGetDevice(current, &device));
    PetscCall(PetscDeviceGetDeviceId(device, &number));
    PetscCall(PetscDeviceContextGetStreamHandle(current, &handle));
    stream = *(cudaStream_t *)handle;
    config.place = SPG_PLACE_DEVICE;
    config.device = (int)number;
    config.stream = stream;
    config.log = log_line;
    status = spg_context_create(&config, &context_of_device);
    PetscCheck(status == SPG_OK, PETSC_COMM_SELF, PETSC_ERR_GPU,
               "spg cannot work on GPU %" PetscInt_FMT " (%s): was it built with -DSPG_CUDA=ON? -info has the reason",
               number, spg_status_name(status));
    PetscCall(PetscRegisterFinalize(destroy_context));
    *context = context_of_device;
    PetscFunctionReturn(0);
}

PetscErrorCode device_cusparse(cusparseHandle_t *handle)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    if (!cusparse) {
        PetscCallCUSPARSE(cusparseCreate(&cusparse));
        PetscCallCUSPARSE(cusparseSetStream(cusparse, stream));
    }
    *handle = cusparse;
    PetscFunctionReturn(0);
}

PetscErrorCode device_copy(void *to, const void *from, size_t bytes)
{
    cudaError_t error = cudaSuccess;

    PetscFunctionBegin;
    if (bytes > 0) error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    PetscCheck(error == cudaSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "CUDA cannot copy %zu bytes: %s", bytes,
               cudaGetErrorString(error));
    PetscFunctionReturn(0);
}

PetscErrorCode view_device(Mat matrix, SpgView *view)
{
    const int *offsets, *columns;
    const PetscScalar *values;
    PetscInt rows;
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(
        MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &view->pattern_offsets, &view->pattern_columns, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A matrix without row offsets on the host");
    PetscCall(MatSeqAIJCUSPARSEGetIJ(matrix, PETSC_FALSE, &offsets, &columns));
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(matrix, &values));
    view->csr.nnz = view->pattern_offsets[rows];
    view->csr.offset_type = SPG_I32;
    view->csr.row_offsets = (void *)offsets;
    view->csr.columns = (int32_t *)columns;
    view->csr.values = (void *)values;
    PetscFunctionReturn(0);
}

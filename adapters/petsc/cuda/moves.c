/* Moving values on a device to and from places that a list names. */
#include "cusparse.h"

#if defined(PETSC_USE_COMPLEX)
static const cudaDataType scalar_type = PetscDefined(USE_REAL_SINGLE) ? CUDA_C_32F : CUDA_C_64F;
#else
static const cudaDataType scalar_type = PetscDefined(USE_REAL_SINGLE) ? CUDA_R_32F : CUDA_R_64F;
#endif
static const cusparseIndexType_t index_type = PetscDefined(USE_64BIT_INDICES) ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;

PetscErrorCode device_move_create(PetscInt count, const PetscInt *places, SpgMove *move)
{
    const size_t bytes = (size_t)count * sizeof *places;

    PetscFunctionBegin;
    move->count = count;
    move->places = NULL;
    if (count == 0) PetscFunctionReturn(0);
    PetscCallCUDA(cudaMalloc((void **)&move->places, bytes));
    PetscCall(device_copy(move->places, places, bytes));
    PetscFunctionReturn(0);
}

void device_move_clear(SpgMove *move)
{
    (void)cudaFree(move->places); /* waits for work that reads it */
    move->places = NULL;
}

/* The values at the places of an array of `size` values, and `values`, one for each place. cuSPARSE calls the two a
 * dense and a sparse vector. */
static PetscErrorCode move_values(const SpgMove *move, PetscBool gather, PetscScalar *array, PetscInt size,
                                  PetscScalar *values)
{
    cusparseSpVecDescr_t sparse;
    cusparseDnVecDescr_t dense;
    cusparseHandle_t handle;
    cusparseStatus_t moved;

    PetscFunctionBegin;
    if (move->count == 0) PetscFunctionReturn(0);
    PetscCall(device_cusparse(&handle));
    PetscCallCUSPARSE(cusparseCreateSpVec(&sparse, size, move->count, move->places, values, index_type,
                                          CUSPARSE_INDEX_BASE_ZERO, scalar_type));
    PetscCallCUSPARSE(cusparseCreateDnVec(&dense, size, array, scalar_type));
    moved = gather ? cusparseGather(handle, dense, sparse) : cusparseScatter(handle, sparse, dense);
    PetscCallCUSPARSE(cusparseDestroyDnVec(dense));
    PetscCallCUSPARSE(cusparseDestroySpVec(sparse));
    PetscCallCUSPARSE(moved);
    PetscFunctionReturn(0);
}

PetscErrorCode device_gather(const SpgMove *move, const PetscScalar *array, PetscInt size, PetscScalar *values)
{
    PetscFunctionBegin;
    PetscCall(move_values(move, PETSC_TRUE, (PetscScalar *)array, size, values));
    PetscFunctionReturn(0);
}

PetscErrorCode device_scatter(const SpgMove *move, const PetscScalar *values, PetscScalar *array, PetscInt size)
{
    PetscFunctionBegin;
    PetscCall(move_values(move, PETSC_FALSE, array, size, (PetscScalar *)values));
    PetscFunctionReturn(0);
}

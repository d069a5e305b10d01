/* Products of matrices of one process on a device. */
#include "on_device.h"

typedef struct DeviceProduct {
    SpgView A, B, C;
    spg_csr transpose; /* of R, for R*A*R^T */
    PetscBool done;    /* the symbolic phase has computed the values as well */
    SpgDeviceNumeric numeric;
} DeviceProduct;

static PetscErrorCode destroy_product(void *argument)
{
    DeviceProduct *data = PRODUCT_DATA(argument);
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    device_numeric_clear(&data->numeric);
    spg_csr_free(context, &data->transpose);
    PetscCall(view_clear(&data->A));
    PetscCall(view_clear(&data->B));
    PetscCall(view_clear(&data->C));
    PetscCall(PetscFree(data));
    PetscFunctionReturn(0);
}

static PetscErrorCode update_operands(Mat C, DeviceProduct *data)
{
    const Mat_Product *product = C->product;
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(view_update(product->A, &data->A));
    PetscCall(view_update(product->B, &data->B));
    if (product->type != MATPRODUCT_RARt) PetscFunctionReturn(0);
    PetscCall(device_context(&context));
    spg_csr_free(context, &data->transpose);
    SpgCall(context, spg_csr_transpose(context, &data->B.csr, &data->transpose));
    PetscFunctionReturn(0);
}

/* R of R*A*P; NULL for P^T. */
static const spg_csr *first_factor(Mat C, const DeviceProduct *data)
{
    return C->product->type == MATPRODUCT_RARt ? &data->B.csr : NULL;
}

static const spg_csr *last_factor(Mat C, const DeviceProduct *data)
{
    return C->product->type == MATPRODUCT_RARt ? &data->transpose : &data->B.csr;
}

/* Another matrix, or one with another state, may still have the pattern of the first product. */
static PetscErrorCode check_patterns(Mat C, DeviceProduct *data)
{
    PetscBool same;

    PetscFunctionBegin;
    PetscCall(device_numeric_check(&data->numeric, first_factor(C, data), &data->A.csr, last_factor(C, data), &same));
    if (!same) data->A.id = data->B.id = 0; /* the next call looks again */
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "A matrix has another pattern than in the product that is repeated: pass MAT_INITIAL_MATRIX");
    PetscFunctionReturn(0);
}

/* The result must be that of the first product, as it was. */
static PetscErrorCode update_result(Mat C, DeviceProduct *data)
{
    PetscFunctionBegin;
    PetscCall(view_update(C, &data->C));
    if (data->C.changed) data->C.id = 0; /* the next call fails as well */
    PetscCheck(!data->C.changed, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "The result has another pattern than the product that is repeated: pass MAT_INITIAL_MATRIX");
    PetscFunctionReturn(0);
}

static PetscErrorCode product_numeric(Mat C)
{
    DeviceProduct *data = C->product->data;
    PetscScalar *values;

    PetscFunctionBegin;
    if (data->done) {
        data->done = PETSC_FALSE;
        PetscFunctionReturn(0);
    }
    PetscCall(update_operands(C, data));
    if (data->A.changed || data->B.changed) PetscCall(check_patterns(C, data));
    PetscCall(update_result(C, data));
    PetscCall(PetscLogEventBegin(spg_events.numeric, C, 0, 0, 0));
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(C, &values));
    PetscCall(
        device_numeric_repeat(&data->numeric, first_factor(C, data), &data->A.csr, last_factor(C, data), &data->C.csr));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(C, &values));
    PetscCall(PetscLogEventEnd(spg_events.numeric, C, 0, 0, 0));
    PetscFunctionReturn(0);
}

/* C becomes a matrix with this pattern, which PETSc needs on the host as well, and these values, which stay on the
 * device. */
static PetscErrorCode fill(Mat C, const spg_csr *result, SpgView *view)
{
    const size_t bytes = (size_t)result->nnz * sizeof(PetscScalar);
    int32_t *offsets, *columns;
    PetscInt *wide;
    PetscScalar *values;
    spg_csr pattern = *result;

    PetscFunctionBegin;
    PetscCall(PetscMalloc3(result->rows + 1, &offsets, result->rows + 1, &wide, result->nnz + 1, &columns));
    PetscCall(device_copy(offsets, result->row_offsets, (size_t)(result->rows + 1) * sizeof *offsets));
    PetscCall(device_copy(columns, result->columns, (size_t)result->nnz * sizeof *columns));
    for (int64_t i = 0; i <= result->rows; i++) wide[i] = offsets[i];
    pattern.offset_type = SPG_OFFSET;
    pattern.row_offsets = wide;
    pattern.columns = columns;
    PetscCall(fill_pattern(C, &pattern));
    PetscCall(PetscFree3(offsets, wide, columns));
    PetscCall(view_update(C, view)); /* makes room on the device */
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(C, &values));
    PetscCall(device_copy(values, result->values, bytes));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(C, &values));
    PetscFunctionReturn(0);
}

PetscErrorCode device_product_symbolic(Mat C)
{
    const Mat_Product *product = C->product;
    DeviceProduct *data;
    spg_context *context;
    spg_csr result = {0};

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    PetscCall(PetscNew(&data));
    C->product->data = data;
    C->product->destroy = destroy_product;
    PetscCall(update_operands(C, data));
    PetscCall(PetscLogEventBegin(spg_events.product, C, 0, 0, 0));
    data->numeric.is_triple = product->type == MATPRODUCT_AB ? PETSC_FALSE : PETSC_TRUE;
    PetscCall(device_numeric_first(&data->numeric, first_factor(C, data), &data->A.csr, last_factor(C, data), &result));
    PetscCall(PetscLogEventEnd(spg_events.product, C, 0, 0, 0));
    PetscCall(product_layout(C));
    PetscCall(fill(C, &result, &data->C));
    spg_csr_free(context, &result);
    data->done = product->api_user;
    C->ops->productnumeric = product_numeric;
    PetscFunctionReturn(0);
}

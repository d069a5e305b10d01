/* Products of distributed matrices: each process multiplies its rows of A by the rows of B that they name. */
#include "on_device.h"

static PetscErrorCode destroy_distributed(void *argument)
{
    SpgDistributed *data = PRODUCT_DATA(argument);
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(shared_context(&context));
    PetscCall(numeric_clear(&data->numeric));
    if (data->device)
        PetscCall(device_clear(data));
    else
        spg_csr_free(context, &data->C);
    PetscCall(rows_clear(&data->A));
    PetscCall(rows_clear(&data->B));
    PetscCall(PetscFree(data->R.row_offsets));
    PetscCall(PetscFree(data->R.columns));
    PetscCall(PetscFree(data->R.values));
    PetscCall(PetscFree(data->R_entry));
    PetscCall(PetscFree(data->C_rows));
    PetscCall(PetscFree(data->sum_rows));
    PetscCall(sum_clear(&data->sum));
    PetscCall(MatDestroy(&data->transpose));
    PetscCall(PetscFree(data));
    PetscFunctionReturn(0);
}

/* What the product's second operand is: P of P^T*A*P, also if the product is R*A*R^T. */
static PetscErrorCode second_operand(Mat C, SpgDistributed *data, Mat *B)
{
    PetscFunctionBegin;
    *B = C->product->B;
    if (C->product->type == MATPRODUCT_RARt) {
        PetscCall(transpose_again(C->product->B, &data->transpose));
        *B = data->transpose;
    }
    PetscFunctionReturn(0);
}

/* The transpose of the process's own rows of P. Columns are the padded rows of A. */
static PetscErrorCode transpose_own(SpgDistributed *data)
{
    const SpgRows *P = &data->B;
    const PetscInt *offsets = (const PetscInt *)P->csr.row_offsets + P->own_row;
    const PetscInt begin = offsets[0], nnz = offsets[P->own_rows] - begin;
    const int32_t *columns = P->csr.columns + begin;
    PetscInt *starts;
    PetscScalar *values;

    PetscFunctionBegin;
    data->R = P->csr;
    data->R.rows = P->csr.cols;
    data->R.cols = P->csr.rows;
    data->R.nnz = nnz;
    PetscCall(PetscCalloc1(data->R.rows + 2, &starts));
    PetscCall(PetscMalloc1(nnz + 1, &data->R.columns));
    PetscCall(PetscMalloc1(nnz + 1, &values));
    PetscCall(PetscMalloc1(nnz + 1, &data->R_entry));
    for (PetscInt k = 0; k < nnz; k++) starts[columns[k] + 2]++;
    for (PetscInt i = 2; i < data->R.rows + 2; i++) starts[i] += starts[i - 1];
    for (PetscInt i = 0; i < P->own_rows; i++)
        for (PetscInt k = offsets[i] - begin; k < offsets[i + 1] - begin; k++) {
            const PetscInt to = starts[columns[k] + 1]++;
            data->R.columns[to] = (int32_t)(P->own_row + i);
            data->R_entry[k] = to;
        }
    data->R.row_offsets = starts;
    data->R.values = values;
    PetscFunctionReturn(0);
}

static PetscErrorCode update_transpose(SpgDistributed *data)
{
    const SpgRows *P = &data->B;
    const PetscScalar *from = (const PetscScalar *)P->csr.values + ((const PetscInt *)P->csr.row_offsets)[P->own_row];
    PetscScalar *to = data->R.values;

    PetscFunctionBegin;
    for (PetscInt k = 0; k < data->R.nnz; k++) to[data->R_entry[k]] = from[k];
    PetscFunctionReturn(0);
}

/* ---- C ---------------------------------------------------------------------------------------------------------- */

/* Sums on a device: PETSc's assembly from coordinates finds the pattern and then adds the values. */
static PetscErrorCode set_device_pattern(Mat C, const SpgDistributed *data)
{
    const PetscInt *offsets = data->C.row_offsets;
    PetscInt *i, *j;

    PetscFunctionBegin;
    PetscCall(PetscMalloc2(data->C.nnz + 1, &i, data->C.nnz + 1, &j));
    for (int32_t row = 0; row < data->C.rows; row++) {
        const PetscInt global = rows_global(&data->B, row);
        for (PetscInt k = offsets[row]; k < offsets[row + 1]; k++) {
            i[k] = global;
            j[k] = rows_global(&data->B, data->C.columns[k]);
        }
    }
    PetscCall(MatSetPreallocationCOO(C, data->C.nnz, i, j));
    PetscCall(PetscFree2(i, j));
    PetscFunctionReturn(0);
}

/* Where the values of each row of the part go: at once where they belong if no other process adds to them. */
static PetscErrorCode locate_part(Mat C, SpgDistributed *data)
{
    const PetscInt *offsets = data->C.row_offsets;

    PetscFunctionBegin;
    PetscCall(result_locate(C, &data->sum.rows.csr, &data->sum_rows));
    if (!data->C_rows) PetscCall(PetscMalloc1(data->C.rows + 1, &data->C_rows));
    for (int32_t row = 0; row < data->C.rows; row++) {
        const int32_t own = row - data->B.first;
        data->C_rows[row] = is_own(&data->B, row) && !data->sum.is_summed[own]
                                ? data->sum_rows[own]
                                : (PetscScalar *)data->C.values + offsets[row];
    }
    PetscFunctionReturn(0);
}

/* The pattern of the sum, and the values that no other process adds to. */
static PetscErrorCode set_sum_pattern(Mat C, Mat B, SpgDistributed *data)
{
    const PetscInt *offsets = data->C.row_offsets;
    PetscLayout owners;

    PetscFunctionBegin;
    PetscCall(MatGetLayouts(B, NULL, &owners));
    PetscCall(sum_create(C, owners, &data->B, &data->C, &data->sum));
    PetscCall(result_set_pattern(C, &data->sum.rows, &data->sum.rows.csr));
    PetscCall(locate_part(C, data));
    for (int32_t row = data->B.first; row < data->B.first + data->B.own; row++) {
        const PetscScalar *values = (const PetscScalar *)data->C.values + offsets[row];
        if (!data->sum.is_summed[row - data->B.first])
            PetscCall(PetscArraycpy(data->C_rows[row], values, offsets[row + 1] - offsets[row]));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode set_pattern(Mat C, Mat B, SpgDistributed *data)
{
    PetscFunctionBegin;
    if (C->product->type == MATPRODUCT_AB) {
        PetscCall(result_set_pattern(C, &data->B, &data->C));
        PetscFunctionReturn(0);
    }
    PetscCall(PetscLogEventBegin(spg_events.sum, C, 0, 0, 0));
    if (data->device)
        PetscCall(set_device_pattern(C, data));
    else
        PetscCall(set_sum_pattern(C, B, data));
    PetscCall(PetscLogEventEnd(spg_events.sum, C, 0, 0, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode give_values(Mat C, const SpgDistributed *data)
{
    PetscFunctionBegin;
    if (C->product->type == MATPRODUCT_AB) {
        if (data->device)
            PetscCall(device_set_values(C, data));
        else
            PetscCall(result_set_values(C, &data->B, &data->C, data->C_rows ? PETSC_TRUE : PETSC_FALSE));
        PetscFunctionReturn(0);
    }
    PetscCall(PetscLogEventBegin(spg_events.sum, C, 0, 0, 0));
    if (data->device) {
        PetscCall(MatSetValuesCOO(C, device_values(data), INSERT_VALUES));
    } else {
        PetscCall(sum_values(C, &data->B, &data->C, &data->sum, data->sum_rows));
        PetscCall(result_set_values(C, &data->sum.rows, &data->sum.rows.csr, PETSC_TRUE));
    }
    PetscCall(PetscLogEventEnd(spg_events.sum, C, 0, 0, 0));
    PetscFunctionReturn(0);
}

/* ---- The two phases --------------------------------------------------------------------------------------------- */

static const spg_csr *restriction(Mat C, const SpgDistributed *data)
{
    return C->product->type == MATPRODUCT_AB ? NULL : &data->R;
}

static PetscErrorCode host_first(Mat C, SpgDistributed *data, Mat B)
{
    PetscFunctionBegin;
    PetscCall(rows_update(C->product->A, &data->A));
    PetscCall(rows_update(B, &data->B));
    PetscCall(update_transpose(data));
    PetscCall(PetscLogEventBegin(spg_events.product, C, 0, 0, 0));
    PetscCall(numeric_first(restriction(C, data), &data->A.csr, &data->B.csr, &data->numeric, &data->C));
    PetscCall(PetscLogEventEnd(spg_events.product, C, 0, 0, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode host_repeat(Mat C, SpgDistributed *data, Mat B)
{
    SpgPass pass;

    PetscFunctionBegin;
    PetscCall(rows_locate(C->product->A, &data->A));
    PetscCall(rows_update(B, &data->B));
    PetscCall(update_transpose(data));
    if (C->product->type == MATPRODUCT_AB)
        PetscCall(result_locate(C, &data->C, &data->C_rows));
    else
        PetscCall(locate_part(C, data));
    PetscCall(PetscLogEventBegin(spg_events.numeric, C, 0, 0, 0));
    pass = (SpgPass){
        .A = &data->A.csr, .B = &data->B.csr, .C = &data->C, .A_rows = data->A.row_values, .C_rows = data->C_rows};
    PetscCall(numeric_repeat(restriction(C, data), &pass, &data->numeric));
    PetscCall(PetscLogEventEnd(spg_events.numeric, C, 0, 0, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode distributed_numeric(Mat C)
{
    SpgDistributed *data = C->product->data;
    PetscObjectState pattern;
    Mat B;

    PetscFunctionBegin;
    if (data->done) {
        data->done = PETSC_FALSE;
        PetscFunctionReturn(0);
    }
    PetscCall(MatGetNonzeroState(C, &pattern));
    PetscCheck(pattern == data->C_pattern, PetscObjectComm((PetscObject)C), PETSC_ERR_ARG_SIZ,
               "The result has another pattern than the product that is repeated: pass MAT_INITIAL_MATRIX");
    PetscCall(second_operand(C, data, &B));
    if (data->device)
        PetscCall(device_repeat(C, data, B));
    else
        PetscCall(host_repeat(C, data, B));
    PetscCall(give_values(C, data));
    PetscFunctionReturn(0);
}

static PetscErrorCode check_layouts(Mat A, Mat B, MatProductType type)
{
    PetscLayout rows, columns;
    PetscBool fits, square = PETSC_TRUE;

    PetscFunctionBegin;
    PetscCall(MatGetLayouts(A, &rows, &columns));
    if (type != MATPRODUCT_AB) PetscCall(PetscLayoutCompare(rows, columns, &square));
    PetscCheck(square, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
               "%s needs an A whose rows and columns are distributed alike", MatProductTypes[type]);
    PetscCall(MatGetLayouts(B, &rows, NULL));
    PetscCall(PetscLayoutCompare(columns, rows, &fits));
    PetscCheck(fits, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
               "%s needs a second matrix whose %s are distributed as A's columns are", MatProductTypes[type],
               type == MATPRODUCT_RARt ? "columns" : "rows");
    PetscFunctionReturn(0);
}

PetscErrorCode distributed_symbolic(Mat C)
{
    const Mat_Product *product = C->product;
    const PetscBool sum = product->type == MATPRODUCT_AB ? PETSC_FALSE : PETSC_TRUE;
    PetscBool device;
    SpgDistributed *data;
    Mat B;

    PetscFunctionBegin;
    PetscCall(PetscNew(&data));
    C->product->data = data;
    C->product->destroy = destroy_distributed;
    PetscCall(second_operand(C, data, &B));
    PetscCall(check_layouts(product->A, B, product->type));
    PetscCall(rows_own(product->A, sum, &data->A));
    PetscCall(rows_named(product->A, B, &data->B));
    if (sum) PetscCall(transpose_own(data));
    PetscCall(on_device(product->A, &device));
    if (device)
        PetscCall(device_first(C, data, B));
    else
        PetscCall(host_first(C, data, B));
    PetscCall(product_layout(C));
    PetscCall(set_pattern(C, B, data));
    PetscCall(give_values(C, data));
    PetscCall(MatGetNonzeroState(C, &data->C_pattern));
    data->done = product->api_user;
    C->ops->productnumeric = distributed_numeric;
    PetscFunctionReturn(0);
}

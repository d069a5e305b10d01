/* Sequential AIJ matrices as spg sees them, and made from what spg returns. */
#include "adapter.h"

static PetscErrorCode convert_columns(Mat matrix, const PetscInt *columns, PetscInt count, SpgView *view)
{
    PetscObjectId id;
    PetscObjectState pattern;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)matrix, &id));
    PetscCall(MatGetNonzeroState(matrix, &pattern));
    if (!view->columns || view->id != id || view->pattern != pattern) {
        PetscCall(PetscFree(view->columns));
        PetscCall(PetscMalloc1(count ? count : 1, &view->columns));
        for (PetscInt k = 0; k < count; k++) view->columns[k] = (int32_t)columns[k];
        view->id = id;
        view->pattern = pattern;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode view_update(Mat matrix, SpgView *view)
{
    const PetscInt *offsets, *columns;
    PetscScalar *values;
    PetscMemType place;
    PetscInt rows, cols;
    PetscBool sequential;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)matrix, MATSEQAIJ, &sequential));
    PetscCheck(sequential, PetscObjectComm((PetscObject)matrix), PETSC_ERR_ARG_WRONG,
               "A matrix of type %s where spg needs one of type seqaij", ((PetscObject)matrix)->type_name);
    PetscCheck(matrix->assembled, PetscObjectComm((PetscObject)matrix), PETSC_ERR_ARG_WRONGSTATE,
               "The matrix is not assembled: call MatAssemblyBegin and MatAssemblyEnd first");
    PetscCall(MatGetSize(matrix, &rows, &cols));
    PetscCheck(cols <= INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%" PetscInt_FMT " columns on one process: spg's columns have 32 bits", cols);
    PetscCall(MatSeqAIJGetCSRAndMemType(matrix, &offsets, &columns, &values, &place));
    PetscCheck(PetscMemTypeHost(place), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The matrix is on a device: this plug-in works on the host");
    view->csr = (spg_csr){.rows = rows,
                          .cols = cols,
                          .nnz = offsets[rows],
                          .offset_type = SPG_OFFSET,
                          .value_type = SPG_SCALAR,
                          .place = SPG_PLACE_HOST,
                          .row_offsets = (void *)offsets,
                          .values = values};
    if (PetscDefined(USE_64BIT_INDICES)) {
        PetscCall(convert_columns(matrix, columns, offsets[rows], view));
        view->csr.columns = view->columns;
    } else {
        view->csr.columns = (int32_t *)columns;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode view_clear(SpgView *view)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(view->columns));
    PetscCall(PetscMemzero(view, sizeof(*view)));
    PetscFunctionReturn(0);
}

PetscErrorCode fill_seqaij(Mat matrix, const spg_csr *csr)
{
    const PetscInt *offsets = csr->row_offsets;
    PetscInt *counts, *columns;
    PetscScalar *values;

    PetscFunctionBegin;
    PetscCheck(csr->offset_type == SPG_OFFSET, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row offsets of another type");
    PetscCall(PetscMalloc1(csr->rows + 1, &counts));
    for (PetscInt i = 0; i < csr->rows; i++) counts[i] = offsets[i + 1] - offsets[i];
    PetscCall(MatSeqAIJSetPreallocation(matrix, 0, counts));
    PetscCall(PetscFree(counts));
    if (PetscDefined(USE_64BIT_INDICES)) {
        PetscCall(PetscMalloc1(csr->nnz + 1, &columns));
        for (int64_t k = 0; k < csr->nnz; k++) columns[k] = csr->columns[k];
        PetscCall(MatSeqAIJSetColumnIndices(matrix, columns));
        PetscCall(PetscFree(columns));
    } else {
        PetscCall(MatSeqAIJSetColumnIndices(matrix, (PetscInt *)csr->columns));
    }
    PetscCall(MatSeqAIJGetArrayWrite(matrix, &values));
    PetscCall(PetscArraycpy(values, (const PetscScalar *)csr->values, csr->nnz));
    PetscCall(MatSeqAIJRestoreArrayWrite(matrix, &values));
    PetscCall(MatSetOption(matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Sequential AIJ matrices as spg sees them, and made from what spg returns. */
#include "on_device.h"
#include <string.h>

static PetscErrorCode notice_change(Mat matrix, SpgView *view)
{
    PetscObjectId id;
    PetscObjectState state;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)matrix, &id));
    PetscCall(MatGetNonzeroState(matrix, &state));
    view->changed = view->id != id || view->state != state ? PETSC_TRUE : PETSC_FALSE;
    view->id = id;
    view->state = state;
    PetscFunctionReturn(0);
}

static PetscErrorCode convert_columns(const PetscInt *columns, PetscInt count, SpgView *view)
{
    PetscFunctionBegin;
    if (view->columns && !view->changed) PetscFunctionReturn(0);
    PetscCall(PetscFree(view->columns));
    PetscCall(PetscMalloc1(count ? count : 1, &view->columns));
    for (PetscInt k = 0; k < count; k++) view->columns[k] = (int32_t)columns[k];
    PetscFunctionReturn(0);
}

PetscErrorCode on_device(Mat matrix, PetscBool *device)
{
    PetscBool bound;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)matrix, device, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
    if (!*device) PetscFunctionReturn(0);
    PetscCall(MatBoundToCPU(matrix, &bound));
    if (bound) *device = PETSC_FALSE;
    PetscFunctionReturn(0);
}

static PetscErrorCode view_host(Mat matrix, SpgView *view)
{
    const PetscInt *offsets, *columns;
    PetscScalar *values;
    PetscMemType place;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJGetCSRAndMemType(matrix, &offsets, &columns, &values, &place));
    PetscCheck(PetscMemTypeHost(place), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The matrix, of type %s, is on a device where spg cannot work", ((PetscObject)matrix)->type_name);
    view->csr.nnz = offsets[view->csr.rows];
    view->csr.offset_type = SPG_OFFSET;
    view->csr.row_offsets = (void *)offsets;
    view->csr.values = values;
    view->pattern_offsets = offsets;
    view->pattern_columns = columns;
    if (PetscDefined(USE_64BIT_INDICES)) {
        PetscCall(convert_columns(columns, (PetscInt)view->csr.nnz, view));
        view->csr.columns = view->columns;
    } else {
        view->csr.columns = (int32_t *)columns;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode view_update(Mat matrix, SpgView *view)
{
    PetscInt rows, cols;
    PetscBool sequential, device;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)matrix, MATSEQAIJ, &sequential));
    PetscCheck(sequential, PetscObjectComm((PetscObject)matrix), PETSC_ERR_ARG_WRONG,
               "A matrix of type %s where spg needs one of type seqaij", ((PetscObject)matrix)->type_name);
    PetscCheck(matrix->assembled, PetscObjectComm((PetscObject)matrix), PETSC_ERR_ARG_WRONGSTATE,
               "The matrix is not assembled: call MatAssemblyBegin and MatAssemblyEnd first");
    PetscCall(MatGetSize(matrix, &rows, &cols));
    PetscCheck(cols <= INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%" PetscInt_FMT " columns on one process: spg's columns have 32 bits", cols);
    PetscCall(notice_change(matrix, view));
    PetscCall(on_device(matrix, &device));
    view->csr = (spg_csr){
        .rows = rows, .cols = cols, .value_type = SPG_SCALAR, .place = device ? SPG_PLACE_DEVICE : SPG_PLACE_HOST};
    if (device)
        PetscCall(view_device(matrix, view));
    else
        PetscCall(view_host(matrix, view));
    PetscFunctionReturn(0);
}

/* Mixes an array into a fingerprint, in four chains that the processor follows at once. */
static uint64_t mix(uint64_t fingerprint, const void *data, size_t bytes)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t chains[4] = {fingerprint, fingerprint + 1, fingerprint + 2, fingerprint + 3}, words[4];

    for (size_t at = 0; at < bytes; at += sizeof words) {
        words[0] = words[1] = words[2] = words[3] = 0;
        memcpy(words, (const char *)data + at, PetscMin(bytes - at, sizeof words));
        for (int c = 0; c < 4; c++) {
            chains[c] = (chains[c] ^ words[c]) * odd;
            chains[c] ^= chains[c] >> 32;
        }
    }
    for (int c = 0; c < 4; c++) {
        fingerprint = (fingerprint ^ chains[c]) * odd;
        fingerprint ^= fingerprint >> 29;
    }
    return fingerprint;
}

PetscErrorCode view_keep_pattern(SpgView *view)
{
    const spg_csr *csr = &view->csr;
    uint64_t fingerprint;
    PetscBool same;

    PetscFunctionBegin;
    if (view->fingerprint && !view->changed) PetscFunctionReturn(0);
    fingerprint = mix((uint64_t)csr->cols, view->pattern_offsets, (size_t)(csr->rows + 1) * sizeof(PetscInt));
    fingerprint = mix(fingerprint, view->pattern_columns, (size_t)csr->nnz * sizeof(PetscInt)) | 1;
    same = view->fingerprint == 0 || view->fingerprint == fingerprint ? PETSC_TRUE : PETSC_FALSE;
    if (!same) view->id = 0; /* the next call looks again */
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "A matrix has another pattern than in the product that is repeated: pass MAT_INITIAL_MATRIX");
    view->fingerprint = fingerprint;
    PetscFunctionReturn(0);
}

PetscErrorCode view_clear(SpgView *view)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(view->columns));
    PetscCall(PetscMemzero(view, sizeof(*view)));
    PetscFunctionReturn(0);
}

PetscErrorCode fill_pattern(Mat matrix, const spg_csr *csr)
{
    const PetscInt *offsets = csr->row_offsets;
    PetscInt *counts, *columns;

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
    PetscCall(MatSetOption(matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

PetscErrorCode fill_seqaij(Mat matrix, const spg_csr *csr)
{
    PetscScalar *values;

    PetscFunctionBegin;
    PetscCall(fill_pattern(matrix, csr));
    PetscCall(MatSeqAIJGetArrayWrite(matrix, &values));
    PetscCall(PetscArraycpy(values, (const PetscScalar *)csr->values, csr->nnz));
    PetscCall(MatSeqAIJRestoreArrayWrite(matrix, &values));
    PetscFunctionReturn(0);
}

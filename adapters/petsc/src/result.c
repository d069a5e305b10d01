/* The two blocks of a result (distributed.h). */
#include "distributed.h"

/* For each row of C, its entries in the two blocks. */
static PetscErrorCode count_blocks(const SpgRows *names, const spg_csr *rows, PetscInt *diagonal, PetscInt *off)
{
    const PetscInt *offsets = rows->row_offsets;

    PetscFunctionBegin;
    for (PetscInt i = 0; i < rows->rows; i++) {
        diagonal[i] = 0;
        for (PetscInt k = offsets[i]; k < offsets[i + 1]; k++) diagonal[i] += is_own(names, rows->columns[k]);
        off[i] = offsets[i + 1] - offsets[i] - diagonal[i];
    }
    PetscFunctionReturn(0);
}

PetscErrorCode result_set_pattern(Mat C, const SpgRows *names, const spg_csr *rows)
{
    PetscInt *diagonal_counts, *off_counts, *diagonal, *off, n_diagonal = 0, n_off = 0;
    Mat Cd, Co;

    PetscFunctionBegin;
    PetscCall(PetscMalloc2(rows->rows + 1, &diagonal_counts, rows->rows + 1, &off_counts));
    PetscCall(count_blocks(names, rows, diagonal_counts, off_counts));
    PetscCall(MatMPIAIJSetPreallocation(C, 0, diagonal_counts, 0, off_counts));
    PetscCall(PetscFree2(diagonal_counts, off_counts));
    PetscCall(PetscMalloc2(rows->nnz + 1, &diagonal, rows->nnz + 1, &off));
    for (int64_t k = 0; k < rows->nnz; k++) {
        const int32_t column = rows->columns[k];
        if (is_own(names, column))
            diagonal[n_diagonal++] = column - names->first;
        else
            off[n_off++] = rows_global(names, column);
    }
    PetscCall(MatMPIAIJGetSeqAIJ(C, &Cd, &Co, NULL));
    PetscCall(MatSeqAIJSetColumnIndices(Cd, diagonal));
    PetscCall(MatSeqAIJSetColumnIndices(Co, off));
    PetscCall(PetscFree2(diagonal, off));
    PetscCall(MatSetOption(C, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(C, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE));
    PetscFunctionReturn(0);
}

PetscErrorCode result_locate(Mat C, const spg_csr *rows, PetscScalar ***places)
{
    const PetscInt *offsets = rows->row_offsets, *diagonal_offsets, *off_offsets;
    PetscScalar *diagonal;
    Mat Cd, Co;

    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(C, &Cd, &Co, NULL));
    PetscCall(MatSeqAIJGetCSRAndMemType(Cd, &diagonal_offsets, NULL, NULL, NULL));
    PetscCall(MatSeqAIJGetCSRAndMemType(Co, &off_offsets, NULL, NULL, NULL));
    PetscCall(MatSeqAIJGetArrayWrite(Cd, &diagonal));
    if (!*places) PetscCall(PetscMalloc1(rows->rows + 1, places));
    for (PetscInt i = 0; i < rows->rows; i++)
        (*places)[i] = off_offsets[i + 1] == off_offsets[i] ? diagonal + diagonal_offsets[i]
                                                            : (PetscScalar *)rows->values + offsets[i];
    PetscCall(MatSeqAIJRestoreArrayWrite(Cd, &diagonal));
    PetscFunctionReturn(0);
}

PetscErrorCode result_set_values(Mat C, const SpgRows *names, const spg_csr *rows, PetscBool located)
{
    const PetscInt *offsets = rows->row_offsets, *off_offsets;
    const PetscScalar *values = rows->values;
    PetscScalar *diagonal, *off, *d, *o;
    Mat Cd, Co;

    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(C, &Cd, &Co, NULL));
    PetscCall(MatSeqAIJGetCSRAndMemType(Co, &off_offsets, NULL, NULL, NULL));
    PetscCall(MatSeqAIJGetArrayWrite(Cd, &diagonal));
    PetscCall(MatSeqAIJGetArrayWrite(Co, &off));
    d = diagonal;
    o = off;
    for (PetscInt i = 0; i < rows->rows;) {
        const PetscInt next = i + interior_rows(off_offsets, i, (PetscInt)rows->rows);
        const PetscInt count = offsets[next] - offsets[i];
        if (!located) PetscCall(PetscArraycpy(d, values + offsets[i], count));
        d += count;
        i = next;
        if (i == rows->rows) break;
        for (PetscInt k = offsets[i]; k < offsets[i + 1]; k++) {
            if (is_own(names, rows->columns[k]))
                *d++ = values[k];
            else
                *o++ = values[k];
        }
        i++;
    }
    PetscCall(MatSeqAIJRestoreArrayWrite(Cd, &diagonal));
    PetscCall(MatSeqAIJRestoreArrayWrite(Co, &off));
    PetscFunctionReturn(0);
}

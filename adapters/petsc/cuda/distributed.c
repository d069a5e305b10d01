/* Products of distributed matrices on a device. Patterns are made on the host, as for matrices there; values are
 * gathered, fetched, multiplied and scattered on the device.
 *
 * Star forests of PETSc move them. Values of other processes come by PETSc's own choice: from device to device if MPI
 * can do so, else through the host's memory (-use_gpu_aware_mpi). */
#include "on_device.h"

struct SpgDevice {
    spg_csr A, B, R, C;                           /* on the device */
    PetscSF A_diagonal, A_off, B_diagonal, B_off; /* from the blocks' values to those of A and B */
    PetscSF R_from_B;                             /* from the process's own rows of P to R */
    PetscSF C_diagonal, C_off;                    /* from C to its blocks; of A*B */
    SpgDeviceNumeric numeric;
};

/* ---- Moving values ---------------------------------------------------------------------------------------------- */

/* Value from[k] goes to place to[k]. NULL: to or from place k. Takes over `to`. */
static PetscErrorCode plan_move(PetscInt sources, PetscInt count, const PetscInt *from, PetscInt *to, PetscSF *move)
{
    PetscSFNode *roots;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(count + 1, &roots));
    for (PetscInt k = 0; k < count; k++) roots[k] = (PetscSFNode){.rank = 0, .index = from ? from[k] : k};
    PetscCall(PetscSFCreate(PETSC_COMM_SELF, move));
    PetscCall(PetscSFSetGraph(*move, sources, count, to, PETSC_OWN_POINTER, roots, PETSC_OWN_POINTER));
    PetscFunctionReturn(0);
}

static PetscErrorCode move_values(PetscSF move, const PetscScalar *from, PetscScalar *to)
{
    PetscFunctionBegin;
    PetscCall(
        PetscSFBcastWithMemTypeBegin(move, MPIU_SCALAR, PETSC_MEMTYPE_CUDA, from, PETSC_MEMTYPE_CUDA, to, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(move, MPIU_SCALAR, from, to, MPI_REPLACE));
    PetscFunctionReturn(0);
}

static PetscErrorCode move_block(Mat block, PetscSF move, PetscScalar *to)
{
    const PetscScalar *from;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(block, &from));
    PetscCall(move_values(move, from, to));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(block, &from));
    PetscFunctionReturn(0);
}

/* ---- Operands --------------------------------------------------------------------------------------------------- */

static PetscErrorCode entries_of(Mat block, PetscInt *entries)
{
    const PetscInt *offsets, *columns;
    PetscInt rows;
    PetscBool done;

    PetscFunctionBegin;
    PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &rows, &offsets, &columns, &done));
    *entries = offsets[rows];
    PetscFunctionReturn(0);
}

static PetscErrorCode plan_rows(Mat matrix, const SpgRows *rows, PetscSF *diagonal, PetscSF *off)
{
    const PetscInt start = ((const PetscInt *)rows->csr.row_offsets)[rows->own_row];
    PetscInt n_diagonal, n_off, *to_diagonal, *to_off;
    SpgBlocks blocks;

    PetscFunctionBegin;
    PetscCall(blocks_of(matrix, &blocks));
    PetscCall(entries_of(blocks.diagonal, &n_diagonal));
    PetscCall(entries_of(blocks.off, &n_off));
    PetscCall(PetscMalloc1(n_diagonal + 1, &to_diagonal));
    PetscCall(PetscMalloc1(n_off + 1, &to_off));
    PetscCall(rows_own_places(&blocks, start, to_diagonal, to_off));
    PetscCall(plan_move(n_diagonal, n_diagonal, NULL, to_diagonal, diagonal));
    PetscCall(plan_move(n_off, n_off, NULL, to_off, off));
    PetscFunctionReturn(0);
}

static PetscErrorCode update_rows(Mat matrix, SpgRows *rows, const spg_csr *csr, PetscSF diagonal, PetscSF off)
{
    PetscScalar *values = csr->values;
    SpgBlocks blocks;

    PetscFunctionBegin;
    PetscCall(rows_check(matrix, rows));
    PetscCall(blocks_of(matrix, &blocks));
    PetscCall(move_block(blocks.diagonal, diagonal, values));
    PetscCall(move_block(blocks.off, off, values));
    if (rows->entries) {
        PetscCall(PetscLogEventBegin(spg_events.rows, matrix, 0, 0, 0));
        PetscCall(
            move_values(rows->entries, values + ((const PetscInt *)rows->csr.row_offsets)[rows->own_row], values));
        PetscCall(PetscLogEventEnd(spg_events.rows, matrix, 0, 0, 0));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode update_operands(Mat A, Mat B, SpgDistributed *data)
{
    SpgDevice *device = data->device;
    const PetscInt *offsets = data->B.csr.row_offsets;

    PetscFunctionBegin;
    PetscCall(update_rows(A, &data->A, &device->A, device->A_diagonal, device->A_off));
    PetscCall(update_rows(B, &data->B, &device->B, device->B_diagonal, device->B_off));
    if (device->R_from_B)
        PetscCall(move_values(device->R_from_B, (const PetscScalar *)device->B.values + offsets[data->B.own_row],
                              device->R.values));
    PetscFunctionReturn(0);
}

static PetscErrorCode prepare_operands(Mat A, Mat B, SpgDistributed *data)
{
    SpgDevice *device = data->device;
    const PetscInt nnz = (PetscInt)data->R.nnz;
    PetscInt *to;
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    SpgCall(context, spg_csr_copy(context, &data->A.csr, &device->A));
    SpgCall(context, spg_csr_copy(context, &data->B.csr, &device->B));
    PetscCall(plan_rows(A, &data->A, &device->A_diagonal, &device->A_off));
    PetscCall(plan_rows(B, &data->B, &device->B_diagonal, &device->B_off));
    if (!data->R.row_offsets) PetscFunctionReturn(0);
    SpgCall(context, spg_csr_copy(context, &data->R, &device->R));
    PetscCall(PetscMalloc1(nnz + 1, &to));
    PetscCall(PetscArraycpy(to, data->R_entry, nnz));
    PetscCall(plan_move(nnz, nnz, NULL, to, &device->R_from_B));
    PetscFunctionReturn(0);
}

/* ---- C ---------------------------------------------------------------------------------------------------------- */

/* The pattern of C on the host, from that on the device. */
static PetscErrorCode fetch_pattern(SpgDistributed *data)
{
    const spg_csr *C = &data->device->C;
    int32_t *columns;
    PetscInt *offsets;

    PetscFunctionBegin;
    PetscCheck(C->offset_type == SPG_OFFSET, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row offsets of another type");
    PetscCall(PetscMalloc1(C->rows + 1, &offsets));
    PetscCall(PetscMalloc1(C->nnz + 1, &columns));
    PetscCall(device_copy(offsets, C->row_offsets, (size_t)(C->rows + 1) * sizeof *offsets));
    PetscCall(device_copy(columns, C->columns, (size_t)C->nnz * sizeof *columns));
    data->C = *C;
    data->C.place = SPG_PLACE_HOST;
    data->C.row_offsets = offsets;
    data->C.columns = columns;
    data->C.values = NULL;
    PetscFunctionReturn(0);
}

static PetscErrorCode plan_blocks(SpgDistributed *data)
{
    const spg_csr *C = &data->C;
    PetscInt *diagonal, *off, n_diagonal = 0, n_off = 0;

    PetscFunctionBegin;
    PetscCall(PetscMalloc2(C->nnz + 1, &diagonal, C->nnz + 1, &off));
    for (PetscInt k = 0; k < C->nnz; k++) {
        if (is_own(&data->B, C->columns[k]))
            diagonal[n_diagonal++] = k;
        else
            off[n_off++] = k;
    }
    PetscCall(plan_move((PetscInt)C->nnz, n_diagonal, diagonal, NULL, &data->device->C_diagonal));
    PetscCall(plan_move((PetscInt)C->nnz, n_off, off, NULL, &data->device->C_off));
    PetscCall(PetscFree2(diagonal, off));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_block(Mat block, PetscSF move, const PetscScalar *from)
{
    const int *offsets, *columns;
    PetscScalar *values;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJCUSPARSEGetIJ(block, PETSC_FALSE, &offsets, &columns)); /* makes room on the device */
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(block, &values));
    PetscCall(move_values(move, from, values));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(block, &values));
    PetscFunctionReturn(0);
}

PetscErrorCode device_set_values(Mat C, const SpgDistributed *data)
{
    const SpgDevice *device = data->device;
    Mat diagonal, off;

    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(C, &diagonal, &off, NULL));
    PetscCall(set_block(diagonal, device->C_diagonal, device->C.values));
    PetscCall(set_block(off, device->C_off, device->C.values));
    PetscFunctionReturn(0);
}

const PetscScalar *device_values(const SpgDistributed *data) { return data->device->C.values; }

/* ---- The two phases --------------------------------------------------------------------------------------------- */

PetscErrorCode device_first(Mat C, SpgDistributed *data, Mat B)
{
    SpgDevice *device;

    PetscFunctionBegin;
    PetscCall(PetscNew(&device));
    data->device = device;
    PetscCall(prepare_operands(C->product->A, B, data));
    PetscCall(update_operands(C->product->A, B, data));
    PetscCall(PetscLogEventBegin(spg_events.product, C, 0, 0, 0));
    device->numeric.is_triple = C->product->type == MATPRODUCT_AB ? PETSC_FALSE : PETSC_TRUE;
    PetscCall(device_numeric_first(&device->numeric, &device->R, &device->A, &device->B, &device->C));
    PetscCall(PetscLogEventEnd(spg_events.product, C, 0, 0, 0));
    PetscCall(fetch_pattern(data));
    if (C->product->type == MATPRODUCT_AB) PetscCall(plan_blocks(data));
    PetscFunctionReturn(0);
}

PetscErrorCode device_repeat(Mat C, SpgDistributed *data, Mat B)
{
    SpgDevice *device = data->device;

    PetscFunctionBegin;
    PetscCall(update_operands(C->product->A, B, data));
    PetscCall(PetscLogEventBegin(spg_events.numeric, C, 0, 0, 0));
    PetscCall(device_numeric_repeat(&device->numeric, &device->R, &device->A, &device->B, &device->C));
    PetscCall(PetscLogEventEnd(spg_events.numeric, C, 0, 0, 0));
    PetscFunctionReturn(0);
}

PetscErrorCode device_clear(SpgDistributed *data)
{
    SpgDevice *device = data->device;
    PetscSF *const moves[] = {&device->A_diagonal, &device->A_off,      &device->B_diagonal, &device->B_off,
                              &device->R_from_B,   &device->C_diagonal, &device->C_off};
    spg_csr *const matrices[] = {&device->A, &device->B, &device->R, &device->C};
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    device_numeric_clear(&device->numeric);
    for (size_t k = 0; k < sizeof moves / sizeof *moves; k++) PetscCall(PetscSFDestroy(moves[k]));
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) spg_csr_free(context, matrices[k]);
    PetscCall(PetscFree(data->C.row_offsets));
    PetscCall(PetscFree(data->C.columns));
    PetscCall(PetscFree(data->device));
    PetscFunctionReturn(0);
}

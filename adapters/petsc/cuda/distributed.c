/* Products of distributed matrices on a device. Patterns are made on the host, as for matrices there; values are
 * gathered, fetched, multiplied and scattered on the device.
 *
 * A star forest of PETSc fetches the values of other processes: from device to device if MPI can do so, else through
 * the host's memory, by PETSc's own choice (-use_gpu_aware_mpi). */
#include "on_device.h"

struct SpgDevice {
    spg_csr A, B, R, C;                           /* on the device */
    SpgMove A_diagonal, A_off, B_diagonal, B_off; /* where the blocks' values go in those of A and B */
    SpgMove R_from_B;                             /* where R has its values from in those of P's rows */
    SpgMove C_diagonal, C_off;                    /* where the blocks of C have their values from; of A*B */
    SpgDeviceNumeric numeric;
};

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

static PetscErrorCode prepare_moves(Mat matrix, const SpgRows *rows, SpgMove *diagonal, SpgMove *off)
{
    const PetscInt start = ((const PetscInt *)rows->csr.row_offsets)[rows->own_row];
    PetscInt n_diagonal, n_off, *to_diagonal, *to_off;
    SpgBlocks blocks;

    PetscFunctionBegin;
    PetscCall(blocks_of(matrix, &blocks));
    PetscCall(entries_of(blocks.diagonal, &n_diagonal));
    PetscCall(entries_of(blocks.off, &n_off));
    PetscCall(PetscMalloc2(n_diagonal, &to_diagonal, n_off, &to_off));
    PetscCall(rows_own_places(&blocks, start, to_diagonal, to_off));
    PetscCall(device_move_create(n_diagonal, to_diagonal, diagonal));
    PetscCall(device_move_create(n_off, to_off, off));
    PetscCall(PetscFree2(to_diagonal, to_off));
    PetscFunctionReturn(0);
}

static PetscErrorCode update_block(Mat block, const SpgMove *move, const spg_csr *csr)
{
    const PetscScalar *values;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJCUSPARSEGetArrayRead(block, &values));
    PetscCall(device_scatter(move, values, csr->values, (PetscInt)csr->nnz));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(block, &values));
    PetscFunctionReturn(0);
}

/* The values that other processes have, from their own rows. */
static PetscErrorCode fetch_values(const SpgRows *rows, PetscScalar *values)
{
    const PetscScalar *own = values + ((const PetscInt *)rows->csr.row_offsets)[rows->own_row];

    PetscFunctionBegin;
    PetscCall(PetscSFBcastWithMemTypeBegin(rows->entries, MPIU_SCALAR, PETSC_MEMTYPE_CUDA, own, PETSC_MEMTYPE_CUDA,
                                           values, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(rows->entries, MPIU_SCALAR, own, values, MPI_REPLACE));
    PetscFunctionReturn(0);
}

static PetscErrorCode update_rows(Mat matrix, SpgRows *rows, const spg_csr *csr, const SpgMove *diagonal,
                                  const SpgMove *off)
{
    SpgBlocks blocks;

    PetscFunctionBegin;
    PetscCall(rows_check(matrix, rows));
    PetscCall(blocks_of(matrix, &blocks));
    PetscCall(update_block(blocks.diagonal, diagonal, csr));
    PetscCall(update_block(blocks.off, off, csr));
    if (rows->entries) {
        PetscCall(PetscLogEventBegin(spg_events.rows, matrix, 0, 0, 0));
        PetscCall(fetch_values(rows, csr->values));
        PetscCall(PetscLogEventEnd(spg_events.rows, matrix, 0, 0, 0));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode update_operands(Mat A, Mat B, SpgDistributed *data)
{
    SpgDevice *device = data->device;

    PetscFunctionBegin;
    PetscCall(update_rows(A, &data->A, &device->A, &device->A_diagonal, &device->A_off));
    PetscCall(update_rows(B, &data->B, &device->B, &device->B_diagonal, &device->B_off));
    PetscCall(device_gather(&device->R_from_B, device->B.values, (PetscInt)device->B.nnz, device->R.values));
    PetscFunctionReturn(0);
}

/* A matrix on the device with the pattern of one on the host; the values are anything. */
static PetscErrorCode copy_pattern(const spg_csr *pattern, spg_csr *copy)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    SpgCall(context, spg_csr_alloc(context, pattern->rows, pattern->cols, pattern->nnz, SPG_OFFSET, SPG_SCALAR, copy));
    PetscCall(device_copy(copy->row_offsets, pattern->row_offsets, (size_t)(pattern->rows + 1) * sizeof(PetscInt)));
    PetscCall(device_copy(copy->columns, pattern->columns, (size_t)pattern->nnz * sizeof(int32_t)));
    PetscFunctionReturn(0);
}

/* R is the transpose of the process's own rows of P. */
static PetscErrorCode prepare_transpose(SpgDistributed *data)
{
    const PetscInt nnz = (PetscInt)data->R.nnz, start = ((PetscInt *)data->B.csr.row_offsets)[data->B.own_row];
    PetscInt *from;

    PetscFunctionBegin;
    PetscCall(copy_pattern(&data->R, &data->device->R));
    PetscCall(PetscMalloc1(nnz + 1, &from));
    for (PetscInt k = 0; k < nnz; k++) from[data->R_entry[k]] = start + k;
    PetscCall(device_move_create(nnz, from, &data->device->R_from_B));
    PetscCall(PetscFree(from));
    PetscFunctionReturn(0);
}

static PetscErrorCode prepare_operands(Mat A, Mat B, SpgDistributed *data)
{
    SpgDevice *device = data->device;

    PetscFunctionBegin;
    PetscCall(copy_pattern(&data->A.csr, &device->A));
    PetscCall(copy_pattern(&data->B.csr, &device->B));
    PetscCall(prepare_moves(A, &data->A, &device->A_diagonal, &device->A_off));
    PetscCall(prepare_moves(B, &data->B, &device->B_diagonal, &device->B_off));
    if (data->R.row_offsets) PetscCall(prepare_transpose(data));
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

static PetscErrorCode prepare_blocks(SpgDistributed *data)
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
    PetscCall(device_move_create(n_diagonal, diagonal, &data->device->C_diagonal));
    PetscCall(device_move_create(n_off, off, &data->device->C_off));
    PetscCall(PetscFree2(diagonal, off));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_block(Mat block, const SpgMove *move, const spg_csr *C)
{
    const int *offsets, *columns;
    PetscScalar *values;

    PetscFunctionBegin;
    PetscCall(MatSeqAIJCUSPARSEGetIJ(block, PETSC_FALSE, &offsets, &columns)); /* makes room on the device */
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(block, &values));
    PetscCall(device_gather(move, C->values, (PetscInt)C->nnz, values));
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(block, &values));
    PetscFunctionReturn(0);
}

PetscErrorCode device_set_values(Mat C, const SpgDistributed *data)
{
    const SpgDevice *device = data->device;
    Mat diagonal, off;

    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(C, &diagonal, &off, NULL));
    PetscCall(set_block(diagonal, &device->C_diagonal, &device->C));
    PetscCall(set_block(off, &device->C_off, &device->C));
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
    if (C->product->type == MATPRODUCT_AB) PetscCall(prepare_blocks(data));
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
    SpgMove *const moves[] = {&device->A_diagonal, &device->A_off,      &device->B_diagonal, &device->B_off,
                              &device->R_from_B,   &device->C_diagonal, &device->C_off};
    spg_csr *const matrices[] = {&device->A, &device->B, &device->R, &device->C};
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(device_context(&context));
    device_numeric_clear(&device->numeric);
    for (size_t k = 0; k < sizeof moves / sizeof *moves; k++) device_move_clear(moves[k]);
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) spg_csr_free(context, matrices[k]);
    PetscCall(PetscFree(data->C.row_offsets));
    PetscCall(PetscFree(data->C.columns));
    PetscCall(PetscFree(data->device));
    PetscFunctionReturn(0);
}

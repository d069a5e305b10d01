/* Rows of distributed matrices on one process: its own, and those that it fetches. */
#include "rows.h"

PetscErrorCode blocks_of(Mat matrix, SpgBlocks *blocks)
{
    PetscInt end;
    PetscBool distributed;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)matrix, MATMPIAIJ, &distributed));
    PetscCheck(distributed, PetscObjectComm((PetscObject)matrix), PETSC_ERR_ARG_WRONG,
               "A matrix of type %s where spg needs one of type mpiaij", ((PetscObject)matrix)->type_name);
    PetscCheck(matrix->assembled, PetscObjectComm((PetscObject)matrix), PETSC_ERR_ARG_WRONGSTATE,
               "The matrix is not assembled: call MatAssemblyBegin and MatAssemblyEnd first");
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &blocks->diagonal, &blocks->off, &blocks->garray));
    PetscCall(MatGetSize(blocks->diagonal, &blocks->rows, &blocks->columns));
    PetscCall(MatGetSize(blocks->off, NULL, &blocks->others));
    PetscCall(MatGetOwnershipRangeColumn(matrix, &blocks->first_column, &end));
    for (blocks->lower = 0; blocks->lower < blocks->others; blocks->lower++)
        if (blocks->garray[blocks->lower] >= blocks->first_column) break;
    PetscFunctionReturn(0);
}

/* The arrays of a block on the host; `values` is NULL if the block's are on a device. */
typedef struct Arrays {
    const PetscInt *offsets, *columns;
    PetscScalar *values;
} Arrays;

static PetscErrorCode arrays_of(Mat block, Arrays *arrays)
{
    PetscMemType place;
    PetscInt rows;
    PetscBool device, done;

    PetscFunctionBegin;
    arrays->values = NULL;
    PetscCall(on_device(block, &device));
    if (device) {
        PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &rows, &arrays->offsets, &arrays->columns, &done));
        PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A block without row offsets on the host");
        PetscFunctionReturn(0);
    }
    PetscCall(MatSeqAIJGetCSRAndMemType(block, &arrays->offsets, &arrays->columns, &arrays->values, &place));
    PetscCheck(PetscMemTypeHost(place), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A block, of type %s, is on a device where spg cannot work", ((PetscObject)block)->type_name);
    PetscFunctionReturn(0);
}

PetscErrorCode rows_own_offsets(const SpgBlocks *blocks, PetscInt start, PetscInt *offsets)
{
    Arrays d, o;

    PetscFunctionBegin;
    PetscCall(arrays_of(blocks->diagonal, &d));
    PetscCall(arrays_of(blocks->off, &o));
    for (PetscInt i = 0; i <= blocks->rows; i++) offsets[i] = start + d.offsets[i] + o.offsets[i];
    PetscFunctionReturn(0);
}

PetscErrorCode rows_own_columns(const SpgBlocks *blocks, PetscInt *columns)
{
    Arrays d, o;

    PetscFunctionBegin;
    PetscCall(arrays_of(blocks->diagonal, &d));
    PetscCall(arrays_of(blocks->off, &o));
    for (PetscInt i = 0; i < blocks->rows; i++) {
        const PetscInt begin = o.offsets[i], end = o.offsets[i + 1];
        for (PetscInt k = begin; k < end; k++)
            if (o.columns[k] < blocks->lower) *columns++ = blocks->garray[o.columns[k]];
        for (PetscInt k = d.offsets[i]; k < d.offsets[i + 1]; k++) *columns++ = blocks->first_column + d.columns[k];
        for (PetscInt k = begin; k < end; k++)
            if (o.columns[k] >= blocks->lower) *columns++ = blocks->garray[o.columns[k]];
    }
    PetscFunctionReturn(0);
}

PetscErrorCode rows_own_places(const SpgBlocks *blocks, PetscInt start, PetscInt *diagonal, PetscInt *off)
{
    Arrays d, o;

    PetscFunctionBegin;
    PetscCall(arrays_of(blocks->diagonal, &d));
    PetscCall(arrays_of(blocks->off, &o));
    for (PetscInt i = 0; i < blocks->rows; i++) {
        const PetscInt begin = o.offsets[i], end = o.offsets[i + 1];
        for (PetscInt k = begin; k < end; k++)
            if (o.columns[k] < blocks->lower) off[k] = start++;
        for (PetscInt k = d.offsets[i]; k < d.offsets[i + 1]; k++) diagonal[k] = start++;
        for (PetscInt k = begin; k < end; k++)
            if (o.columns[k] >= blocks->lower) off[k] = start++;
    }
    PetscFunctionReturn(0);
}

PetscInt interior_rows(const PetscInt *off, PetscInt row, PetscInt rows)
{
    PetscInt next = row;

    while (next < rows && off[next + 1] == off[row]) next++;
    return next - row;
}

/* A row with entries in the off-diagonal block, in the order of rows_own_columns. */
static PetscScalar *mixed_row(const SpgBlocks *blocks, const Arrays *d, const Arrays *o, PetscInt row, PetscScalar *to)
{
    const PetscInt begin = o->offsets[row], end = o->offsets[row + 1];

    for (PetscInt k = begin; k < end; k++)
        if (o->columns[k] < blocks->lower) *to++ = o->values[k];
    for (PetscInt k = d->offsets[row]; k < d->offsets[row + 1]; k++) *to++ = d->values[k];
    for (PetscInt k = begin; k < end; k++)
        if (o->columns[k] >= blocks->lower) *to++ = o->values[k];
    return to;
}

/* Values in the order of rows_own_columns. */
static PetscErrorCode own_values(const SpgBlocks *blocks, PetscScalar *values)
{
    Arrays d, o;

    PetscFunctionBegin;
    PetscCall(arrays_of(blocks->diagonal, &d));
    PetscCall(arrays_of(blocks->off, &o));
    for (PetscInt i = 0; i < blocks->rows;) {
        const PetscInt interior = interior_rows(o.offsets, i, blocks->rows);
        const PetscInt count = d.offsets[i + interior] - d.offsets[i];
        PetscCall(PetscArraycpy(values, d.values + d.offsets[i], count));
        values += count;
        i += interior;
        if (i < blocks->rows) values = mixed_row(blocks, &d, &o, i++, values);
    }
    PetscFunctionReturn(0);
}

PetscErrorCode rows_compact(const SpgRows *rows, PetscInt count, const PetscInt *globals, int32_t *columns)
{
    PetscInt at;

    PetscFunctionBegin;
    for (PetscInt k = 0; k < count; k++) {
        const PetscInt own = globals[k] - rows->first_global;
        if (own >= 0 && own < rows->own) {
            columns[k] = rows->first + (int32_t)own;
        } else {
            PetscCall(PetscFindInt(globals[k], rows->others, rows->names, &at));
            columns[k] = at < rows->first ? (int32_t)at : (int32_t)(at + rows->own);
        }
    }
    PetscFunctionReturn(0);
}

PetscErrorCode rows_set_names(SpgRows *rows, PetscInt first_global, PetscInt own, PetscInt count, PetscInt *names)
{
    PetscFunctionBegin;
    rows->names = names;
    PetscCheck(count + (PetscInt64)own <= INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The rows on one process have more than 2^31 - 1 columns: use more processes");
    rows->first_global = first_global;
    rows->own = (int32_t)own;
    rows->others = (int32_t)count;
    for (rows->first = 0; rows->first < rows->others; rows->first++)
        if (names[rows->first] >= rows->first_global) break;
    rows->csr.cols = count + (int64_t)own;
    PetscFunctionReturn(0);
}

PetscErrorCode rows_allocate_entries(SpgRows *rows)
{
    const PetscInt *offsets = rows->csr.row_offsets;
    PetscScalar *values;

    PetscFunctionBegin;
    rows->csr.nnz = offsets[rows->csr.rows];
    rows->csr.offset_type = SPG_OFFSET;
    rows->csr.value_type = SPG_SCALAR;
    rows->csr.place = SPG_PLACE_HOST;
    PetscCall(PetscMalloc1(rows->csr.nnz + 1, &rows->csr.columns));
    PetscCall(PetscMalloc1(rows->csr.nnz + 1, &values));
    rows->csr.values = values;
    PetscFunctionReturn(0);
}

PetscErrorCode rows_remember_pattern(Mat matrix, SpgRows *rows)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)matrix, &rows->id));
    PetscCall(MatGetNonzeroState(matrix, &rows->pattern));
    PetscFunctionReturn(0);
}

/* The columns of rows_own_columns as compact ones, where the off-diagonal block's columns are all the names. */
static PetscErrorCode own_compact_columns(const SpgBlocks *blocks, int32_t *columns)
{
    const int32_t first = (int32_t)blocks->lower, own = (int32_t)blocks->columns;
    Arrays d, o;

    PetscFunctionBegin;
    PetscCall(arrays_of(blocks->diagonal, &d));
    PetscCall(arrays_of(blocks->off, &o));
    for (PetscInt i = 0; i < blocks->rows; i++) {
        const PetscInt begin = o.offsets[i], end = o.offsets[i + 1];
        for (PetscInt k = begin; k < end; k++)
            if (o.columns[k] < first) *columns++ = (int32_t)o.columns[k];
        for (PetscInt k = d.offsets[i]; k < d.offsets[i + 1]; k++) *columns++ = first + (int32_t)d.columns[k];
        for (PetscInt k = begin; k < end; k++)
            if (o.columns[k] >= first) *columns++ = own + (int32_t)o.columns[k];
    }
    PetscFunctionReturn(0);
}

PetscErrorCode rows_own(Mat A, PetscBool pad, SpgRows *rows)
{
    SpgBlocks blocks;
    PetscInt *names, *offsets;

    PetscFunctionBegin;
    PetscCall(blocks_of(A, &blocks));
    PetscCall(PetscMalloc1(blocks.others + 1, &names));
    PetscCall(PetscArraycpy(names, blocks.garray, blocks.others));
    PetscCall(rows_set_names(rows, blocks.first_column, blocks.columns, blocks.others, names));
    rows->own_row = pad ? blocks.lower : 0;
    rows->own_rows = blocks.rows;
    rows->csr.rows = blocks.rows + (pad ? blocks.others : 0);
    PetscCall(PetscCalloc1(rows->csr.rows + 1, &offsets));
    rows->csr.row_offsets = offsets;
    PetscCall(rows_own_offsets(&blocks, 0, offsets + rows->own_row));
    for (PetscInt i = rows->own_row + blocks.rows; i < rows->csr.rows; i++) offsets[i + 1] = offsets[i];
    PetscCall(rows_allocate_entries(rows));
    PetscCall(own_compact_columns(&blocks, rows->csr.columns));
    PetscCall(rows_remember_pattern(A, rows));
    PetscFunctionReturn(0);
}

/* The pattern must be the one that the rows were made from. */
static PetscErrorCode check_pattern(Mat matrix, const SpgBlocks *blocks, SpgRows *rows)
{
    const PetscInt *offsets = (const PetscInt *)rows->csr.row_offsets + rows->own_row;
    const int32_t *columns = rows->csr.columns + offsets[0];
    PetscObjectId id;
    PetscObjectState pattern;
    PetscInt *found, *globals;
    PetscBool same;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)matrix, &id));
    PetscCall(MatGetNonzeroState(matrix, &pattern));
    if (id == rows->id && pattern == rows->pattern) PetscFunctionReturn(0);
    same = blocks->rows == rows->own_rows && blocks->columns == rows->own ? PETSC_TRUE : PETSC_FALSE;
    if (same) {
        PetscCall(PetscMalloc1(blocks->rows + 1, &found));
        PetscCall(rows_own_offsets(blocks, offsets[0], found));
        PetscCall(PetscArraycmp(found, offsets, blocks->rows + 1, &same));
        PetscCall(PetscFree(found));
    }
    if (same) {
        const PetscInt count = offsets[blocks->rows] - offsets[0];
        PetscCall(PetscMalloc1(count + 1, &globals));
        PetscCall(rows_own_columns(blocks, globals));
        for (PetscInt k = 0; k < count && same; k++)
            if (rows_global(rows, columns[k]) != globals[k]) same = PETSC_FALSE;
        PetscCall(PetscFree(globals));
    }
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "A matrix has another pattern than in the product that is repeated: pass MAT_INITIAL_MATRIX");
    rows->id = id;
    rows->pattern = pattern;
    PetscFunctionReturn(0);
}

PetscErrorCode rows_check(Mat matrix, SpgRows *rows)
{
    SpgBlocks blocks;

    PetscFunctionBegin;
    PetscCall(blocks_of(matrix, &blocks));
    PetscCall(check_pattern(matrix, &blocks, rows));
    PetscFunctionReturn(0);
}

PetscErrorCode rows_update(Mat matrix, SpgRows *rows)
{
    const PetscInt *offsets = rows->csr.row_offsets;
    PetscScalar *values = rows->csr.values, *own = values + offsets[rows->own_row];
    SpgBlocks blocks;

    PetscFunctionBegin;
    PetscCall(blocks_of(matrix, &blocks));
    PetscCall(check_pattern(matrix, &blocks, rows));
    PetscCall(own_values(&blocks, own));
    if (rows->entries) {
        PetscCall(PetscLogEventBegin(spg_events.rows, matrix, 0, 0, 0));
        PetscCall(PetscSFBcastBegin(rows->entries, MPIU_SCALAR, own, values, MPI_REPLACE));
        PetscCall(PetscSFBcastEnd(rows->entries, MPIU_SCALAR, own, values, MPI_REPLACE));
        PetscCall(PetscLogEventEnd(spg_events.rows, matrix, 0, 0, 0));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode rows_locate(Mat matrix, SpgRows *rows)
{
    const PetscInt *offsets = (const PetscInt *)rows->csr.row_offsets + rows->own_row;
    PetscScalar *values = rows->csr.values, **places;
    SpgBlocks blocks;
    Arrays d, o;

    PetscFunctionBegin;
    PetscCall(blocks_of(matrix, &blocks));
    PetscCall(check_pattern(matrix, &blocks, rows));
    PetscCall(arrays_of(blocks.diagonal, &d));
    PetscCall(arrays_of(blocks.off, &o));
    if (!rows->row_values) PetscCall(PetscCalloc1(rows->csr.rows + 1, &rows->row_values));
    places = rows->row_values + rows->own_row;
    for (PetscInt i = 0; i < blocks.rows; i++) {
        const PetscBool interior = o.offsets[i + 1] == o.offsets[i] ? PETSC_TRUE : PETSC_FALSE;
        places[i] = interior ? d.values + d.offsets[i] : values + offsets[i];
        if (!interior) (void)mixed_row(&blocks, &d, &o, i, places[i]);
    }
    PetscFunctionReturn(0);
}

PetscErrorCode rows_clear(SpgRows *rows)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(rows->csr.row_offsets));
    PetscCall(PetscFree(rows->csr.columns));
    PetscCall(PetscFree(rows->csr.values));
    PetscCall(PetscFree(rows->names));
    PetscCall(PetscFree(rows->row_values));
    PetscCall(PetscSFDestroy(&rows->entries));
    PetscCall(PetscMemzero(rows, sizeof(*rows)));
    PetscFunctionReturn(0);
}

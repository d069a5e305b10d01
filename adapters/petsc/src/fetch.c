/* The rows of B that a process needs for A*B: its own, and those of other processes that the columns of A's
 * off-diagonal block name. */
#include "rows.h"

/* Where the entries of a wanted row are: its process, the offset of its first entry there, and their number. */
typedef struct WantedRow {
    PetscInt rank, offset, length;
} WantedRow;

static PetscErrorCode ask_owners(Mat B, const SpgBlocks *a, const SpgBlocks *b, WantedRow *wanted)
{
    PetscInt *offsets, (*mine)[2], (*theirs)[2];
    const PetscSFNode *owners;
    PetscSF by_row;

    PetscFunctionBegin;
    PetscCall(PetscMalloc3(b->rows + 1, &offsets, b->rows + 1, &mine, a->others + 1, &theirs));
    PetscCall(rows_own_offsets(b, 0, offsets));
    for (PetscInt i = 0; i < b->rows; i++) {
        mine[i][0] = offsets[i];
        mine[i][1] = offsets[i + 1] - offsets[i];
    }
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)B), &by_row));
    PetscCall(PetscSFSetGraphLayout(by_row, B->rmap, a->others, NULL, PETSC_OWN_POINTER, a->garray));
    PetscCall(PetscSFBcastBegin(by_row, MPIU_2INT, mine, theirs, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(by_row, MPIU_2INT, mine, theirs, MPI_REPLACE));
    PetscCall(PetscSFGetGraph(by_row, NULL, NULL, NULL, &owners));
    for (PetscInt k = 0; k < a->others; k++)
        wanted[k] = (WantedRow){.rank = owners[k].rank, .offset = theirs[k][0], .length = theirs[k][1]};
    PetscCall(PetscSFDestroy(&by_row));
    PetscCall(PetscFree3(offsets, mine, theirs));
    PetscFunctionReturn(0);
}

/* The rows' offsets: wanted rows of lower number, own rows, wanted rows of higher number. */
static PetscErrorCode set_offsets(const SpgBlocks *a, const SpgBlocks *b, const WantedRow *wanted, SpgRows *rows)
{
    PetscInt *offsets, *own;
    PetscInt64 total = 0;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(b->rows + 1, &own));
    PetscCall(rows_own_offsets(b, 0, own));
    for (PetscInt k = 0; k < a->others; k++) total += wanted[k].length;
    total += own[b->rows];
    PetscCheck(total <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
               "The rows that one process needs have %" PetscInt64_FMT
               " entries: use more processes, or a PETSc with 64-bit indices",
               total);
    rows->own_row = a->lower;
    rows->own_rows = b->rows;
    rows->csr.rows = b->rows + a->others;
    PetscCall(PetscMalloc1(rows->csr.rows + 1, &offsets));
    rows->csr.row_offsets = offsets;
    offsets[0] = 0;
    for (PetscInt k = 0; k < a->lower; k++) offsets[k + 1] = offsets[k] + wanted[k].length;
    for (PetscInt i = 0; i <= b->rows; i++) offsets[a->lower + i] = offsets[a->lower] + own[i];
    for (PetscInt k = a->lower; k < a->others; k++) offsets[b->rows + k + 1] = offsets[b->rows + k] + wanted[k].length;
    PetscCall(PetscFree(own));
    PetscFunctionReturn(0);
}

/* The star forest from the owners' entries to those of the wanted rows. */
static PetscErrorCode connect_entries(Mat B, const SpgBlocks *a, const SpgBlocks *b, const WantedRow *wanted,
                                      SpgRows *rows)
{
    const PetscInt *offsets = rows->csr.row_offsets;
    const PetscInt own = offsets[a->lower + b->rows] - offsets[a->lower];
    const PetscInt fetched = offsets[rows->csr.rows] - own;
    PetscInt *leaves, n = 0;
    PetscSFNode *roots;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(fetched + 1, &leaves));
    PetscCall(PetscMalloc1(fetched + 1, &roots));
    for (PetscInt k = 0; k < a->others; k++) {
        const PetscInt first = offsets[k < a->lower ? k : k + b->rows];
        for (PetscInt e = 0; e < wanted[k].length; e++, n++) {
            leaves[n] = first + e;
            roots[n].rank = wanted[k].rank;
            roots[n].index = wanted[k].offset + e;
        }
    }
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)B), &rows->entries));
    PetscCall(PetscSFSetGraph(rows->entries, own, fetched, leaves, PETSC_OWN_POINTER, roots, PETSC_OWN_POINTER));
    PetscFunctionReturn(0);
}

/* Those of `globals` from begin to end that are not columns of the process's own. */
static PetscInt add_names(const SpgBlocks *b, const PetscInt *globals, PetscInt begin, PetscInt end, PetscInt *names)
{
    PetscInt count = 0;

    for (PetscInt k = begin; k < end; k++) {
        const PetscInt own = globals[k] - b->first_column;
        if (own < 0 || own >= b->columns) names[count++] = globals[k];
    }
    return count;
}

/* The names: columns of B's off-diagonal block, and those of fetched rows. */
static PetscErrorCode collect_names(const SpgBlocks *b, const PetscInt *globals, SpgRows *rows)
{
    const PetscInt *offsets = rows->csr.row_offsets;
    const PetscInt nnz = offsets[rows->csr.rows], begin = offsets[rows->own_row];
    const PetscInt end = offsets[rows->own_row + b->rows];
    PetscInt *names, count = b->others;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(b->others + begin + nnz - end + 1, &names));
    PetscCall(PetscArraycpy(names, b->garray, b->others));
    count += add_names(b, globals, 0, begin, names + count);
    count += add_names(b, globals, end, nnz, names + count);
    PetscCall(PetscSortRemoveDupsInt(&count, names));
    PetscCall(rows_set_names(rows, b->first_column, b->columns, count, names));
    PetscFunctionReturn(0);
}

PetscErrorCode rows_named(Mat A, Mat B, SpgRows *rows)
{
    SpgBlocks a, b;
    WantedRow *wanted;
    PetscInt *globals, begin;

    PetscFunctionBegin;
    PetscCall(blocks_of(A, &a));
    PetscCall(blocks_of(B, &b));
    PetscCall(PetscLogEventBegin(spg_events.rows, B, 0, 0, 0));
    PetscCall(PetscMalloc1(a.others + 1, &wanted));
    PetscCall(ask_owners(B, &a, &b, wanted));
    PetscCall(set_offsets(&a, &b, wanted, rows));
    PetscCall(connect_entries(B, &a, &b, wanted, rows));
    PetscCall(PetscFree(wanted));
    PetscCall(rows_allocate_entries(rows));
    PetscCall(PetscMalloc1(rows->csr.nnz + 1, &globals));
    begin = ((const PetscInt *)rows->csr.row_offsets)[a.lower];
    PetscCall(rows_own_columns(&b, globals + begin));
    PetscCall(PetscSFBcastBegin(rows->entries, MPIU_INT, globals + begin, globals, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(rows->entries, MPIU_INT, globals + begin, globals, MPI_REPLACE));
    PetscCall(PetscLogEventEnd(spg_events.rows, B, 0, 0, 0));
    PetscCall(collect_names(&b, globals, rows));
    PetscCall(rows_compact(rows, rows->csr.nnz, globals, rows->csr.columns));
    PetscCall(PetscFree(globals));
    PetscCall(rows_remember_pattern(B, rows));
    PetscFunctionReturn(0);
}

/* See sum.h. Rows of all parts ascend, so a row of the sum is merged from them, and nothing is sorted. */
#include "sum.h"

/* ---- Columns ---------------------------------------------------------------------------------------------------- */

/* The names of the sum: those of the process's own part, and those of what it has received. */
static PetscErrorCode collect_names(const SpgRows *names, SpgSum *sum)
{
    const SpgExchange *exchange = &sum->exchange;
    const PetscInt entries = exchange->piece_offsets[exchange->pieces];
    PetscInt *all, at, count = names->others;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(names->others + entries + 1, &all));
    PetscCall(PetscArraycpy(all, names->names, names->others));
    for (PetscInt k = 0; k < entries; k++) {
        const PetscInt own = exchange->columns[k] - names->first_global;
        if (own >= 0 && own < names->own) continue;
        PetscCall(PetscFindInt(exchange->columns[k], names->others, names->names, &at));
        if (at < 0) all[count++] = exchange->columns[k];
    }
    if (count > names->others) PetscCall(PetscSortRemoveDupsInt(&count, all));
    PetscCall(rows_set_names(&sum->rows, names->first_global, names->own, count, all));
    PetscFunctionReturn(0);
}

/* The compact columns of the sum for those of the part: `of_names` for the names. */
static PetscErrorCode rename_columns(const SpgRows *names, const SpgRows *rows, int32_t **of_names)
{
    int32_t at = 0;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(names->others + 1, of_names));
    for (int32_t k = 0; k < names->others; k++) {
        while (rows->names[at] != names->names[k]) at++;
        (*of_names)[k] = at < rows->first ? at : at + rows->own;
    }
    PetscFunctionReturn(0);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* The pieces of each own row, in the order in which they came: offsets of own rows, and the pieces. */
static PetscErrorCode pieces_by_row(const SpgExchange *exchange, PetscInt own, PetscInt **offsets, PetscInt **pieces)
{
    PetscInt *starts;

    PetscFunctionBegin;
    PetscCall(PetscCalloc1(own + 2, &starts));
    PetscCall(PetscMalloc1(exchange->pieces + 1, pieces));
    for (PetscInt p = 0; p < exchange->pieces; p++) starts[exchange->piece_rows[p] + 2]++;
    for (PetscInt i = 2; i < own + 2; i++) starts[i] += starts[i - 1];
    for (PetscInt p = 0; p < exchange->pieces; p++) (*pieces)[starts[exchange->piece_rows[p] + 1]++] = p;
    *offsets = starts;
    PetscFunctionReturn(0);
}

/* Merges n ascending columns into a row of *count; `room` is for as many as both. */
static PetscErrorCode merge(int32_t *row, PetscInt *count, const int32_t *columns, PetscInt n, int32_t *room)
{
    PetscInt a = 0, b = 0, all = 0;

    PetscFunctionBegin;
    while (a < *count && b < n) {
        const int32_t column = PetscMin(row[a], columns[b]);
        a += row[a] == column;
        b += columns[b] == column;
        room[all++] = column;
    }
    while (a < *count) room[all++] = row[a++];
    while (b < n) room[all++] = columns[b++];
    if (all > *count) PetscCall(PetscArraycpy(row, room, all));
    *count = all;
    PetscFunctionReturn(0);
}

/* The places of n ascending columns in a row that has them. */
static void find_places(const int32_t *row, const int32_t *columns, PetscInt n, int32_t *places)
{
    int32_t at = 0;

    for (PetscInt k = 0; k < n; k++, at++) {
        while (row[at] != columns[k]) at++;
        places[k] = at;
    }
}

/* The rows of the sum, and the places in them. `columns` are those of received entries, compact; own_columns those of
 * the own rows of the part, whose offsets are own_offsets. */
static PetscErrorCode merge_rows(SpgSum *sum, const int32_t *columns, const PetscInt *own_offsets,
                                 const int32_t *own_columns)
{
    const SpgExchange *exchange = &sum->exchange;
    const PetscInt *ends = exchange->piece_offsets, own_rows = sum->rows.own_rows;
    PetscInt *offsets = sum->rows.csr.row_offsets, *by_row = NULL, *pieces = NULL;
    int32_t *own_places = sum->own_places, *room;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(sum->rows.csr.cols + 1, &room));
    PetscCall(pieces_by_row(exchange, own_rows, &by_row, &pieces));
    offsets[0] = 0;
    for (PetscInt i = 0; i < own_rows; i++) {
        const int32_t *own = own_columns + own_offsets[i] - own_offsets[0];
        const PetscInt n = own_offsets[i + 1] - own_offsets[i];
        int32_t *row = sum->rows.csr.columns + offsets[i];
        PetscInt count = n;
        PetscCall(PetscArraycpy(row, own, n));
        for (PetscInt k = by_row[i]; k < by_row[i + 1]; k++)
            PetscCall(merge(row, &count, columns + ends[pieces[k]], ends[pieces[k] + 1] - ends[pieces[k]], room));
        offsets[i + 1] = offsets[i] + count;
        sum->is_summed[i] = by_row[i + 1] > by_row[i] ? PETSC_TRUE : PETSC_FALSE;
        if (!sum->is_summed[i]) continue;
        sum->summed_rows[sum->summed++] = i;
        find_places(row, own, n, own_places);
        own_places += n;
        for (PetscInt k = by_row[i]; k < by_row[i + 1]; k++)
            find_places(row, columns + ends[pieces[k]], ends[pieces[k] + 1] - ends[pieces[k]],
                        sum->received_places + ends[pieces[k]]);
    }
    PetscCall(PetscFree(by_row));
    PetscCall(PetscFree(pieces));
    PetscCall(PetscFree(room));
    PetscFunctionReturn(0);
}

static PetscErrorCode allocate(PetscInt own_rows, PetscInt own, PetscInt received, SpgSum *sum)
{
    PetscInt *offsets;
    PetscScalar *values;

    PetscFunctionBegin;
    sum->rows.own_rows = own_rows;
    sum->rows.csr.rows = own_rows;
    PetscCall(PetscMalloc1(own_rows + 1, &offsets));
    sum->rows.csr.row_offsets = offsets;
    PetscCall(PetscMalloc1(own + received + 1, &sum->rows.csr.columns));
    PetscCall(PetscMalloc1(own + received + 1, &values));
    sum->rows.csr.values = values;
    PetscCall(PetscMalloc1(received + 1, &sum->received));
    PetscCall(PetscMalloc1(received + 1, &sum->received_places));
    PetscCall(PetscMalloc1(own_rows + 1, &sum->summed_rows));
    PetscCall(PetscMalloc1(own + 1, &sum->own_places));
    PetscCall(PetscMalloc1(own_rows + 1, &sum->is_summed));
    PetscFunctionReturn(0);
}

PetscErrorCode sum_create(Mat C, PetscLayout owners, const SpgRows *names, const spg_csr *part, SpgSum *sum)
{
    const PetscInt *own_offsets = (const PetscInt *)part->row_offsets + names->first;
    const PetscInt own = own_offsets[names->own] - own_offsets[0];
    int32_t *own_columns, *columns, *of_names;
    PetscInt received;

    PetscFunctionBegin;
    PetscCall(exchange_rows(C, owners, names, part, &sum->exchange));
    received = sum->exchange.piece_offsets[sum->exchange.pieces];
    PetscCall(collect_names(names, sum));
    PetscCall(allocate(names->own, own, received, sum));
    PetscCall(PetscMalloc2(own + 1, &own_columns, received + 1, &columns));
    PetscCall(rename_columns(names, &sum->rows, &of_names));
    for (PetscInt k = 0; k < own; k++) {
        const int32_t column = part->columns[own_offsets[0] + k];
        if (is_own(names, column))
            own_columns[k] = column - names->first + sum->rows.first;
        else
            own_columns[k] = of_names[column < names->first ? column : column - names->own];
    }
    PetscCall(PetscFree(of_names));
    PetscCall(rows_compact(&sum->rows, received, sum->exchange.columns, columns));
    PetscCall(merge_rows(sum, columns, own_offsets, own_columns));
    PetscCall(PetscFree2(own_columns, columns));
    PetscCall(PetscFree(sum->exchange.columns));
    sum->rows.csr.nnz = ((const PetscInt *)sum->rows.csr.row_offsets)[names->own];
    PetscFunctionReturn(0);
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

PetscErrorCode sum_values(Mat C, const SpgRows *names, const spg_csr *part, const SpgSum *sum,
                          PetscScalar *const *places)
{
    const SpgExchange *exchange = &sum->exchange;
    const PetscInt *offsets = sum->rows.csr.row_offsets, *ends = exchange->piece_offsets;
    const PetscInt *own_offsets = (const PetscInt *)part->row_offsets + names->first;
    const int32_t *place = sum->own_places;

    PetscFunctionBegin;
    PetscCall(exchange_values_begin(C, part, exchange, sum->received));
    for (PetscInt s = 0; s < sum->summed; s++) {
        const PetscInt i = sum->summed_rows[s];
        const PetscScalar *own = part->values;
        PetscCall(PetscArrayzero(places[i], offsets[i + 1] - offsets[i]));
        for (PetscInt k = own_offsets[i]; k < own_offsets[i + 1]; k++) places[i][*place++] = own[k];
    }
    PetscCall(exchange_values_end(exchange));
    for (PetscInt p = 0; p < exchange->pieces; p++) {
        PetscScalar *to = places[exchange->piece_rows[p]];
        for (PetscInt k = ends[p]; k < ends[p + 1]; k++) to[sum->received_places[k]] += sum->received[k];
    }
    PetscFunctionReturn(0);
}

PetscErrorCode sum_clear(SpgSum *sum)
{
    PetscFunctionBegin;
    PetscCall(rows_clear(&sum->rows));
    PetscCall(exchange_clear(&sum->exchange));
    PetscCall(PetscFree(sum->received));
    PetscCall(PetscFree(sum->received_places));
    PetscCall(PetscFree(sum->summed_rows));
    PetscCall(PetscFree(sum->own_places));
    PetscCall(PetscFree(sum->is_summed));
    PetscFunctionReturn(0);
}

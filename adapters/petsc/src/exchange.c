/* The exchange of rows (sum.h). A message with a pattern has for each row its global number and its length, and then
 * the global columns of all. */
#include "sum.h"

/* What a process tells another before: how many rows and entries it sends. */
typedef struct Announced {
    PetscInt rows, entries;
} Announced;

static PetscInt announced_length(Announced announced) { return 2 * announced.rows + announced.entries; }

/* Finds who gets which rows. */
static PetscErrorCode find_owners(PetscLayout owners, const SpgRows *names, const spg_csr *part, SpgExchange *exchange,
                                  Announced **announced)
{
    const PetscInt *offsets = part->row_offsets, *ranges;
    PetscMPIInt processes, rank;

    PetscFunctionBegin;
    PetscCall(PetscLayoutGetRanges(owners, &ranges));
    PetscCallMPI(MPI_Comm_size(owners->comm, &processes));
    PetscCall(PetscMalloc1(PetscMin(processes, names->others) + 1, &exchange->to_ranks));
    PetscCall(PetscMalloc1(PetscMin(processes, names->others) + 1, &exchange->to_rows));
    PetscCall(PetscMalloc1(PetscMin(processes, names->others) + 1, announced));
    for (int32_t next, name = 0; name < names->others; name = next) {
        const PetscInt begin = name < names->first ? name : name + names->own;
        Announced sent = {0, 0};
        PetscInt row = begin;
        PetscCall(PetscLayoutFindOwner(owners, names->names[name], &rank));
        for (next = name; next < names->others && names->names[next] < ranges[rank + 1]; next++, row++)
            if (offsets[row + 1] > offsets[row]) sent.rows++;
        sent.entries = offsets[row] - offsets[begin];
        if (sent.rows == 0) continue;
        exchange->to_ranks[exchange->to] = rank;
        exchange->to_rows[exchange->to][0] = begin;
        exchange->to_rows[exchange->to][1] = row;
        (*announced)[exchange->to++] = sent;
    }
    PetscFunctionReturn(0);
}

/* Learns what comes from whom; the processes in ascending order. */
static PetscErrorCode announce(Mat C, SpgExchange *exchange, const Announced *to, Announced **from)
{
    PetscMPIInt *order;
    Announced *found;

    PetscFunctionBegin;
    PetscCall(PetscCommBuildTwoSided(PetscObjectComm((PetscObject)C), 2, MPIU_INT, exchange->to, exchange->to_ranks, to,
                                     &exchange->from, &exchange->from_ranks, &found));
    PetscCall(PetscMalloc1(exchange->from + 1, &order));
    PetscCall(PetscMalloc1(exchange->from + 1, from));
    for (PetscMPIInt k = 0; k < exchange->from; k++) order[k] = k;
    PetscCall(PetscSortMPIIntWithArray(exchange->from, exchange->from_ranks, order));
    for (PetscMPIInt k = 0; k < exchange->from; k++) (*from)[k] = found[order[k]];
    PetscCall(PetscFree(order));
    PetscCall(PetscFree(found));
    PetscFunctionReturn(0);
}

static void write_message(const SpgRows *names, const spg_csr *part, const PetscInt rows[2], PetscInt *message)
{
    const PetscInt *offsets = part->row_offsets;

    for (PetscInt row = rows[0]; row < rows[1]; row++) {
        if (offsets[row + 1] == offsets[row]) continue;
        *message++ = rows_global(names, (int32_t)row);
        *message++ = offsets[row + 1] - offsets[row];
    }
    for (PetscInt k = offsets[rows[0]]; k < offsets[rows[1]]; k++) *message++ = rows_global(names, part->columns[k]);
}

static PetscErrorCode receive(Mat C, SpgExchange *exchange, const Announced *from, PetscInt *messages)
{
    PetscMPIInt count;

    PetscFunctionBegin;
    for (PetscMPIInt k = 0; k < exchange->from; k++) {
        PetscCall(PetscMPIIntCast(announced_length(from[k]), &count));
        PetscCallMPI(MPI_Irecv(messages, count, MPIU_INT, exchange->from_ranks[k], exchange->tag,
                               PetscObjectComm((PetscObject)C), &exchange->requests[k]));
        messages += count;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode send(Mat C, const SpgRows *names, const spg_csr *part, SpgExchange *exchange, const Announced *to,
                           PetscInt *messages)
{
    PetscMPIInt count;

    PetscFunctionBegin;
    for (PetscMPIInt k = 0; k < exchange->to; k++) {
        PetscCall(PetscMPIIntCast(announced_length(to[k]), &count));
        write_message(names, part, exchange->to_rows[k], messages);
        PetscCallMPI(MPI_Isend(messages, count, MPIU_INT, exchange->to_ranks[k], exchange->tag,
                               PetscObjectComm((PetscObject)C), &exchange->requests[exchange->from + k]));
        messages += count;
    }
    PetscFunctionReturn(0);
}

/* The pieces from the messages with their patterns. */
static PetscErrorCode read_messages(PetscInt first_row, const Announced *from, const PetscInt *messages,
                                    SpgExchange *exchange)
{
    PetscInt piece = 0, *offsets = exchange->piece_offsets;

    PetscFunctionBegin;
    offsets[0] = exchange->from_pieces[0] = 0;
    for (PetscMPIInt k = 0; k < exchange->from; k++) {
        for (PetscInt row = 0; row < from[k].rows; row++, piece++) {
            exchange->piece_rows[piece] = *messages++ - first_row;
            offsets[piece + 1] = offsets[piece] + *messages++;
        }
        exchange->from_pieces[k + 1] = piece;
        PetscCall(PetscArraycpy(exchange->columns + offsets[piece] - from[k].entries, messages, from[k].entries));
        messages += from[k].entries;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode sum_of(PetscMPIInt count, const Announced *announced, Announced *sum)
{
    PetscInt64 length = 0;

    PetscFunctionBegin;
    *sum = (Announced){0, 0};
    for (PetscMPIInt k = 0; k < count; k++) {
        length += announced_length(announced[k]);
        PetscCheck(length <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
                   "The rows that one process exchanges have more than %" PetscInt_FMT
                   " entries: use more processes, or a PETSc with 64-bit indices",
                   PETSC_MAX_INT);
        sum->rows += announced[k].rows;
        sum->entries += announced[k].entries;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode exchange_rows(Mat C, PetscLayout owners, const SpgRows *names, const spg_csr *part,
                             SpgExchange *exchange)
{
    Announced *to, *from, all_to, all_from;
    PetscInt *sent, *received;

    PetscFunctionBegin;
    PetscCall(PetscObjectGetNewTag((PetscObject)C, &exchange->tag));
    PetscCall(find_owners(owners, names, part, exchange, &to));
    PetscCall(announce(C, exchange, to, &from));
    PetscCall(sum_of(exchange->to, to, &all_to));
    PetscCall(sum_of(exchange->from, from, &all_from));
    exchange->pieces = all_from.rows;
    PetscCall(PetscMalloc1(exchange->from + 1, &exchange->from_pieces));
    PetscCall(PetscMalloc1(all_from.rows + 1, &exchange->piece_rows));
    PetscCall(PetscMalloc1(all_from.rows + 1, &exchange->piece_offsets));
    PetscCall(PetscMalloc1(all_from.entries + 1, &exchange->columns));
    PetscCall(PetscMalloc1(exchange->to + exchange->from + 1, &exchange->requests));
    PetscCall(PetscMalloc2(announced_length(all_to) + 1, &sent, announced_length(all_from) + 1, &received));
    PetscCall(receive(C, exchange, from, received));
    PetscCall(send(C, names, part, exchange, to, sent));
    PetscCall(exchange_values_end(exchange));
    PetscCall(read_messages(names->first_global, from, received, exchange));
    PetscCall(PetscFree2(sent, received));
    PetscCall(PetscFree(to));
    PetscCall(PetscFree(from));
    PetscFunctionReturn(0);
}

PetscErrorCode exchange_values_begin(Mat C, const spg_csr *part, const SpgExchange *exchange, PetscScalar *received)
{
    const MPI_Comm comm = PetscObjectComm((PetscObject)C);
    const PetscInt *offsets = part->row_offsets;
    PetscMPIInt count;

    PetscFunctionBegin;
    for (PetscMPIInt k = 0; k < exchange->from; k++) {
        const PetscInt begin = exchange->piece_offsets[exchange->from_pieces[k]];
        PetscCall(PetscMPIIntCast(exchange->piece_offsets[exchange->from_pieces[k + 1]] - begin, &count));
        PetscCallMPI(MPI_Irecv(received + begin, count, MPIU_SCALAR, exchange->from_ranks[k], exchange->tag, comm,
                               &exchange->requests[k]));
    }
    for (PetscMPIInt k = 0; k < exchange->to; k++) {
        const PetscInt begin = offsets[exchange->to_rows[k][0]];
        PetscCall(PetscMPIIntCast(offsets[exchange->to_rows[k][1]] - begin, &count));
        PetscCallMPI(MPI_Isend((PetscScalar *)part->values + begin, count, MPIU_SCALAR, exchange->to_ranks[k],
                               exchange->tag, comm, &exchange->requests[exchange->from + k]));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode exchange_values_end(const SpgExchange *exchange)
{
    PetscFunctionBegin;
    PetscCallMPI(MPI_Waitall(exchange->to + exchange->from, exchange->requests, MPI_STATUSES_IGNORE));
    PetscFunctionReturn(0);
}

PetscErrorCode exchange_clear(SpgExchange *exchange)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(exchange->to_ranks));
    PetscCall(PetscFree(exchange->from_ranks));
    PetscCall(PetscFree(exchange->to_rows));
    PetscCall(PetscFree(exchange->from_pieces));
    PetscCall(PetscFree(exchange->piece_rows));
    PetscCall(PetscFree(exchange->piece_offsets));
    PetscCall(PetscFree(exchange->columns));
    PetscCall(PetscFree(exchange->requests));
    PetscCall(PetscMemzero(exchange, sizeof(*exchange)));
    PetscFunctionReturn(0);
}

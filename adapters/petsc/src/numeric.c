/* See numeric.h. */
#include "numeric.h"
#include <pthread.h>
#include <string.h>

/* A thread gets at least so many entries of A: starting it takes as long as some thousands. */
enum { MOST_THREADS = 256, ENTRIES_PER_THREAD = 1 << 16 };

/* Each of so many repeats after the first finds the masks of an equal part of the rows, and so takes a little longer.
 */
enum { FINDING_REPEATS = 16 };

/* ---- Equal rows ------------------------------------------------------------------------------------------------- */

static PetscErrorCode find_equal_rows(const spg_csr *A, SpgEqualRows **equal)
{
    const PetscInt *offsets = A->row_offsets;
    const PetscInt rows = (PetscInt)A->rows;

    PetscFunctionBegin;
    PetscCall(PetscCalloc1(rows + 1, equal));
    for (PetscInt row = 0, next; row < rows; row = next) {
        const PetscInt entries = offsets[row + 1] - offsets[row];
        const int32_t *columns = A->columns + offsets[row];
        for (next = row + 1; next < rows && next - row < MOST_EQUAL_ROWS; next++)
            if (entries == 0 || offsets[next + 1] - offsets[next] != entries ||
                memcmp(A->columns + offsets[next], columns, (size_t)entries * sizeof *columns) != 0)
                break;
        (*equal)[row] = (SpgEqualRows)(next - row);
    }
    PetscFunctionReturn(0);
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

/* The sums of each thread. All products of the process use them in turn. */
static PetscScalar *all_sums;
static size_t sums_room;

static PetscErrorCode free_sums(void)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(all_sums));
    sums_room = 0;
    PetscFunctionReturn(0);
}

static PetscErrorCode reserve_sums(size_t count)
{
    static PetscBool registered = PETSC_FALSE;

    PetscFunctionBegin;
    if (count <= sums_room) PetscFunctionReturn(0);
    if (!registered) PetscCall(PetscRegisterFinalize(free_sums));
    registered = PETSC_TRUE;
    PetscCall(free_sums());
    PetscCall(PetscCalloc1(count, &all_sums));
    sums_room = count;
    PetscFunctionReturn(0);
}

/* The rows of one thread. */
typedef struct Part {
    const SpgPass *pass;
    PetscInt begin, end;
    PetscScalar *sums;
    pthread_t thread;
    PetscBool started;
} Part;

static void *run_part(void *argument)
{
    const Part *part = argument;

    row_values(part->pass, part->begin, part->end, part->sums);
    return NULL;
}

/* The first row of a group that begins at or after this entry. */
static PetscInt row_at(const spg_csr *A, const SpgEqualRows *equal, int64_t entry)
{
    const PetscInt *offsets = A->row_offsets;
    PetscInt low = 0, high = (PetscInt)A->rows;

    while (low < high) {
        const PetscInt middle = low + (high - low) / 2;
        if (offsets[middle] < entry)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < A->rows && equal[low] == 0) low++;
    return low;
}

static PetscErrorCode run(const SpgPass *pass)
{
    const spg_csr *A = pass->A;
    const size_t room = MOST_EQUAL_ROWS * (size_t)pass->B->cols;
    Part parts[MOST_THREADS];
    spg_context *context;
    int threads;

    PetscFunctionBegin;
    PetscCall(shared_context(&context));
    threads = (int)PetscMin(PetscMin(spg_context_threads(context), MOST_THREADS), 1 + A->nnz / ENTRIES_PER_THREAD);
    threads = (int)PetscMin(threads, 1 + pass->C->nnz / (int64_t)(room + 1)); /* sums take less room than C, or one's */
    PetscCall(reserve_sums(room * (size_t)threads));
    for (int t = threads - 1; t >= 0; t--) {
        const PetscInt end = t == threads - 1 ? (PetscInt)A->rows : parts[t + 1].begin;
        const PetscInt begin = t == 0 ? 0 : row_at(A, pass->equal, A->nnz / threads * t);
        parts[t] = (Part){pass, begin, end, all_sums + room * (size_t)t, .started = PETSC_FALSE};
        if (t > 0 && pthread_create(&parts[t].thread, NULL, run_part, &parts[t]) == 0) parts[t].started = PETSC_TRUE;
    }
    for (int t = 0; t < threads; t++)
        if (!parts[t].started) run_part(&parts[t]);
    for (int t = 0; t < threads; t++)
        if (parts[t].started) (void)pthread_join(parts[t].thread, NULL);
    PetscFunctionReturn(0);
}

/* ---- Products --------------------------------------------------------------------------------------------------- */

PetscErrorCode numeric_first(const spg_csr *R, const spg_csr *A, const spg_csr *B, SpgNumeric *numeric, spg_csr *C)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(shared_context(&context));
    SpgCall(context, spgemm_csr(context, A, B, R ? &numeric->AB : C));
    PetscCall(find_equal_rows(A, &numeric->A.equal));
    if (!R) PetscFunctionReturn(0);
    SpgCall(context, spgemm_csr(context, R, &numeric->AB, C));
    PetscCall(find_equal_rows(R, &numeric->R.equal));
    PetscFunctionReturn(0);
}

/* Finds the masks of a part of the rows. Only if C's rows are short on average are masks worth their room. */
static PetscErrorCode find_some_masks(SpgPass *pass, SpgLeft *left)
{
    const PetscInt rows = (PetscInt)pass->A->rows, begin = left->masked;
    const PetscInt end = PetscMin(rows, begin + rows / FINDING_REPEATS + 1);

    PetscFunctionBegin;
    if (!left->repeated) {
        left->repeated = PETSC_TRUE;
        PetscFunctionReturn(0);
    }
    if (!left->masks && pass->C->nnz <= MOST_LANES * pass->C->rows && masks_are_available())
        PetscCall(PetscMalloc1(pass->A->nnz + 1, &left->masks));
    pass->masks = left->masks;
    if (!left->masks || begin == end) PetscFunctionReturn(0);
    find_masks(pass, left->equal, begin, end);
    left->masked = end;
    PetscFunctionReturn(0);
}

static PetscErrorCode repeat(SpgPass pass, SpgLeft *left)
{
    PetscFunctionBegin;
    pass.equal = left->equal;
    PetscCall(find_some_masks(&pass, left));
    PetscCall(run(&pass));
    PetscFunctionReturn(0);
}

PetscErrorCode numeric_repeat(const spg_csr *R, const SpgPass *of, SpgNumeric *numeric)
{
    SpgPass first = *of;

    PetscFunctionBegin;
    if (R) {
        first.C = &numeric->AB;
        first.C_rows = NULL;
    }
    PetscCall(repeat(first, &numeric->A));
    if (R) PetscCall(repeat((SpgPass){.A = R, .B = &numeric->AB, .C = of->C, .C_rows = of->C_rows}, &numeric->R));
    PetscFunctionReturn(0);
}

static PetscErrorCode clear(SpgLeft *left)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(left->equal));
    PetscCall(PetscFree(left->masks));
    PetscFunctionReturn(0);
}

PetscErrorCode numeric_clear(SpgNumeric *numeric)
{
    spg_context *context;

    PetscFunctionBegin;
    PetscCall(shared_context(&context));
    spg_csr_free(context, &numeric->AB);
    PetscCall(clear(&numeric->A));
    PetscCall(clear(&numeric->R));
    PetscFunctionReturn(0);
}

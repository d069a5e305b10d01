/* A hierarchy in floats for a matrix of doubles. Its cycles move fewer bytes; the iteration around them is in doubles
 * and on the matrix itself, so that only the number of its steps can depend on the floats. */
#include "cycle.h"

#include "memory.h"

/* The sums of squares, each of which may be taken again. */
enum { OF_A, OF_B, SUMS, SQUARES = 2 * SUMS };

static int64_t float_bytes(int64_t count) { return count * (int64_t)sizeof(float); }

static int64_t workspace_bytes(const spg_amg *amg)
{
    const int64_t numbers = amg->system.rows * amg->options.candidates, nnz = amg->system.nnz;
    return amg->backend->dot_bytes(SPG_F64, numbers > nnz ? numbers : nnz);
}

static spg_status find_square(const spg_amg *amg, int64_t count, const void *x, int which)
{
    const spg_amg_narrow *narrow = amg->narrow;
    double *const sum = &narrow->squares[which], *const again = &narrow->squares[SUMS + which];
    const spg_status status = amg->backend->dot(amg->context, SPG_F64, count, x, x, narrow->workspace, sum);
    if (status != SPG_OK) return status;
    return amg->backend->sum_again(amg->context, count, x, sum, narrow->workspace, again);
}

static spg_squares squares_of(const spg_amg *amg, int which)
{
    const double *const squares = amg->narrow->squares;
    return (spg_squares){&squares[which], &squares[SUMS + which]};
}

static spg_status take_arrays(spg_amg *amg, spg_amg_narrow *narrow)
{
    spg_level *first = &amg->level[0];
    const int64_t vector = float_bytes(amg->system.rows);
    spg_status status = spg_amg_take(amg, first, float_bytes(amg->system.nnz), "A in floats", &narrow->values);
    if (status == SPG_OK) status = spg_amg_take(amg, first, vector, "a vector in floats", (void **)&narrow->b);
    if (status == SPG_OK) status = spg_amg_take(amg, first, vector, "a vector in floats", (void **)&narrow->x);
    if (status == SPG_OK) status = spg_amg_take(amg, first, spg_amg_system_bytes(amg), "a residual", &narrow->r);
    if (status == SPG_OK)
        status = spg_amg_take(amg, NULL, SQUARES * sizeof *narrow->squares, "units", (void **)&narrow->squares);
    if (status != SPG_OK) return status;
    return spg_amg_take(amg, NULL, workspace_bytes(amg), "workspace of a dot product", &narrow->workspace);
}

spg_status spg_amg_narrow_create(spg_amg *amg)
{
    spg_csr *A = &amg->level[0].A;
    spg_status status = spg_amg_take_on_host(amg, sizeof *amg->narrow, "a hierarchy in floats", (void **)&amg->narrow);
    if (status != SPG_OK) return status;
    amg->value_type = SPG_F32;
    status = take_arrays(amg, amg->narrow);
    if (status == SPG_OK) status = spg_amg_narrow_update(amg);
    A->value_type = SPG_F32;
    A->values = amg->narrow->values;
    return status;
}

spg_status spg_amg_narrow_update(spg_amg *amg)
{
    const spg_csr *A = &amg->system;
    const spg_status status = find_square(amg, A->nnz, A->values, OF_A);
    if (status != SPG_OK) return status;
    return amg->backend->narrow(amg->context, A->nnz, squares_of(amg, OF_A), A->values, amg->narrow->values);
}

void spg_amg_narrow_destroy(spg_amg *amg)
{
    spg_amg_narrow *narrow = amg->narrow;
    spg_level *first = &amg->level[0];
    if (narrow == NULL) return;
    spg_amg_give(amg, first, narrow->values, float_bytes(amg->system.nnz));
    spg_amg_give(amg, first, narrow->b, float_bytes(amg->system.rows));
    spg_amg_give(amg, first, narrow->x, float_bytes(amg->system.rows));
    spg_amg_give(amg, first, narrow->r, spg_amg_system_bytes(amg));
    spg_amg_give(amg, NULL, narrow->squares, SQUARES * sizeof *narrow->squares);
    spg_amg_give(amg, NULL, narrow->workspace, workspace_bytes(amg));
    spg_amg_give_on_host(amg, narrow, sizeof *narrow);
    amg->narrow = NULL;
}

static int64_t candidate_bytes(const spg_amg *amg) { return float_bytes(amg->system.rows * amg->options.candidates); }

spg_status spg_amg_narrow_candidates(spg_amg *amg, const void **values)
{
    const spg_amg_options *options = &amg->options;
    void *narrowed = NULL;
    *values = NULL;
    if (options->candidate_values == NULL) return SPG_OK;
    const int64_t count = amg->system.rows * options->candidates;
    spg_status status = spg_allocate(amg->context, candidate_bytes(amg), "candidates in floats", &narrowed);
    *values = narrowed;
    if (status == SPG_OK) status = find_square(amg, count, options->candidate_values, OF_B);
    if (status != SPG_OK) return status;
    return amg->backend->narrow(amg->context, count, squares_of(amg, OF_B), options->candidate_values, narrowed);
}

void spg_amg_narrow_release(spg_amg *amg, const void *values)
{
    spg_release(amg->context, (void *)values, candidate_bytes(amg));
}

spg_squares spg_amg_narrow_unit(const spg_amg *amg) { return squares_of(amg, OF_A); }

/* x = M b. square: of b, at the place; NULL: not known. */
static spg_status apply_narrow(spg_amg *amg, const void *b, void *x, const double *square)
{
    const spg_amg_narrow *narrow = amg->narrow;
    const int64_t n = amg->system.rows;
    spg_status status = square == NULL ? find_square(amg, n, b, OF_B) : SPG_OK;
    const spg_squares of_b = square == NULL ? squares_of(amg, OF_B) : (spg_squares){square, NULL};
    if (status == SPG_OK) status = amg->backend->narrow(amg->context, n, of_b, b, narrow->b);
    if (status == SPG_OK) status = spg_amg_repeated_cycle(amg, narrow->b, narrow->x, true);
    if (status != SPG_OK) return status;
    return amg->backend->widen(amg->context, n, of_b, squares_of(amg, OF_A), narrow->x, x);
}

spg_status spg_amg_precondition(spg_amg *amg, const void *b, void *x, const double *square)
{
    if (amg->system.rows == 0) return SPG_OK;
    return amg->narrow != NULL ? apply_narrow(amg, b, x, square) : spg_amg_repeated_cycle(amg, b, x, true);
}

/* x += M (b - A x), by way of r: a cycle from x. */
static spg_status correct(spg_amg *amg, const void *b, void *x)
{
    const spg_amg_narrow *narrow = amg->narrow;
    const int64_t n = amg->system.rows;
    spg_status status = amg->backend->residual(amg->context, &amg->system, b, x, narrow->r);
    if (status == SPG_OK) status = apply_narrow(amg, narrow->r, narrow->r, NULL);
    return status == SPG_OK ? amg->backend->axpby(amg->context, SPG_F64, n, 1, narrow->r, 1, x) : status;
}

spg_status spg_amg_cycle_from_guess(spg_amg *amg, const void *b, void *x)
{
    if (amg->system.rows == 0) return SPG_OK;
    return amg->narrow != NULL ? correct(amg, b, x) : spg_amg_repeated_cycle(amg, b, x, false);
}

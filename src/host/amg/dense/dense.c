/* The dense solver of the coarsest level: the operator, scaled to S A S, by its connected components. For each
 * component, N, the part of the candidates' span that it maps to zero, is found first, and A + N N^T is factored. This
 * is regular, and definite if A is semidefinite; its inverse minus N N^T is the pseudo-inverse of A. A component that
 * is singular beyond N gets a pseudo-inverse by singular values. Unknowns with a zero row and column are zero in the
 * solution; those left by linearly dependent candidates are in no component. Everything is computed in doubles: for
 * floats, only the rounding of the entries remains. */
#include "dense.h"

#include "amg/numerics.h"

#include "memory.h"

#include <math.h>

/* Unless an earlier attempt has allocated it. */
static spg_status take(spg_context *context, spg_amg_dense *dense, int64_t count, size_t size, void **memory)
{
    if (*memory != NULL || count == 0) return SPG_OK;
    const int64_t bytes = spg_array_bytes(count, size);
    const spg_status status = spg_allocate_on_host(context, bytes, "the dense coarse operator", memory);
    if (status == SPG_OK) dense->bytes += bytes;
    return status;
}

static void release_matrix(spg_context *context, spg_amg_dense *dense)
{
    const int64_t bytes = spg_array_bytes(dense->matrix_room, sizeof *dense->matrix);
    if (dense->matrix == NULL) return;
    spg_release_on_host(context, dense->matrix, bytes);
    dense->bytes -= bytes;
    dense->matrix = NULL;
    dense->matrix_room = 0;
}

void spg_host_dense_destroy(spg_context *context, spg_amg_dense *dense)
{
    if (dense == NULL) return;
    const int64_t n = dense->rows, wide = n * dense->candidates * (int64_t)sizeof(double);
    release_matrix(context, dense);
    spg_release_on_host(context, dense->candidate, wide);
    spg_release_on_host(context, dense->null, wide);
    spg_release_on_host(context, dense->null_of_A, wide);
    spg_release_on_host(context, dense->scaling, n * (int64_t)sizeof(double));
    spg_release_on_host(context, dense->unknowns, n * (int64_t)sizeof(int));
    spg_release_on_host(context, dense->place, n * (int64_t)sizeof(int));
    spg_release_on_host(context, dense->part, n * (int64_t)sizeof *dense->part);
    spg_release_on_host(context, dense->pivots, n * (int64_t)sizeof(int));
    spg_release_on_host(context, dense->vector, 2 * n * (int64_t)sizeof(double));
    spg_release_on_host(context, dense, sizeof *dense);
}

double spg_dense_least_share(const spg_amg_dense *dense, int64_t rows)
{
    return spg_amg_least_share(rows, dense->type == SPG_F32);
}

/* Room for the values of all parts. An update may join parts, and then needs more room than before; if there is none,
 * the old room stays. */
static spg_status take_matrix(spg_context *context, spg_amg_dense *dense)
{
    int64_t room = 0;
    double *larger = NULL;
    for (int p = 0; p < dense->parts; ++p) room += (int64_t)dense->part[p].rows * dense->part[p].rows;
    if (room <= dense->matrix_room) return SPG_OK;
    const spg_status status = take(context, dense, room, sizeof *larger, (void **)&larger);
    if (status != SPG_OK) return status;
    release_matrix(context, dense);
    dense->matrix = larger;
    dense->matrix_room = room;
    return SPG_OK;
}

/* The number of rows of one part for which Cholesky's method costs as much as for all parts. */
static double rows_that_cost_as_much(const spg_amg_dense *dense)
{
    double sum = 0;
    for (int p = 0; p < dense->parts; ++p) sum += pow(dense->part[p].rows, 3);
    return cbrt(sum);
}

/* Factors a part; *declines: it is singular and too large for singular values. */
static spg_status factor_part(spg_context *context, spg_amg_dense *dense, const spg_csr *A, spg_dense_part *part,
                              bool *declines)
{
    bool is_singular = false;
    spg_dense_spread(dense, A, part);
    spg_dense_find_null_space(dense, part);
    dense->is_singular = dense->is_singular || part->nullity > 0;
    spg_dense_factor(dense, part, &is_singular);
    if (!is_singular) return SPG_OK;
    dense->is_singular = true;
    *declines = part->rows > SPG_AMG_MOST_SINGULAR;
    if (*declines) return SPG_OK;
    spg_dense_spread(dense, A, part);
    return spg_dense_decompose(context, dense, part);
}

static spg_status factor(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source, bool *declines)
{
    dense->is_broken = true;
    dense->is_singular = false;
    spg_status status = spg_dense_find_parts(context, dense, source);
    if (status != SPG_OK) return status;
    *declines = source->most_rows > 0 && rows_that_cost_as_much(dense) > (double)source->most_rows;
    if (!*declines) status = take_matrix(context, dense);
    for (int p = 0; p < dense->parts && status == SPG_OK && !*declines; ++p)
        status = factor_part(context, dense, source->A, &dense->part[p], declines);
    dense->is_broken = status != SPG_OK || *declines;
    return status;
}

spg_status spg_host_dense_update(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source)
{
    spg_amg_dense_source whatever_it_costs = *source;
    bool declines = false;
    whatever_it_costs.most_rows = 0;
    const spg_status status = factor(context, dense, &whatever_it_costs, &declines);
    if (!declines) return status;
    return spg_context_fail(context, SPG_ERROR_BREAKDOWN, SPG_AMG_BECAME_SINGULAR, (long long)dense->rows);
}

/* Updates do not change the candidates. */
static void keep_candidates(spg_amg_dense *dense, const spg_amg_dense_source *source)
{
    for (int64_t k = 0; k < dense->rows * dense->candidates; ++k)
        dense->candidate[k] = source->candidate_values != NULL
                                  ? spg_dense_real_at(source->candidate_values, dense->type, k)
                                  : (k % dense->rows) % dense->candidates == k / dense->rows;
}

static spg_status create(spg_context *context, spg_amg_dense *dense)
{
    const int64_t rows = dense->rows, wide = rows * dense->candidates;
    spg_status status = take(context, dense, rows, sizeof(double), (void **)&dense->scaling);
    if (status == SPG_OK) status = take(context, dense, rows, sizeof(int), (void **)&dense->unknowns);
    if (status == SPG_OK) status = take(context, dense, rows, sizeof(int), (void **)&dense->place);
    if (status == SPG_OK) status = take(context, dense, rows, sizeof *dense->part, (void **)&dense->part);
    if (status == SPG_OK) status = take(context, dense, rows, sizeof(int), (void **)&dense->pivots);
    if (status == SPG_OK) status = take(context, dense, 2 * rows, sizeof(double), (void **)&dense->vector);
    if (status == SPG_OK) status = take(context, dense, wide, sizeof(double), (void **)&dense->candidate);
    if (status == SPG_OK) status = take(context, dense, wide, sizeof(double), (void **)&dense->null);
    if (status == SPG_OK) status = take(context, dense, wide, sizeof(double), (void **)&dense->null_of_A);
    return status;
}

spg_status spg_host_dense_create(spg_context *context, const spg_amg_dense_source *source, spg_amg_dense **dense)
{
    spg_amg_dense *created = NULL;
    bool declines = false;
    *dense = NULL;
    spg_status status = spg_allocate_on_host(context, sizeof *created, "a dense solver", (void **)&created);
    if (status != SPG_OK) return status;
    *created = (spg_amg_dense){.rows = source->A->rows,
                               .candidates = source->candidates,
                               .type = source->A->value_type,
                               .least = source->R != NULL ? 1 : 0,
                               .roundings = SPG_AMG_NULL_ROUNDINGS *
                                            sqrt(fmax(1, source->finest_rows / (double)source->A->rows)),
                               .bytes = sizeof *created};
    status = create(context, created);
    if (status == SPG_OK) keep_candidates(created, source);
    if (status == SPG_OK) status = factor(context, created, source, &declines);
    if (status != SPG_OK || declines) {
        spg_host_dense_destroy(context, created);
        return status;
    }
    *dense = created;
    return SPG_OK;
}

int64_t spg_host_dense_bytes(const spg_amg_dense *dense) { return dense->bytes; }

static void put(void *values, spg_type type, int64_t k, double value)
{
    if (type == SPG_F32)
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

static void put_zeros(void *values, spg_type type, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) put(values, type, k, 0);
}

/* Parts and factors of a failed update do not fit together: x is then zero. */
spg_status spg_host_dense_solve(spg_context *context, spg_amg_dense *dense, const void *b, void *x)
{
    (void)context;
    if (dense->is_broken) {
        put_zeros(x, dense->type, dense->rows);
        return SPG_OK;
    }
    for (int64_t i = 0; i < dense->rows; ++i)
        if (dense->place[i] >= 0)
            dense->vector[dense->place[i]] = dense->scaling[i] * spg_dense_real_at(b, dense->type, i);
    for (int p = 0; p < dense->parts; ++p) spg_dense_solve_part(dense, &dense->part[p]);
    for (int64_t i = 0; i < dense->rows; ++i)
        put(x, dense->type, i, dense->place[i] >= 0 ? dense->scaling[i] * dense->vector[dense->place[i]] : 0);
    return SPG_OK;
}

spg_status spg_host_dense_project(spg_context *context, spg_amg_dense *dense, const void *b, void *x)
{
    (void)context;
    put_zeros(x, dense->type, dense->rows);
    for (int p = 0; p < dense->parts; ++p) {
        const spg_dense_part *part = &dense->part[p];
        const int *const row = dense->unknowns + part->first;
        for (int i = 0; i < part->rows; ++i) dense->vector[i] = 0;
        for (int c = 0; c < part->nullity; ++c) {
            const double *const null = dense->null_of_A + c * dense->rows + part->first;
            double share = 0;
            for (int i = 0; i < part->rows; ++i) share += null[i] * spg_dense_real_at(b, dense->type, row[i]);
            for (int i = 0; i < part->rows; ++i) dense->vector[i] += share * null[i];
        }
        for (int i = 0; i < part->rows; ++i) put(x, dense->type, row[i], dense->vector[i]);
    }
    return SPG_OK;
}

spg_status spg_host_dense_tell(spg_context *context, const spg_amg_dense *dense, double *state)
{
    (void)context;
    bool has_null_space = false;
    for (int p = 0; p < dense->parts; ++p) has_null_space = has_null_space || dense->part[p].nullity > 0;
    *state = dense->is_broken ? SPG_AMG_DENSE_UNSETTLED : has_null_space ? SPG_AMG_DENSE_DEFLATED : SPG_AMG_DENSE_PLAIN;
    return SPG_OK;
}

spg_status spg_host_dense_settle(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source)
{
    (void)source;
    if (!dense->is_broken) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_BREAKDOWN,
                            "the last update failed at the coarsest operator; update or set up again");
}

bool spg_host_dense_is_singular(const spg_amg_dense *dense) { return dense->is_singular; }

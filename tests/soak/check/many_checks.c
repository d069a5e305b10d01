#include "many_checks.h"

#include "chance.h"
#include "host_matrix.h"
#include "rows.h"
#include "systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20, MOST_GAP = 3, GAP_BYTE = 0x5a };

/* Vectors on the host. */
typedef struct vectors {
    int64_t count, row_step, column_step, numbers;
    spg_layout layout;
    int64_t stride;
    char *B, *X;
    spg_amg_solve_result results[MOST];
} vectors;

static size_t size_of(const soak_many *of) { return spg_type_size(of->host->value_type); }

static char *at(const soak_many *of, const vectors *v, char *values, int64_t i, int64_t j)
{
    return values + (size_t)(i * v->row_step + j * v->column_step) * size_of(of);
}

static vectors create(const soak_many *of, int64_t count, spg_layout layout, int64_t gap)
{
    const int64_t n = of->host->rows;
    const bool by_row = layout == SPG_ROW_MAJOR;
    vectors v = {.count = count, .layout = layout, .stride = (by_row ? count : n) + gap};
    v.row_step = by_row ? v.stride : 1;
    v.column_step = by_row ? 1 : v.stride;
    v.numbers = v.stride * (by_row ? n : count);
    v.B = soak_array(v.numbers, size_of(of));
    v.X = soak_array(v.numbers, size_of(of));
    memset(v.X, GAP_BYTE, (size_t)v.numbers * size_of(of));
    return v;
}

static void release(const vectors *v)
{
    free(v->B);
    free(v->X);
}

/* Vector j of one becomes vector k of the other. */
static void copy_vector(const soak_many *of, const vectors *from, int64_t j, vectors *to, int64_t k)
{
    for (int64_t i = 0; i < of->host->rows; i++) {
        memcpy(at(of, to, to->B, i, k), at(of, from, from->B, i, j), size_of(of));
        memcpy(at(of, to, to->X, i, k), at(of, from, from->X, i, j), size_of(of));
    }
}

static vectors draw(const soak_many *of, uint64_t *state)
{
    const int64_t count = chance_between(state, 1, MOST), gap = chance_between(state, 0, MOST_GAP);
    const spg_layout layout = (spg_layout)chance_below(state, 2);
    const int64_t n = of->host->rows, numbers = n * count;
    const vectors v = create(of, count, layout, gap);
    char *const drawn = soak_array(2 * numbers, size_of(of));
    soak_draw_numbers(of->seed, SOAK_REAL, of->host->value_type, 2 * numbers, drawn);
    for (int64_t k = 0; k < numbers; k++) {
        memcpy(at(of, &v, v.B, k % n, k / n), drawn + (size_t)k * size_of(of), size_of(of));
        memcpy(at(of, &v, v.X, k % n, k / n), drawn + (size_t)(numbers + k) * size_of(of), size_of(of));
    }
    free(drawn);
    return v;
}

static spg_status solve(const soak_many *of, vectors *v, const spg_amg_solve_options *options)
{
    const size_t bytes = (size_t)v->numbers * size_of(of);
    void *const b = soak_lend_bytes(of->p, v->B, bytes), *const x = soak_lend_bytes(of->p, v->X, bytes);
    const spg_status status = spg_amg_solve_many(of->p->context, of->amg, v->count, v->layout, b, v->stride, x,
                                                 v->stride, options, v->results);
    soak_fetch_bytes(of->p, x, bytes, v->X);
    soak_give_back_bytes(of->p, b, bytes);
    soak_give_back_bytes(of->p, x, bytes);
    return status;
}

static bool leaves_gaps(const soak_many *of, const vectors *v)
{
    const bool by_row = v->layout == SPG_ROW_MAJOR;
    const int64_t lines = by_row ? of->host->rows : v->count, line = by_row ? v->count : of->host->rows;
    for (int64_t k = 0; k < lines; k++)
        for (size_t byte = (size_t)(k * v->stride + line) * size_of(of);
             byte < (size_t)((k + 1) * v->stride) * size_of(of); byte++)
            if (v->X[byte] != GAP_BYTE) return soak_fault("%s: spg_amg_solve_many wrote between vectors", of->p->name);
    return true;
}

/* What vector j says of itself. `alone` has it alone, before a solve of it. */
static bool says_what_is_true(const soak_many *of, const vectors *v, int64_t j, vectors *alone, double tolerance)
{
    if (!v->results[j].converged) return true;
    char *const zeros = soak_array(of->host->rows, size_of(of));
    vectors solved = create(of, 1, SPG_COLUMN_MAJOR, 0);
    copy_vector(of, v, j, &solved, 0);
    const double norm = soak_residual(of->host, alone->B, zeros),
                 residual = soak_residual(of->host, solved.B, solved.X);
    free(zeros);
    release(&solved);
    if (residual <= 10 * tolerance * norm + 1e-300) return true;
    return soak_fault("%s: spg_amg_solve_many: right-hand side %lld converged, but ||b - A x|| / ||b|| is %g",
                      of->p->name, (long long)j, residual / norm);
}

static bool is_as_alone(const soak_many *of, const vectors *v, int64_t j, vectors *alone,
                        const spg_amg_solve_options *options)
{
    const spg_status status = solve(of, alone, options);
    if (status == SPG_ERROR_MEMORY) return true;
    if (alone->results[0].converged != v->results[j].converged ||
        alone->results[0].iterations != v->results[j].iterations)
        return soak_fault("%s: right-hand side %lld of %lld: %d iterations, alone %d", of->p->name, (long long)j,
                          (long long)v->count, v->results[j].iterations, alone->results[0].iterations);
    for (int64_t i = 0; i < of->host->rows && v->results[j].converged; i++)
        if (memcmp(at(of, alone, alone->X, i, 0), at(of, v, v->X, i, j), size_of(of)) != 0)
            return soak_fault("%s: row %lld of solution %lld of %lld is not what it is alone", of->p->name,
                              (long long)i, (long long)j, (long long)v->count);
    return true;
}

static void tell(const soak_many *of, const vectors *v)
{
    for (int64_t j = 0; j < v->count; j++)
        soak_tell(of->told, "iterations of one of many", &v->results[j].iterations, sizeof v->results[j].iterations);
    soak_tell_values(of->told, "solutions of many", of->host->value_type, v->numbers, v->X, 0);
}

bool soak_solves_many(const soak_many *of, spg_status *status)
{
    uint64_t state = of->seed;
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.method = chance_of(&state, 25) ? SPG_AMG_STANDALONE : SPG_AMG_CG;
    options.tolerance = of->tolerance;
    options.max_iterations = 60;
    vectors v = draw(of, &state), alone = create(of, 1, SPG_COLUMN_MAJOR, 0);
    const int64_t j = chance_between(&state, 0, v.count - 1);
    copy_vector(of, &v, j, &alone, 0);
    *status = solve(of, &v, &options);
    bool right = leaves_gaps(of, &v);
    if (right && *status != SPG_ERROR_MEMORY)
        right = says_what_is_true(of, &v, j, &alone, options.tolerance) && is_as_alone(of, &v, j, &alone, &options);
    if (right && *status != SPG_ERROR_MEMORY && of->told_bits) tell(of, &v);
    release(&v);
    release(&alone);
    return right;
}

bool soak_refuses_many(const soak_many *of)
{
    const spg_status status = spg_amg_apply_many(of->p->context, of->amg, 0, SPG_ROW_MAJOR, NULL, 0, NULL, 0);
    return status == SPG_ERROR_UNSUPPORTED ||
           soak_fault("%s: several vectors of K-cycles: %s", of->p->name, spg_status_name(status));
}

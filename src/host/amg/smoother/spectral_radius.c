/* The spectral radius of D^-1 A by Lanczos in the inner product of D, in which D^-1 A is symmetric if A is. Two passes
 * a step: y = A v with v . y, then the next vector with its norm. Vectors are stored unscaled; scales are applied when
 * they are read. Sums are over blocks of rows of a fixed size, and then over the blocks in order. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"
#include "memory.h"

#include "amg/lanczos.h"
#include "amg/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 2048 };

typedef struct lanczos {
    const spg_csr *A;
    const void *inverse;
    void *v, *before, *y;           /* v and before are unscaled, y is scaled */
    double v_scale, before_scale;   /* factors that make v and before unit vectors */
    double *sums;                   /* one per block */
    double *diagonal, *subdiagonal; /* of the tridiagonal matrix */
    double *weights;                /* first the scales of the basis vectors, then their factors in the Ritz vector */
    spg_amg_spectrum known;         /* vector NULL: nothing is known or stored */
    bool starts_warm, settles;
    double settled, open; /* the known part of the radius, and the share of the last Ritz value in the rest */
    uint64_t seed;
    int step; /* the number of the vector made by `advance`; when the basis is combined, the number of vectors */
    int64_t blocks;
    spg_threads threads;
} lanczos;

static int64_t blocks_of(int64_t rows) { return rows / BLOCK + (rows % BLOCK > 0); }

static double sum_in_order(const lanczos *job)
{
    double sum = 0;
    for (int64_t b = 0; b < job->blocks; ++b) sum += job->sums[b];
    return sum;
}

static double largest(const lanczos *job)
{
    double most = 0;
    for (int64_t b = 0; b < job->blocks; ++b) most = job->sums[b] > most ? job->sums[b] : most;
    return most;
}

#define TYPE_TEMPLATE "host/amg/smoother/spectral_radius.inc.h"
#include "host/for_each_type.h"

/* The number of eigenvalues of the leading `steps` rows of the tridiagonal matrix below x (Sturm). */
static int eigenvalues_below(const lanczos *job, int steps, double x)
{
    int below = 0;
    double pivot = 1;
    for (int s = 0; s < steps; ++s) {
        const double coupling = s > 0 ? job->subdiagonal[s - 1] * job->subdiagonal[s - 1] : 0;
        pivot = job->diagonal[s] - x - coupling / pivot;
        if (pivot == 0) pivot = -DBL_MIN;
        below += pivot < 0;
    }
    return below;
}

static double largest_ritz_value(const lanczos *job, int steps)
{
    double low = -DBL_MAX, high = -DBL_MAX;
    for (int s = 0; s < steps; ++s) { /* the largest is above every diagonal entry and within Gershgorin's discs */
        const double radius = (s > 0 ? job->subdiagonal[s - 1] : 0) + (s + 1 < steps ? job->subdiagonal[s] : 0);
        low = fmax(low, job->diagonal[s]);
        high = fmax(high, job->diagonal[s] + radius);
    }
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high)) return high;
        if (eigenvalues_below(job, steps, middle) == steps)
            high = middle;
        else
            low = middle;
    }
}

/* The estimate after step s, which gets its share of what earlier steps left open. */
static void settle(lanczos *job, int s)
{
    const spg_amg_settling by = spg_amg_settling_of(job->starts_warm);
    if (s < by.first) return;
    job->diagonal[s + 1] = job->diagonal[s];
    const double now = largest_ritz_value(job, s + 1), next = largest_ritz_value(job, s + 2);
    const double share = job->open * spg_amg_settled_share(by, next - now, next);
    job->settled += share * (next + by.still_to_come * (next - now));
    job->open -= share;
}

typedef void block_function(const lanczos *job, int64_t block, double first, double second);

typedef struct block_job {
    const lanczos *job;
    block_function *run;
    double first, second;
} block_job;

static void run_range(const void *data, spg_range blocks)
{
    const block_job *all = data;
    for (int64_t b = blocks.begin; b < blocks.end; ++b) all->run(all->job, b, all->first, all->second);
}

static void run_blocks(const lanczos *job, block_function *run, double first, double second)
{
    spg_parallel(job->threads, job->blocks, 1, run_range, &(block_job){job, run, first, second});
}

static double row_sums(const lanczos *job)
{
    static block_function *const sum_rows[2][2] = BY_REAL_TYPE(sum_rows);
    run_blocks(job, sum_rows[job->A->value_type][job->A->offset_type - SPG_I32], 0, 0);
    return largest(job);
}

/* Returns the number of rows of the tridiagonal matrix; 0 if the recurrence broke down. */
static int iterate(lanczos *job, int steps)
{
    static block_function *const start[2][2] = BY_REAL_TYPE(start);
    static block_function *const multiply[2][2] = BY_REAL_TYPE(multiply);
    static block_function *const advance[2][2] = BY_REAL_TYPE(advance);
    const int value = (int)job->A->value_type, offset = (int)(job->A->offset_type - SPG_I32);
    run_blocks(job, start[value][offset], 0, 0);
    const bool in_floats = job->A->value_type == SPG_F32;
    double norm = sqrt(sum_in_order(job)), coupling = 0, spread = 0;
    if (!(norm > 0)) return 0;
    job->v_scale = 1 / norm;
    for (int s = 0; s < steps; ++s) {
        run_blocks(job, multiply[value][offset], 0, 0);
        job->diagonal[s] = sum_in_order(job);
        job->weights[s] = job->v_scale;
        if (s + 1 == steps) return isfinite(job->diagonal[s]) ? steps : 0;
        job->step = s + 1;
        run_blocks(job, advance[value][offset], job->diagonal[s], coupling);
        coupling = sqrt(sum_in_order(job));
        if (!isfinite(job->diagonal[s]) || !isfinite(coupling)) return 0;
        spread = fmax(spread, fabs(job->diagonal[s]) + coupling);
        job->subdiagonal[s] = coupling;
        if (spg_amg_is_invariant(coupling, spread, in_floats)) return s + 1;
        if (job->settles) settle(job, s);
        if (job->open == 0) return s + 1;
        void *next = job->before;
        job->before = job->v;
        job->v = next;
        job->before_scale = job->v_scale;
        job->v_scale = 1 / coupling;
    }
    return 0;
}

/* The Ritz vector of a setup. */
static void combine_range(const void *data, spg_range range)
{
    const lanczos *job = data;
    const int64_t rows = job->A->rows;
    for (int64_t i = range.begin; i < range.end; ++i) {
        double sum = 0;
        for (int s = 0; s < job->step; ++s)
            if (job->weights[s] != 0) sum += job->weights[s] * (double)job->known.basis[s * rows + i];
        job->known.vector[i] = (float)sum;
    }
}

int64_t spg_host_spectral_bytes(const spg_csr *A, int steps)
{
    const int64_t vector = (A->rows * (int64_t)spg_type_size(A->value_type) + 63) / 64 * 64;
    return 3 * vector + (blocks_of(A->rows) + 3 * (int64_t)steps) * (int64_t)sizeof(double);
}

spg_status spg_host_spectral_radius(spg_context *context, const spg_csr *A, const void *inverse,
                                    const spg_amg_radius *by, void *workspace, const spg_amg_spectrum *known,
                                    double *rho)
{
    const int steps = by->steps;
    const bool is_bound = steps == 0 || (by->symmetric != NULL && *by->symmetric == 0);
    const int64_t vector = (A->rows * (int64_t)spg_type_size(A->value_type) + 63) / 64 * 64;
    char *at = workspace;
    lanczos job = {.A = A, .inverse = inverse, .v = at, .before = at + vector, .y = at + 2 * vector, .seed = by->seed};
    job.diagonal = (double *)(void *)(at + 3 * vector);
    job.subdiagonal = job.diagonal + steps;
    job.weights = job.subdiagonal + steps;
    job.sums = job.weights + steps;
    if (known != NULL) job.known = *known;
    job.starts_warm = known != NULL && known->basis == NULL && *known->rho != 0;
    job.settles = job.starts_warm || by->settles;
    job.blocks = blocks_of(A->rows);
    job.threads = spg_host_threads(context, A->nnz + A->rows);
    job.open = 1;
    const int made = A->rows > 0 && !is_bound ? iterate(&job, steps) : 0;
    const double rest = made > 0 && job.open > 0 ? job.open * largest_ritz_value(&job, made) : 0;
    const double radius = made > 0 ? job.settled + rest : row_sums(&job);
    *rho = radius > 0 && isfinite(radius) ? radius : 1;
    if (job.known.basis == NULL) return SPG_OK;
    spg_amg_weigh_basis(job.diagonal, job.subdiagonal, made, steps, radius, job.weights);
    job.step = steps;
    spg_parallel(job.threads, A->rows, 0, combine_range, &job);
    *known->rho = made > 0 ? *rho : 0;
    return SPG_OK;
}

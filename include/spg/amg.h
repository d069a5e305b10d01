/* Algebraic multigrid by smoothed aggregation (Vanek, Mandel, Brezina 1996) on the sparse product, and the Galerkin
 * product as a call of its own.
 *
 * Everything happens at the context's place: matrices, candidates, right-hand sides and solutions lie there, and no
 * matrix crosses to the other one. Values are float or double (SPG_F32, SPG_F64); the Galerkin product takes all four
 * types.
 *
 * Multigrid here is for symmetric matrices, positive definite or semidefinite. Others are taken, but see
 * spg_amg_level_view.rho: damping, smoothed prolongators and Chebyshev's interval go by it. */
#ifndef SPG_AMG_H
#define SPG_AMG_H

#include "spg/spgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The Galerkin product ------------------------------------------------------------------------------------- */

/* C = R*A*P, as R*(A*P). A is n x n, P n x m, R m x n or NULL for P^T (the plain transpose, of complex values as well).
 * C comes back m x m, owned, with sorted rows; see spgemm_csr for its pattern, bits and errors. With R NULL and A
 * symmetric bit for bit, pattern and values (rows sorted, no column repeated), so is C: its entries below the diagonal
 * are those above it. A*P and P^T count as workspace; where they pass spg_config.workspace_limit, that is MEMORY. */
SPG_API spg_status spg_galerkin(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P, spg_csr *C);

/* What a Galerkin product or a plan's run was like. Times as in spgemm_stats: on a device 0 unless spg_config.timing.
 * There P^T may be made beside A*P, and the host's times of it and of symmetry are of queueing. */
typedef struct spg_galerkin_stats {
    spgemm_stats AP, RAP;
    double transpose_ms, symmetry_ms; /* P^T made; symmetry found and kept */
    int64_t plan_bytes;               /* what the plan keeps, A*P with its values included; 0 without a plan */
} spg_galerkin_stats;

/* Of the last spg_galerkin that succeeded on this context; ARGUMENT if there was none. */
SPG_API spg_status spg_galerkin_last_stats(const spg_context *context, spg_galerkin_stats *stats);

/* The kept patterns of R, A*P and C, and where each product goes. */
typedef struct spg_galerkin_plan spg_galerkin_plan;

/* R may be NULL for P^T. A, R and P may be freed afterwards; their values do not matter. A plan belongs to its context
 * and must be destroyed before it. Errors as of spgemm_plan_create for each of the two products, the message naming
 * which; SHAPE also: A is not square, or P or R does not fit it. */
SPG_API spg_status spg_galerkin_plan_create(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                            spg_galerkin_plan **plan);

/* C = R*A*P with new values on the plan's patterns, by the rules of spgemm_plan_run: C is zeroed, and is then
 * allocated, or what this plan returned before, and then nothing is allocated, and on a device nothing waited for: such
 * a run can be captured in a CUDA graph. R must be NULL if it was so at creation. */
SPG_API spg_status spg_galerkin_plan_run(spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                         spg_csr *C);

/* Of the plan's creation and, once it has run, of its last run (the times). ARGUMENT: NULL. */
SPG_API spg_status spg_galerkin_plan_stats(const spg_galerkin_plan *plan, spg_galerkin_stats *stats);

SPG_API void spg_galerkin_plan_destroy(spg_galerkin_plan *plan);

/* ---- Setup ---------------------------------------------------------------------------------------------------- */

typedef enum spg_aggregation {
    SPG_AGGREGATION_MIS2 = 0,    /* around a maximal independent set of distance 2, in parallel (Bell, Dalton, Olson) */
    SPG_AGGREGATION_STANDARD = 1 /* greedy, in the order of rows, as PyAMG's "standard"; on the host only */
} spg_aggregation;

typedef enum spg_smoother {
    SPG_SMOOTHER_JACOBI = 0,    /* damped by relaxation / rho(D^-1 A) */
    SPG_SMOOTHER_L1_JACOBI = 1, /* divides by the row's sum of magnitudes; no damping needed */
    SPG_SMOOTHER_CHEBYSHEV = 2  /* polynomial of D^-1 A over [1.1 rho/chebyshev_ratio, 1.1 rho] */
} spg_smoother;

/* Fill with spg_amg_options_default() and change what you need. */
typedef struct spg_amg_options {
    spg_aggregation aggregation;   /* MIS2 */
    int join_leftovers;            /* MIS2's third phase: rows left over seed or join aggregates; 1. 0: they stay out */
    uint64_t seed;                 /* of MIS2's priorities and of rho's start vector; 0. Same seed, same hierarchy */
    double theta;                  /* strong: |a_ij| >= theta sqrt(|a_ii a_jj|) (of blocks: Frobenius norms); 0: all */
    int block_size;                /* unknowns a node, consecutive rows; divides the rows; 1 */
    int candidates;                /* near-null-space vectors k; 0: one constant for each unknown of a node */
    const void *candidate_values;  /* rows x k at the context's place, vector after vector (column-major); read during
                                      setup only. NULL where candidates is 0 */
    double prolongator_relaxation; /* P = (I - relaxation/rho D^-1 A) T; 4/3. 0: P = T, not smoothed */
    int spectral_steps;            /* Lanczos steps behind rho(D^-1 A): on grids, 15 land 1 % below it, 25 0.5 %; 15 */
    int64_t max_coarse;          /* a level of at most so many rows is the last, and solved densely; 500, at most 4096.
                                    On the host that costs the cube of each connected component. A last level of
                                    more rows (coarsening stalls, or max_levels) is solved densely up to 4096 rows,
                                    on the host if that costs no more than 2000 rows in one piece; else, or where it
                                    is singular past the candidates in a component of more than 768 rows (on a
                                    device: and has more), smoothed by pre_sweeps + post_sweeps */
    int max_levels;              /* 20 */
    double least_coarsening;     /* coarsening ends where a level's rows in aggregates are not so many times those of
                                    the next; 1.1, at least 1 */
    double max_complexity;       /* operator complexity to keep to, entries counted by blocks of nodes; 3. 0: any. See
                                    spg_amg_setup */
    spg_smoother smoother;       /* JACOBI */
    int pre_sweeps, post_sweeps; /* 1 each; of Chebyshev, polynomials */
    double relaxation;           /* of Jacobi, over rho; 4/3 */
    int chebyshev_degree;        /* 2 */
    double chebyshev_ratio;      /* 30 */
    int prepare_update;          /* 1: setup makes the plans of spg_amg_update; 0: its first call does; 0 */
    int timing;                  /* 1: each step waits for its end, so that spg_amg_timings are true on a device; 0 */
} spg_amg_options;

SPG_API spg_amg_options spg_amg_options_default(void);

typedef struct spg_amg spg_amg;

/* Builds the hierarchy of A (square, each row sorted or not). options may be NULL. A is not copied: its arrays must
 * stay until the hierarchy is destroyed or updated to others. Coarsening ends at max_coarse rows, at max_levels, or
 * where it stalls: no aggregates, or fewer rows than least_coarsening asks for. Where smoothing a prolongator would
 * make the next operator take more than half of what max_complexity leaves (as it does where some rows are very long),
 * that level's prolongator is the tentative one; where even that would pass what is left, coarsening ends there.
 * Operators of at most max_coarse rows are always made. Whatever ends or changes coarsening before max_coarse is told
 * to spg_config.log, in a line that names the level, and is in spg_amg_summary and spg_amg_level_view.
 *
 * Defined behaviour: a zero or missing diagonal counts as an inverse of zero, so smoothing and prolongator smoothing
 * leave that row alone. A node is in no aggregate where no other one is coupled to it strongly, by a value that is not
 * zero, and its own unknowns are not coupled to each other: boundary rows that were kept as a diagonal, whether zeros
 * are stored beside it or not, and what single components come to on coarse levels. Only the smoother treats it, on its
 * level; an update that puts values in place of such zeros changes nothing about that. A last level that is diagonal is
 * solved by division if it has more than 4096 rows. Candidates that depend on the others within an aggregate become
 * zero rows of the coarse operator, and its unknowns zero. A coarsest operator that is singular is solved by its
 * pseudo-inverse: what of the candidates' span it takes to zero, but for roundings, is found in each connected
 * component and left out; beyond that, singular values are. A may have no rows. What the context's log is told, beside
 * the table: an A that is not symmetric, and a last level that is smoothed.
 *
 * ARGUMENT, SHAPE: options out of range, A not square, block_size not dividing. UNSUPPORTED: complex values, candidates
 * past 32 or block_size past 32; on a device also STANDARD and rows of more than 2^30 entries. FORMAT: infinite or NaN
 * values of A, naming the row, or of candidates, naming row and candidate: their magnitudes may be up to 2^-16 of their
 * type's largest. */
SPG_API spg_status spg_amg_setup(spg_context *context, const spg_csr *A, const spg_amg_options *options, spg_amg **amg);

/* The same hierarchy for new values of A on the pattern given to setup: aggregates, tentative prolongators and patterns
 * stay; diagonals, rho, smoothed prolongators, Galerkin products and the coarse solver are computed anew. Nothing is
 * allocated (but by a first call, without prepare_update, and on the host where the coarse operator is singular past
 * its candidates or its components have joined) and, on a device, nothing is waited for unless setup or a solve found
 * the coarse operator singular past its candidates: the call can be captured in a CUDA graph.
 *
 * A level's rho is estimated by Lanczos from the Ritz vector of setup's estimate (with random bits added, for what has
 * changed), which setup keeps: 4 bytes a row; on a device in floats. Steps end, from the second on, where another like
 * the last would let the estimate grow by no more than 0.8 percent; rho is where that step would take it and three
 * times that growth, in which steps that would have let it grow by up to 1.2 percent have a share: so it does not jump
 * where roundings make a step more. The less has changed, the fewer they are, and at most spectral_steps. So the result
 * depends on setup's matrix and on the new values, not on updates before; from a fresh setup's it differs by the two
 * estimates of rho. Where the context's
 * workspace_limit leaves setup no room for the vectors (4 bytes a row and step), an update makes all steps from random
 * bits, as setup does.
 *
 * ARGUMENT: NULL, or a hierarchy of another context. PLACE: arrays elsewhere. SHAPE: another size, type or width of
 * offsets; on the host, another pattern, where there is more than one level. FORMAT, on the host: offsets or columns
 * that are no matrix's, infinite or NaN values, naming row and column; a device, which would have to wait, takes them
 * on trust. MEMORY: none for a first call's plans. All these leave the hierarchy as it was. BREAKDOWN: the coarsest
 * operator overflowed, its singular values were not found, or it became singular past its candidates with more than 768
 * rows; on a device, where the update does not wait, the next spg_amg_solve says so. MEMORY, on the host, may also be
 * for that operator, where it has become singular. These two and failures of the device come half way: A is the
 * hierarchy's then and its numbers are partly the old ones, so that cycles and solves mean nothing until an update
 * succeeds, which gives what it would have given before. It can be destroyed as ever. */
SPG_API spg_status spg_amg_update(spg_context *context, spg_amg *amg, const spg_csr *A);

SPG_API void spg_amg_destroy(spg_amg *amg);

/* ---- What was built -------------------------------------------------------------------------------------------- */

/* One level: views of what the hierarchy owns (of level 0, the caller's A), valid until it is updated or destroyed. P,
 * R and aggregate_of are zeroed or NULL on the last level. */
typedef struct spg_amg_level_view {
    spg_csr A, P, R;
    const int32_t *aggregate_of; /* of each node, at the context's place; -1: in none, so that its rows of the tentative
                                    prolongator are zero */
    int64_t nodes, aggregates;
    int64_t left_out; /* nodes that are in no aggregate */
    int block_size, candidates;
    int is_smoothed; /* 1: P is; 0: the options or max_complexity leave it as it is tentatively */
    double rho; /* estimate of the spectral radius of D^-1 A, by Lanczos in the inner product of D: right where A is
                   symmetric; of other matrices it can be far above. May wait for the device */
    const void *candidate_values; /* A.rows x candidates, column-major; NULL on level 0, where they are the caller's */
} spg_amg_level_view;

/* How many levels there are; 0 for NULL. */
SPG_API int spg_amg_levels(const spg_amg *amg);

/* ARGUMENT: NULL, or level is not in [0, spg_amg_levels); *view is zeroed then. */
SPG_API spg_status spg_amg_level(const spg_amg *amg, int level, spg_amg_level_view *view);

/* Seconds of the last setup by step, summed over levels. On a device they mean work queued, unless options.timing. */
typedef struct spg_amg_timings {
    double strength, aggregate, tentative, spectral_radius, smooth, transpose, AP, RAP, symmetry, coarse, total;
    double plans;        /* with prepare_update: of the updates */
    double small_levels; /* of the total, on levels below 10^4 rows */
} spg_amg_timings;

/* What ended coarsening. */
typedef enum spg_amg_end {
    SPG_AMG_END_SMALL = 0,     /* max_coarse */
    SPG_AMG_END_LEVELS = 1,    /* max_levels */
    SPG_AMG_END_UNCOUPLED = 2, /* no node of the last level has a strong neighbour */
    SPG_AMG_END_SLOW = 3,      /* least_coarsening */
    SPG_AMG_END_COMPLEXITY = 4 /* max_complexity */
} spg_amg_end;

typedef struct spg_amg_summary {
    int levels;
    spg_amg_end end;
    double operator_complexity, grid_complexity; /* nonzeros and rows of all levels over those of the first */
    int64_t bytes;                               /* that the hierarchy holds; A of level 0 is the caller's */
    spg_amg_timings setup;
    double update_seconds; /* of the last update; 0 before one */
    int symmetric;         /* 1: setup's A was, bit for bit, with sorted rows and no column twice */
    int smoothed;          /* 1: the last level is not solved but smoothed, for it has too many rows */
    int singular;          /* 1: the coarsest operator is solved, and was found to be singular */
} spg_amg_summary;

/* ARGUMENT: NULL. */
SPG_API spg_status spg_amg_summarise(const spg_amg *amg, spg_amg_summary *summary);

/* The table of levels (rows, nonzeros, percent, aggregates, bytes, of the last how it is solved: dense, dense and found
 * singular, diagonal, or smoothed; rows of each class in A*P and R*AP), complexities and set-up time by step, line by
 * line to `log`; see spg_config.log. */
SPG_API spg_status spg_amg_print(const spg_amg *amg, spg_log log, void *user);

/* ---- Solve ----------------------------------------------------------------------------------------------------- */

typedef enum spg_amg_method {
    SPG_AMG_CG = 0,        /* conjugate gradients preconditioned by one V-cycle: A symmetric positive definite */
    SPG_AMG_STANDALONE = 1 /* V-cycles alone */
} spg_amg_method;

/* The null space of a singular A that a solve leaves out: b loses its part in it, so that there is a solution, and x
 * comes out without any, as the solution of least norm. */
typedef enum spg_amg_nullspace {
    SPG_AMG_NULLSPACE_NONE = 0,       /* nothing is projected: b must be free of it */
    SPG_AMG_NULLSPACE_CONSTANT = 1,   /* the constant, or with block_size one for each unknown of a node */
    SPG_AMG_NULLSPACE_CANDIDATES = 2, /* what of the candidates' span the coarsest operator takes to zero, for each
                                         connected component of A on its own; nothing where it is regular or smoothed.
                                         Every row must be in an aggregate or tied to no other */
    SPG_AMG_NULLSPACE_GIVEN = 3       /* of the vectors given */
} spg_amg_nullspace;

/* For spg_amg_solve_options.tolerance. */
#define SPG_AMG_TOLERANCE_OF_TYPE (-1.0)

typedef struct spg_amg_solve_options {
    spg_amg_method method; /* CG */
    double tolerance;      /* stop at ||b - A x|| <= tolerance ||b||, or <= tolerance where b is zero;
                              SPG_AMG_TOLERANCE_OF_TYPE: 1e-8 with SPG_F64, 1e-4 with SPG_F32. Floats reach about
                              1e-7 ||A|| ||x|| / ||b||, which on large grids is above that: see `stagnated` */
    int max_iterations;    /* 200 */
    double *history; /* NULL, or room on the host for max_iterations + 1 residual norms, the first of x as given */
    spg_amg_nullspace nullspace; /* NONE */
    int null_vectors;            /* of GIVEN: how many, from 1 to 32; else 0 */
    const void *null_values;     /* A.rows x null_vectors at the context's place, column-major; they need not be
                                    orthogonal. NULL where null_vectors is 0 */
} spg_amg_solve_options;

SPG_API spg_amg_solve_options spg_amg_solve_options_default(void);

typedef struct spg_amg_solve_result {
    int iterations, converged;
    double initial_residual, residual; /* ||b - A x|| before and after, absolute; not finite if b or x is not. After:
                                          computed anew, however the solve ends. b: as projected, if it is */
    double relative_residual;          /* over ||b||, or over 1 where b is zero, or nothing but null space */
    double convergence_factor;         /* mean reduction an iteration */
    double seconds;
    int stagnated; /* 1: CG ended before max_iterations, for rounding lets the residual fall no further */
} spg_amg_solve_result;

/* Solves A x = b on level 0. b and x: A.rows values at the context's place; x holds the first guess and, always, the
 * last iterate. options and result may be NULL. NOT_CONVERGED: max_iterations reached, or rounding in the type lets the
 * residual fall no further; the message says which, and has the residual. INCOMPATIBLE: A is singular, and b's part in
 * the null space that the coarsest operator shows is more than tolerance of b; x is as given. Without that part there
 * is a solution: nullspace CANDIDATES finds it. INDEFINITE: p^T A p <= 0 or r^T M r < 0 in CG; also of a singular A
 * with such a b whose null space is not known. BREAKDOWN: a NaN or infinite norm, r^T M r of zero, or a coarsest
 * operator that an update has left with values that are not finite, or singular past its candidates with too many rows.
 */
SPG_API spg_status spg_amg_solve(spg_context *context, spg_amg *amg, const void *b, void *x,
                                 const spg_amg_solve_options *options, spg_amg_solve_result *result);

/* One V-cycle on A x = b from x, for callers with an iteration of their own; from x = 0 it is a symmetric operator
 * where A is symmetric and pre_sweeps = post_sweeps. Queued on the stream, not waited for, capturable. */
SPG_API spg_status spg_amg_cycle(spg_context *context, spg_amg *amg, const void *b, void *x);

#ifdef __cplusplus
}
#endif

#endif

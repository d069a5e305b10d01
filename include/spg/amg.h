/* Algebraic multigrid by smoothed aggregation (Vanek, Mandel, Brezina 1996), built on the sparse product. The Galerkin
 * product can also be called on its own.
 *
 * All arrays (matrices, candidates, right-hand sides, solutions) lie at the context's place, and all work is done
 * there: no matrix is copied to the other place. All calls take all four value types.
 *
 * The method is for symmetric matrices, positive definite or semidefinite. Unsymmetric ones, such as those of
 * convection and diffusion, are damped by a bound that holds for them (spg_amg_level_view.rho) and can have a
 * restriction of their own (spg_amg_options.restriction); solve them by FGMRES or BiCGStab (spg/krylov.h).
 *
 * Of a complex A, "symmetric" means Hermitian. Its hierarchy is that of its real form (spg_csr_real_form), twice the
 * rows and four times the entries, and iterates as a complex method does. Arrays that are passed (b, x, candidates,
 * vectors of a null space) are complex, and block_size and the numbers of vectors count complex ones. What a hierarchy
 * shows (levels, sizes, patterns, the table) and max_coarse are of the real form, whose unknowns are real and imaginary
 * parts in turn. */
#ifndef SPG_AMG_H
#define SPG_AMG_H

#include "spg/spgemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The Galerkin product ------------------------------------------------------------------------------------- */

/* C = R*A*P, computed as R*(A*P). A is n x n, P is n x m, R is m x n or NULL for P^T (the plain transpose, for complex
 * values as well). C is m x m, owned by the caller, with sorted rows; see spgemm_csr for its pattern, bits and errors.
 * If R is NULL and A is symmetric bit for bit in pattern and values (rows sorted, no column repeated), then so is C:
 * the entries below its diagonal equal those above it. A*P and P^T count as workspace: MEMORY if they exceed
 * spg_config.workspace_limit. */
SPG_API spg_status spg_galerkin(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P, spg_csr *C);

/* Statistics of a Galerkin product or of a plan's run. Times are as in spgemm_stats: on a device they are 0 unless
 * spg_config.timing. A device may compute P^T at the same time as A*P; the times of transpose and symmetry are then the
 * host's times for queueing them. */
typedef struct spg_galerkin_stats {
    spgemm_stats AP, RAP;             /* of the products A*P and R*(A*P) */
    double transpose_ms, symmetry_ms; /* making P^T; finding and keeping the symmetry */
    int64_t plan_bytes;               /* what the plan keeps, including A*P with its values; 0 without a plan */
} spg_galerkin_stats;

/* Statistics of the last spg_galerkin that succeeded on this context; ARGUMENT if there was none. */
SPG_API spg_status spg_galerkin_last_stats(const spg_context *context, spg_galerkin_stats *stats);

/* The stored patterns of R, A*P and C, and the position of each product. */
typedef struct spg_galerkin_plan spg_galerkin_plan;

/* R may be NULL for P^T. Values are ignored. A, R and P may be freed afterwards. A plan belongs to its context: destroy
 * it before the context. Errors are those of spgemm_plan_create for each of the two products; the message names the
 * product. Also SHAPE: A is not square, or P or R does not fit it. */
SPG_API spg_status spg_galerkin_plan_create(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                            spg_galerkin_plan **plan);

/* C = R*A*P for new values on the plan's patterns, by the rules of spgemm_plan_run. C is either zeroed, and is then
 * allocated, or a result of this plan. Into a result of this plan nothing is allocated. Into the C of the run before, a
 * device run does not wait either: it can be captured in a CUDA graph. R must be NULL if it was NULL at creation. */
SPG_API spg_status spg_galerkin_plan_run(spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                         spg_csr *C);

/* As spgemm_plan_check, for the operands of a run. R must be NULL if it was NULL at creation. */
SPG_API spg_status spg_galerkin_plan_check(spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A,
                                           const spg_csr *P);

/* Statistics of the plan's creation; after a run, the times are those of the last run. ARGUMENT: NULL. */
SPG_API spg_status spg_galerkin_plan_stats(const spg_galerkin_plan *plan, spg_galerkin_stats *stats);

/* Frees the plan, not its results. NULL is allowed. */
SPG_API void spg_galerkin_plan_destroy(spg_galerkin_plan *plan);

/* ---- Setup ---------------------------------------------------------------------------------------------------- */

/* How nodes are grouped into aggregates, the nodes of the next level. */
typedef enum spg_aggregation {
    SPG_AGGREGATION_MIS2 = 0,    /* around a maximal independent set of distance 2, in parallel (Bell, Dalton, Olson) */
    SPG_AGGREGATION_STANDARD = 1 /* greedy, in row order, as PyAMG's "standard"; on the host only */
} spg_aggregation;

/* Which couplings are strong; theta is spg_amg_options.theta. Blocks of nodes count by their Frobenius norms. */
typedef enum spg_strength {
    SPG_STRENGTH_SYMMETRIC = 0, /* |a_ij| >= theta sqrt(|a_ii a_jj|) (Vanek, Mandel, Brezina 1996, section 5.1) */
    SPG_STRENGTH_CLASSICAL = 1 /* |a_ij| >= theta max |a_ik| over k != i, as in PyAMG (Ruge, Stueben 1987, there without
                                  magnitudes); theta at most 1 */
} spg_strength;

/* How R is made. T: the tentative prolongator. */
typedef enum spg_restriction {
    SPG_RESTRICTION_TRANSPOSE = 0,      /* R = P^T */
    SPG_RESTRICTION_PETROV_GALERKIN = 1 /* R = T^T (I - relaxation/rho A D^-1) if A is unsymmetric, smoothed by A^T as P
                                           is by A (Sala, Tuminaro 2008); else P^T */
} spg_restriction;

/* What reduces the error on a level before and after the correction from the next. D is the diagonal of A. */
typedef enum spg_smoother {
    SPG_SMOOTHER_JACOBI = 0,    /* damped by relaxation / rho(D^-1 A) */
    SPG_SMOOTHER_L1_JACOBI = 1, /* divides by the sum of magnitudes of the row; needs no damping */
    SPG_SMOOTHER_CHEBYSHEV = 2  /* polynomial in D^-1 A on [1.1 rho/chebyshev_ratio, 1.1 rho] */
} spg_smoother;

/* How a cycle finds the correction from the next level. */
typedef enum spg_cycle {
    SPG_CYCLE_V = 0, /* by one cycle of that level */
    SPG_CYCLE_K = 1 /* on the three levels below the first, unless they are the last, by two steps of flexible conjugate
                       gradients whose preconditioner is that level's cycle, or of GCR if A is unsymmetric (Notay,
                       Vassilevski 2008). See spg_amg_setup */
} spg_cycle;

/* The type of the numbers that a hierarchy holds and its cycles compute with. */
typedef enum spg_amg_precision {
    SPG_AMG_PRECISION_OF_A = 0, /* A's */
    SPG_AMG_PRECISION_F32 = 1 /* floats, also if A is of doubles. Cycles take and give doubles all the same, and solves
                                 iterate in doubles on A itself, so that they reach the same tolerances */
} spg_amg_precision;

/* Fill with spg_amg_options_default() and change what you need. Each comment gives the default. */
typedef struct spg_amg_options {
    spg_aggregation aggregation;  /* how nodes are grouped; MIS2 */
    int join_leftovers;           /* MIS2's third phase: remaining rows start or join aggregates; 1. 0: they stay out */
    uint64_t seed;                /* for MIS2's priorities and rho's start vector; 0. Same seed, same hierarchy */
    double theta;                 /* threshold of strength; 0: all couplings are strong; 0 */
    int block_size;               /* unknowns per node, in consecutive rows; divides the number of rows; 1 */
    int candidates;               /* number k of near-null-space vectors; 0: one constant for each unknown of a node. Of
                                     a complex A the hierarchy has v and i*v for each */
    const void *candidate_values; /* rows x k, column-major, at the context's place; read during setup only. NULL if
                                     candidates is 0 */
    double prolongator_relaxation; /* P = (I - relaxation/rho D^-1 A) T; 4/3. 0: P = T, not smoothed */
    int spectral_steps; /* Lanczos steps for rho(D^-1 A); on grids 1 % too low after 15, 0.5 % after 25. 0: until the
                           estimate has settled, at most 15; 0, at most 1000 */
    int64_t max_coarse; /* a level of at most this many rows is the last and is solved densely; 500, at most 4096. On
                           the host the cost is the cube of the rows of each connected component. A last level of more
                           rows (coarsening stalled, or max_levels was reached) is solved densely up to 4096 rows, on
                           the host only if that costs no more than one component of 2000 rows. Otherwise it is smoothed
                           by pre_sweeps + post_sweeps sweeps; so is a last level that is singular beyond the candidates
                           in a component of more than 768 rows (on a device: in a level of more than 768 rows) */
    int max_levels;     /* the number of levels at most; 20 */
    double least_coarsening; /* coarsening stops if the rows in aggregates are fewer than this many times the rows of
                                the next level; 1.1, at least 1 */
    double max_complexity; /* limit on operator complexity, with entries counted by blocks of nodes; 3. 0: no limit. See
                              spg_amg_setup */
    spg_smoother smoother; /* on every level that is not solved; JACOBI */
    int pre_sweeps, post_sweeps; /* 1 each; for Chebyshev, the number of polynomials */
    double relaxation;           /* for Jacobi, divided by rho; 4/3 */
    int chebyshev_degree;        /* degree of the polynomial, products with A of a sweep; 2 */
    double chebyshev_ratio;      /* upper over lower end of its interval; 7 */
    int prepare_update;          /* 1: setup makes the plans of spg_amg_update; 0: the first update makes them; 0 */
    int timing;                  /* 1: each step waits for its end, so that spg_amg_timings are exact on a device; 0 */
    int filter; /* 1: P is smoothed by A without its weak entries, which are added to the diagonal (Vanek, Mandel,
                   Brezina 1996, section 5.1), so that P and the coarse operators have fewer entries; needs theta above
                   0, block_size 1 and at most one candidate. Of a complex A, what is added keeps the products
                   with the candidate instead of sums of rows; 0 */
    spg_strength strength;       /* which couplings are strong; SYMMETRIC */
    spg_restriction restriction; /* how R is made; TRANSPOSE */
    spg_amg_precision precision; /* F32: cycles move fewer bytes, for a copy of A's values in floats; OF_A. See
                                    spg_amg_setup */
    spg_cycle cycle;             /* K: fewer iterations of more work each; V */
} spg_amg_options;

/* The defaults that the comments of spg_amg_options give. */
SPG_API spg_amg_options spg_amg_options_default(void);

/* A hierarchy. It belongs to its context: destroy it before the context. */
typedef struct spg_amg spg_amg;

/* Builds the hierarchy of A (square; rows need not be sorted). options may be NULL. A is not copied: its arrays must
 * stay until the hierarchy is destroyed or updated to other arrays. Coarsening stops at max_coarse rows, at max_levels,
 * or when it stalls: no aggregates, or fewer rows removed than least_coarsening asks for. If smoothing a prolongator
 * would make the next operator use more than half of what max_complexity leaves (as with very long rows), that level
 * uses the tentative prolongator. If even that would exceed what is left, coarsening stops there. If rows of the
 * smoothed prolongator were so long that its pattern alone told this (a graph with hubs), smoothing on later levels
 * keeps to an operator complexity of 2, if max_complexity is more. Operators of at most
 * max_coarse rows are always made. Anything that stops or changes coarsening before max_coarse is reported in
 * spg_config.log, in a line that names the level, and in spg_amg_summary and spg_amg_level_view.
 *
 * With PRECISION_F32 and A of doubles, the magnitudes of A's values may differ by 30 decades; beyond that the smallest
 * count as zero. What a float cannot tell from zero, it takes for zero: a coarsest operator may be found singular that
 * is regular in doubles. Then, and if A is singular, a solve needs to be given the null space.
 *
 * A CYCLE_K is not linear: the weights of its steps depend on its right-hand side. So spg_amg_solve then runs flexible
 * conjugate gradients. spg_krylov_solve refuses plain ones with such an M, and several right-hand sides at once
 * (spg/amg_many.h) are refused. Both steps are always done, so that a device waits for nothing. Four vectors of each of
 * these levels are kept for it.
 *
 * Special cases. A zero or missing diagonal has an inverse of zero, so smoothing and prolongator smoothing do not
 * change that row. A node is in no aggregate if it has no strong coupling by a nonzero value to another node, and its
 * own unknowns are not coupled to each other: boundary rows kept as a diagonal, with or without stored zeros, and what
 * isolated components become on coarse levels. Only the smoother of its level treats such a node; an update that
 * replaces the stored zeros does not change this. A diagonal last level of more than 4096 rows is solved by division.
 * Candidates that are linearly dependent within an aggregate become zero rows of the coarse operator, and its unknowns
 * there are zero. A singular coarsest operator is solved by its pseudo-inverse: in each connected component, the part
 * of the candidates' span that it maps to zero, up to rounding, is found and left out; beyond that, zero singular
 * values are. A may have no rows. Besides the table of levels, the log gets a line if A is not symmetric and one if the
 * last level is smoothed.
 *
 * A counts as unsymmetric if it differs from its transpose by more than rounding, except in the columns of rows that
 * hold only a diagonal, such as boundary rows that were kept. Only if A is not symmetric bit for bit is this looked
 * for, with a copy of A and its transpose.
 *
 * A complex A is copied, as its real form: 32 bytes an entry with floats, 48 with doubles. Smoothers divide by the real
 * part of its diagonal, and sums of magnitudes add those of real and imaginary parts. The log gets a line if the
 * diagonal of an A that is not Hermitian has imaginary parts.
 *
 * ARGUMENT, SHAPE: options out of range, A not square, block_size does not divide the rows, a complex A with more than
 * 2^30 - 1 rows. UNSUPPORTED: more than 32 candidates, block_size over 32, half of each for a complex A; on a device
 * also STANDARD and rows of more than 2^30 entries, half of them for a complex A.
 * FORMAT: infinite or NaN values of A (the message names the row), or of the candidates (it names row and candidate); a
 * candidate value may be at most 2^-16 of its type's largest. BREAKDOWN: the coarsest operator overflowed, or its
 * singular values were not found. */
SPG_API spg_status spg_amg_setup(spg_context *context, const spg_csr *A, const spg_amg_options *options, spg_amg **amg);

/* Computes the hierarchy anew for new values of A on the pattern given to setup. Aggregates, tentative prolongators and
 * patterns stay, also those of filtered operators; diagonals, rho, smoothed prolongators, Galerkin products and the
 * coarse solver are recomputed. Nothing is allocated, except by the first call without prepare_update, and on the host
 * if the coarse operator is singular beyond its candidates or its components have joined. On a device the call does not
 * wait, so it can be captured in a CUDA graph, unless setup or a solve found the coarse operator singular beyond its
 * candidates.
 *
 * Each level's rho is estimated by Lanczos, starting from the Ritz vector of setup's estimate, which setup keeps (4
 * bytes a row). The less has changed, the fewer steps it takes, at most spectral_steps, or 15. So the result depends on
 * setup's matrix and on the new values, not on earlier updates. It differs from the result of a fresh setup by the
 * difference of the two estimates of rho. If workspace_limit leaves setup no room for the
 * Lanczos vectors (4 bytes a row and step), an update starts from random bits, as setup does. If A
 * was unsymmetric at setup, rho is the bound of setup, computed anew; also if A was symmetric bit for bit and no longer
 * is. R stays P^T, or made from A^T, as setup chose.
 *
 * ARGUMENT: NULL, or a hierarchy of another context. PLACE: arrays elsewhere. SHAPE: another size, type or width of
 * offsets; on the host, another pattern, if there is more than one level. FORMAT, on the host: invalid offsets or
 * columns, infinite or NaN values; the message names row and column. A device would have to wait to check these, so it
 * does not. MEMORY: not enough for the first call's plans. After these errors the hierarchy is unchanged. BREAKDOWN:
 * the coarsest operator overflowed, its singular values were not found, or it became singular beyond its candidates
 * with more than 768 rows; on a device, where the update does not wait, the next spg_amg_solve reports it. MEMORY, on
 * the host: also for a coarsest operator that became singular, or whose components the new values couple. After these
 * two, and after a failure of the device, the hierarchy refers to the new A but some of its numbers are old: cycles and
 * solves mean nothing until an update succeeds, and that update gives its usual result. The hierarchy can still be
 * destroyed. */
SPG_API spg_status spg_amg_update(spg_context *context, spg_amg *amg, const spg_csr *A);

/* Frees the hierarchy, not the caller's A. NULL is allowed. */
SPG_API void spg_amg_destroy(spg_amg *amg);

/* ---- What was built -------------------------------------------------------------------------------------------- */

/* One level: views of arrays that the hierarchy owns (on level 0, of the caller's A or, with PRECISION_F32, of its copy
 * in floats, in a unit of its own; of a complex A, of the real form), valid until it is updated or destroyed. P, R and
 * aggregate_of are zeroed or NULL on the last level. */
typedef struct spg_amg_level_view {
    spg_csr A, P, R;             /* the operator; to this level from the next, and back */
    const int32_t *aggregate_of; /* of each node, at the context's place; -1: in no aggregate, so its rows of the
                                    tentative prolongator are zero */
    int64_t nodes;               /* rows of A over block_size */
    int64_t aggregates;          /* nodes of the next level; 0 on the last */
    int64_t left_out;            /* nodes in no aggregate */
    int block_size;              /* unknowns of a node */
    int candidates;              /* number of candidates */
    int is_smoothed; /* 1: P is smoothed; 0: P is the tentative prolongator, by the options or max_complexity */
    double rho;      /* of D^-1 A: an estimate of the spectral radius by Lanczos in the inner product of D; if A is
                        unsymmetric, a bound of it, the largest sum of magnitudes of a row. Reading it may wait for the
                        device */
    const void *candidate_values; /* A.rows x candidates, column-major; NULL on level 0, where they are the caller's */
    int64_t weak;                 /* the entries of A without which P was smoothed; 0 without spg_amg_options.filter */
} spg_amg_level_view;

/* The number of levels; 0 for NULL. */
SPG_API int spg_amg_levels(const spg_amg *amg);

/* ARGUMENT: NULL, or level is not in [0, spg_amg_levels); *view is then zeroed. */
SPG_API spg_status spg_amg_level(const spg_amg *amg, int level, spg_amg_level_view *view);

/* Seconds of the last setup by step, summed over levels. On a device they measure queueing, unless options.timing. */
typedef struct spg_amg_timings {
    double strength, aggregate; /* strength of connection; aggregates */
    double tentative;           /* the tentative prolongator: candidates restricted to aggregates, made orthonormal */
    double spectral_radius, smooth;      /* rho(D^-1 A); the smoothed prolongator */
    double transpose, AP, RAP, symmetry; /* R = P^T; A*P; R*(A*P); finding and keeping the symmetry */
    double coarse;                       /* the solver of the last level */
    double total;                        /* the whole call */
    double plans;                        /* with prepare_update: making the plans of updates */
    double small_levels;                 /* the part of the total spent on levels below 10^4 rows */
} spg_amg_timings;

/* Why coarsening stopped. */
typedef enum spg_amg_end {
    SPG_AMG_END_SMALL = 0,     /* max_coarse */
    SPG_AMG_END_LEVELS = 1,    /* max_levels */
    SPG_AMG_END_UNCOUPLED = 2, /* no node of the last level has a strong neighbour */
    SPG_AMG_END_SLOW = 3,      /* least_coarsening */
    SPG_AMG_END_COMPLEXITY = 4 /* max_complexity */
} spg_amg_end;

/* A hierarchy in a few numbers. */
typedef struct spg_amg_summary {
    int levels;                                  /* number of levels */
    spg_amg_end end;                             /* why coarsening stopped */
    double operator_complexity, grid_complexity; /* nonzeros and rows of all levels over those of the first level */
    int64_t bytes;                               /* held by the hierarchy, without the caller's A on level 0 */
    spg_amg_timings setup;                       /* of setup, by step */
    double update_seconds;                       /* of the last update; 0 before the first */
    int symmetric;   /* 1: setup's A was symmetric bit for bit, with sorted rows and no repeated column */
    int smoothed;    /* 1: the last level has too many rows to be solved and is smoothed */
    int singular;    /* 1: the coarsest operator is solved and is singular */
    int unsymmetric; /* 1: setup's A was unsymmetric beyond rounding */
} spg_amg_summary;

/* ARGUMENT: NULL. */
SPG_API spg_status spg_amg_summarise(const spg_amg *amg, spg_amg_summary *summary);

/* Writes the table of levels to `log`, line by line; see spg_config.log. It has rows, nonzeros, percent, aggregates,
 * bytes, how the last level is solved (dense, dense and found singular, diagonal, or smoothed), rows of each class in
 * A*P and R*AP, complexities, and set-up time by step. */
SPG_API spg_status spg_amg_print(const spg_amg *amg, spg_log log, void *user);

/* ---- Solve ----------------------------------------------------------------------------------------------------- */

/* The iteration of spg_amg_solve. */
typedef enum spg_amg_method {
    SPG_AMG_CG = 0,        /* conjugate gradients preconditioned by one cycle; A symmetric positive definite */
    SPG_AMG_STANDALONE = 1 /* cycles alone */
} spg_amg_method;

/* Which null space of a singular A a solve removes: b loses its part in the null space, so that a solution exists, and
 * x has no part in it, so that it is the solution of least norm. */
typedef enum spg_amg_nullspace {
    SPG_AMG_NULLSPACE_NONE = 0,       /* nothing is removed: b must have no part in the null space */
    SPG_AMG_NULLSPACE_CONSTANT = 1,   /* the constant vector; with block_size, one for each unknown of a node */
    SPG_AMG_NULLSPACE_CANDIDATES = 2, /* the part of the candidates' span that the coarsest operator maps to zero, for
                                         each connected component of A separately; nothing if that operator is regular
                                         or smoothed. Every row must be in an aggregate or coupled to no other row */
    SPG_AMG_NULLSPACE_GIVEN = 3       /* the span of the vectors given */
} spg_amg_nullspace;

/* For spg_amg_solve_options.tolerance. */
#define SPG_AMG_TOLERANCE_OF_TYPE (-1.0)

/* Fill with spg_amg_solve_options_default() and change what you need. Each comment gives the default. */
typedef struct spg_amg_solve_options {
    spg_amg_method method; /* the iteration; CG */
    double tolerance;      /* stop at ||b - A x|| <= tolerance ||b||, or <= tolerance if b is zero;
                              SPG_AMG_TOLERANCE_OF_TYPE: 1e-8 with doubles, 1e-4 with floats. With floats the
                              least that can be reached is about 1e-7 ||A|| ||x|| / ||b||, which may be more than
                              this on large grids: see `stagnated`. 0: until the residual is zero, cannot fall
                              further (`stagnated`; cycles alone do not tell), or max_iterations are done */
    int max_iterations;    /* iterations at most; 200 */
    double *history;       /* NULL, or room on the host for max_iterations + 1 residual norms; the first is that of the
                              initial x */
    spg_amg_nullspace nullspace; /* what is removed from b and x; NONE */
    int null_vectors;            /* for GIVEN: the number of vectors, 1 to 32, of a complex A to 16; else 0 */
    const void *null_values; /* A.rows x null_vectors at the context's place, column-major; they need not be orthogonal.
                                NULL if null_vectors is 0 */
} spg_amg_solve_options;

/* The defaults that the comments of spg_amg_solve_options give. */
SPG_API spg_amg_solve_options spg_amg_solve_options_default(void);

/* How a solve went. */
typedef struct spg_amg_solve_result {
    int iterations;                    /* cycles, or steps of CG with one each */
    int converged;                     /* 1: the tolerance was reached */
    double initial_residual, residual; /* ||b - A x|| before and after, absolute; not finite if b or x is not. After:
                                          computed from the final x, however the solve ends. b: without its part in
                                          the null space that is removed */
    double relative_residual;          /* residual over ||b||, or over 1 if b is zero or only null space */
    double convergence_factor;         /* mean reduction per iteration */
    double seconds;                    /* wall-clock time of the call */
    int stagnated; /* 1: CG stopped before max_iterations, because rounding keeps the residual from falling further */
} spg_amg_solve_result;

/* Solves A x = b on level 0. b and x: A.rows values at the context's place. x holds the initial guess and always
 * receives the last iterate. options and result may be NULL. NOT_CONVERGED: max_iterations reached, or rounding in the
 * value type keeps the residual from falling further; the message says which and gives the residual. INCOMPATIBLE: A is
 * singular, and b's part in the null space seen by the coarsest operator is more than tolerance of b; x is unchanged.
 * Without that part there is a solution: nullspace CANDIDATES finds it. INDEFINITE: p^T A p <= 0 or r^T M r < 0 in CG;
 * also for a singular A with such a b if its null space is not known. BREAKDOWN: a NaN or infinite norm, r^T M r of
 * zero, or a coarsest operator that an update left with values that are not finite, or singular beyond its candidates
 * with too many rows. UNSUPPORTED: the coarsest operator is singular in floats, by PRECISION_F32, and nullspace is
 * neither CONSTANT nor GIVEN. */
SPG_API spg_status spg_amg_solve(spg_context *context, spg_amg *amg, const void *b, void *x,
                                 const spg_amg_solve_options *options, spg_amg_solve_result *result);

/* One cycle on A x = b, starting from x, for callers with their own iteration. From x = 0 a V-cycle is a symmetric
 * operator if A is symmetric and pre_sweeps = post_sweeps. On a device it is queued on the stream, does not wait, and
 * can be captured in a CUDA graph. */
SPG_API spg_status spg_amg_cycle(spg_context *context, spg_amg *amg, const void *b, void *x);

#ifdef __cplusplus
}
#endif

#endif

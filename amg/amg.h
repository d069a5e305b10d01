/* The members of a hierarchy, and the functions that the files of amg/ share. Private to amg/. */
#ifndef SPG_AMG_AMG_H
#define SPG_AMG_AMG_H

#include "amg_backend.h"
#include "spgemm/galerkin.h"

/* One level. Arrays lie at the context's place; members that the last level lacks are NULL or zeroed. */
typedef struct spg_level {
    spg_csr A;                     /* on level 0 a view of the caller's matrix, or of its narrow copy; else owned */
    spg_csr P, R;                  /* owned; R = P^T, or Q^T. Zeroed on the last level */
    spg_csr A_transposed, Q;       /* owned, if R is made from A^T: that, and R^T. Else zeroed */
    spg_amg_aggregates aggregates; /* of A's nodes; block_size is set on every level */
    void *T;                       /* the tentative prolongator, kept for update; see spg_amg_backend.tentative */
    void *candidates;              /* A.rows x k, column-major; NULL on level 0 */
    void *inverse;                 /* of A's diagonal: for the prolongator, Jacobi and Chebyshev */
    void *l1_inverse;              /* only for SPG_SMOOTHER_L1_JACOBI */
    int64_t left_out;              /* nodes in no aggregate */
    spg_csr F;                     /* A filtered by strength, which smooths P; owned. Zeroed: A itself does */
    void *F_inverse;               /* of F's diagonal */
    double *F_rho;                 /* of its inverse times F; points into spg_amg.rho */
    double relaxation;             /* used to smooth P: the options' value, or 0 */
    bool has_hubs;             /* P is not smoothed, for its rows would be so long that the next operator fills up */
    double *rho;               /* of D^-1 A; points into spg_amg.rho */
    spg_amg_spectrum spectrum; /* of setup; its rho points to the same array */
    /* The last level has inverses and rho only if it is not solved densely. */
    int64_t rows, nnz; /* of A; rows sizes the arrays of the level, even before A exists */

    /* For update; made by its first call or by prepare_update. */
    int64_t *transpose_map; /* of P or Q, to R */
    int64_t *A_transposed_map;
    spg_galerkin_plan *plan; /* for the next level's A */
    spgemm_stats AP, RAP;    /* of the product that made the next level's A */

    /* For cycles: A.rows values each. */
    void *x, *b;   /* correction and right-hand side; NULL on level 0, where the caller has them */
    void *r, *d;   /* residual or next iterate; Chebyshev's direction */
    void *steps;   /* the memory of a K-cycle's two steps, which begins with b; else NULL. k_cycle.c */
    int64_t bytes; /* held for this level */
} spg_level;

/* A cycle from b to x: of vectors, or of blocks of them (many/), then with inner products unless that is NULL. */
typedef struct spg_amg_cycle_call {
    spg_status (*run)(spg_amg *amg, const struct spg_amg_cycle_call *call);
    const void *b;
    void *x;
    bool from_zero;
    double *products;
} spg_amg_cycle_call;

/* A cycle, and how often it ran. */
typedef struct spg_amg_recorded {
    spg_amg_cycle_call call;
    int runs;
    spg_recording *recording; /* NULL: none yet, or it cannot be recorded */
} spg_amg_recorded;
enum { SPG_AMG_RECORDED = 2 };

/* For a hierarchy in floats of a matrix of doubles; arrays at the place. Floats are in units of their own, powers of
 * two, so that they neither under- nor overflow. */
typedef struct spg_amg_narrow {
    void *values;    /* level 0's, of A */
    float *b, *x;    /* of a cycle */
    void *r;         /* in doubles, for cycles from a guess */
    double *squares; /* the sum of the squares of A's values, of b's, and both again (narrow.c) */
    void *workspace; /* for dot */
} spg_amg_narrow;

struct spg_amg {
    spg_context *context;
    const spg_amg_backend *backend;
    spg_amg_options options; /* resolved: candidates is at least 1; candidate_values is NULL after setup */
    spg_csr given;           /* a view of the caller's matrix */
    spg_csr system;          /* real: the same, or its real form, which the hierarchy owns; real_form.c */
    bool is_complex;
    spg_type value_type;    /* of the hierarchy's numbers */
    spg_amg_narrow *narrow; /* NULL if that is A's type */
    bool can_update;        /* maps and plans exist */
    int levels;
    spg_level *level;   /* options.max_levels of them */
    double *rho;        /* at the place: rho of each of options.max_levels levels, as it is now, as at setup, and of
                           the filtered operators */
    int32_t *symmetric; /* at the place: 1 if A, and so the operators of all levels, are symmetric bit for bit */
    bool was_symmetric; /* at setup */
    bool knows_symmetry, is_unsymmetric; /* whether the host has learned of it; beyond rounding, at setup */
    void *spectral;                      /* Lanczos workspace, or NULL; kept from the first update on */
    int64_t spectral_bytes;
    spg_amg_end end;      /* why coarsening stopped */
    bool is_diagonal;     /* the last level's operator is diagonal: the inverse of its diagonal solves it */
    spg_amg_dense *dense; /* of the last level; NULL if it has no rows, is diagonal, or is smoothed */
    int64_t dense_bytes;
    spg_amg_timings timings;
    double mark; /* when the last step ended */
    double update_seconds;
    int64_t bytes; /* allocated by spg_amg_take and not yet released by spg_amg_give */

    spg_amg_recorded recorded[SPG_AMG_RECORDED]; /* the last cycles; solve/recorded.c */
    int next_recorded;                           /* the one to replace next */

    /* For solves; private to amg/solve.c. */
    void *solver;
    void *many; /* for several right-hand sides at once; private to amg/many/ */
};

/* The operator complexity that smoothing keeps to below a level with hubs. */
#define SPG_AMG_MOST_BELOW_HUBS 2.0

enum { SPG_AMG_MOST_DENSE = 4096, SPG_AMG_MOST_BLOCK = 32, SPG_AMG_SMALL_ROWS = 10000 };

/* ---- hierarchy.c ---- */
/* ARGUMENT unless this is a hierarchy of this context; either may be NULL. */
spg_status spg_amg_check_own(spg_context *context, const spg_amg *amg);

/* ---- level.c ---- */
/* The entries that the filter left out of P's smoothing. */
int64_t spg_amg_weak_entries(const spg_level *level);

/* ---- memory.c: arrays of a hierarchy at the place, included in its byte count; level may be NULL ---- */
spg_status spg_amg_take(spg_amg *amg, spg_level *level, int64_t bytes, const char *what, void **memory);
void spg_amg_give(spg_amg *amg, spg_level *level, void *memory, int64_t bytes);
/* Zeroed memory of the host, for what says where the arrays are. */
spg_status spg_amg_take_on_host(spg_amg *amg, int64_t bytes, const char *what, void **memory);
void spg_amg_give_on_host(spg_amg *amg, void *memory, int64_t bytes);
void spg_amg_free_matrix(spg_amg *amg, spg_level *level, spg_csr *matrix);
/* Adds a matrix, or other memory that a level already holds, to the byte count. */
void spg_amg_count(spg_amg *amg, spg_level *level, int64_t bytes);
int64_t spg_amg_vector_bytes(const spg_amg *amg, int64_t n);
/* Of a vector of the caller's system. */
int64_t spg_amg_system_bytes(const spg_amg *amg);

void spg_amg_destroy_level(spg_amg *amg, spg_level *level);

/* ---- options.c ---- */
/* ARGUMENT, SHAPE or UNSUPPORTED. *resolved has at least 1 for candidates; block_size and candidates are those of A's
 * real form, if A is complex. options may be NULL. */
spg_status spg_amg_resolve_options(spg_context *context, const spg_csr *A, const spg_amg_options *options,
                                   spg_amg_options *resolved);
/* FORMAT if a value is not finite, or so large that norms may overflow; the message names row and candidate. Waits. */
spg_status spg_amg_check_candidate_values(spg_context *context, const spg_csr *A, const spg_amg_options *options);

/* ---- complex/real_form.c: complex matrices ---- */
/* Makes amg->system. */
spg_status spg_amg_take_system(spg_amg *amg);
void spg_amg_give_system(spg_amg *amg);
/* Takes new values of the caller's matrix over. Queues work only. */
spg_status spg_amg_renew_system(spg_amg *amg, const spg_csr *A);
/* F's pattern: the real form of the graph, whose rows are sorted. Queues work only. */
spg_status spg_amg_take_pair_pattern(const spg_amg *amg, spg_level *level, const spg_amg_graph *graph);
/* pairs = v and i*v for each of `count` complex vectors, as vectors of the system. */
spg_status spg_amg_put_pairs(const spg_amg *amg, int count, const void *vectors, void *pairs);
/* *values = the candidates as pairs, to be released by spg_amg_release_pairs; NULL if there are none, or if they are
 * real. */
spg_status spg_amg_pair_candidates(spg_amg *amg, const void **values);
void spg_amg_release_pairs(spg_amg *amg, const void *values);
/* Of a value. */
static inline int spg_amg_parts(const spg_amg *amg) { return amg->is_complex ? 2 : 1; }
/* "symmetric", or "Hermitian" of a complex matrix. */
const char *spg_amg_symmetric(const spg_amg *amg);
/* Tells of the first element of the diagonal whose imaginary part is more than this share of the real one, if there is
 * one. WAITS. */
spg_status spg_amg_tell_diagonal(const spg_amg *amg, double rounding);

/* ---- spectrum.c ---- */
/* Learns, once, whether A is symmetric: bit for bit, or up to rounding. WAITS. */
spg_status spg_amg_learn_symmetry(spg_amg *amg);

/* ---- spectrum.c: rho of D^-1 A ---- */
/* Allocates what the estimate of a level's A needs, if there is not enough of it. */
spg_status spg_amg_take_spectral_workspace(spg_amg *amg, const spg_level *level);
void spg_amg_give_spectral_workspace(spg_amg *amg);
/* For setup: if the workspace limit leaves no room for a basis, updates start as setup does. */
spg_status spg_amg_estimate_first(spg_amg *amg, spg_level *level);
/* For updates. */
spg_status spg_amg_estimate_again(spg_amg *amg, spg_level *level);
/* Of the filtered operator. */
spg_status spg_amg_estimate_filtered(spg_amg *amg, spg_level *level);

/* ---- restriction.c: R from A^T ---- */
/* R^T: Q, or P if R = P^T. */
const spg_csr *spg_amg_restricts(const spg_level *level);
/* Whether the options and A ask for a Q. */
bool spg_amg_makes_restriction(const spg_amg *amg, const spg_level *level);
/* Makes Q, if so. */
spg_status spg_amg_make_restriction(spg_amg *amg, spg_level *level);
/* Computes Q anew, if there is one. */
spg_status spg_amg_renew_restriction(spg_amg *amg, spg_level *level);
/* Makes the map of A_transposed, if there is one. */
spg_status spg_amg_map_restriction(spg_amg *amg, spg_level *level);
void spg_amg_forget_restriction_map(spg_amg *amg, spg_level *level);
void spg_amg_free_restriction(spg_amg *amg, spg_level *level);

/* ---- coarsen.c: one level's set-up steps ---- */
/* Makes the level's prolongator and the next level's operator, or stops coarsening: amg->end then says why, and nothing
 * of the next level exists. */
spg_status spg_amg_coarsen(spg_amg *amg, spg_level *level, bool *ends);
/* The inverses and rho that the smoother uses. */
spg_status spg_amg_prepare_smoother(spg_amg *amg, spg_level *level);
/* Recomputes them for A's new values, after the diagonal's inverse. */
spg_status spg_amg_renew_smoother(spg_amg *amg, spg_level *level);

/* The level's prolongator, into its pattern: T smoothed by A or, if there is one, by the filtered operator F, whose
 * values are made first. */
spg_status spg_amg_fill_prolongator(spg_amg *amg, spg_level *level);

/* ---- update.c ---- */
/* Allocates the transpose map of the level's P; see csr_transpose. */
spg_status spg_amg_take_transpose_map(spg_amg *amg, spg_level *level);
/* Makes the plan for the next level's operator, which exists. AP: NULL, or the level's A*P, which the plan takes
 * over. */
spg_status spg_amg_plan_level(spg_amg *amg, spg_level *level, spg_csr *AP);
/* Makes the missing plans of updates; on failure none remain. */
spg_status spg_amg_plan_update(spg_amg *amg);

/* ---- limits.c: when coarsening no longer pays off; each decision goes to the log ---- */
/* Whether this level, with the aggregates found, is the last. */
bool spg_amg_stalls(spg_amg *amg, const spg_level *level);
/* The most entries that the next operator may have; 0: no limit. */
int64_t spg_amg_most_entries(const spg_amg *amg, const spg_level *next, bool is_smoothed);
/* *fills_up: by the pattern of the level's P alone, smoothed, the next operator would have more, for certain or by a
 * sample of its rows. Sets has_hubs. May WAIT. */
spg_status spg_amg_fills_up(const spg_amg *amg, spg_level *level, int64_t longest_row, bool *fills_up);
void spg_amg_log_unsmoothed(const spg_amg *amg, const spg_level *level);
void spg_amg_log_too_many_entries(const spg_amg *amg, const spg_level *level);
void spg_amg_log_most_levels(const spg_amg *amg);

/* ---- coarse.c: the last level's solver ---- */
/* Sets amg->dense and dense_bytes, if the last level has from 1 to SPG_AMG_MOST_DENSE rows and a dense solver pays
 * off. */
spg_status spg_amg_coarse_create(spg_amg *amg);
spg_status spg_amg_coarse_update(spg_amg *amg);
/* Completes what an update left open, if dense_tell reports it. WAITS. */
spg_status spg_amg_coarse_settle(spg_amg *amg);
void spg_amg_coarse_destroy(spg_amg *amg);

/* ---- cycle.c ---- */
/* Allocates the vectors of all levels (x, b, r, d), so that cycles and solves allocate nothing. The last step of
 * setup. */
spg_status spg_amg_cycle_create(spg_amg *amg);
void spg_amg_cycle_destroy(spg_amg *amg); /* also after half of a creation */

/* ---- narrow.c: a hierarchy in floats for a matrix of doubles ---- */
/* Makes level 0's operator of the system's values. */
spg_status spg_amg_narrow_create(spg_amg *amg);
void spg_amg_narrow_destroy(spg_amg *amg);
/* Takes new values of the system over. Queues work only. */
spg_status spg_amg_narrow_update(spg_amg *amg);
/* *values = the candidates in floats, to be released by spg_amg_narrow_release; NULL if there are none. */
spg_status spg_amg_narrow_candidates(spg_amg *amg, const void **values);
void spg_amg_narrow_release(spg_amg *amg, const void *values);

/* ---- recorded.c ---- */
/* Forgets the recorded cycles: what they do is about to change. */
void spg_amg_forget_cycles(spg_amg *amg);

/* ---- solver.c ---- */
void spg_amg_solver_destroy(spg_amg *amg); /* frees what solves kept, if any */

/* ---- many/memory.c ---- */
void spg_amg_many_destroy(spg_amg *amg); /* frees what solves of several right-hand sides kept, if any */

/* ---- log.c ---- */
/* Writes a line to the context's log, if it has one. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void spg_amg_log(const spg_context *context, const char *format, ...);

/* ---- timing.c ---- */
/* Starts timing the steps; with options.timing, after all queued work has ended. */
void spg_amg_start_timing(spg_amg *amg);
/* Adds the seconds since the end of the last step to a field of amg->timings, and to small_levels if the level is
 * small. level may be NULL. */
void spg_amg_end_step(spg_amg *amg, const spg_level *level, double *step);

#endif

/* A hierarchy's inside, and what the files of amg/ offer each other. Private to amg/. */
#ifndef SPG_AMG_AMG_H
#define SPG_AMG_AMG_H

#include "amg_backend.h"
#include "spgemm/galerkin.h"

/* One level. Arrays lie at the context's place; NULL or zeroed where the last level has none. */
typedef struct spg_level {
    spg_csr A;                     /* of level 0 a view of the caller's, else owned */
    spg_csr P, R;                  /* owned; R = P^T. Zeroed on the last level */
    spg_amg_aggregates aggregates; /* of A's nodes; block_size is set on every level */
    void *T;                       /* the tentative prolongator, kept for update; see spg_amg_backend.tentative */
    void *candidates;              /* A.rows x k, column-major; NULL on level 0 */
    void *inverse;                 /* of A's diagonal: for the prolongator, Jacobi and Chebyshev */
    void *l1_inverse;              /* for SPG_SMOOTHER_L1_JACOBI alone */
    int64_t left_out;              /* nodes that are in no aggregate */
    double relaxation;             /* by which P is smoothed: the options', or 0 */
    double *rho;                   /* of D^-1 A; within spg_amg.rho */
    spg_amg_spectrum spectrum;     /* at setup; its rho lies there as well */
    /* The last level has inverses and rho only where it is not solved densely. */
    int64_t rows, nnz; /* of A: rows sizes the arrays of the level, also before A is there */

    /* For update; made by its first call or by prepare_update. */
    int64_t *transpose_map;
    spg_galerkin_plan *plan; /* into the next level's A */
    spgemm_stats AP, RAP;    /* of the product that made the next level's A */

    /* For cycles: A.rows values each. */
    void *x, *b;   /* correction and right-hand side; NULL on level 0, where they are the caller's */
    void *r, *d;   /* residual or next iterate; Chebyshev's direction */
    int64_t bytes; /* held for this level */
} spg_level;

struct spg_amg {
    spg_context *context;
    const spg_amg_backend *backend;
    spg_amg_options options; /* resolved: candidates is at least 1, candidate_values is NULL after setup */
    spg_type value_type;
    bool can_update; /* maps and plans are there */
    int levels;
    spg_level *level;   /* options.max_levels of them */
    double *rho;        /* at the place, of each of options.max_levels as it is now and as at setup */
    int32_t *symmetric; /* at the place: A is, bit for bit, and so are the operators of all levels */
    bool was_symmetric; /* at setup */
    void *spectral;     /* Lanczos' workspace, of the largest level; kept for update */
    int64_t spectral_bytes;
    spg_amg_end end;      /* why the last level is the last */
    bool is_diagonal;     /* the last level's operator is, so that the inverse of its diagonal solves it */
    spg_amg_dense *dense; /* of the last level; NULL where that has no rows, is diagonal, or is smoothed */
    int64_t dense_bytes;
    spg_amg_timings timings;
    double mark; /* when the last step ended */
    double update_seconds;
    int64_t bytes; /* that spg_amg_take gave and spg_amg_give has not taken back */

    /* For solves: amg/solve/solve.c's own. */
    void *solver;
};

enum { SPG_AMG_MOST_DENSE = 4096, SPG_AMG_MOST_BLOCK = 32, SPG_AMG_SMALL_ROWS = 10000 };

/* ---- hierarchy.c ---- */
/* ARGUMENT unless this is a hierarchy of the context's; either may be NULL. */
spg_status spg_amg_check_own(spg_context *context, const spg_amg *amg);

/* ---- memory.c: arrays of a hierarchy at the place, counted as its own; level may be NULL ---- */
spg_status spg_amg_take(spg_amg *amg, spg_level *level, int64_t bytes, const char *what, void **memory);
void spg_amg_give(spg_amg *amg, spg_level *level, void *memory, int64_t bytes);
void spg_amg_free_matrix(spg_amg *amg, spg_level *level, spg_csr *matrix);
/* Counts a matrix, or what else a level holds already. */
void spg_amg_count(spg_amg *amg, spg_level *level, int64_t bytes);
int64_t spg_amg_vector_bytes(const spg_amg *amg, int64_t n);

void spg_amg_destroy_level(spg_amg *amg, spg_level *level);

/* ---- options.c ---- */
/* ARGUMENT, SHAPE or UNSUPPORTED; *resolved has candidates of at least 1. options may be NULL. */
spg_status spg_amg_resolve_options(spg_context *context, const spg_csr *A, const spg_amg_options *options,
                                   spg_amg_options *resolved);
/* FORMAT, naming row and candidate, if a value is not finite, or so large that norms may overflow. Waits. */
spg_status spg_amg_check_candidate_values(spg_context *context, const spg_csr *A, const spg_amg_options *options);

/* ---- coarsen.c: one level's set-up steps ---- */
/* Makes the level's prolongator and the next level's operator, or ends coarsening: then amg->end says why, and there is
 * nothing of the next level. */
spg_status spg_amg_coarsen(spg_amg *amg, spg_level *level, bool *ends);
/* The inverses and rho that smoothing takes. */
spg_status spg_amg_prepare_smoother(spg_amg *amg, spg_level *level);
/* Again with A's new values, of which the diagonal's inverse is there. */
spg_status spg_amg_renew_smoother(spg_amg *amg, spg_level *level);

/* ---- update.c ---- */
/* Room for what csr_transpose notes of the level's P. */
spg_status spg_amg_take_transpose_map(spg_amg *amg, spg_level *level);
/* The plan into the next level's operator, which is there. AP: NULL, or the level's A*P, taken over. */
spg_status spg_amg_plan_level(spg_amg *amg, spg_level *level, spg_csr *AP);
/* The plans that updates run, where there is none yet; none at all where it fails. */
spg_status spg_amg_plan_update(spg_amg *amg);

/* ---- limits.c: when coarsening is not worth its while; each tells the log what it decides ---- */
/* Whether the aggregates that there are leave the level the last. */
bool spg_amg_stalls(spg_amg *amg, const spg_level *level);
/* The most entries that the next operator may have; 0: any. */
int64_t spg_amg_most_entries(const spg_amg *amg, const spg_level *next, bool is_smoothed);
void spg_amg_tell_unsmoothed(const spg_amg *amg, const spg_level *level);
void spg_amg_tell_too_many_entries(const spg_amg *amg, const spg_level *level);
void spg_amg_tell_most_levels(const spg_amg *amg);

/* ---- coarse.c: the last level's solver ---- */
/* Sets amg->dense and dense_bytes, where the last level has from 1 to SPG_AMG_MOST_DENSE rows, and that pays. */
spg_status spg_amg_coarse_create(spg_amg *amg);
spg_status spg_amg_coarse_update(spg_amg *amg);
/* What an update left to see to, if dense_tell says so. WAITS. */
spg_status spg_amg_coarse_settle(spg_amg *amg);
void spg_amg_coarse_destroy(spg_amg *amg);

/* ---- cycle.c ---- */
/* Takes the vectors of all levels (x, b, r, d), so that cycles and solves allocate nothing. Setup's last step. */
spg_status spg_amg_cycle_create(spg_amg *amg);
void spg_amg_cycle_destroy(spg_amg *amg); /* also after half of a creation */

/* ---- solve.c ---- */
void spg_amg_solver_destroy(spg_amg *amg); /* what solves kept; none need have run */

/* ---- tell.c ---- */
/* A line to the context's log, if it has one. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void spg_amg_tell(const spg_context *context, const char *format, ...);

/* ---- timing.c ---- */
/* Begins to measure steps; with options.timing, once all that was queued has ended. */
void spg_amg_start_timing(spg_amg *amg);
/* Adds the seconds since the last step's end to a field of amg->timings, and to its small_levels where the level is
 * small. level may be NULL. */
void spg_amg_end_step(spg_amg *amg, const spg_level *level, double *step);

#endif

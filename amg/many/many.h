/* Several right-hand sides at once: what the files of this folder share. Private to amg/. */
#ifndef SPG_AMG_MANY_MANY_H
#define SPG_AMG_MANY_MANY_H

#include "amg/many_backend.h"
#include "amg/solve/cycle.h"
#include "amg/solve/solve.h"

/* The blocks of a level in a cycle; see spg_level. */
typedef struct spg_amg_many_level {
    void *x, *b, *r, *d;
} spg_amg_many_level;

/* Memory at the place; NULL: none. */
typedef struct spg_amg_many_block {
    void *memory;
    int64_t bytes;
} spg_amg_many_block;

/* The widths are SPG_AMG_MOST_WIDTH and its half and quarter. */
enum { SPG_AMG_MOST_OUTGROWN = 2 };

/* The memory of cycles and solves; kept from one solve to the next. Blocks of A's rows, of A's type. */
typedef struct spg_amg_many {
    int width;
    spg_amg_many_block block; /* all of it but `level` */
    bool is_captured;         /* a call that used the block was captured, and may be replayed */
    spg_amg_many_block outgrown[SPG_AMG_MOST_OUTGROWN]; /* such blocks that became too small */
    int outgrown_count;
    spg_amg_many_level *level; /* amg->levels of them, on the host */
    void *b, *x;               /* the systems, in each solve's unit */
    void *r, *z, *p, *q;       /* as in spg_amg_solver */
    void *narrow_b, *narrow_x; /* of a hierarchy in floats for a matrix of doubles; else NULL */
    spg_amg_many_scalars *scalars;
    double *squares, *again; /* sums of squares; see spg_squares */
    void *workspace, *dense_workspace;
} spg_amg_many;

/* One vector of a solve. */
typedef enum spg_amg_phase {
    SPG_AMG_RUNS,
    SPG_AMG_CLAIMS, /* its updated residual has converged; the true one is not known yet */
    SPG_AMG_ENDED
} spg_amg_phase;

typedef struct spg_amg_column {
    spg_amg_solve_state solve; /* its b and x are not used during iterations */
    spg_amg_phase phase;
    spg_status status; /* how it ended */
    char message[256]; /* unless OK */
    double claimed;    /* see spg_amg_judge_claim */
    int vain;
} spg_amg_column;

/* A solve of at most SPG_AMG_MOST_WIDTH right-hand sides. */
typedef struct spg_amg_many_solve {
    spg_context *context;
    spg_amg *amg;
    const spg_amg_many_backend *backend;
    spg_amg_many *many;
    spg_amg_shape shape;
    int count;
    spg_amg_column column[SPG_AMG_MOST_WIDTH];
} spg_amg_many_solve;

/* ---- memory.c ---- */
/* Makes amg->many for blocks of this width, if there is none. */
spg_status spg_amg_many_create(spg_amg *amg, int width);

/* The width of blocks for this many vectors. */
int spg_amg_width_for(int64_t count);

/* ---- cycle.c ---- */
/* x = one V-cycle on A x = b from zero, in blocks of A's type. squares: b's sums of squares, at the place; NULL: not
 * known. products (at the place) = b . x of each vector; NULL: not wanted. */
spg_status spg_amg_many_precondition(spg_amg *amg, const void *b, void *x, const double *squares, double *products);

/* ---- iterate.c: what both methods do with all vectors ---- */
/* residual = b - A x, and the true residuals of the vectors in `phase`. Waits; overwrites z. */
spg_status spg_amg_many_measure(spg_amg_many_solve *solve, spg_amg_phase phase, void *residual);
/* The vectors in a phase, as a set. */
uint32_t spg_amg_columns_in(const spg_amg_many_solve *solve, spg_amg_phase phase);
/* Ends a vector with this status and the context's message. A status that is not of this vector alone, such as MEMORY,
 * is returned; else OK. */
spg_status spg_amg_end_column(spg_amg_many_solve *solve, spg_amg_column *column, spg_status status);
/* z = M r without its part in the null space; overwrites q. products as in spg_amg_many_precondition, of r and z. */
spg_status spg_amg_many_correct(spg_amg_many_solve *solve, const double *squares, double *products);
/* Between a block and vectors one after the other. */
spg_amg_columns spg_amg_columns_of(const spg_amg_many_solve *solve, void *values);

/* ---- conjugate_gradients.c, alone.c ---- */
/* From r = b - A x until all vectors have ended. */
spg_status spg_amg_many_conjugate_gradients(spg_amg_many_solve *solve);
spg_status spg_amg_many_cycle_alone(spg_amg_many_solve *solve);

#endif

/* The backend interface of Krylov methods other than conjugate gradients: sums over several vectors, and scalars that
 * stay at the place. Private. Implemented by src/host/amg/ and kernels/amg/; called by amg/krylov/.
 *
 * As in amg_backend.h: on a device functions queue work; none waits, and none allocates, so that iterations run without
 * the host. Sums have a fixed order. */
#ifndef SPG_AMG_KRYLOV_BACKEND_H
#define SPG_AMG_KRYLOV_BACKEND_H

#include "amg/amg_backend.h"

/* Vectors of one type, `stride` bytes from each to the next. */
typedef struct spg_amg_vectors {
    const void *first;
    int64_t stride;
    int count;
} spg_amg_vectors;

/* What is added to a vector y, and what y is multiplied by before. Numbers at the place. */
typedef struct spg_amg_combination {
    spg_amg_vectors of;
    const double *coefficients; /* one a vector; a vector whose coefficient is 0 is not read */
    double factor;              /* of all coefficients; on the host */
    const double *scale;        /* of y; NULL: 1; if it is 0, y is not read */
} spg_amg_combination;

/* The most iterations whose residuals are kept until the host reads them. */
enum { SPG_AMG_MOST_UNREAD = 8 };

/* How the iterations of a method have ended. Then further ones leave x and r as they are. */
enum {
    SPG_AMG_GOES_ON = 0,
    SPG_AMG_ENDED = 1,  /* with an iteration that was done: within tolerance, not finite, or without a next step */
    SPG_AMG_NO_STEP = 2 /* with an iteration that cannot be done, and does not count */
};

/* The scalars of a method's iterations, at the place. */
typedef struct spg_amg_krylov_scalars {
    int64_t done, end;
    double residuals[SPG_AMG_MOST_UNREAD]; /* of iteration k, from 0, at k % SPG_AMG_MOST_UNREAD */
    double one;                            /* 1, where a coefficient is to be 1 */
    double square;                         /* of a norm */
    /* (flexible) conjugate gradients: of the step that cannot be done; z . r and z . q; p . r after a step along p; of
     * p in the next direction */
    spg_amg_cg_scalars cg;
    double failed_rz, failed_pq, products[2], left, beta;
    /* BiCGStab: shadow . r and shadow . v; alpha and omega; t . r and t . t; r . r and shadow . r after a step;
     * of p in the next direction */
    double rho, shadow_v, steps[2], least[2], after[2], keep;
    double scale; /* FGMRES: makes the next vector of the basis a unit vector */
    /* K-cycle: inner products with the first and the second correction, and the weights of these (k_cycle.c) */
    double first[2], second[3], weights[2];
} spg_amg_krylov_scalars;

/* The small system of FGMRES, at the place: the columns of a triangle, `stride` numbers apart; the rotations that made
 * them so; the right-hand side; the parts that two rounds of Gram-Schmidt found, each followed by the square of the
 * vector's norm, of the second after it; and the weights of the correction. */
typedef struct spg_amg_small_system {
    double *columns, *cosines, *sines, *sides, *first, *second, *weights;
    int stride;
} spg_amg_small_system;

/* What the scalars of a method do between sums (amg/krylov/scalars.h). */
typedef enum spg_amg_krylov_move {
    SPG_AMG_KRYLOV_BEGIN,
    SPG_AMG_FCG_TURN,
    SPG_AMG_BICGSTAB_ALPHA,
    SPG_AMG_BICGSTAB_OMEGA,
    SPG_AMG_BICGSTAB_TURN,
    SPG_AMG_FGMRES_COLUMN,
    SPG_AMG_FGMRES_SOLVE,
    SPG_AMG_K_FIRST,
    SPG_AMG_K_SECOND
} spg_amg_krylov_move;

typedef struct spg_amg_krylov_step {
    spg_amg_krylov_move move;
    spg_amg_krylov_scalars *scalars;
    double target;              /* a residual of at most this ends the iterations */
    spg_amg_small_system small; /* of FGMRES; columns NULL for others */
    double residual;            /* BEGIN: of the first side */
    double epsilon;             /* COLUMN: of the vectors' type */
    int column;                 /* COLUMN: which, from 0; SOLVE: how many */
} spg_amg_krylov_step;

/* How many vectors a pass over y takes for inner products. */
enum { SPG_AMG_DOTS_AT_ONCE = 8 };

typedef struct spg_amg_krylov_backend {
    /* Iterations that may be begun before their residuals are read, up to SPG_AMG_MOST_UNREAD: 1 where a call returns
     * with its work done. */
    int at_once;
    /* results[k] (doubles at the place) = vector k . y, each with the bits of one order of sums, which depends on n and
     * on of->count alone. workspace: dots_bytes. */
    int64_t (*dots_bytes)(spg_type type, int64_t n);
    spg_status (*dots)(spg_context *context, spg_type type, int64_t n, const spg_amg_vectors *of, const void *y,
                       void *workspace, double *results);
    /* y = scale y, then y += factor coefficients[k] vector k, for each k in order. y is none of the vectors. */
    spg_status (*combine)(spg_context *context, spg_type type, int64_t n, const spg_amg_combination *by, void *y);
    /* One move of the scalars. */
    spg_status (*advance)(spg_context *context, const spg_amg_krylov_step *step);
} spg_amg_krylov_backend;

#endif

/* Krylov methods for A x = b: conjugate gradients, flexible conjugate gradients, FGMRES and BiCGStab, on any operator
 * and any preconditioner. A CSR matrix and a multigrid hierarchy are ready-made ones.
 *
 *     spg_operator matrix = spg_csr_operator(&A), cycle = spg_amg_operator(amg);
 *     spg_krylov_options options = spg_krylov_options_default();
 *     options.method = SPG_KRYLOV_FGMRES;
 *     spg_krylov_result result;
 *     spg_status status = spg_krylov_solve(context, &matrix, &cycle, b, x, &options, &result);
 *
 * Complex systems are solved in their real form (spg_csr_real_form), whose vectors are the complex ones. For a
 * Hermitian A and M, conjugate gradients are those of the complex method. FGMRES and BiCGStab work with real numbers
 * where complex methods have complex ones, so they may take more iterations than those. */
#ifndef SPG_KRYLOV_H
#define SPG_KRYLOV_H

#include "spg/amg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A square operator on vectors at a context's place. */
typedef struct spg_operator {
    int64_t rows;  /* of its vectors */
    spg_type type; /* SPG_F32 or SPG_F64; of complex operators that of the parts, which count as rows */
    void *user;    /* for apply */
    /* y = the operator times x; x and y do not overlap. On a device the work goes to the context's stream. If it fails,
     * it returns the status of spg_context_fail, and the solve ends with it. */
    spg_status (*apply)(void *user, spg_context *context, const void *x, void *y);
} spg_operator;

/* The product with A, which must stay until the operator is used no more. Without apply, which a solve refuses, if A is
 * NULL or not square. That of a complex A is of its real form's rows and of the type of its parts: it takes and gives
 * complex vectors as they lie. */
SPG_API spg_operator spg_csr_operator(const spg_csr *A);

/* One cycle from zero (spg_amg_apply): a preconditioner; for other methods than CG if the hierarchy has SPG_CYCLE_K.
 * Without apply, which a solve refuses, if amg is NULL. */
SPG_API spg_operator spg_amg_operator(spg_amg *amg);

/* The method of a solve. */
typedef enum spg_krylov_method {
    SPG_KRYLOV_CG = 0,      /* conjugate gradients: A and M symmetric positive definite, M the same in each iteration */
    SPG_KRYLOV_FCG = 1,     /* flexible ones (Notay 2000): M may change from iteration to iteration */
    SPG_KRYLOV_FGMRES = 2,  /* FGMRES (Saad 1993): any A, M may change; 2*restart + 1 vectors */
    SPG_KRYLOV_BICGSTAB = 3 /* BiCGStab (van der Vorst 1992), M from the right: any A; 7 vectors. An iteration applies A
                               and M twice */
} spg_krylov_method;

/* Fill with spg_krylov_options_default() and change what you need. Each comment gives the default. */
typedef struct spg_krylov_options {
    spg_krylov_method method; /* CG */
    double tolerance;         /* as in spg_amg_solve_options; SPG_AMG_TOLERANCE_OF_TYPE */
    int max_iterations;       /* 200 */
    int restart;              /* iterations of FGMRES between restarts, 1 to 1000; 30 */
    int zero_guess;           /* 1: x begins as zero and need not be initialised; 0 */
    double *history;          /* NULL, or room on the host for max_iterations + 1 residual norms; the first is that of
                                 the initial x */
    /* NULL, or called with each iteration's number and residual norm, on the host and in order, before the next
     * iteration begins; not 0 ends the solve. So a solve with a monitor waits at each iteration. */
    int (*monitor)(void *user, int iteration, double residual);
    void *monitor_user; /* for monitor */
} spg_krylov_options;

/* The defaults. */
SPG_API spg_krylov_options spg_krylov_options_default(void);

/* How a solve went. */
typedef struct spg_krylov_result {
    int iterations;           /* done */
    int converged;            /* 1: the residual of the final x is within tolerance */
    int stagnated;            /* 1: it ended early, because rounding keeps the residual from falling further */
    int stopped;              /* 1: monitor ended it */
    double initial_residual;  /* ||b - A x|| before */
    double residual;          /* after, computed from the final x however the solve ends; as the method had it if A
                                 failed. Both: NaN if there is none */
    double relative_residual; /* residual over ||b||, or over 1 if b is zero */
    double seconds;           /* of the whole call */
} spg_krylov_result;

/* Solves A x = b, preconditioned by M (NULL: none). b and x: A's rows at the context's place. x holds the initial
 * guess, unless options say zero, and always receives the last iterate. options and result may be NULL. Vectors are
 * workspace. Squares of norms must be in the range of doubles. From run to run the bits are the same; host and device
 * agree to rounding.
 *
 * On a device inner products stay there. The host waits to test the residual: in conjugate gradients at each iteration,
 * but far from the target the next one is queued before; in other methods after up to 8 iterations, after fewer as the
 * residual nears the target. So A and M may be applied for iterations after the last: one, or up to 7. These change
 * neither x nor the result.
 *
 * ARGUMENT: NULL, an operator without apply, types other than f32 and f64 or of two kinds, options out of range; b and
 * x overlap. SHAPE: M has other rows than A. PLACE: b or x elsewhere. MEMORY: no room for the vectors. NOT_CONVERGED:
 * max_iterations, stagnation, or monitor ended the solve; the message says which. INDEFINITE: p^T A p <= 0 or r^T M r <
 * 0 in conjugate gradients. BREAKDOWN: a NaN or infinite number, or a division by zero that a restart does not mend. */
SPG_API spg_status spg_krylov_solve(spg_context *context, const spg_operator *A, const spg_operator *M, const void *b,
                                    void *x, const spg_krylov_options *options, spg_krylov_result *result);

/* x = one cycle on A x = b from zero, for callers with a Krylov method of their own: x need not be initialised, and
 * one product less is done than by spg_amg_cycle. A V-cycle is a symmetric operator on b if A is symmetric and
 * pre_sweeps = post_sweeps; a K-cycle is for flexible methods. On a device it is queued on the stream, does not wait,
 * and can be captured in a CUDA graph. Errors as for spg_amg_cycle. */
SPG_API spg_status spg_amg_apply(spg_context *context, spg_amg *amg, const void *b, void *x);

#ifdef __cplusplus
}
#endif

#endif

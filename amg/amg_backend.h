/* The backend interface of algebraic multigrid: set-up steps and the vector operations of cycles, one function per
 * stage. Private. Implemented by src/host/amg/ and kernels/amg/; called by amg/.
 *
 * As in backend.h: arguments are checked, arrays lie at the backend's place, and on failure a function frees what it
 * allocated and leaves a message. Values are SPG_F32 or SPG_F64 (`type`), except in the eight functions of the Galerkin
 * product, which take all four types. On a device functions queue work and return; those that wait are marked WAITS.
 * Those used by spg_amg_update and spg_amg_cycle neither wait nor allocate. Scalars that stay at the place (rho, dot
 * products) are doubles, whatever the type. Every sum over rows has a fixed order that does not depend on threads: at
 * one place a result repeats bit for bit. Between places real numbers may differ in the last bits; integers
 * (aggregates, patterns) do not differ. */
#ifndef SPG_SRC_AMG_BACKEND_H
#define SPG_SRC_AMG_BACKEND_H

#include "amg/units.h"
#include "backend.h"

#include "spg/amg.h"

/* The strong connections: a pattern over nodes, with 64-bit offsets if its matrix has them. A node's row may or may not
 * include the node itself. */
typedef struct spg_amg_graph {
    int64_t nodes, nnz;
    spg_type offset_type;
    void *row_offsets;
    int32_t *columns;
    bool borrowed; /* the arrays belong to the caller's A: theta is 0 and a node has one unknown there */
    /* At the place. If it is 1, no row names a node twice, and j's row names i if i's row names j. NULL: not known. */
    const int32_t *symmetric;
    const uint8_t *isolated; /* at the place, per node: not 0 if it is isolated (find_isolated). NULL: none is */
} spg_amg_graph;

/* Replaces an aggregate's number: the node is in none. Its rows of T are zero; it implies nothing else. */
enum { SPG_AMG_NO_AGGREGATE = -1 };

/* How many rows sample_coarse_rows takes: a bit each of a word. */
enum { SPG_AMG_SAMPLED = 64 };

/* The aggregates of a level's nodes, and the blocks of its matrices. Unknown i belongs to node i / block_size. Coarse
 * unknowns of aggregate g start at g*candidates, so that a row of T, and each block of a row of P, has `candidates`
 * columns. */
typedef struct spg_amg_aggregates {
    int64_t nodes, aggregates;
    int block_size, candidates;
    int32_t *aggregate_of; /* of each node, or SPG_AMG_NO_AGGREGATE */
} spg_amg_aggregates;

/* How a spectral radius is found. */
typedef struct spg_amg_radius {
    int steps;    /* of Lanczos, at most; 0: the bound by row sums */
    bool settles; /* steps end when the estimate has settled; else, without a known vector, all are made */
    uint64_t seed;
    const int32_t *symmetric; /* NULL, or a flag at the place: if it is 0, the bound in place of the steps */
} spg_amg_radius;

/* What setup found out about a level's spectral radius; updates start from it. Arrays at the place. */
typedef struct spg_amg_spectrum {
    float *vector; /* D^1/2 times the Ritz vector of rho, one number per row */
    double *rho;   /* 0: the steps broke down, or there is no vector */
    float *basis;  /* NULL, or the workspace of setup: one vector per step */
} spg_amg_spectrum;

/* In units of the type's rounding error: a number of at most this many units, relative to the numbers it was made of,
 * counts as zero. Each finer level adds some rounding: of 1200 closed chains of 60 rows, up to 128 units were seen
 * after 4 levels. No bench measures this; test_amg_isolated holds such chains to it. */
#define SPG_AMG_ROUNDINGS 512

/* A factored dense coarse operator; private to the backend. */
typedef struct spg_amg_dense spg_amg_dense;

/* The input of a dense operator. The magnitude of an unknown is the sum of its squared row of R, times the diagonal
 * that was restricted; or that of A's own diagonal entry, if this is larger or R is NULL. A coarse diagonal far below
 * this magnitude consists of rounding errors, as does that of a singular matrix of one row. Without either, the
 * magnitude is the largest value of the row. */
typedef struct spg_amg_dense_source {
    const spg_csr *A, *R; /* R: made A by restriction, or NULL */
    const void *inverse;  /* with R: the inverse diagonal of the operator that was restricted */
    /* The near-null space, part of which may be in the null space: A.rows x candidates, column-major; NULL for the
     * constants of this many unknowns; read at creation. candidates 0: nothing is known. */
    const void *candidate_values;
    int candidates;
    double finest_rows; /* of the operator from which A was made, in any number of steps; 0: A itself */
    int64_t most_rows; /* at creation: if not 0, decline if Cholesky's method would cost more than for this many rows */
} spg_amg_dense_source;

/* The state of a dense operator. */
enum {
    SPG_AMG_DENSE_PLAIN = 0,
    SPG_AMG_DENSE_DEFLATED = 1, /* singular, with a null space in the candidates' span */
    SPG_AMG_DENSE_UNSETTLED = 2 /* the last update left work for dense_settle */
};

/* The most rows for which singular values make a pseudo-inverse: rows of a component on the host, all rows on a
 * device. */
enum { SPG_AMG_MOST_SINGULAR = 768 };

/* The rounding error, in units of a row's magnitudes, that may remain when a coarse operator is applied to a null
 * vector, for each square root of the number of finest rows that the row represents. On closed grids of 10^4 to 10^6
 * rows, with couplings that vary by 10^4 or not at all, at most 7.2 was seen in floats and 2.7 in doubles. With one row
 * of 216000 raised by a quarter: 186 in floats and 10^11 in doubles. No bench measures this; test_amg_null_space holds
 * 26 grids to it. */
#define SPG_AMG_NULL_ROUNDINGS 16.0

/* BREAKDOWN of an update that lacks a pseudo-inverse. */
#define SPG_AMG_BECAME_SINGULAR                                                                                        \
    "the coarsest operator of %lld rows became singular in an update, beyond its candidates; set up again"

/* A sweep over x, at the place; y is not x.
 *
 * Jacobi's, step < 0: y = x + scale/(*rho) * inverse .* (b - A x).
 *
 * Chebyshev's three-term recurrence for D^-1 A over [1.1 rho/ratio, 1.1 rho], step k of a polynomial (0 the first):
 * y = x + d_new, and d = d_new. With centre c and half-width h of the interval, s_0 = h/c and s_k = 1/(2c/h - s_(k-1)):
 * d_new = 1/c D^-1 (b - A x) at step 0, s_k s_(k-1) d + 2 s_k/h D^-1 (b - A x) after it (Saad, Iterative Methods for
 * Sparse Linear Systems, algorithm 12.1); coefficients in double, then rounded to the values' type. */
typedef struct spg_amg_relaxation {
    const void *inverse; /* of A's diagonal */
    const double *rho;   /* NULL: 1 */
    double scale;        /* Jacobi's */
    double ratio;        /* Chebyshev's */
    int step;
    const void *b, *x; /* x NULL, for Jacobi and step 0: zero, and A is not read */
    void *d;           /* Chebyshev's direction, kept from step to step */
    void *y;
} spg_amg_relaxation;

/* What a step of conjugate gradients goes by and moves; q = A p. */
typedef struct spg_amg_cg_vectors {
    const void *p, *q;
    void *x, *r;
} spg_amg_cg_vectors;

/* The scalars of conjugate gradients: r . r, p . q, r . z of now and of the step before, and whether steps have ended
 * (0 or 1). */
typedef struct spg_amg_cg_scalars {
    double rr, pq, rz, rz_before, has_ended;
} spg_amg_cg_scalars;

typedef struct spg_recording spg_recording; /* private to the backend */

typedef struct spg_amg_backend {
    /* ---- symmetry, for the Galerkin product (all four types) ---- */
    /* *flag (int32 at the place) = 1 if A is symmetric bit for bit in pattern and values (a_ij = a_ji, no conjugate,
     * rows sorted), else 0. Queues a copy of the flag to the host. While a side stream is in use, A may be malformed:
     * then nothing outside of its arrays is read, and the flag says nothing. */
    spg_status (*find_symmetry)(spg_context *context, const spg_csr *A, int32_t *flag);
    /* The same and, for real types, inverse_diagonal without l1: in one pass on a device. */
    spg_status (*find_symmetry_and_inverse)(spg_context *context, const spg_csr *A, int32_t *flag, void *inverse);
    /* scales[i] = spg_amg_symmetric_scale of row i: of its diagonal, and whether it has other entries than zeros. Real
     * types. */
    spg_status (*symmetric_scales)(spg_context *context, const spg_csr *A, void *scales);
    /* Waits for the last copy of a flag, which was *flag. Work on the side stream must have been joined before
     * (backend.h). */
    spg_status (*flag_on_host)(spg_context *context, const int32_t *flag, bool *is_set);
    /* If *flag is 1: copies to each entry below the diagonal of the square C, whose rows are sorted, the value of its
     * mirror image. Entries without a mirror image do not change. inverse: NULL or, for real types, receives
     * inverse_diagonal without l1, whatever the flag is. */
    spg_status (*mirror)(spg_context *context, const int32_t *flag, spg_csr *C, void *inverse);
    /* If *symmetric is 1 and each entry below the diagonal of the square A, whose rows are sorted, has a mirror image:
     * stores their positions, if these fit 32 bits; else leaves *images zeroed. NULL on the host. WAITS. */
    spg_status (*find_images)(spg_context *context, const spg_csr *A, const int32_t *symmetric, spg_images *images);
    /* As mirror, for a matrix of the pattern whose images are stored. */
    spg_status (*copy_images)(spg_context *context, const int32_t *flag, const spg_images *images, spg_csr *C,
                              void *inverse);
    /* map (int64 at the place, A.nnz of them): entry k of the transpose comes from entry map[k] of A. */
    spg_status (*transpose_map)(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map);
    /* transpose.values[k] = A.values[map[k]]. */
    spg_status (*gather_values)(spg_context *context, const spg_csr *A, const int64_t *map, spg_csr *transpose);

    /* ---- setup ---- */
    /* FORMAT if a value of A is not finite; the message names row and column. UNSUPPORTED on a device if a row has more
     * entries than 32 bits can number; the message names the row. WAITS. */
    spg_status (*check_finite)(spg_context *context, const spg_csr *A);
    /* *first: the index of the first of `count` reals with a magnitude not at most `most` (NaN included), or count.
     * WAITS. */
    spg_status (*find_beyond)(spg_context *context, spg_type type, int64_t count, const void *values, double most,
                              int64_t *first);
    /* Keeps the diagonal, if stored, and the entries with |a_ij| >= theta*sqrt(|a_ii|*|a_jj|), or by the classical
     * measure >= theta*max |a_ik|, k != i, computed in double, each step rounded, without under- or overflow of
     * products and squares: by spg_amg_geometric_mean, and with blocks scaled by spg_amg_block_scale. a_ii is the sum
     * of the diagonal's entries in storage order, 0 if there are none; other repeated entries count each alone. theta 0
     * keeps every stored entry. Columns are in A's order. For nodes of several unknowns, |a_ij| is replaced by the
     * Frobenius norm of the block: the root of the sum of its squares in storage order, row after row; columns ascend,
     * each once. WAITS. */
    spg_status (*strength)(spg_context *context, const spg_csr *A, int block_size, spg_strength measure, double theta,
                           spg_amg_graph *graph);
    /* isolated[node] = 1 if no off-diagonal value couples the node's unknowns, else 0. Only nonzero values count; one
     * in a column of another node counts only if the node's row of the graph names another node, one between the
     * `parts` of an unknown (2 of a complex one, else 1) never. */
    spg_status (*find_isolated)(spg_context *context, const spg_csr *A, int block_size, int parts,
                                const spg_amg_graph *graph, uint8_t *isolated);
    /* Aggregates around maximal independent sets of distance 2. Fills aggregate_of (one per node), *aggregates and
     * *left_out, the number of nodes in no aggregate. WAITS. All integers are the same at every place, because each
     * step below is a function of the one before:
     *
     * Independent set of candidates within allowed nodes. Each node has a key of 64 bits: its state (2: in, 1:
     * undecided, 0: out) in the upper 2, then the upper 31 bits of spg_amg_random(seed, node) (amg/random.h), then the
     * node in 31. A node that is out or not allowed has the key 0. Candidates start undecided, others out. A round:
     * max_i = the largest key of i itself and of the columns of its row, for allowed i, else 0; then, for undecided i,
     * with u the largest max of i itself and of the columns of its row: i is in if u is its own key, else out if u's
     * state is `in`. Rounds go on until no node is undecided. For a symmetric graph this gives the same as taking
     * candidates greedily in descending order of keys.
     *
     * A node whose row names no other node is alone. Isolated nodes are in no aggregate. Below, "nodes" are the others;
     * their rows may name isolated nodes.
     *
     * Without join_leftovers: all nodes are allowed; those not alone are candidates. Roots are numbered in ascending
     * order. A node's number is its own if it is a root; else the largest number of the roots that its row names; else
     * the largest number found in this way of the nodes that its row names; else the node is in no aggregate.
     *
     * With join_leftovers: all nodes are allowed and candidates. (1) Roots are numbered in ascending order. A node that
     * is not a root joins the largest-numbered root that its row names; if there is none, it is free. (2) Free nodes
     * are allowed; those whose row has at least two entries in other free nodes are candidates of a second set, with
     * the same seed. Its roots take the next numbers in ascending order. A free node that is not a root joins the
     * largest-numbered one that its row names. (3) For a node that is still free, the first 64 entries of its row
     * count, as far as their nodes had an aggregate after (2). It joins the aggregate with most of these entries; of
     * several, the lowest-numbered. Nodes without such entries take the next numbers in ascending order, each as an
     * aggregate of its own. (4) All are renumbered in the order of their first nodes, so that neighbours, from either
     * set, have close numbers. */
    spg_status (*aggregate_mis2)(spg_context *context, const spg_amg_graph *graph, uint64_t seed, bool join_leftovers,
                                 int32_t *aggregate_of, int64_t *aggregates, int64_t *left_out);
    /* PyAMG's standard aggregation, of nodes neither isolated nor alone, with outputs as above; NULL if the backend has
     * none. */
    spg_status (*aggregate_standard)(spg_context *context, const spg_amg_graph *graph, int32_t *aggregate_of,
                                     int64_t *aggregates, int64_t *left_out);
    /* T and the coarse candidates, by modified Gram-Schmidt in each aggregate, with unknowns in ascending order: fine =
     * T*coarse. Numbers whose squares under- or overflow are computed in another unit. fine: rows x k, column-major, or
     * NULL for the constants of block_size unknowns. T: rows x k, ROW-major, with zero rows for nodes in no aggregate.
     * coarse: (aggregates*k) x k, column-major. A candidate whose remainder is at most 1e-10 (for floats 1e-5) of its
     * norm in the aggregate gives a zero column. */
    spg_status (*tentative)(spg_context *context, spg_type type, const spg_amg_aggregates *aggregates, const void *fine,
                            void *T, void *coarse);
    /* inverse[i] = 1/a_ii, or with l1 1/(sum of |a_ij| over the row); 0 if that is not finite or a_ii is 0 or
     * missing. */
    spg_status (*inverse_diagonal)(spg_context *context, const spg_csr *A, bool l1, void *inverse);
    /* inverse[i] = 0 for those of `rows` unknowns whose node is in no aggregate (aggregate_of NULL: for all unknowns)
     * and whose diagonal entry consists of rounding errors. R made this entry by restriction of an operator with the
     * inverse diagonal restricted_inverse; it is rounding if it is at most SPG_AMG_ROUNDINGS of the result of
     * restricting that diagonal alone. This happens to the last unknown of a component that is singular by itself. */
    spg_status (*drop_roundings)(spg_context *context, const spg_csr *R, const void *restricted_inverse,
                                 const spg_amg_aggregates *aggregates, void *inverse);
    /* *rho (double at the place): the largest Ritz value of D^-1 A after by->steps steps of Lanczos in the inner
     * product of D, or the estimate of amg/lanczos.h, for a symmetric A with a positive diagonal. If there are to be no
     * steps, or the recurrence breaks down (a NaN, an inner product below zero): the largest row sum of |D^-1 A|, or 1
     * if that is not above zero. The start vector is D^-1/2 x, with x of spg_amg_random_unit(seed, i) (amg/random.h) in
     * row i, 0 if the inverse is 0. So scaling rows and columns of A by the same factors changes only rounding.
     * workspace: spectral_bytes.
     *
     * known: NULL; or, with a basis, written by this call; or, without a basis, written by setup: if its rho is not 0,
     * x is its vector plus the random one, and steps end when the estimate has settled. On a device the vectors are
     * then floats. */
    int64_t (*spectral_bytes)(const spg_csr *A, int steps);
    spg_status (*spectral_radius)(spg_context *context, const spg_csr *A, const void *inverse, const spg_amg_radius *by,
                                  void *workspace, const spg_amg_spectrum *known, double *rho);
    /* F = A filtered, for P's smoothing. F's pattern is that of strength's graph of A, with one unknown per node: row i
     * is a part of A's row i, in A's order. Each entry of A is added where spg_amg_find_kept says, so that weak copies
     * of a kept column stay too; what of the row is missing is summed in storage order, in double, and added to the
     * first diagonal entry, unless spg_amg_lump says otherwise. So rows keep their sums. */
    spg_status (*filter_values)(spg_context *context, const spg_csr *A, spg_csr *F);
    /* The same for the real form of a complex matrix with one complex unknown per node. F's pattern is the real form of
     * strength's graph. Its entries are A's, repeated ones summed in storage order. By products in storage order, in
     * double, complex numbers are added to the diagonal blocks such that F*v = A*v for the first candidate v = T*coarse
     * (as of tentative), unless spg_amg_lump_complex says otherwise. Weak entries of nodes in no aggregate, where T is
     * zero, are left out. */
    spg_status (*filter_pairs)(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                               const void *T, const void *coarse, spg_csr *F);
    /* P's pattern: row i has the blocks of the aggregates of its node and of the nodes of A's columns in row i,
     * ascending, `candidates` columns each. Allocates all of P; values are uninitialised. smooth false: only the
     * aggregate of the row itself. *longest_row: the entries of P's longest row. WAITS. */
    spg_status (*prolongator_pattern)(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                      bool smooth, spg_csr *P, int64_t *longest_row);
    /* *least: a lower bound of the entries of P^T*A*P, from patterns alone. Row g of it holds row i of A*P wherever P
     * has an entry in (i, g), and that holds row j of P wherever A has one in (i, j). So row g has at least as many
     * entries as the longest of these rows of P; these are summed. WAITS. */
    spg_status (*least_coarse_entries)(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *least);
    /* lengths[s] = the entries of row s*(P->cols/SPG_AMG_SAMPLED) of P^T*A*P, from patterns alone, for each s below
     * SPG_AMG_SAMPLED. P has at least so many columns. WAITS. */
    spg_status (*sample_coarse_rows)(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *lengths);
    /* P = T - relaxation/(*rho) * inverse .* (A*T), into that pattern; relaxation 0: P = T. Each entry is T's (or 0)
     * minus the scaled sum of its products in storage order. */
    spg_status (*prolongator_values)(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                     const void *T, const void *inverse, double relaxation, const double *rho,
                                     spg_csr *P);

    /* ---- dense coarse operator ---- */
    /* Allocates and factors a square A of at most 4096 rows as S A S. S, of powers of two, makes the magnitude of each
     * unknown about 1, so that an unknown of small numbers is not neglected next to others. In each connected component
     * (by nonzero values; an unknown without any is a component if a candidate has it), N is the part of the
     * candidates' span that A maps to zero up to rounding; A + N N^T is factored. If a pivot is at most rows*eps of the
     * largest, or of 1 if A was made by a restriction, a pseudo-inverse of S A S is made by singular values instead.
     * *dense NULL with OK: declined, because it would cost more than most_rows, or more than SPG_AMG_MOST_SINGULAR rows
     * need singular values. WAITS. */
    spg_status (*dense_create)(spg_context *context, const spg_amg_dense_source *source, spg_amg_dense **dense);
    /* What it holds now: an update or dense_settle may need more. */
    int64_t (*dense_bytes)(const spg_amg_dense *dense);
    /* Factors new values; if that needs singular values, a device uses them from then on. Waits only if it uses them.
     * On the host also BREAKDOWN and what dense_settle does; on a device, only dense_settle reports it, except for
     * singular values that do not settle. */
    spg_status (*dense_update)(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
    /* Queues *state (double at the place) = one of the three states above. */
    spg_status (*dense_tell)(spg_context *context, const spg_amg_dense *dense, double *state);
    /* Completes an update: makes a pseudo-inverse if one is needed. BREAKDOWN, again in each call until an update of
     * other values: values that are not finite, too many rows that are singular, or singular values that do not settle.
     * WAITS. */
    spg_status (*dense_settle)(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
    spg_status (*dense_solve)(spg_context *context, spg_amg_dense *dense, const void *b, void *x);
    /* x = the part of b in the null space of A that was found. */
    spg_status (*dense_project)(spg_context *context, spg_amg_dense *dense, const void *b, void *x);
    /* Whether it has a null space or uses singular values; on a device, as of its creation or of dense_settle. */
    bool (*dense_is_singular)(const spg_amg_dense *dense);
    void (*dense_destroy)(spg_context *context, spg_amg_dense *dense);

    /* ---- cycles ---- n: elements; vectors of `type` */
    /* y = alpha*x + beta*y; beta 0: y is not read. */
    spg_status (*axpby)(spg_context *context, spg_type type, int64_t n, double alpha, const void *x, double beta,
                        void *y);
    /* y = i*x for n complex numbers whose parts are of `type`. */
    spg_status (*times_i)(spg_context *context, spg_type type, int64_t n, const void *x, void *y);
    /* Between doubles and floats: y = x / u, and y = x * u / v. u and v: the units of vectors whose sums of squares are
     * at the place (units.h). */
    spg_status (*narrow)(spg_context *context, int64_t n, spg_squares u, const double *x, float *y);
    spg_status (*widen)(spg_context *context, int64_t n, spg_squares u, spg_squares v, const float *x, double *y);
    /* *again = the sum of the squares of x times spg_rescaling_of_squares(*sum), unless that is 1: then nothing is
     * done. Both at the place. workspace: dot_bytes. */
    spg_status (*sum_again)(spg_context *context, int64_t n, const double *x, const double *sum, void *workspace,
                            double *again);
    /* r = b - A x. */
    spg_status (*residual)(spg_context *context, const spg_csr *A, const void *b, const void *x, void *r);
    /* One sweep of a smoother. */
    spg_status (*relax)(spg_context *context, const spg_csr *A, const spg_amg_relaxation *sweep);
    /* *result (double at the place) = x . y, summed in a fixed order. workspace: dot_bytes. */
    int64_t (*dot_bytes)(spg_type type, int64_t n);
    spg_status (*dot)(spg_context *context, spg_type type, int64_t n, const void *x, const void *y, void *workspace,
                      double *result);

    /* ---- conjugate gradients ---- Scalars are doubles at the place, so that an iteration waits only once, to read
     * them, and the next can be queued before. */
    /* alpha = rz / pq: x += alpha p, r -= alpha q, then rr = r . r and rz_before = rz. If has_ended is not 0, or unless
     * rz > 0, pq > 0 and alpha is finite, x and r do not change. has_ended = 1 if they did not, or if the root of rr is
     * at most target. workspace: dot_bytes. *number: of the step, for cg_read. */
    spg_status (*cg_step)(spg_context *context, spg_type type, int64_t n, double target, spg_amg_cg_scalars *scalars,
                          const spg_amg_cg_vectors *vectors, void *workspace, unsigned int *number);
    /* rr, pq and rz as step `number` left them, on the host; one later step may have been queued. WAITS. */
    spg_status (*cg_read)(spg_context *context, const spg_amg_cg_scalars *scalars, unsigned int number,
                          spg_amg_cg_scalars *read);
    /* p = z + rz / rz_before p; p = z if that quotient is not finite. */
    spg_status (*cg_direction)(spg_context *context, spg_type type, int64_t n, const spg_amg_cg_scalars *scalars,
                               const void *z, void *p);

    /* ---- recordings ---- NULL on a backend that has none */
    /* Calls queue(state), which neither waits nor allocates, and keeps the work that it queues without running it.
     * *recording NULL with OK: this work cannot be recorded. */
    spg_status (*record)(spg_context *context, spg_status (*queue)(void *state), void *state,
                         spg_recording **recording);
    /* Queues the recorded work. */
    spg_status (*replay)(spg_context *context, const spg_recording *recording);
    void (*forget)(spg_context *context, spg_recording *recording);

    const struct spg_amg_krylov_backend *krylov; /* krylov/krylov_backend.h: other Krylov methods */
    const struct spg_amg_many_backend *many;     /* many_backend.h: several right-hand sides at once */
} spg_amg_backend;

extern const spg_amg_backend spg_host_amg_backend;
#ifdef SPG_WITH_CUDA
extern const spg_amg_backend spg_cuda_amg_backend; /* a table for C: its definition has C linkage */
#endif

#endif

/* The seam of algebraic multigrid: its set-up steps and the vector work of its cycles, one stage-sized function a
 * field. Private. Filled by src/host/amg/ and kernels/amg/; called by amg/.
 *
 * As in backend.h: arguments are checked, arrays lie at the backend's place, a failure frees what it took and leaves a
 * message. Values are SPG_F32 or SPG_F64 (`type`), but for the eight functions of the Galerkin product, which take all
 * four types. On a device functions queue work and return; those that wait are marked WAITS, and those used by
 * spg_amg_update and spg_amg_cycle neither wait nor allocate. Scalars that stay at the place (rho, dot products) are
 * doubles, whatever the type. Every sum over rows has a fixed order, independent of threads: a result repeats bit for
 * bit at its place; between places real numbers may differ in the last bits, integers (aggregates, patterns) do not. */
#ifndef SPG_SRC_AMG_BACKEND_H
#define SPG_SRC_AMG_BACKEND_H

#include "backend.h"

#include "spg/amg.h"

/* Who is strongly connected to whom: a pattern over nodes, with 64-bit offsets where its matrix has them. Includes each
 * node itself or not, as it comes. */
typedef struct spg_amg_graph {
    int64_t nodes, nnz;
    spg_type offset_type;
    void *row_offsets;
    int32_t *columns;
    bool borrowed; /* the arrays are A's: theta 0 and one unknown a node */
    /* At the place; where it is 1, no row names a node twice, and j's row names i if i's names j. NULL: not known. */
    const int32_t *symmetric;
    const uint8_t *isolated; /* at the place, of each node: not 0 where it is; see find_isolated. NULL: none is */
} spg_amg_graph;

/* In the place of an aggregate's number: the node is in none. Its rows of T are zero, and nothing else is said by it.
 */
enum { SPG_AMG_NO_AGGREGATE = -1 };

/* The aggregates of a level's nodes, and the blocks of its matrices. Unknown i is of node i / block_size. Coarse
 * unknowns of aggregate g are g*candidates ..., so that a row of T, and each block of a row of P, is `candidates`
 * columns. */
typedef struct spg_amg_aggregates {
    int64_t nodes, aggregates;
    int block_size, candidates;
    int32_t *aggregate_of; /* of each node, or SPG_AMG_NO_AGGREGATE */
} spg_amg_aggregates;

/* What a set-up found out about a level's spectral radius, from which updates go on; arrays at the place. */
typedef struct spg_amg_spectrum {
    float *vector; /* D^1/2 times the Ritz vector of rho, a row each */
    double *rho;   /* 0: the steps broke down, or there is no vector */
    float *basis;  /* NULL, or set-up's workspace: a vector for each of its steps */
} spg_amg_spectrum;

/* In units of the type's rounding: what is at most so much of the numbers that it was made of is zero but for
 * roundings, of which each finer level adds some: of 1200 closed chains of 60 rows 128 were seen after 4 levels. No
 * bench counts this; test_amg_isolated holds such chains to it. */
#define SPG_AMG_ROUNDINGS 512

/* A dense coarse operator, factored: the backend's own. */
typedef struct spg_amg_dense spg_amg_dense;

/* What a dense operator is made of. An unknown's magnitude is the sum of its row of R, squared, times the diagonal that
 * was restricted, or that of A's own entry if this is larger or R is NULL: a coarse diagonal far below that is made of
 * roundings, as is that of a singular matrix where it has one row. Without either, it is the largest of the row. */
typedef struct spg_amg_dense_source {
    const spg_csr *A, *R; /* R: by which A was made, or NULL */
    const void *inverse;  /* with R: of the diagonal of the operator that was restricted */
    /* The near-null space, of which part may be null: A.rows x candidates, column-major, NULL for the constants of so
     * many unknowns; read at creation. candidates 0: nothing is known. */
    const void *candidate_values;
    int candidates;
    double finest_rows; /* of the operator of which A was made, in however many steps; 0: A itself */
    int64_t most_rows;  /* at creation: not 0, declines where Cholesky's method would cost more than of so many rows */
} spg_amg_dense_source;

/* What a dense operator has come to. */
enum {
    SPG_AMG_DENSE_PLAIN = 0,
    SPG_AMG_DENSE_DEFLATED = 1, /* singular, with a null space in the candidates' span */
    SPG_AMG_DENSE_UNSETTLED = 2 /* the last update came to something that dense_settle must see to */
};

/* Rows past which no pseudo-inverse is made by singular values: of a component on the host, of all on a device. */
enum { SPG_AMG_MOST_SINGULAR = 768 };

/* Roundings that may be left of a row's magnitudes where a coarse operator meets a null vector, for each root of the
 * finest rows that the row stands for. Of closed grids of 10^4 to 10^6 rows, with couplings that vary by 10^4 or do
 * not, at most 7.2 were seen in floats and 2.7 in doubles; with one row of 216000 raised by a quarter, 186 in floats
 * and 10^11 in doubles. No bench counts this; test_amg_null_space holds 26 grids to it. */
#define SPG_AMG_NULL_ROUNDINGS 16.0

/* Of an update's BREAKDOWN for want of one. */
#define SPG_AMG_BECAME_SINGULAR                                                                                        \
    "the coarsest operator of %lld rows became singular in an update, past its candidates; set up again"

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

typedef struct spg_amg_backend {
    /* ---- symmetry, for the Galerkin product (all four types) ---- */
    /* *flag (int32 at the place) = 1 if A is symmetric bit for bit, pattern and values (a_ij = a_ji, no conjugate, rows
     * sorted), else 0. */
    spg_status (*find_symmetry)(spg_context *context, const spg_csr *A, int32_t *flag);
    /* Also, of reals, what inverse_diagonal gives without l1: in one pass on a device. */
    spg_status (*survey)(spg_context *context, const spg_csr *A, int32_t *flag, void *inverse);
    /* tell_flag queues that the host learns *flag; flag_on_host waits for that, which was told last, and no longer:
     * work queued beside other work has been joined before (backend.h). */
    spg_status (*tell_flag)(spg_context *context, const int32_t *flag);
    spg_status (*flag_on_host)(spg_context *context, const int32_t *flag, bool *is_set);
    /* Where *flag is 1: gives each entry below the diagonal of the square C, whose rows are sorted, the value of its
     * mirror image. Entries without one are left. */
    spg_status (*mirror)(spg_context *context, const int32_t *flag, spg_csr *C);
    /* Where *symmetric is 1 and each entry below the diagonal of the square A, whose rows are sorted, has its mirror
     * image: notes these, if their numbers take 32 bits; else leaves *images zeroed. NULL on the host. WAITS. */
    spg_status (*find_images)(spg_context *context, const spg_csr *A, const int32_t *symmetric, spg_images *images);
    /* As mirror, for a matrix of the pattern whose images are noted. inverse: NULL, or of reals takes what
     * inverse_diagonal gives without l1, whatever the flag is. */
    spg_status (*copy_images)(spg_context *context, const int32_t *flag, const spg_images *images, spg_csr *C,
                              void *inverse);
    /* map (int64 at the place, A.nnz of them): entry k of the transpose comes from entry map[k] of A. */
    spg_status (*transpose_map)(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map);
    /* transpose.values[k] = A.values[map[k]]. */
    spg_status (*gather_values)(spg_context *context, const spg_csr *A, const int64_t *map, spg_csr *transpose);

    /* ---- setup ---- */
    /* FORMAT, naming row and column, if a value of A is not finite; UNSUPPORTED, naming the row, on a device if one has
     * more entries than 32 bits number there. WAITS. */
    spg_status (*check_finite)(spg_context *context, const spg_csr *A);
    /* *first: the first of so many reals whose magnitude is not at most this, or count. WAITS. */
    spg_status (*find_beyond)(spg_context *context, spg_type type, int64_t count, const void *values, double most,
                              int64_t *first);
    /* Keeps the diagonal where stored, and |a_ij| >= theta*sqrt(|a_ii|*|a_jj|), reckoned in double, each step rounded;
     * a_ii is the sum of the diagonal's entries in storage order, 0 without any. theta 0 keeps every stored entry.
     * Columns stand as in A. Of nodes of several unknowns: in place of |a_ij|, the Frobenius norm of the block, the
     * root of its squares' sum in storage order, row after row; columns ascend, each once. WAITS. */
    spg_status (*strength)(spg_context *context, const spg_csr *A, int block_size, double theta, spg_amg_graph *graph);
    /* isolated[node] = 1 where no value off the diagonal couples the node's unknowns, else 0: such a value is not zero,
     * and in a column of another node counts only where the node's row of the graph names any other. */
    spg_status (*find_isolated)(spg_context *context, const spg_csr *A, int block_size, const spg_amg_graph *graph,
                                uint8_t *isolated);
    /* Aggregates around maximal independent sets of distance 2. Fills aggregate_of (nodes of them), *aggregates and
     * *left_out: how many nodes are in none. WAITS. Integer for integer the same at every place, because each step
     * below is a function of the one before:
     *
     * Independent set of candidates within allowed nodes. Each node has a key of 64 bits: its state (2: in, 1:
     * undecided, 0: out) in the upper 2, then the upper 31 bits of spg_amg_random(seed, node) (amg/random.h), then the
     * node in 31; a node that is out or not allowed has the key 0. Candidates start undecided, others out. A round:
     * ring_i = the largest key of i itself and of the columns of its row, for allowed i, else 0; then, for undecided i,
     * with u the largest ring of i itself and of the columns of its row: i is in if u is its own key, else out if u's
     * state is `in`. Rounds go on until none is undecided. Of a symmetric graph, that is what taking candidates
     * greedily in descending order of keys gives.
     *
     * A node whose row names no other node is alone. Isolated nodes are in no aggregate, and below "nodes" are the
     * others, though their rows may name isolated ones.
     *
     * Without join_leftovers: all nodes are allowed, those not alone are candidates. Roots are numbered in ascending
     * order. A node's number is its own if it is a root, else the largest of roots that its row names, else the largest
     * number so found of nodes that its row names, else it is in none.
     *
     * With join_leftovers: all nodes are allowed and candidates. (1) Roots are numbered in ascending order; a node that
     * is no root joins the largest-numbered root that its row names, if it names one, else it is free. (2) Free nodes
     * are allowed, and those of them whose row has at least two entries in other free nodes are candidates of a second
     * set, with the same seed. Its roots take the next numbers in ascending order; a free node that is no root joins
     * the largest-numbered one that its row names. (3) Nodes still free join, of the aggregates of the first 64 entries
     * of their row whose nodes had one after (2), that which has most of these entries, of several the lowest-numbered;
     * nodes without any take the next numbers in ascending order, each an aggregate of its own. (4) All are numbered
     * anew in the order of their first nodes, so that neighbours, whatever set they come from, have near numbers. */
    spg_status (*aggregate_mis2)(spg_context *context, const spg_amg_graph *graph, uint64_t seed, bool join_leftovers,
                                 int32_t *aggregate_of, int64_t *aggregates, int64_t *left_out);
    /* As above, PyAMG's standard aggregation, of nodes neither isolated nor alone; NULL where the backend has none. */
    spg_status (*aggregate_standard)(spg_context *context, const spg_amg_graph *graph, int32_t *aggregate_of,
                                     int64_t *aggregates, int64_t *left_out);
    /* T and the coarse candidates, by modified Gram-Schmidt in each aggregate, unknowns in ascending order: fine =
     * T*coarse. Numbers whose squares under- or overflow are reckoned in another unit. fine: rows x k column-major, or
     * NULL for the constants of block_size unknowns. T: rows x k, ROW-major, zero rows for nodes in no aggregate.
     * coarse: (aggregates*k) x k column-major. A candidate whose rest is at most 1e-10 (of float values 1e-5) of its
     * norm in the aggregate gives a zero column. */
    spg_status (*tentative)(spg_context *context, spg_type type, const spg_amg_aggregates *aggregates, const void *fine,
                            void *T, void *coarse);
    /* inverse[i] = 1/a_ii, or with l1 1/(sum of |a_ij| over the row); 0 where that is not finite or a_ii is 0 or
     * missing. */
    spg_status (*inverse_diagonal)(spg_context *context, const spg_csr *A, bool l1, void *inverse);
    /* inverse[i] = 0 for those of `rows` unknowns whose node is in no aggregate (aggregate_of NULL: for all of them)
     * and whose diagonal entry, made by the restriction R of an operator with this inverse of its diagonal, is made of
     * roundings: at most SPG_AMG_ROUNDINGS of what restricting that diagonal alone makes of it. The last of a component
     * that is singular by itself comes to that. */
    spg_status (*drop_roundings)(spg_context *context, const spg_csr *R, const void *restricted_inverse,
                                 const spg_amg_aggregates *aggregates, void *inverse);
    /* *rho (double at the place): the largest Ritz value of D^-1 A after `steps` steps of Lanczos in the inner product
     * of D, where A is symmetric with a positive diagonal; if the recurrence breaks down (a NaN, an inner product below
     * zero) the largest row sum of |D^-1 A| instead; 1 where that is not above zero. The start vector is D^-1/2 x, x of
     * spg_amg_random_unit(seed, i) (amg/random.h) in row i, 0 where the inverse is 0: scaling rows and columns of A
     * alike changes nothing but roundings. workspace: spectral_bytes.
     *
     * known: NULL; or, with a basis, what is written; or, without, what a set-up has written: where its rho is not 0, x
     * is its vector and the random one, and no more steps are made when the Ritz value has settled. On a device vectors
     * are of floats then. */
    int64_t (*spectral_bytes)(const spg_csr *A, int steps);
    spg_status (*spectral_radius)(spg_context *context, const spg_csr *A, const void *inverse, int steps, uint64_t seed,
                                  void *workspace, const spg_amg_spectrum *known, double *rho);
    /* P's pattern: row i has the blocks of the aggregates of its node and of the nodes of A's columns in row i,
     * ascending, candidates columns each; allocates P whole, values unset. smooth false: the row's own aggregate alone.
     * WAITS. */
    spg_status (*prolongator_pattern)(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                      bool smooth, spg_csr *P);
    /* P = T - relaxation/(*rho) * inverse .* (A*T), into that pattern; relaxation 0: P = T. Each entry is T's (or 0)
     * less the scaled sum of its products in storage order. */
    spg_status (*prolongator_values)(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                     const void *T, const void *inverse, double relaxation, const double *rho,
                                     spg_csr *P);

    /* ---- dense coarse operator ---- */
    /* Room and first factorisation of a square A of at most 4096 rows, as S A S: S, of powers of two, makes the
     * magnitude of each unknown about 1, so that an unknown does not count as nothing beside others of larger numbers.
     * In each connected component (by values that are not zero; an unknown without any is one if a candidate has it), N
     * is what of the candidates' span A takes to zero but for roundings; A + N N^T is factored. Where that meets a
     * pivot of at most rows*eps of the largest, or of 1 where A was made by a restriction, a pseudo-inverse of S A S is
     * made by singular values. *dense NULL with OK: declined, for it would cost more than most_rows, or more than
     * SPG_AMG_MOST_SINGULAR rows want singular values. WAITS. */
    spg_status (*dense_create)(spg_context *context, const spg_amg_dense_source *source, spg_amg_dense **dense,
                               int64_t *bytes);
    /* Again; where that goes by singular values, on the device for good. Does not wait without. On the host, BREAKDOWN
     * and what dense_settle says; on a device, only dense_settle knows. */
    spg_status (*dense_update)(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
    /* Queues *state (double at the place) = one of the three above. */
    spg_status (*dense_tell)(spg_context *context, const spg_amg_dense *dense, double *state);
    /* Ends what an update began: a pseudo-inverse where there must be one. BREAKDOWN: values that are not finite, or
     * too many rows that are singular. WAITS. */
    spg_status (*dense_settle)(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
    spg_status (*dense_solve)(spg_context *context, spg_amg_dense *dense, const void *b, void *x);
    /* x = the part of b in the null space that was found, of A itself. */
    spg_status (*dense_project)(spg_context *context, spg_amg_dense *dense, const void *b, void *x);
    /* Whether it has one, or goes by singular values; on a device, as of its creation or of dense_settle. */
    bool (*dense_is_singular)(const spg_amg_dense *dense);
    void (*dense_destroy)(spg_context *context, spg_amg_dense *dense);

    /* ---- cycles ---- n: elements; vectors of `type` */
    /* y = alpha*x + beta*y; beta 0: y is not read. */
    spg_status (*axpby)(spg_context *context, spg_type type, int64_t n, double alpha, const void *x, double beta,
                        void *y);
    /* r = b - A x. */
    spg_status (*residual)(spg_context *context, const spg_csr *A, const void *b, const void *x, void *r);
    /* One sweep of a smoother. */
    spg_status (*relax)(spg_context *context, const spg_csr *A, const spg_amg_relaxation *sweep);
    /* *result (double at the place) = x . y, summed in a fixed order. workspace: dot_bytes. */
    int64_t (*dot_bytes)(spg_type type, int64_t n);
    spg_status (*dot)(spg_context *context, spg_type type, int64_t n, const void *x, const void *y, void *workspace,
                      double *result);

    /* ---- conjugate gradients ---- scalars are doubles at the place, so that an iteration waits once, to read them.
     * Both leave their vectors alone where a quotient is not to be had: the scalars then tell the caller why. */
    /* alpha = *rz / *pq: x += alpha p, r -= alpha q, then *rr = r . r. Where not (*rz > 0 and *pq > 0), or alpha is not
     * finite, x and r stay as they are. workspace: dot_bytes. */
    spg_status (*cg_step)(spg_context *context, spg_type type, int64_t n, const double *rz, const double *pq,
                          const spg_amg_cg_vectors *vectors, void *workspace, double *rr);
    /* p = z + *rz / *rz_before p; p = z where that is not finite. */
    spg_status (*cg_direction)(spg_context *context, spg_type type, int64_t n, const double *rz,
                               const double *rz_before, const void *z, void *p);
} spg_amg_backend;

extern const spg_amg_backend spg_host_amg_backend;
#ifdef SPG_WITH_CUDA
extern const spg_amg_backend spg_cuda_amg_backend; /* a table for C: its definition has C linkage */
#endif

#endif

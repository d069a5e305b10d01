/* The inside of the host's dense solver, which dense.c drives: the operator by its connected components, what of the
 * candidates' span it takes to zero, and factors of each component. Private to src/host/amg/dense*.c. */
#ifndef SPG_SRC_HOST_AMG_DENSE_DENSE_H
#define SPG_SRC_HOST_AMG_DENSE_DENSE_H

#include "host/amg/host_amg.h"

enum { SPG_DENSE_MOST_CANDIDATES = 32 };

typedef enum spg_dense_way {
    SPG_DENSE_CHOLESKY, /* L of A + N N^T */
    SPG_DENSE_LU,       /* L and U of the same, with row pivots */
    SPG_DENSE_PSEUDO    /* the pseudo-inverse of A, by singular values */
} spg_dense_way;

/* A connected component of the operator, S A S. Unknowns whose row and column are zero are components of their own if
 * a candidate has them, and in none if not. */
typedef struct spg_dense_part {
    int first, rows; /* its unknowns: rows of them from `first` on in spg_amg_dense.unknowns */
    int nullity;     /* columns of N, and of its other form, in these rows */
    spg_dense_way way;
    int64_t at; /* of its rows x rows values in `matrix` */
} spg_dense_part;

struct spg_amg_dense {
    int64_t rows; /* of A; arrays have room for as many */
    int candidates;
    spg_type type;
    double least;     /* of which the largest pivot or singular value counts, for what is zero beside it */
    double roundings; /* that null vectors may leave, of a row's magnitudes; see null_space.c */
    bool is_broken;   /* the last update failed */
    bool is_singular;
    int64_t bytes;     /* of all below and the struct */
    double *candidate; /* rows x candidates, column-major: the near-null space, in A's own unknowns */
    double *scaling;   /* of each row and column: S */
    double *null;      /* rows x candidates, column-major: N, orthonormal in each part, in the unknowns of S A S */
    double *null_of_A; /* the same span in A's unknowns, and orthonormal there */
    int *unknowns;     /* rows of A, part by part, ascending in each */
    int *place;        /* of each row: where it is in `unknowns`; -1: in no part */
    spg_dense_part *part;
    int parts;
    double *matrix;      /* of each part, column-major: its values, then its factors */
    int64_t matrix_room; /* values */
    int *pivots;         /* by place */
    double *vector;      /* right-hand side and solution, by place; and room for as many again */
};

/* What a pivot or a singular value must pass, over the largest, to count as not zero. A few dozen roundings are
 * granted to the smallest matrices as well, since their entries are sums of many products. */
double spg_dense_least_share(const spg_amg_dense *dense, int64_t rows);

static inline double spg_dense_real_at(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

/* ---- parts.c ---- */
/* Scales, and finds the parts of an operator: their unknowns, sizes and places. BREAKDOWN if a value is not finite. */
spg_status spg_dense_find_parts(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
/* The values of a part into its place in `matrix`. */
void spg_dense_spread(spg_amg_dense *dense, const spg_csr *A, const spg_dense_part *part);

/* ---- null_space.c ---- */
/* Finds N in the rows of a part whose values are spread, and sets its nullity. */
void spg_dense_find_null_space(const spg_amg_dense *dense, spg_dense_part *part);

/* ---- factor.c ---- */
/* Factors a part that is spread. *is_singular: it counts as singular beside N; its values are gone then. */
void spg_dense_factor(spg_amg_dense *dense, spg_dense_part *part, bool *is_singular);
/* The pseudo-inverse of a part that is spread, in its place. MEMORY, or BREAKDOWN where it is not found. */
spg_status spg_dense_decompose(spg_context *context, spg_amg_dense *dense, spg_dense_part *part);
/* The part's rows of dense->vector become those of the solution. */
void spg_dense_solve_part(spg_amg_dense *dense, const spg_dense_part *part);

#endif

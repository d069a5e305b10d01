/* The members of the host's dense solver, whose main part is dense.c: the operator by its connected components, the
 * part of the candidates' span that it maps to zero, and factors of each component. Private to
 * src/host/amg/dense*.c. */
#ifndef SPG_SRC_HOST_AMG_DENSE_DENSE_H
#define SPG_SRC_HOST_AMG_DENSE_DENSE_H

#include "host/amg/host_amg.h"

enum { SPG_DENSE_MOST_CANDIDATES = 32 };

typedef enum spg_dense_way {
    SPG_DENSE_CHOLESKY, /* L of A + N N^T */
    SPG_DENSE_LU,       /* L and U of the same matrix, with row pivots */
    SPG_DENSE_PSEUDO    /* the pseudo-inverse of A, by singular values */
} spg_dense_way;

/* A connected component of the operator S A S. An unknown whose row and column are zero is a component of its own if a
 * candidate has it; else it is in none. */
typedef struct spg_dense_part {
    int first, rows; /* its unknowns: rows of them from `first` on in spg_amg_dense.unknowns */
    int nullity;     /* columns of N, and of null_of_A, in these rows */
    spg_dense_way way;
    int64_t at; /* offset of its rows x rows values in `matrix` */
} spg_dense_part;

struct spg_amg_dense {
    int64_t rows; /* of A; the arrays have this many rows */
    int candidates;
    spg_type type;
    double least;     /* lower bound of the largest pivot or singular value that others are compared with */
    double roundings; /* rounding error that null vectors may leave, relative to a row's magnitudes; see
                         dense_null_space.c */
    bool is_broken;   /* the last update failed */
    bool is_singular;
    int64_t bytes;     /* of this struct and all arrays below */
    double *candidate; /* rows x candidates, column-major: the near-null space, in A's own unknowns */
    double *scaling;   /* the factor of each row and column: S */
    double *null;      /* rows x candidates, column-major: N, orthonormal in each part, in the unknowns of S A S */
    double *null_of_A; /* the same span in A's unknowns, orthonormal there */
    int *unknowns;     /* rows of A, part by part, ascending within each */
    int *place;        /* for each row: its position in `unknowns`; -1: in no part */
    spg_dense_part *part;
    int parts;
    double *matrix;      /* for each part, column-major: its values, later its factors */
    int64_t matrix_room; /* capacity in values */
    int *pivots;         /* by position */
    double *vector;      /* right-hand side and solution, by position; and as much room again */
};

/* A pivot or singular value counts as nonzero if it is more than this, relative to the largest. Even the smallest
 * matrices are granted a few dozen rounding errors, since their entries are sums of many products. */
double spg_dense_least_share(const spg_amg_dense *dense, int64_t rows);

static inline double spg_dense_real_at(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

/* ---- dense_parts.c ---- */
/* Scales an operator and finds its parts: their unknowns, sizes and positions. BREAKDOWN if a value is not finite. */
spg_status spg_dense_find_parts(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
/* Writes the values of a part to its place in `matrix`. */
void spg_dense_spread(spg_amg_dense *dense, const spg_csr *A, const spg_dense_part *part);

/* ---- dense_null_space.c ---- */
/* Finds N for a part whose values are in `matrix`, and sets its nullity. */
void spg_dense_find_null_space(const spg_amg_dense *dense, spg_dense_part *part);

/* ---- dense_factor.c ---- */
/* Factors a part whose values are in `matrix`. *is_singular: it counts as singular beyond N; its values are then
 * lost. */
void spg_dense_factor(spg_amg_dense *dense, spg_dense_part *part, bool *is_singular);
/* Replaces a part's values in `matrix` by the pseudo-inverse. MEMORY, or BREAKDOWN if it is not found. */
spg_status spg_dense_decompose(spg_context *context, spg_amg_dense *dense, spg_dense_part *part);
/* Replaces the part's rows of dense->vector by those of the solution. */
void spg_dense_solve_part(spg_amg_dense *dense, const spg_dense_part *part);

#endif

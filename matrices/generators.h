/* Test matrices, the same bits on every machine, and their smoothed-aggregation prolongators. All live on the host. */
#ifndef SPG_MATRICES_GENERATORS_H
#define SPG_MATRICES_GENERATORS_H

#include "spg/spg.h"

#include <stdbool.h>

/* Makes the matrix that `name` describes, with sorted rows, no duplicates and 32-bit offsets where they suffice:
 * fd2d5 fe2d9 fd3d7 fe3d27 tri2d tet3d elast3d solid3d econ (N: points a side; econ: rows), rmatS (R-MAT of scale S),
 * random, arrow, ladder, empty, hypersparse; each with ":N" for another size ("fd2d5:64"). value_type: any; complex
 * types get an imaginary part too. ARGUMENT: no such name or size; the message lists the names. OVERFLOW: a size whose
 * columns pass 32 bits. PLACE: the context is on a device. Where random, documented counts are those of seed 1. */
spg_status generate_matrix(spg_context *context, const char *name, uint64_t seed, spg_type value_type, spg_csr *matrix);

/* True if `name` (with or without ":N") names a generator. */
bool is_generator_name(const char *name);

/* True for the generators of three unknowns a node: elast3d and solid3d. */
bool has_rigid_body_modes(const char *name);

/* values (f32 or f64; rows x 6, column-major) = the rigid-body modes of what `name` generates: translations along x, y
 * and z, rotations about z, x and y. Of solid3d they are the null space where it was not clamped; elast3d is like an
 * elasticity matrix in its pattern alone. ARGUMENT: no such name. */
spg_status generate_rigid_body_modes(spg_context *context, const char *name, spg_type value_type, void *values);

/* The names with a line of description each, for --help: entry k, or NULL past the end. */
const char *generator_description(int k);

/* P = (I - 2/3 D^-1 A) T: T from greedy aggregates of distance 1 in row order (a row whose neighbourhood is free starts
 * an aggregate of it; the rest join a neighbour's). A is square, with 32- or 64-bit offsets, any value type. Rows with
 * a zero diagonal are not smoothed. P's rows are sorted, without duplicates; its pattern is that of A*T and T together,
 * whatever the values, and its offsets are as wide as A's, or 64 bits where 32 do not suffice. */
spg_status generate_prolongator(spg_context *context, const spg_csr *A, spg_csr *P);

#endif

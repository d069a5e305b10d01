/* Test matrices, with the same bits on every machine, and their smoothed-aggregation prolongators. All are at the
 * host. */
#ifndef SPG_MATRICES_GENERATORS_H
#define SPG_MATRICES_GENERATORS_H

#include "spg/spg.h"

#include <stdbool.h>

/* Makes the matrix that `name` describes, with sorted rows, no duplicates and 32-bit offsets if they suffice: fd2d5
 * fe2d9 fd3d7 fe3d27 tri2d tet3d elast3d solid3d econ (N: points per side; econ: rows), rmatS (R-MAT of scale S),
 * random, arrow, ladder, empty, hypersparse, stretch2d, layers3d, aniso2d, conv2d, recirc2d, magnet2d, magnet3d; each
 * with ":N" for another size ("fd2d5:64"). The last five take numbers after the size ("aniso2d:64:0.001:45"; --help
 * says which). value_type: any; complex types also get an imaginary part. ARGUMENT: no such name, size or number; the
 * message lists the names. OVERFLOW: more columns than 32 bits can number. PLACE: the context is on a device. For
 * random matrices, documented counts are those of seed 1. */
spg_status generate_matrix(spg_context *context, const char *name, uint64_t seed, spg_type value_type, spg_csr *matrix);

/* True if `name` (with or without ":N") names a generator. */
bool is_generator_name(const char *name);

/* True for the generators with three unknowns per node: elast3d and solid3d. */
bool has_rigid_body_modes(const char *name);

/* values (f32 or f64; rows x 6, column-major) = the rigid-body modes for the matrix that `name` generates: translations
 * along x, y and z, rotations about z, x and y. For solid3d they span the null space that it would have without
 * clamping; elast3d is like an elasticity matrix only in its pattern. ARGUMENT: no such name. */
spg_status generate_rigid_body_modes(spg_context *context, const char *name, spg_type value_type, void *values);

/* The names, each with a one-line description, for --help: entry k, or NULL past the end. */
const char *generator_description(int k);

/* P = (I - 2/3 D^-1 A) T, with T from greedy aggregates of distance 1 in row order: a row whose neighbourhood is free
 * starts an aggregate with it; the remaining rows join a neighbour's aggregate. A is square, with 32- or 64-bit
 * offsets, of any value type. Rows with a zero diagonal are not smoothed. P's rows are sorted, without duplicates. Its
 * pattern is the union of those of A*T and T, whatever the values. Its offsets are as wide as A's, or 64 bits if 32 do
 * not suffice. */
spg_status generate_prolongator(spg_context *context, const spg_csr *A, spg_csr *P);

#endif

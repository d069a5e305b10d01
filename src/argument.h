/* Argument checks shared by all public calls: O(1) each; the message names the argument at fault. Private. */
#ifndef SPG_SRC_ARGUMENT_H
#define SPG_SRC_ARGUMENT_H

#include "context.h"

bool spg_is_value_type(spg_type type);
bool spg_is_offset_type(spg_type type);

/* The type of a complex value's parts; of a real value, its own. */
static inline spg_type spg_part_type(spg_type type)
{
    return type == SPG_C32 ? SPG_F32 : type == SPG_C64 ? SPG_F64 : type;
}
static inline bool spg_is_complex(spg_type type) { return type == SPG_C32 || type == SPG_C64; }
static inline int spg_parts_of(spg_type type) { return spg_is_complex(type) ? 2 : 1; }

/* Starts a call that returns a new object: zeroes *output, of `size` bytes. ARGUMENT if the context is NULL, or if
 * output is NULL or is the input itself, which is then not changed. */
spg_status spg_begin_output(spg_context *context, const void *input, void *output, size_t size, const char *name);

/* Check sizes and types only. `name` is the argument's name, for the message. */
spg_status spg_check_csr_layout(spg_context *context, const spg_csr *matrix, const char *name);
spg_status spg_check_coo_layout(spg_context *context, const spg_coo *matrix, const char *name);

/* Also check the pointers that must not be NULL. */
spg_status spg_check_csr_argument(spg_context *context, const spg_csr *matrix, const char *name);
spg_status spg_check_coo_argument(spg_context *context, const spg_coo *matrix, const char *name);

/* Also check that the arrays lie at the context's place, and on a device aligned to their entries. */
spg_status spg_check_csr_here(spg_context *context, const spg_csr *matrix, const char *name);
spg_status spg_check_coo_here(spg_context *context, const spg_coo *matrix, const char *name);

/* For the source of a copy: the arrays must lie where the struct says, and this machine must have that place. */
spg_status spg_check_csr_source(spg_context *context, const spg_csr *matrix, const char *name);
spg_status spg_check_coo_source(spg_context *context, const spg_coo *matrix, const char *name);

/* SHAPE unless the matrix is square. */
spg_status spg_check_square(spg_context *context, const spg_csr *matrix, const char *name);

/* PLACE unless `place` is the context's. */
spg_status spg_check_place(spg_context *context, spg_place place, const char *name);

/* PLACE if an array outside of a matrix, with entries of `size` bytes, does not lie at the context's place; ARGUMENT if
 * on a device it is not aligned to them. NULL is allowed. */
spg_status spg_check_array_here(spg_context *context, const void *memory, size_t size, const char *name);

spg_status spg_check_offset_type(spg_context *context, spg_type offset_type, const char *name);

/* ARGUMENT if `count` rows or columns (`what`) exceed 32-bit indices. */
spg_status spg_check_index_range(spg_context *context, int64_t count, const char *name, const char *what);

/* OVERFLOW if `count` does not fit offsets of this type; `what` names what is counted. */
spg_status spg_check_offset_range(spg_context *context, int64_t count, spg_type offset_type, const char *what);

/* Whether two arrays of these sizes overlap. NULL overlaps nothing. */
bool spg_overlap(const void *one, int64_t one_bytes, const void *other, int64_t other_bytes);

/* The vectors of y = A*x: not NULL, at the context's place, and not overlapping. */
spg_status spg_check_vectors(spg_context *context, int64_t x_count, const void *x, int64_t y_count, const void *y,
                             size_t size);

/* Results are written while operands are read. ARGUMENT if these bytes, named `result`, overlap an array of the
 * matrix. */
spg_status spg_check_apart_from_csr(spg_context *context, const void *memory, int64_t bytes, const char *result,
                                    const spg_csr *matrix, const char *name);
spg_status spg_check_apart_from_coo(spg_context *context, const void *memory, int64_t bytes, const char *result,
                                    const spg_coo *matrix, const char *name);

/* One element of any type. */
typedef struct spg_scale {
    double parts[2];
} spg_scale;

/* NULL if *scale equals `whole`, the number that NULL stands for; else a copy, as scale may lie in the result. */
const void *spg_scale_unless(const void *scale, spg_type value_type, int whole, spg_scale *copy);

#endif

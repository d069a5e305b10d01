/* Checks of arguments that every public call shares: O(1) each, naming the argument at fault. Private. */
#ifndef SPG_SRC_ARGUMENT_H
#define SPG_SRC_ARGUMENT_H

#include "context.h"

bool spg_is_value_type(spg_type type);
bool spg_is_offset_type(spg_type type);

/* The struct alone: sizes, types, place, pointers that must not be NULL. `name` is the argument's, for the message. */
spg_status spg_check_csr_argument(spg_context *context, const spg_csr *matrix, const char *name);
spg_status spg_check_coo_argument(spg_context *context, const spg_coo *matrix, const char *name);

/* As above, and the arrays must lie at the context's place. */
spg_status spg_check_csr_here(spg_context *context, const spg_csr *matrix, const char *name);
spg_status spg_check_coo_here(spg_context *context, const spg_coo *matrix, const char *name);

/* OVERFLOW if `count` does not fit offsets of this type; `what` is counted. */
spg_status spg_check_offset_range(spg_context *context, int64_t count, spg_type offset_type, const char *what);

#endif

/* Several vectors in memory, row-major or column-major: checks. Private. */
#ifndef SPG_SRC_OPERATIONS_LAYOUT_H
#define SPG_SRC_OPERATIONS_LAYOUT_H

#include "context.h"

#include "spg/operations.h"

/* The elements from the first to the last of `count` vectors; INT64_MAX if that overflows. */
int64_t spg_layout_extent(int64_t length, int64_t count, spg_layout layout, int64_t stride);

/* ARGUMENT if the layout is none, or the count negative. */
spg_status spg_check_layout(spg_context *context, int64_t count, spg_layout layout);

/* ARGUMENT if the stride, named `name`, is too short for `count` vectors of this length. */
spg_status spg_check_stride(spg_context *context, int64_t length, int64_t count, spg_layout layout, int64_t stride,
                            const char *name);

#endif

/* A plan's inside. Private. */
#ifndef SPG_SRC_PLAN_H
#define SPG_SRC_PLAN_H

#include "backend.h"

struct spgemm_plan {
    spg_context *context;
    spg_csr A, B; /* what they must look like: sizes and types, no arrays */
    spg_csr C;    /* the pattern: offsets and columns, no values */
    spgemm_stats stats;
    void *state; /* the backend's own */
    /* The result that holds C's pattern, written or compared by the last run; its values alone are renewed. */
    const void *last_row_offsets, *last_columns;
    int64_t releases; /* of the context, when these were seen */
};

/* All that can be told of operands without their arrays; the names are for messages. */
spg_status spg_plan_check_operands(const spgemm_plan *plan, const spg_csr *A, const char *A_name, const spg_csr *B,
                                   const char *B_name);

#endif

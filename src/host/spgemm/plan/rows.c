/* See rows.h. Sums are in storage order from zero, as in the one-shot kernels, directly in C's values. Other
 * threads may change operands between their check and their use: whatever the operands then hold, reads and writes stay
 * within the arrays, and within the rows of C. */
#include "rows.h"

#include <string.h>

static planned_row row_of(row_code code, int64_t count)
{
    return (planned_row){code & 7u, (uint32_t)count & ((1u << 29) - 1)};
}

planned_row spg_plan_row(int64_t n, int64_t entries, int64_t products, bool masks)
{
    if (n == 0) return (planned_row){CODE_NONE, 0};
    int64_t room = 12 * n;
    if (masks && n <= 8 && entries <= room) return row_of(CODE_MASK_8, entries);
    if (masks && n <= 16 && 2 * entries <= room) return row_of(CODE_MASK_16, entries);
    if (n <= 1 << 8 && products <= room) return row_of(CODE_POSITION_8, products);
    if (n <= 1 << 16 && 2 * products <= room) return row_of(CODE_POSITION_16, products);
    return (planned_row){CODE_RANK, 0};
}

int64_t spg_code_bytes(planned_row row)
{
    switch (row.code) { /* even, so that 16-bit codes are aligned */
    case CODE_MASK_8:
    case CODE_POSITION_8: return row.count + row.count % 2;
    default: return 2 * (int64_t)row.count;
    }
}

rank_lookup spg_prepare_ranks(spg_worker *worker, const int32_t *columns, int64_t n)
{
    const int64_t slots = worker->shared->sizes.table_slots;
    rank_lookup ranks = {NULL, (uint32_t)slots - 1, columns, n};
    if (n == 0 || columns[n - 1] - (int64_t)columns[0] >= slots) return ranks;
    for (int64_t i = 0; i < n; i++) worker->table[(uint32_t)columns[i] & ranks.mask] = (uint32_t)i;
    ranks.table = worker->table;
    return ranks;
}

/* Complex rows never have masks. */
#define NO_MASK_ROW(suffix)                                                                                            \
    static void spg_mask_row_avx512_##suffix(const plan_rows *rows, row_code code, const uint8_t *masks,               \
                                             int64_t first, int64_t entries, int64_t n, value_##suffix *values)        \
    {                                                                                                                  \
        (void)rows, (void)code, (void)masks, (void)first, (void)entries, (void)n, (void)values;                        \
    }
NO_MASK_ROW(c32)
NO_MASK_ROW(c64)

#define TEMPLATE "host/spgemm/plan/rows.inc.h"
#include "host/for_each_value_type.h"

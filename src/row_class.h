/* Row classes by the work of a row, shared by the products and by sampling. Private. */
#ifndef SPG_SRC_ROW_CLASS_H
#define SPG_SRC_ROW_CLASS_H

#include "spg/spgemm.h"

/* The class of a row that needs `work` products (or has `work` weights). Limits must be resolved. */
static inline spg_row_class spg_classify(int64_t work, const spg_row_limits *limits)
{
    if (work <= 0) return SPG_ROW_EMPTY;
    if (work <= limits->thread) return SPG_ROW_THREAD;
    if (work <= limits->warp) return SPG_ROW_WARP;
    if (work <= limits->cta) return SPG_ROW_CTA;
    return SPG_ROW_GLOBAL;
}

#endif
